//! An unknown or invalid setting is refused, with its position and a suggested correction.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use heddle_runtime::config::{Config, Size};
use heddle_runtime::device::DeviceId;
use heddle_runtime::memory::PressureThresholds;
use heddle_runtime::units::Bytes;
use heddle_runtime::{Error, Runtime};
use proptest::prelude::*;

fn from_file(text: &str) -> Result<Config, Error> {
    Config::from_sources(Some((Path::new("conf/heddle.toml"), text)), [])
}

fn from_variable(name: &str, value: &str) -> Result<Config, Error> {
    Config::from_sources(None, [(name.to_owned(), value.to_owned())])
}

/// Returns the two lines that the command line would print.
fn shown(refused: Result<Config, Error>) -> String {
    match refused {
        Ok(config) => format!("not refused: {config:?}"),
        Err(error) => match error.hint() {
            Some(hint) => format!("{error}\n{hint}"),
            None => error.to_string(),
        },
    }
}

#[test]
fn an_unknown_key_of_the_file_is_named_with_its_line_and_the_nearest_key() {
    assert_eq!(
        shown(from_file("threads = 2\n\n[route]\nsmrt = true\n")),
        "conf/heddle.toml:4: there is no key `route.smrt`\ndid you mean `route.smart`?"
    );
    assert_eq!(
        shown(from_file("[rout]\nsmart = true")),
        "conf/heddle.toml:1: there is no key `rout`\ndid you mean `route`?"
    );
    assert_eq!(
        shown(from_file("min_gpu = 1")),
        "conf/heddle.toml:1: there is no key `min_gpu`\ndid you mean `route.min_gpu`?"
    );
    assert_eq!(
        shown(from_file("\"route.smart\" = true")),
        "conf/heddle.toml:1: there is no key `\"route.smart\"`\ndid you mean `route.smart`?"
    );
}

#[test]
fn an_unknown_variable_is_a_warning_that_names_the_nearest_one() {
    for (wrong, right) in [
        ("HEDDLE_DEVICES", "HEDDLE_DEVICE"),
        ("HEDDLE_SMART", "HEDDLE_ROUTE_SMART"),
        ("HEDDLE_ROUTE_EXPLORE_SHARES", "HEDDLE_ROUTE_EXPLORE_SHARE"),
        ("HEDDLE_MEMORY_HOSTLIMIT", "HEDDLE_MEMORY_HOST_LIMIT"),
        ("HEDDLE_CONFGI", "HEDDLE_CONFIG"),
        ("HEDDLE_threads", "HEDDLE_THREADS"),
    ] {
        let warning = format!("{wrong} is no setting and was ignored; did you mean `{right}`?");
        let warned = Config::default().with(|it| it.warnings = vec![warning]);
        assert_eq!(from_variable(wrong, "1").unwrap(), warned);
    }
}

#[test]
fn an_unrelated_variable_gets_no_hint_and_a_note_of_the_runtime() {
    let config = from_variable("HEDDLE_WORKER_RANK", "3").unwrap();
    let warning = "HEDDLE_WORKER_RANK is no setting and was ignored";
    assert_eq!(config.warnings, [warning]);
    let runtime = Runtime::builder()
        .config(config)
        .without_model_cache()
        .build();
    assert_eq!(runtime.unwrap().notes(), [warning]);
}

#[test]
fn a_wrong_type_says_what_was_expected_and_found() {
    for (text, message) in [
        (
            "threads = \"4\"",
            "`threads`: expected a whole number above 0 or \"all\", found the string \"4\"",
        ),
        (
            "threads = 0",
            "`threads`: expected a whole number above 0 or \"all\", found the integer 0",
        ),
        (
            "route.smart = \"yes\"",
            "`route.smart`: expected true or false, found the string \"yes\"",
        ),
        (
            "route.explore_share = 1.5",
            "`route.explore_share`: expected a number from 0 to 1, found the float 1.5",
        ),
        (
            "route.verify_share = nan",
            "`route.verify_share`: expected a number from 0 to 1, found the float nan",
        ),
        (
            "route.allow = []",
            "`route.allow`: expected at least one device or \"all\", found an empty array",
        ),
        (
            "route = 5",
            "`route`: expected a table, found the integer 5",
        ),
    ] {
        let error = shown(from_file(text));
        let first = error.lines().next().unwrap();
        assert_eq!(first, format!("conf/heddle.toml:1: {message}"));
    }
    assert_eq!(
        shown(from_file("memory.host_limit = 0.9")),
        "conf/heddle.toml:1: `memory.host_limit`: expected a size such as \"1GiB\" or \"90%\", \
         found the float 0.9\nwrite a number of bytes, \"1GiB\", \"512 MB\" or a share such as \"90%\""
    );
    assert_eq!(
        shown(from_file("[route.kinds]\nxor = \"gpu\"")),
        "conf/heddle.toml:2: `route.kinds`: expected a device such as \"cpu\" or \"cuda:0\", \
         found the string \"gpu\" for \"xor\"\n`heddle devices` lists them"
    );
    assert_eq!(
        shown(from_file("route.deny = [\n  \"cpu\",\n  5,\n]")),
        "conf/heddle.toml:3: `route.deny`: expected a device such as \"cpu\" or \"cuda:0\", \
         found the integer 5\n`heddle devices` lists them"
    );
    assert_eq!(
        shown(from_variable("HEDDLE_THREADS", "")),
        "HEDDLE_THREADS: expected a whole number above 0 or \"all\", found nothing"
    );
}

#[test]
fn invalid_toml_is_refused_with_its_line() {
    let error = shown(from_file("threads = 2\nroute.smart = maybe\n"));
    assert!(error.starts_with("conf/heddle.toml:2: "), "{error}");
    let error = shown(from_file("threads = 2\nthreads = 3\n"));
    assert!(error.starts_with("conf/heddle.toml:2: "), "{error}");
}

#[test]
fn the_first_error_of_the_file_is_reported() {
    let error = shown(from_file("zebra = 1\nant = 2\n"));
    assert!(error.starts_with("conf/heddle.toml:1: "), "{error}");
}

const EVERY_KEY: &str = r#"
device = "cuda:1"
threads = 3
cache_dir = "models"
metrics = "127.0.0.1:0"
[route]
smart = false
min_gpu = "64 KiB"
allow = ["cpu", "cuda:1"]
deny = ["simt:0"]
kinds = { xor = "cpu" }
explore_share = 0.5
verify_share = 1
[memory]
host_limit = "4GiB"
device_limit = 1_000
pool_limit = "50%"
pool_idle_s = 10
cleanup_at = 0.7
moderate_at = 0.1
high_at = 0.2
critical_at = 0.3
leak_window_s = 60
leak_growth = 0.5
log = "allocations.jsonl"
[profile]
enabled = false
capacity_spans = 0x10
[simt]
memory = "64MiB"
fail_allocation = 1
fail_launch = 2
lost_after = 3
transfer_rate = "100 MB"
[arc]
gpu_caps = "cells=64k,rows=8k"
dialect = "typed"
cells = "classic"
"#;

/// The meaning of the memory section of [`EVERY_KEY`] for a GPU of 1 GiB.
#[test]
fn memory_settings_become_limits_of_one_gpu() {
    let config = from_file(EVERY_KEY).unwrap();
    let rules = config.memory.rules(Bytes(1 << 30)).unwrap();
    assert_eq!(rules.capacity, Bytes(1000));
    assert_eq!(rules.pool_maximum, Bytes(500));
    assert_eq!(rules.pool_idle, Duration::from_secs(10));
    assert_eq!(rules.cleanup_at.to_bits(), 0.7_f64.to_bits());
    let levels = PressureThresholds::new(0.1, 0.2, 0.3).unwrap();
    assert_eq!(rules.pressure, levels);
    assert_eq!(rules.leaks.window, Duration::from_mins(1));
    assert_eq!(rules.leaks.growth.to_bits(), 0.5_f64.to_bits());
    let log = Some(PathBuf::from("conf/allocations.jsonl"));
    assert_eq!(config.memory.log, log);

    let levels_that_fall = from_variable("HEDDLE_MEMORY_MODERATE_AT", "0.9").unwrap();
    let error = levels_that_fall.memory.rules(Bytes(1 << 30)).unwrap_err();
    assert!(error.to_string().contains("memory.high_at"), "{error}");
}

/// Every key as a variable, then variables that are no keys.
const EVERY_VARIABLE: &[(&str, &str)] = &[
    ("HEDDLE_DEVICE", "auto"),
    ("HEDDLE_THREADS", "all"),
    ("HEDDLE_CACHE_DIR", "elsewhere"),
    ("HEDDLE_METRICS", "[::1]:9464"),
    ("HEDDLE_ROUTE_SMART", "1"),
    ("HEDDLE_ROUTE_MIN_GPU", "1%"),
    ("HEDDLE_ROUTE_ALLOW", "cpu, cuda:0"),
    ("HEDDLE_ROUTE_DENY", ""),
    ("HEDDLE_ROUTE_KINDS", "matmul=cuda:0, xor = cpu"),
    ("HEDDLE_ROUTE_EXPLORE_SHARE", "0"),
    ("HEDDLE_ROUTE_VERIFY_SHARE", "0.25"),
    ("HEDDLE_MEMORY_HOST_LIMIT", "100%"),
    ("HEDDLE_MEMORY_DEVICE_LIMIT", "2 GB"),
    ("HEDDLE_MEMORY_POOL_LIMIT", "1GiB"),
    ("HEDDLE_MEMORY_POOL_IDLE_S", "1"),
    ("HEDDLE_MEMORY_CLEANUP_AT", "1"),
    ("HEDDLE_MEMORY_MODERATE_AT", "0.9"),
    ("HEDDLE_MEMORY_HIGH_AT", "0.5"),
    ("HEDDLE_MEMORY_CRITICAL_AT", "0.6"),
    ("HEDDLE_MEMORY_LEAK_WINDOW_S", "5"),
    ("HEDDLE_MEMORY_LEAK_GROWTH", "0"),
    ("HEDDLE_MEMORY_LOG", "none"),
    ("HEDDLE_PROFILE_ENABLED", "true"),
    ("HEDDLE_PROFILE_CAPACITY_SPANS", "7"),
    ("HEDDLE_SIMT_MEMORY", "1%"),
    ("HEDDLE_SIMT_FAIL_ALLOCATION", "never"),
    ("HEDDLE_SIMT_FAIL_LAUNCH", "9"),
    ("HEDDLE_SIMT_LOST_AFTER", "never"),
    ("HEDDLE_SIMT_TRANSFER_RATE", "unlimited"),
    ("HEDDLE_ARC_GPU_CAPS", "default"),
    ("HEDDLE_ARC_DIALECT", "classic"),
    ("HEDDLE_ARC_CELLS", "triple"),
    ("HEDDLE_CONFIG", "passed over"),
    ("HEDDLE_ARC_DATA", "passed over"),
    ("PATH", "passed over"),
];

#[test]
fn every_key_can_be_set_in_the_file_and_again_in_the_environment() {
    let config = from_file(EVERY_KEY).unwrap();
    assert_eq!(config.device, Some(DeviceId::cuda(1)));
    assert_eq!(config.threads, Some(3));
    assert_eq!(config.cache_dir, Some(PathBuf::from("conf/models")));
    assert!(!config.route.smart);
    assert_eq!(config.route.min_gpu, Size::Bytes(Bytes(65_536)));
    assert_eq!(
        config.route.allow,
        Some(vec![DeviceId::CPU, DeviceId::cuda(1)])
    );
    assert_eq!(config.route.deny, [DeviceId::simt(0)]);
    assert_eq!(config.route.kinds["xor"], DeviceId::CPU);
    assert_eq!(config.route.explore_share.to_bits(), 0.5_f64.to_bits());
    assert_eq!(config.route.verify_share.to_bits(), 1.0_f64.to_bits());
    assert_eq!(config.memory.host_limit, Size::Bytes(Bytes(4 << 30)));
    assert_eq!(config.memory.device_limit, Size::Bytes(Bytes(1000)));
    assert_eq!(config.metrics, Some("127.0.0.1:0".parse().unwrap()));
    assert!(!config.profile.enabled);
    assert_eq!(config.profile.capacity_spans, 16);
    assert_eq!(config.simt.memory, Size::Bytes(Bytes(64 << 20)));
    assert_eq!(config.simt.fail_allocation, Some(1));
    assert_eq!(config.simt.fail_launch, Some(2));
    assert_eq!(config.simt.lost_after, Some(3));
    assert_eq!(config.simt.transfer_rate, Some(Bytes(100_000_000)));
    assert_eq!(config.arc.gpu_caps.as_deref(), Some("cells=64k,rows=8k"));
    assert_eq!(config.arc.dialect.as_deref(), Some("typed"));
    assert_eq!(config.arc.cells.as_deref(), Some("classic"));
    assert_eq!(
        config.named_devices(),
        [DeviceId::CPU, DeviceId::cuda(1)],
        "what is denied is not named to be used"
    );

    let environment = EVERY_VARIABLE
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    // A key added to the schema must be added to this test.
    assert_eq!(EVERY_VARIABLE.len() - 3, Config::describe_keys().len());
    let file = Some((Path::new("conf/heddle.toml"), EVERY_KEY));
    let config = Config::from_sources(file, environment).unwrap();
    assert_eq!(config.memory.log, None);
    assert_eq!(config.device, None);
    let address = config.metrics.unwrap();
    assert_eq!((address.port(), address.ip().is_loopback()), (9464, true));
    assert_eq!(config.simt.memory, Size::Share(0.01));
    assert_eq!(config.simt.fail_allocation, None);
    assert_eq!(config.simt.fail_launch, Some(9));
    assert_eq!(config.simt.lost_after, None);
    assert_eq!(config.simt.transfer_rate, None);
    assert_eq!(config.arc.gpu_caps, None);
    assert_eq!(config.arc.dialect.as_deref(), Some("classic"));
    assert_eq!(config.arc.cells, None);
    assert_eq!(config.threads, None);
    assert_eq!(config.cache_folder(), Some(PathBuf::from("elsewhere")));
    assert!(config.route.smart);
    assert_eq!(config.route.min_gpu, Size::Share(0.01));
    assert_eq!(
        config.route.allow,
        Some(vec![DeviceId::CPU, DeviceId::cuda(0)])
    );
    assert!(config.route.deny.is_empty());
    assert_eq!(
        config.route.kinds,
        BTreeMap::from([
            ("matmul".to_owned(), DeviceId::cuda(0)),
            ("xor".to_owned(), DeviceId::CPU)
        ])
    );
    assert_eq!(config.route.explore_share.to_bits(), 0.0_f64.to_bits());
    assert_eq!(config.route.verify_share.to_bits(), 0.25_f64.to_bits());
    assert_eq!(config.memory.host_limit, Size::Share(1.0));
    assert_eq!(
        config.memory.device_limit,
        Size::Bytes(Bytes(2_000_000_000))
    );
    assert!(config.profile.enabled);
    assert_eq!(config.profile.capacity_spans, 7);
}

#[test]
fn a_rate_is_a_number_of_bytes_and_not_a_share() {
    for text in ["\"90%\"", "0", "\"0 B\"", "-5", "\"fast\"", "true"] {
        let error = shown(from_file(&format!("[simt]\ntransfer_rate = {text}")));
        assert!(error.contains("simt.transfer_rate"), "{error}");
        assert!(error.contains("\"unlimited\""), "{error}");
    }
}

#[test]
fn caps_are_pairs() {
    for text in ["3", "\"cells\"", "\"cells=,rows=1\"", "\"=4\"", "true"] {
        let error = shown(from_file(&format!("[arc]\ngpu_caps = {text}")));
        assert!(error.contains("arc.gpu_caps"), "{error}");
        assert!(error.contains("\"default\""), "{error}");
    }
}

#[test]
fn a_tilde_in_the_file_is_refused() {
    let error = shown(from_file("cache_dir = \"~/models\""));
    assert!(error.contains("write the path in full"), "{error}");
}

/// Text that resembles a configuration, to pass the first check.
fn nearly_toml() -> impl Strategy<Value = String> {
    let names = Config::describe_keys().into_iter().map(|key| key.name);
    let name = proptest::sample::select(names.chain(["route", "x"]).collect::<Vec<_>>());
    let value = prop_oneof![
        "\\PC{0,20}",
        "\"[a-z0-9:%. ~]{0,12}\"",
        "-?[0-9]{1,40}(\\.[0-9]{1,5})?",
        "\\[[a-z0-9\", :]{0,20}\\]",
        "\\{[a-z0-9\" =:]{0,20}\\}",
    ];
    let line = (name, value).prop_map(|(name, value)| format!("{name} = {value}\n"));
    proptest::collection::vec(line, 0..4).prop_map(|lines| lines.concat())
}

proptest! {
    #![proptest_config(heddle_testing::depth::cases(256))]

    #[test]
    fn parsing_a_file_never_panics(text in prop_oneof![nearly_toml(), any::<String>()]) {
        if let Err(error) = from_file(&text) {
            let origin = error.to_string();
            prop_assert!(origin.starts_with("conf/heddle.toml:"), "{}", origin);
        }
    }

    #[test]
    fn parsing_a_variable_never_panics(
        key in 0..Config::describe_keys().len(),
        tail in "\\PC{0,8}",
        value in prop_oneof![any::<String>(), "[a-z0-9:%,.= -]{0,20}"],
    ) {
        let _ = from_variable(&format!("HEDDLE_{tail}"), &value);
        let variable = &Config::describe_keys()[key].variable;
        if let Err(error) = from_variable(variable, &value) {
            prop_assert!(error.to_string().starts_with(variable.as_str()));
        }
    }
}

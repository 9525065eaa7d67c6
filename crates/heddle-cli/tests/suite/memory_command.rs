//! `heddle memory`: the memory of every device, replays of allocation logs, stress tests.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use heddle::config::{Config, Size};
use heddle::device::DeviceId;
use heddle::units::Bytes;
use heddle::{Array, Runtime};
use serde_json::Value;
use tempfile::TempDir;

const GPU: DeviceId = DeviceId::simt(0);

fn heddle(home: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
    for (name, _) in std::env::vars() {
        if name.starts_with("HEDDLE_") {
            command.env_remove(name);
        }
    }
    command
        .args(arguments)
        .current_dir(home)
        .env("HOME", home)
        .env_remove("XDG_CONFIG_HOME")
        .env("CUDA_VISIBLE_DEVICES", "-1")
        .env("HEDDLE_CACHE_DIR", home.join("cache"))
        .env("HEDDLE_SIMT_MEMORY", "64MiB")
        .output()
        .unwrap()
}

fn json(home: &Path, arguments: &[&str]) -> Value {
    let output = heddle(home, arguments);
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A runtime on an emulated GPU of 64 MiB whose allocations are logged.
fn logged(log: &Path) -> Runtime {
    let mut config = Config::default();
    config.device = Some(GPU);
    config.simt.memory = Size::Bytes(Bytes(64 << 20));
    config.memory.log = Some(log.to_owned());
    heddle::builder(config)
        .unwrap()
        .without_model_cache()
        .build()
        .unwrap()
}

#[test]
fn shows_the_memory_of_every_device() {
    let home = TempDir::new().unwrap();
    let output = heddle(home.path(), &["memory", "--device", "simt:0"]);
    assert!(output.status.success(), "{output:?}");
    let shown = text(&output.stdout);
    let row = |name: &str| {
        let line = shown
            .lines()
            .find(|line| line.trim_start().starts_with(name));
        line.unwrap()
            .split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert!(row("device").contains(&"pressure".to_owned()), "{shown}");
    assert!(row("simt:0").contains(&"57.6".to_owned()), "{shown}");
    assert_eq!(row("simt:0").last().unwrap(), "low");
    assert_eq!(row("cpu").last().unwrap(), "-");
    assert!(
        shown.contains("simt:0: the driver reports 64 MiB of 64 MiB free"),
        "{shown}"
    );

    let report = json(home.path(), &["memory", "--json", "--device", "simt:0"]);
    let devices = report["devices"].as_array().unwrap();
    assert_eq!(devices.len(), 2);
    assert!(devices[0].get("memory").is_none());
    let memory = &devices[1]["memory"];
    assert_eq!(memory["limit"]["capacity"], (64 << 20) * 9 / 10);
    assert_eq!(memory["limit"]["allocated"], 0);
    assert_eq!(memory["level"], "low");
    assert_eq!(memory["driver_free"], 64 << 20);
    assert_eq!(memory["holders"].as_array().unwrap().len(), 0);
}

#[test]
fn a_log_is_written_and_replayed_against_other_stacks() {
    let home = TempDir::new().unwrap();
    let log = home.path().join("run.jsonl");
    let runtime = logged(&log);
    for seed in 0..20_u8 {
        let data = Array::from_slice(&vec![seed; 1 << 20]);
        runtime.prefetch(&data, GPU).unwrap();
        assert_eq!(runtime.sum(&data).unwrap(), u64::from(seed) << 20);
    }
    drop(runtime);
    let file = log.to_str().unwrap();
    let pooled = json(home.path(), &["memory", "replay", file, "--json"]);
    assert_eq!(pooled["device"], "simt:0");
    assert_eq!(pooled["cut_off_in_line"], Value::Null);
    let replay = &pooled["replay"];
    let allocations = replay["allocations"].as_u64().unwrap();
    assert!(allocations >= 20, "{pooled}");
    assert_eq!(
        (&replay["refusals"], &replay["blocks_left"]),
        (&0.into(), &0.into())
    );
    assert!(replay["peak_used"].as_u64().unwrap() >= 1 << 20);
    assert!(replay["hit_rate"].as_f64().unwrap() > 0.8, "{pooled}");

    let bare = json(
        home.path(),
        &["memory", "replay", file, "--no-pool", "--json"],
    );
    assert_eq!(bare["replay"]["hit_rate"], 0.0);
    let tight = json(
        home.path(),
        &["memory", "replay", file, "--limit", "1MiB", "--json"],
    );
    assert!(tight["replay"]["refusals"].as_u64().unwrap() > 0, "{tight}");

    let output = heddle(home.path(), &["memory", "replay", file]);
    let shown = text(&output.stdout);
    for word in [
        "events of simt:0",
        "peak",
        "hit rate",
        "failures",
        "fragmentation",
    ] {
        assert!(shown.contains(word), "{shown}");
    }

    // A truncated log is reported and replayed up to the cut.
    let whole = fs::read(&log).unwrap();
    fs::write(&log, &whole[..whole.len() - 10]).unwrap();
    let output = heddle(home.path(), &["memory", "replay", file]);
    assert!(output.status.success(), "{output:?}");
    assert!(
        text(&output.stderr).contains("cut off in line"),
        "{output:?}"
    );
}

#[test]
fn a_file_that_is_no_log_is_refused_in_one_line() {
    let home = TempDir::new().unwrap();
    let file = home.path().join("notes.txt");
    fs::write(&file, "buy milk\n").unwrap();
    let refused = |arguments: &[&str], code: i32, expected: &str| {
        let output = heddle(home.path(), arguments);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{error}");
        assert!(error.contains(expected), "{error:?} lacks {expected:?}");
        assert!(
            !error.contains("panicked") && output.stdout.is_empty(),
            "{error}"
        );
    };
    let name = file.to_str().unwrap();
    refused(&["memory", "replay", name], 1, "this is no allocation log");
    refused(
        &["memory", "replay", name],
        1,
        "hint: write one with `heddle run --memory-log",
    );
    refused(&["memory", "replay", "absent"], 1, "cannot read absent");
    refused(
        &["memory", "replay", name, "--limit", "much"],
        2,
        "invalid value 'much'",
    );
}

#[test]
fn stress_uses_three_times_the_memory_and_checks_every_result() {
    let home = TempDir::new().unwrap();
    let device = ["memory", "stress", "--device", "simt:0"];
    let report = json(home.path(), &[&device[..], &["--json"]].concat());
    let limit = report["limit"].as_u64().unwrap();
    let parts = report["parts"].as_array().unwrap();
    assert_eq!(parts.len(), 4);
    for part in parts {
        // Arrays are of whole elements, so a part may fall short by a few.
        let bytes = part["bytes"].as_u64().unwrap();
        assert!(bytes + 4096 >= 3 * limit, "{part}");
        assert!(part["checked"].as_u64().unwrap() > 0, "{part}");
    }
    let memory = &report["memory"];
    assert!(memory["limit"]["peak"].as_u64().unwrap() <= limit);
    assert!(memory["spilled"].as_u64().unwrap() > limit, "{memory}");
    assert!(memory["evictions"].as_u64().unwrap() > 0, "{memory}");
    assert!(!report["splits"].as_array().unwrap().is_empty());
}

#[test]
fn stress_without_a_gpu_says_what_to_do() {
    let home = TempDir::new().unwrap();
    let output = heddle(home.path(), &["memory", "stress"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("--device simt:0"),
        "{output:?}"
    );
    let many = ["memory", "stress", "--device", "simt:0", "--times", "65"];
    assert_eq!(heddle(home.path(), &many).status.code(), Some(2));
}

#[test]
fn benches_of_memory_and_batches_have_a_row_for_each_way() {
    let home = TempDir::new().unwrap();
    let names = |arguments: &[&str]| -> Vec<String> {
        let report = json(home.path(), arguments);
        let rows = report["rows"].as_array().unwrap();
        let name = |row: &Value| format!("{} {}", row["name"], row["device"]).replace('"', "");
        rows.iter().map(name).collect()
    };
    let memory = names(&[
        "bench", "memory", "--device", "simt:0", "--case", "4096", "--json",
    ]);
    assert_eq!(
        memory,
        [
            "allocate-pool",
            "allocate-driver",
            "free-pool",
            "free-driver"
        ]
        .map(|name| format!("{name} simt:0"))
    );
    let mut batch = vec!["bench", "batch", "--device", "simt:0", "--case", "xor:10"];
    batch.extend(["--time", "5", "--json"]);
    assert_eq!(
        names(&batch),
        [
            "xor-batched cpu",
            "xor-one-by-one cpu",
            "xor-batched simt:0",
            "xor-one-by-one simt:0"
        ]
    );
}

#[cfg(unix)]
#[test]
fn a_log_empties_an_old_one_and_is_written_where_it_is() {
    use std::os::unix::fs::{MetadataExt, symlink};

    let home = TempDir::new().unwrap();
    let [link, log] = ["link", "log"].map(|name| home.path().join(name));
    fs::write(&log, "an old line\n".repeat(10_000)).unwrap();
    symlink("log", &link).unwrap();
    let inode = fs::metadata(&log).unwrap().ino();
    let runtime = logged(&link);
    // Before the first allocation, so that no line of another run is taken for one of this.
    assert!(!text(&fs::read(&log).unwrap()).contains("an old line"));
    runtime
        .prefetch(&Array::from(vec![1.0_f32; 1 << 10]), GPU)
        .unwrap();
    drop(runtime);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::metadata(&log).unwrap().ino(), inode);
    let replay = json(home.path(), &["--json", "memory", "replay", "log"]);
    assert!(
        replay["replay"]["allocations"].as_u64() > Some(0),
        "{replay}"
    );
}

//! `heddle.toml` and variables: the text, then after a zero byte a line for each variable.
//!
//! What is accepted is within the ranges that the settings document.

use std::path::Path;

use heddle_runtime::Config;
use heddle_runtime::units::Bytes;

pub fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (file, variables) = text.split_once('\0').unwrap_or((&text, ""));
    let variables = variables
        .lines()
        .filter_map(|line| line.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
    match Config::from_sources(Some((Path::new("heddle.toml"), file)), variables) {
        Err(error) => assert!(!error.to_string().is_empty()),
        Ok(config) => check_ranges(&config),
    }
}

fn check_ranges(config: &Config) {
    assert_ne!(config.threads, Some(0));
    assert_ne!(config.route.allow.as_deref(), Some(&[][..]));
    for share in [config.route.explore_share, config.route.verify_share] {
        assert!((0.0..=1.0).contains(&share), "{share}");
    }
    assert!(config.named_devices().is_sorted());
    let _ = config.cache_folder();
    let sizes = [
        config.route.min_gpu,
        config.memory.host_limit,
        config.memory.device_limit,
        config.memory.pool_limit,
        config.simt.memory,
    ];
    for size in sizes {
        for whole in [0, 1, 1 << 40, u64::MAX] {
            let _ = size.of(Bytes(whole));
        }
    }
}

pub fn seeds() -> Vec<Vec<u8>> {
    let keys = Config::describe_keys();
    let file = |name: &str, value: &str| format!("{name} = {value}\n");
    let every: String = keys.iter().map(|key| file(key.name, key.default)).collect();
    let mut seeds = vec![
        every,
        "threads = 8\n\n[memory]\nhost_limit = \"50%\"\n".to_owned(),
        "[route]\nkinds = { xor = \"cpu\", matmul = \"cuda:0\" }\nallow = [\"cpu\", \"simt:1\"]\n"
            .to_owned(),
        "[[route]]\nx.y.\"z\" = 1979-05-27T07:32:00Z\n\0HEDDLE_NONSENSE=1".to_owned(),
    ];
    for key in keys {
        let value = key.default.trim_matches('"');
        seeds.push(file(key.name, key.default));
        seeds.push(format!("\0{}={value}", key.variable));
        for value in [
            "-1",
            "nan",
            "inf",
            "1e308",
            "18446744073709551615",
            "99999999999GiB",
            "101%",
        ] {
            seeds.push(format!(
                "{}\0{}={value}",
                file(key.name, value),
                key.variable
            ));
        }
    }
    seeds.into_iter().map(String::into_bytes).collect()
}

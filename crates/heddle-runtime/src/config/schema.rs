//! The table of all keys. The file, the environment and the documentation are all read from
//! [`KEYS`], so no key can exist in one of them alone.

use super::Config;
use super::value::{Mismatch, Value};

/// One key of the configuration.
pub(super) struct Key {
    /// The dotted name in the file.
    pub(super) name: &'static str,
    /// The default, written as in the file.
    pub(super) default: &'static str,
    /// The meaning, in one sentence.
    pub(super) meaning: &'static str,
    /// Reads a value and stores it.
    pub(super) set: fn(&mut Config, Value<'_>) -> Result<(), Mismatch>,
}

impl Key {
    /// The environment variable that sets it.
    pub(super) fn variable(&self) -> String {
        variable(self.name)
    }
}

/// The variable of a dotted name.
pub(super) fn variable(name: &str) -> String {
    format!("{PREFIX}{}", name.replace('.', "_").to_ascii_uppercase())
}

/// The prefix of all our variables.
pub(super) const PREFIX: &str = "HEDDLE_";

/// Names whose variables are read although they are not keys: the file to read, which cannot
/// contain its own path, the folder of ARC tasks, which the command line reads, and the folder of
/// CUDA libraries, which the CUDA device reads.
pub(super) const RESERVED: [&str; 3] = ["config", "arc_data", "cuda_libraries"];

/// The keys, in documentation order.
pub(super) static KEYS: [Key; 32] = [
    Key {
        name: "device",
        default: "\"auto\"",
        meaning: "device every operation runs on; \"auto\" lets the router choose for each",
        set: |config, value| {
            config.device = unless("auto", value, Value::device)?;
            Ok(())
        },
    },
    Key {
        name: "threads",
        default: "\"all\"",
        meaning: "threads of the CPU device; \"all\" takes as many as the process may use, and more than 8 times that (at least 64) are not started",
        set: |config, value| {
            config.threads = unless("all", value, Value::count)?;
            Ok(())
        },
    },
    Key {
        name: "cache_dir",
        default: "\"auto\"",
        meaning: "folder of the learned models; \"auto\" is the user's cache folder; a relative path in a file starts at that file's folder",
        set: |config, value| {
            config.cache_dir = unless("auto", value, Value::folder)?;
            Ok(())
        },
    },
    Key {
        name: "metrics",
        default: "\"none\"",
        meaning: "address such as 127.0.0.1:9464 that serves the metrics of the running process to Prometheus; every process that reaches the address can read them",
        set: |config, value| {
            config.metrics = unless("none", value, Value::address)?;
            Ok(())
        },
    },
    Key {
        name: "route.smart",
        default: "true",
        meaning: "send each operation to the device predicted to be cheapest; false sends all a GPU can run to the first GPU",
        set: |config, value| {
            config.route.smart = value.boolean()?;
            Ok(())
        },
    },
    Key {
        name: "route.min_gpu",
        default: "0",
        meaning: "least operand size that may go to a GPU; a share is of that GPU's memory",
        set: |config, value| {
            config.route.min_gpu = value.size()?;
            Ok(())
        },
    },
    Key {
        name: "route.allow",
        default: "\"all\"",
        meaning: "the only devices that may be used",
        set: |config, value| {
            let allow = unless("all", value, Value::devices)?;
            if allow.as_ref().is_some_and(Vec::is_empty) {
                return Err(value.mismatch("at least one device or \"all\""));
            }
            config.route.allow = allow;
            Ok(())
        },
    },
    Key {
        name: "route.deny",
        default: "[]",
        meaning: "devices that are never used",
        set: |config, value| {
            config.route.deny = value.devices()?;
            Ok(())
        },
    },
    Key {
        name: "route.kinds",
        default: "{}",
        meaning: "device for all operations of one kind, such as { xor = \"cpu\" }; in the environment xor=cpu,matmul=cuda:0",
        set: |config, value| {
            config.route.kinds = value.devices_by_name()?;
            Ok(())
        },
    },
    Key {
        name: "route.explore_share",
        default: "0.01",
        meaning: "share of all time that measuring a device that is not the cheapest may cost",
        set: |config, value| {
            config.route.explore_share = value.share()?;
            Ok(())
        },
    },
    Key {
        name: "route.verify_share",
        default: "0.0",
        meaning: "share of operations run on a second device and compared",
        set: |config, value| {
            config.route.verify_share = value.share()?;
            Ok(())
        },
    },
    Key {
        name: "memory.host_limit",
        default: "\"90%\"",
        meaning: "host memory that operations and the arrays they leave may hold at once; in the command `heddle`, all memory of the process",
        set: |config, value| {
            config.memory.host_limit = value.size()?;
            Ok(())
        },
    },
    Key {
        name: "memory.device_limit",
        default: "\"90%\"",
        meaning: "memory that may be held at once on each GPU, stored arrays included",
        set: |config, value| {
            config.memory.device_limit = value.size()?;
            Ok(())
        },
    },
    Key {
        name: "memory.pool_limit",
        default: "\"100%\"",
        meaning: "memory that each GPU may hold, used or kept for reuse; a share is of `memory.device_limit`",
        set: |config, value| {
            config.memory.pool_limit = value.size()?;
            Ok(())
        },
    },
    Key {
        name: "memory.pool_idle_s",
        default: "300",
        meaning: "seconds that memory kept for reuse may lie unused before it goes back to the driver",
        set: |config, value| {
            config.memory.pool_idle_s = value.count()?;
            Ok(())
        },
    },
    Key {
        name: "memory.cleanup_at",
        default: "0.85",
        meaning: "share of a GPU's limit in use at which memory is cleaned up before a request is refused; 1 for never",
        set: |config, value| {
            config.memory.cleanup_at = value.share()?;
            Ok(())
        },
    },
    Key {
        name: "memory.moderate_at",
        default: "0.6",
        meaning: "share of a GPU's limit in use at which pressure is called moderate",
        set: |config, value| {
            config.memory.moderate_at = value.share()?;
            Ok(())
        },
    },
    Key {
        name: "memory.high_at",
        default: "0.8",
        meaning: "share at which it is called high",
        set: |config, value| {
            config.memory.high_at = value.share()?;
            Ok(())
        },
    },
    Key {
        name: "memory.critical_at",
        default: "0.9",
        meaning: "share at which it is called critical",
        set: |config, value| {
            config.memory.critical_at = value.share()?;
            Ok(())
        },
    },
    Key {
        name: "memory.leak_window_s",
        default: "300",
        meaning: "seconds that the memory of a line of code must grow to be suspected of a leak",
        set: |config, value| {
            config.memory.leak_window_s = value.count()?;
            Ok(())
        },
    },
    Key {
        name: "memory.leak_growth",
        default: "0.2",
        meaning: "least growth within that time, as a share of what the line held before",
        set: |config, value| {
            config.memory.leak_growth = value.share()?;
            Ok(())
        },
    },
    Key {
        name: "memory.log",
        default: "\"none\"",
        meaning: "file that every allocation on a GPU is logged to, for `heddle memory replay`; it is emptied when the run begins and written while it runs; with several GPUs each has its name added",
        set: |config, value| {
            config.memory.log = unless("none", value, Value::file)?;
            Ok(())
        },
    },
    Key {
        name: "profile.enabled",
        default: "true",
        meaning: "record a span for every operation",
        set: |config, value| {
            config.profile.enabled = value.boolean()?;
            Ok(())
        },
    },
    Key {
        name: "profile.capacity_spans",
        default: "65536",
        meaning: "spans kept before the oldest are dropped",
        set: |config, value| {
            config.profile.capacity_spans = value.count()?;
            Ok(())
        },
    },
    Key {
        name: "simt.memory",
        default: "\"1GiB\"",
        meaning: "memory of an emulated GPU, which exists only where one is named; a share is of the host's",
        set: |config, value| {
            config.simt.memory = value.size()?;
            Ok(())
        },
    },
    Key {
        name: "simt.fail_allocation",
        default: "\"never\"",
        meaning: "the allocation, counted from 1, that fails on an emulated GPU, to see what happens then",
        set: |config, value| {
            config.simt.fail_allocation = unless("never", value, Value::count)?;
            Ok(())
        },
    },
    Key {
        name: "simt.fail_launch",
        default: "\"never\"",
        meaning: "the kernel launch, counted from 1, that fails on an emulated GPU",
        set: |config, value| {
            config.simt.fail_launch = unless("never", value, Value::count)?;
            Ok(())
        },
    },
    Key {
        name: "simt.lost_after",
        default: "\"never\"",
        meaning: "calls after which an emulated GPU is lost",
        set: |config, value| {
            config.simt.lost_after = unless("never", value, Value::count)?;
            Ok(())
        },
    },
    Key {
        name: "simt.transfer_rate",
        default: "\"unlimited\"",
        meaning: "bytes in a second that cross to or from an emulated GPU, as a size such as \"100MB\"; the time is reported, not slept",
        set: |config, value| {
            config.simt.transfer_rate = unless("unlimited", value, Value::bytes)?;
            Ok(())
        },
    },
    Key {
        name: "arc.gpu_caps",
        default: "\"default\"",
        meaning: "what a warp of a GPU can hold of an ARC evaluation, such as \"cells=64k,rows=8k\"; what needs more is redone on the CPU",
        set: |config, value| {
            config.arc.gpu_caps = unless("default", value, Value::pairs)?;
            Ok(())
        },
    },
    Key {
        name: "arc.dialect",
        default: "\"auto\"",
        meaning: "dialect that ARC programs are read in: \"typed\", \"classic\", or \"auto\" for that of each file",
        set: |config, value| {
            let word = |value: Value<'_>| value.one_of(&["typed", "classic"]);
            config.arc.dialect = unless("auto", value, word)?;
            Ok(())
        },
    },
    Key {
        name: "arc.cells",
        default: "\"triple\"",
        meaning: "how programs of the typed dialect see a cell: \"triple\" (row, column, colour) or \"classic\" (colour, (row, column))",
        set: |config, value| {
            let word = |value: Value<'_>| value.one_of(&["classic"]);
            config.arc.cells = unless("triple", value, word)?;
            Ok(())
        },
    },
];

/// Reads a value whose default has its own word, so that a later layer can restore the default.
fn unless<'a, T>(
    word: &str,
    value: Value<'a>,
    read: fn(Value<'a>) -> Result<T, Mismatch>,
) -> Result<Option<T>, Mismatch> {
    if value.is_word(word) {
        return Ok(None);
    }
    read(value).map(Some).map_err(|mut mismatch| {
        mismatch.expected = format!("{} or \"{word}\"", mismatch.expected);
        mismatch
    })
}

/// The key with that name.
pub(super) fn find(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name)
}

/// The key of that variable.
pub(super) fn of_variable(variable: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.variable() == variable)
}

/// The tables of the file.
pub(super) fn sections() -> impl Iterator<Item = &'static str> {
    let mut last = None;
    KEYS.iter()
        .filter_map(|key| Some(key.name.split_once('.')?.0))
        .filter(move |&section| last.replace(section) != Some(section))
}

/// The name among `names` nearest to `unknown`. A right word in the wrong table, or without its
/// table, counts nearly as much as the whole name misspelt.
pub(super) fn nearest<'a>(
    unknown: &str,
    names: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    const LEAF_WEIGHT: f64 = 0.9;
    let similarity = strsim::normalized_damerau_levenshtein;
    let score = |name: &str| {
        // Variables have underscores where the file has dots.
        let whole = similarity(&unknown.replace('.', "_"), &name.replace('.', "_"));
        whole.max(LEAF_WEIGHT * similarity(leaf(unknown), leaf(name)))
    };
    let mut best = None;
    for name in names {
        let score = score(name);
        if best.is_none_or(|(highest, _)| score > highest) {
            best = Some((score, name));
        }
    }
    best.map(|(_, name)| name)
}

/// The [nearest](nearest) name if it is really near: at most one letter in four is
/// another, of the whole name or of its last part.
pub(super) fn near<'a>(unknown: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const LETTERS_PER_MISTAKE: usize = 4;
    let is_near = |name: &str| {
        let mistakes = strsim::damerau_levenshtein(unknown, name);
        mistakes * LETTERS_PER_MISTAKE <= name.chars().count()
    };
    nearest(unknown, names).filter(|name| is_near(&name.replace('.', "_")) || is_near(leaf(name)))
}

fn leaf(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(_, leaf)| leaf)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_default_equals_its_documentation() {
        for key in &KEYS {
            let written = toml::de::DeValue::parse(key.default).unwrap();
            let mut config = Config::default();
            (key.set)(&mut config, Value::Toml(written.get_ref())).unwrap();
            assert_eq!(config, Config::default(), "{}", key.name);
        }
    }

    #[test]
    fn no_two_keys_share_a_variable_or_stand_in_a_reserved_one() {
        let variables: BTreeSet<String> = KEYS.iter().map(Key::variable).collect();
        assert_eq!(variables.len(), KEYS.len());
        assert!(
            RESERVED
                .iter()
                .all(|name| !variables.contains(&variable(name)))
        );
    }

    #[test]
    fn sections_are_listed_once() {
        let sections: Vec<_> = sections().collect();
        assert_eq!(sections, ["route", "memory", "profile", "simt", "arc"]);
    }

    #[test]
    fn the_nearest_key_is_the_intended_one() {
        let names = || KEYS.iter().map(|key| key.name);
        for (unknown, meant) in [
            ("thread", "threads"),
            ("smart", "route.smart"),
            ("route.smrt", "route.smart"),
            ("memory.explore_share", "route.explore_share"),
            ("memory_hostlimit", "memory.host_limit"),
            ("cachedir", "cache_dir"),
        ] {
            assert_eq!(nearest(unknown, names()), Some(meant));
        }
    }

    #[test]
    fn a_name_that_is_not_near_is_not_suggested() {
        let names = || KEYS.iter().map(|key| key.name);
        for unknown in ["write_docs", "nvrtc", "home", "x", "", "worker_rank"] {
            assert_eq!(near(unknown, names()), None, "{unknown}");
        }
        assert_eq!(near("smart", names()), Some("route.smart"));
        assert_eq!(near("thraeds", names()), Some("threads"));
    }
}

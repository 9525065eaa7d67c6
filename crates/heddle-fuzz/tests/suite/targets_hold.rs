//! No target fails on its seeds, on an input that once failed, or on changes of these.
//!
//! The changes are determined by a seed (`FUZZ_SEED`, default 1) and their number by the time
//! (`FUZZ_SECONDS` for each target, default 1, or 10 when thorough). A failing case is named
//! by seed and number, and its input kept; `FUZZ_CASE` runs that case alone.

use std::fs;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use heddle_fuzz::mutation::mutated;
use heddle_fuzz::{TARGETS, Target};
use heddle_testing::Random;
use heddle_testing::depth::pick;

fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// The inputs that once failed; their files are named by what was wrong.
fn regressions(target: &Target) -> Vec<(PathBuf, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/regressions");
    let Ok(entries) = fs::read_dir(root.join(target.name)) else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let read = |path: PathBuf| (path.clone(), fs::read(path).unwrap());
    files.into_iter().map(read).collect()
}

fn holds(target: &Target, input: &[u8]) -> bool {
    catch_unwind(AssertUnwindSafe(|| (target.check)(input))).is_ok()
}

/// Keeps an input that failed, and returns where.
fn kept(target: &Target, input: &[u8]) -> PathBuf {
    let folder = std::env::temp_dir().join("heddle-fuzz");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("{}-failed", target.name));
    fs::write(&path, input).unwrap();
    path
}

fn run(name: &str) {
    let target = TARGETS.iter().find(|target| target.name == name).unwrap();
    let mut inputs = (target.seeds)();
    assert!(!inputs.is_empty());
    for (number, seed) in inputs.iter().enumerate() {
        assert!(holds(target, seed), "{name} fails on its seed {number}");
    }
    for (path, input) in regressions(target) {
        assert!(holds(target, &input), "{name} fails on {}", path.display());
        inputs.push(input);
    }
    let seed = variable("FUZZ_SEED").unwrap_or(1);
    let seconds = variable("FUZZ_SECONDS").unwrap_or(pick(1, 10));
    let end = Instant::now() + Duration::from_secs(seconds);
    let only = variable("FUZZ_CASE");
    let mut case = only.unwrap_or(0);
    while Instant::now() < end {
        let mut random = Random::seeded(seed ^ case.wrapping_mul(0xd134_2543_de82_ef95));
        let input = mutated(&inputs, &mut random);
        assert!(
            holds(target, &input),
            "case {case} of FUZZ_SEED={seed} failed in {name}; its input is {}",
            kept(target, &input).display()
        );
        case += 1;
        if only.is_some() {
            break;
        }
    }
    // To stderr, which the test harness does not capture.
    let _ = writeln!(
        std::io::stderr(),
        "fuzz: {case} cases of {name}, none failed"
    );
}

macro_rules! tests {
    ($($name:ident),*) => {
        $(#[test] fn $name() { run(stringify!($name)); })*
    };
}

heddle_fuzz::with_target_names!(tests);

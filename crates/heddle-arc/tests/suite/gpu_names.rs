//! The kernel's numbers of primitives and nouns are those of this crate's tables.

#![allow(clippy::unwrap_used, reason = "a test says so by failing")]

use heddle_arc::gpu::names::names_header;
use std::path::Path;

#[test]
fn kernel_header_matches_tables() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels/arc/names.cuh");
    let found = std::fs::read_to_string(&path).unwrap();
    let wanted = names_header();
    if found == wanted {
        return;
    }
    if std::env::var_os("HEDDLE_WRITE_NAMES").is_some() {
        std::fs::write(&path, wanted).unwrap();
        return;
    }
    let differs = |(found, wanted): &(&str, &str)| found != wanted;
    let line = found
        .lines()
        .zip(wanted.lines())
        .position(|pair| differs(&pair));
    panic!(
        "{} differs from the tables from line {:?} on; \
        write it with HEDDLE_WRITE_NAMES=1 cargo test -p heddle-arc --test suite gpu_names",
        path.display(),
        line.map(|line| line + 1)
    );
}

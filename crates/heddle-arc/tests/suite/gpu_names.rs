//! The kernel knows primitives and nouns by the numbers of this crate's tables.

#![allow(clippy::unwrap_used, reason = "a test says so by failing")]

use heddle_arc::gpu::names::names_header;
use std::path::Path;

#[test]
fn the_kernels_list_is_that_of_the_tables() {
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
        "{} is not what the tables say from line {:?} on; \
         HEDDLE_WRITE_NAMES=1 cargo test -p heddle-arc --test suite gpu_names writes it",
        path.display(),
        line.map(|line| line + 1)
    );
}

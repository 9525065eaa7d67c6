//! The memory of a process does not grow with the number of evaluations.
//!
//! This is a test binary of its own because it measures the memory of the process.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test says so by failing")]

use heddle_arc::engine::{Example, Grid, Worker};
use heddle_arc::meter::Budget;
use heddle_arc::plan::Plan;
use heddle_arc::program::load;

/// The resident bytes of the process.
fn resident_bytes() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: usize = text.split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4096
}

/// The resident bytes after each of these numbers of evaluations.
fn resident_after(stops: [u64; 2]) -> [usize; 2] {
    let text = heddle_testing::programs(&["largest", "lines", "faulty", "grows", "odd"]);
    let plan = Plan::new(&load(&text, "ours.py").programs);
    let grids: Vec<Grid> = (0..32_i8)
        .map(|n| {
            let rows: Vec<Vec<i8>> = (0..4 + n % 5)
                .map(|i| (0..4 + n % 7).map(|j| (i * j + n) % 4).collect())
                .collect();
            Grid::new(&rows).unwrap()
        })
        .collect();
    let examples: Vec<Example<'_>> = grids.iter().map(Example::new).collect();
    let mut worker = Worker::new(Budget::default().with(|it| {
        it.steps = 2_000;
        it.bytes = 1 << 16;
    }));
    let mut evaluations = 0;
    stops.map(|stop| {
        while evaluations < stop {
            worker.run(&plan, &examples, |_, _, _| evaluations += 1);
        }
        resident_bytes()
    })
}

fn is_flat(stops: [u64; 2]) {
    let [early, late] = resident_after(stops);
    println!(
        "{early} bytes after {} evaluations, {late} after {}",
        stops[0], stops[1]
    );
    assert!(late <= early + (1 << 20), "{early} then {late} bytes");
}

#[test]
fn memory_is_flat_over_a_hundred_thousand_evaluations() {
    is_flat([10_000, 100_000]);
}

#[test]
#[ignore = "half a minute in a release build; run with --release -- --ignored"]
fn memory_is_flat_over_ten_million_evaluations() {
    is_flat([1_000_000, 10_000_000]);
}

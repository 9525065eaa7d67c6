//! The memory of a process does not grow with the number of evaluations.
//!
//! This is a test binary of its own because it measures the memory of the process.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test says so by failing")]

use heddle_arc::engine::{Example, Grid, Worker};
use heddle_arc::meter::Budget;
use heddle_arc::plan::Plan;
use heddle_arc::program::load;

const PROGRAMS: &str = "
def solve_largest(I):
    x1 = objects(I, T, F, T)
    x2 = argmax(x1, size)
    O = subgrid(x2, I)
    return O

def solve_lines(I):
    x1 = ofcolor(I, ONE)
    x2 = prapply(connect, x1, x1)
    x3 = mfilter(x2, hline)
    O = fill(I, FIVE, x3)
    return O

def solve_faulty(I):
    x1 = ofcolor(I, TEN)
    O = subgrid(x1, I)
    return O

def solve_grows(I):
    x1 = upscale(I, TEN)
    x2 = upscale(x1, TEN)
    O = upscale(x2, TEN)
    return O

def solve_odd(I):
    x1 = canvas(TEN, UNITY)
    x2 = multiply(TEN, TEN)
    x3 = replace(x1, TEN, x2)
    x4 = upscale(x3, THREE)
    O = hconcat(x4, I)
    return O
";

/// The resident bytes of the process.
fn resident_bytes() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: usize = text.split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4096
}

/// The resident bytes after each of these numbers of evaluations.
fn resident_after(stops: [u64; 2]) -> [usize; 2] {
    let plan = Plan::new(&load(PROGRAMS, "ours.py").programs);
    let grids: Vec<Grid> = (0..32_i8)
        .map(|n| {
            let rows: Vec<Vec<i8>> = (0..4 + n % 5)
                .map(|i| (0..4 + n % 7).map(|j| (i * j + n) % 4).collect())
                .collect();
            Grid::new(&rows).unwrap()
        })
        .collect();
    let examples: Vec<Example<'_>> = grids.iter().map(Example::new).collect();
    let mut worker = Worker::new(Budget {
        steps: 2_000,
        bytes: 1 << 16,
        time: None,
    });
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

//! Runs small and large operations and prints which device each ran on, and why.
//!
//! `cargo run --release -p heddle --example route_a_mixed_workload`

use heddle::ops::{MatMul, Xor};
use heddle::{Array, Error, Operation, Runtime};

/// Runs an operation and prints the router's decision.
fn run<O: Operation>(runtime: &Runtime, what: &str, operation: O) -> Result<O::Output, Error> {
    // `run_traced` is `run` that also returns the decision and the measured time.
    let outcome = runtime.run_traced(operation, None)?;
    println!("{what}: {} on {}", outcome.timing.total, outcome.decision);
    Ok(outcome.output)
}

// `pub(crate)` so that a test can call it; a program of your own writes `fn main`.
pub(crate) fn main() -> Result<(), Error> {
    // The CPU and every NVIDIA GPU. On a machine without one, everything runs on the CPU.
    let runtime = heddle::open()?;
    for device in runtime.devices() {
        println!("{}: {}", device.id(), device.properties().name);
    }

    // Many tiny operations: a GPU's launch would cost more than the work.
    let key = Array::from_slice(b"key");
    let message = Array::from_slice(b"a short message");
    let secret = run(&runtime, "xor of 15 bytes", Xor::new(&message, &key)?)?;
    let plain = run(&runtime, "and back", Xor::new(&secret, &key)?)?;
    assert_eq!(plain.as_slice()?, message.as_slice()?);

    // Many bytes and little work: the cost on a GPU includes the transfer.
    let bulk: Array<u8> = runtime.random(&[16 << 20], 1)?;
    let hidden = run(&runtime, "xor of 16 MiB", Xor::new(&bulk, &key)?)?;
    let shown = run(&runtime, "and back", Xor::new(&hidden, &key)?)?;
    assert_eq!(shown.as_slice()?, bulk.as_slice()?);

    // Much work for each byte: most favourable for a GPU.
    for side in [16, 512] {
        let left: Array<f32> = runtime.random(&[side, side], 2)?;
        let right = runtime.transpose(&left)?;
        let what = format!("product of {side} x {side}");
        let product = run(&runtime, &what, MatMul::new(&left, &right)?)?;
        assert_eq!(product.len(), side * side);
    }

    // Every operation recorded a span; the report sums them by operation and device.
    let report = runtime.report();
    println!();
    for row in &report.summary.rows {
        let totals = &row.totals;
        println!(
            "{} on {}: {} runs, {} ns",
            row.operation, row.device, totals.count, totals.total_ns
        );
    }
    assert!(report.summary.totals.count >= 6);
    Ok(())
}

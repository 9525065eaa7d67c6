//! Emulated GPUs from the configuration: number, transfer rate and faults.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]
#![allow(clippy::float_cmp, reason = "sums of small whole numbers are exact")]

use std::thread;

use heddle::device::DeviceId;
use heddle::ops::{Scale, Sqrt, Square, Sum, Unary, Xor};
use heddle::units::{Bytes, Nanos};
use heddle::{Array, Config, Error, Operation, Runtime};

const FIRST: DeviceId = DeviceId::simt(0);
const SECOND: DeviceId = DeviceId::simt(1);

fn configured(variables: &[(&str, &str)]) -> Runtime {
    let variables = variables
        .iter()
        .map(|&(name, value)| (name.to_owned(), value.to_owned()));
    let config = Config::from_sources(None, variables).unwrap();
    let builder = heddle::builder(config).unwrap();
    builder.without_model_cache().build().unwrap()
}

const BOTH: (&str, &str) = ("HEDDLE_ROUTE_ALLOW", "cpu,simt:0,simt:1");

#[test]
fn two_devices_have_separate_memory_and_clocks() {
    let runtime = configured(&[BOTH, ("HEDDLE_SIMT_MEMORY", "1MiB")]);
    let data: Vec<u8> = (0..100_000).map(|at| at as u8).collect();
    let expected: Vec<u8> = data.iter().map(|byte| byte ^ 7).collect();
    let ask = |device| {
        for _ in 0..10 {
            let (data, key) = (Array::from_slice(&data), Array::from_slice(&[7_u8]));
            let xor = Xor::new(&data, &key).unwrap();
            let outcome = runtime.run_traced(xor, Some(device)).unwrap();
            assert_eq!(outcome.decision.device, device);
            assert!(outcome.timing.device.unwrap() > Nanos(0));
            assert!(outcome.output.residency().is_on(device));
            assert_eq!(outcome.output.as_slice().unwrap(), expected);
        }
    };
    thread::scope(|scope| {
        for device in [FIRST, SECOND] {
            scope.spawn(move || ask(device));
        }
    });
    let report = runtime.report();
    let rows = &report.summary.rows;
    for device in ["simt:0", "simt:1"] {
        let row = rows.iter().find(|row| row.device == device).unwrap();
        assert_eq!(row.totals.count, 10, "{device}");
    }
    // Both devices freed all memory.
    for reading in report.devices {
        assert_eq!(reading.memory.reserved, Bytes(0), "{reading:?}");
    }
}

#[test]
fn an_array_goes_from_one_to_the_other() {
    let runtime = configured(&[BOTH]);
    let signal = Array::from_slice(&[4.0_f32, 9.0, 16.0]);
    let roots = runtime.run_on(FIRST, Unary::new(Sqrt, &signal)).unwrap();
    assert!(!roots.residency().is_on(DeviceId::CPU));
    let outcome = runtime
        .run_traced(Unary::new(Square, &roots), Some(SECOND))
        .unwrap();
    assert_eq!(outcome.output.as_slice().unwrap(), [4.0, 9.0, 16.0]);
    // Downloaded from one, uploaded to the other.
    assert_eq!(outcome.timing.moved.down, Bytes(12));
    assert_eq!(outcome.timing.moved.up, Bytes(12));
}

#[test]
fn a_lost_device_leaves_the_other_usable() {
    let runtime = configured(&[BOTH]);
    let signal = Array::from_slice(&[1.0_f32; 100]);
    let kept = runtime.run_on(SECOND, Unary::new(Square, &signal)).unwrap();
    runtime.router().mark_lost(FIRST);
    let asked = runtime.run_on(FIRST, Unary::new(Square, &signal));
    assert!(matches!(asked, Err(Error::NoCandidate { .. })), "{asked:?}");
    assert_eq!(runtime.run_on(SECOND, Sum::new(&kept)).unwrap(), 100.0);
}

#[test]
fn slow_transfers_are_seen_by_the_clock_and_by_the_router() {
    let rate = |rate: &'static str| {
        let runtime = configured(&[BOTH, ("HEDDLE_SIMT_TRANSFER_RATE", rate)]);
        let data = Array::from_slice(&[1_u8; 10_000]);
        let key = Array::from_slice(&[2_u8; 10_000]);
        let xor = || Xor::new(&data, &key).unwrap();
        // The router does not learn from the first run of a kind.
        let timings = [(); 10].map(|()| {
            data.evict();
            key.evict();
            runtime.run_traced(xor(), Some(FIRST)).unwrap().timing
        });
        data.evict();
        key.evict();
        let cost = runtime.router().candidate(&xor().describe(), FIRST).cost;
        (timings[9], cost.unwrap())
    };
    let (slow, slow_cost) = rate("1MB");
    let (fast, fast_cost) = rate("unlimited");
    // 20,000 bytes at a megabyte in a second.
    assert!(slow.moved.up_time >= Nanos(20_000_000), "{slow:?}");
    assert!(slow.total >= slow.moved.up_time, "{slow:?}");
    assert!(fast.moved.up_time < Nanos(5_000_000), "{fast:?}");
    assert!(
        slow_cost.transfer_ns > 10.0 * fast_cost.transfer_ns,
        "{slow_cost:?} against {fast_cost:?}"
    );
}

#[test]
fn a_chain_whose_arrays_are_lost_is_computed_again() {
    let signal = Array::from_slice(&[4.0_f64; 50]);
    let mut recomputed = 0;
    for lost_after in 1..24 {
        let runtime = configured(&[
            ("HEDDLE_DEVICE", "simt:0"),
            ("HEDDLE_SIMT_LOST_AFTER", &lost_after.to_string()),
        ]);
        let total = runtime
            .retry_on_device_loss("energy", || {
                let scaled = runtime.run(Scale::new(&signal, 1.0, 5.0))?;
                let roots = runtime.run(Unary::new(Sqrt, &scaled))?;
                runtime.run(Sum::new(&roots))
            })
            .unwrap();
        assert_eq!(total, 150.0);
        let report = runtime.report();
        let again: u64 = report.recomputed.iter().map(|row| row.count).sum();
        assert!(again <= 1);
        assert_eq!(report.failures, again, "after {lost_after} calls");
        recomputed += again;
    }
    assert!(recomputed > 0, "some loss must fall between two operations");
}

#[test]
fn a_span_says_where_when_and_with_what_memory_it_ran() {
    let runtime = configured(&[BOTH, ("HEDDLE_SIMT_MEMORY", "1MiB")]);
    let signal = Array::from_slice(&vec![4.0_f32; 10_000]);
    for _ in 0..5 {
        let root = Unary::new(Sqrt, &signal);
        runtime.run_on(FIRST, root).unwrap();
    }
    runtime.sample_memory();
    let recording = runtime.profiler().recording();
    assert_eq!(recording.spans.len(), 5);
    for span in &recording.spans {
        assert_eq!(span.stream, Some(0));
        let begun = span.device_start_ns.unwrap();
        assert!(span.start_ns <= begun && begun <= span.end_ns(), "{span:?}");
        // The result at least, and all other memory in use.
        assert!(span.mem_allocated >= 40_000, "{span:?}");
        assert!(span.mem_peak >= span.mem_allocated, "{span:?}");
        assert!(span.mem_peak <= 1 << 20, "{span:?}");
        assert!(span.bandwidth_bytes_per_s().unwrap() > 0.0);
    }
    let shares: Vec<f64> = recording
        .spans
        .iter()
        .filter_map(|span| recording.ceilings().estimated_utilisation(span))
        .collect();
    assert_eq!(shares.len(), 5);
    assert!(shares.contains(&1.0), "{shares:?}");
    // One sample while operations ran, one for each device on request.
    let of_first = recording
        .memory
        .iter()
        .filter(|sample| sample.device == "simt:0");
    let samples: Vec<_> = of_first.collect();
    assert!(samples.len() >= 2, "{samples:?}");
    assert!(samples.iter().any(|sample| sample.allocated > 0));
    assert!(
        samples
            .iter()
            .all(|sample| (1..=1 << 20).contains(&sample.limit))
    );
}

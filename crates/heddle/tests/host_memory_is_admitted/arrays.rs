//! Arrays, results and the bytes of callers.

use heddle::config::{Config, Size};
use heddle::memory::{HostBound, Shortage, admit_host, set_host_limit};
use heddle::units::Bytes;
use heddle::{Array, Error, Runtime};
use heddle_runtime::array::HostBuffer;

use super::Turn;

const MIB: usize = 1 << 20;

fn shortage<T>(result: Result<T, Error>) -> Shortage {
    match result {
        Err(Error::OutOfMemory { shortage, .. }) => *shortage,
        Err(error) => panic!("another error: {error}"),
        Ok(_) => panic!("granted"),
    }
}

#[test]
fn large_requests_are_errors() {
    let _turn = Turn::take();
    arrays_beyond_any_memory();
    results_beside_living_arrays();
    limit_of_the_process();
}

fn arrays_beyond_any_memory() {
    for elements in [1 << 46, (1 << 62) - 1, usize::MAX / 2] {
        assert!(shortage(Array::<u8>::zeros(&[elements])).bound.is_some());
        shortage(HostBuffer::<u8>::try_unspecified("a test", elements));
    }
    shortage(HostBuffer::<f64>::try_unspecified("a test", usize::MAX));
    let runtime = Runtime::builder().without_model_cache().build().unwrap();
    shortage(runtime.random::<u8>(&[1 << 46], 1));
    let column = Array::from(vec![1.0_f32; 1 << 20]);
    let (column, row) = (
        column.reshape(&[1 << 20, 1]).unwrap(),
        column.reshape(&[1, 1 << 20]).unwrap(),
    );
    // A result of 4 TiB.
    shortage(runtime.matmul(&column, &row));
    for probe in runtime.probes() {
        for size in [1 << 45, usize::MAX] {
            probe.describe(size, heddle::Residency::Host);
            // An operation without operands is refused when it runs.
            if let Ok(mut operation) = probe.prepare(size) {
                shortage(runtime.run(&mut *operation));
            }
        }
    }
}

fn results_beside_living_arrays() {
    let mut config = Config::default();
    config.memory.host_limit = Size::Bytes(Bytes(64 * MIB as u64));
    let runtime = Runtime::builder()
        .config(config)
        .without_model_cache()
        .build()
        .unwrap();
    let random = |mib: usize| runtime.random::<u8>(&[mib * MIB], 1);
    assert_eq!(shortage(random(65)).held, Bytes(0));
    let kept = random(40).unwrap();
    let refused = shortage(random(40));
    assert!(refused.held >= Bytes(40 * MIB as u64));
    assert!(refused.free < Bytes(24 * MIB as u64));
    assert!(
        refused.advice().contains("drop arrays"),
        "{}",
        refused.advice()
    );
    // Small results are not in question.
    assert!(runtime.sum(&kept).is_ok());
    drop(kept);
    assert!(random(40).is_ok());
}

fn limit_of_the_process() {
    set_host_limit(Bytes(256 * MIB as u64));
    let refused = shortage(Array::<u8>::zeros(&[300 * MIB]));
    assert_eq!(refused.bound, Some(HostBound::Limit));
    assert!(refused.advice().contains("memory.host_limit"));
    let kept = Array::from(vec![1_u8; 150 * MIB]);
    let refused = shortage(kept.to_vec());
    assert!(refused.held > Bytes(150 * MIB as u64), "{refused:?}");
    shortage(admit_host("a test", Bytes(150 * MIB as u64)));
    let mut shared = kept.clone();
    shortage(shared.as_mut_slice());
    drop((kept, shared));
    assert!(admit_host("a test", Bytes(150 * MIB as u64)).is_ok());
}

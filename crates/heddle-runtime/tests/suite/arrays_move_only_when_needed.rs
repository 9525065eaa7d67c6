//! A transfer happens only if an operation or a reader needs it, and is counted.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

use heddle_runtime::device::DeviceId;
use heddle_runtime::units::{Bytes, Nanos};
use heddle_runtime::{Array, Residency, Runtime};
use heddle_testing::host_memory_gpu::{HostMemoryGpu, Increment, NANOS_PER_BYTE};

const GPU: DeviceId = DeviceId::cuda(0);

fn runtime() -> Runtime {
    Runtime::builder()
        .device(HostMemoryGpu::new(0, Bytes(1 << 20)))
        .device(HostMemoryGpu::new(1, Bytes(1 << 20)))
        .without_model_cache()
        .build()
        .unwrap()
}

fn increment(data: &Array<u8>) -> Increment {
    Increment { data: data.clone() }
}

#[test]
fn a_host_operand_goes_up_once_and_the_result_stays() {
    let runtime = runtime();
    let data = Array::from_slice(&[1_u8, 2, 3]);
    assert_eq!(data.residency(), Residency::Host);

    let first = runtime.run_traced(increment(&data), Some(GPU)).unwrap();
    assert_eq!(first.timing.moved.up, Bytes(3));
    assert_eq!(first.timing.moved.up_time, Nanos(3 * NANOS_PER_BYTE));
    assert_eq!(first.timing.moved.down, Bytes(0));
    assert_eq!(data.residency(), Residency::Both(GPU));
    assert_eq!(first.output.residency(), Residency::Device(GPU));

    // Both operands are on the device now: nothing moves.
    let again = runtime.run_traced(increment(&data), Some(GPU)).unwrap();
    assert_eq!(again.timing.moved.bytes(), Bytes(0));
    let chained = runtime
        .run_traced(increment(&first.output), Some(GPU))
        .unwrap();
    assert_eq!(chained.timing.moved.bytes(), Bytes(0));

    // Reading downloads the result once.
    assert_eq!(chained.output.as_slice().unwrap(), [3, 4, 5]);
    assert_eq!(chained.output.residency(), Residency::Both(GPU));
}

#[test]
fn an_operation_on_the_cpu_counts_the_download_of_its_operand() {
    let runtime = runtime();
    let data = Array::from_slice(&[7_u8; 10]);
    let on_gpu = runtime.run_on(GPU, increment(&data)).unwrap();
    let on_cpu = runtime
        .run_traced(increment(&on_gpu), Some(DeviceId::CPU))
        .unwrap();
    assert_eq!(on_cpu.timing.moved.down, Bytes(10));
    assert_eq!(on_cpu.output.as_slice().unwrap(), [9; 10]);
}

#[test]
fn crossing_between_devices_goes_through_the_host_and_counts_both_ways() {
    let runtime = runtime();
    let data = Array::from_slice(&[0_u8; 4]);
    let on_first = runtime.run_on(GPU, increment(&data)).unwrap();
    let on_second = runtime
        .run_traced(increment(&on_first), Some(DeviceId::cuda(1)))
        .unwrap();
    assert_eq!(on_second.timing.moved.down, Bytes(4));
    assert_eq!(on_second.timing.moved.up, Bytes(4));
    assert_eq!(on_second.output.as_slice().unwrap(), [2; 4]);
}

#[test]
fn clones_share_until_one_is_written() {
    let mut first = Array::from_slice(&[1_i32, 2, 3]);
    let second = first.clone();
    let address = |array: &Array<i32>| array.as_slice().unwrap().as_ptr();
    assert_eq!(address(&first), address(&second));

    let before = heddle_runtime::array::transfer_counts();
    first.as_mut_slice().unwrap()[0] = 9;
    let after = heddle_runtime::array::transfer_counts();
    assert!(after.copies > before.copies);
    assert_eq!(first.as_slice().unwrap(), [9, 2, 3]);
    assert_eq!(second.as_slice().unwrap(), [1, 2, 3]);

    // The array is no longer shared: writing again copies nothing.
    let alone = address(&first);
    first.as_mut_slice().unwrap()[1] = 9;
    assert_eq!(address(&first), alone);
}

#[test]
fn writing_on_the_host_drops_the_outdated_device_copy() {
    let runtime = runtime();
    let mut data = Array::from_slice(&[1_u8, 1]);
    runtime.run_on(GPU, increment(&data)).unwrap();
    assert_eq!(data.residency(), Residency::Both(GPU));
    data.as_mut_slice().unwrap()[0] = 5;
    assert_eq!(data.residency(), Residency::Host);
    let result = runtime.run_on(GPU, increment(&data)).unwrap();
    assert_eq!(result.as_slice().unwrap(), [6, 2]);
}

#[test]
fn a_device_copy_is_only_evicted_where_the_host_has_the_elements() {
    let runtime = runtime();
    let data = Array::from_slice(&[1_u8, 2]);
    let on_gpu = runtime.run_on(GPU, increment(&data)).unwrap();
    assert_eq!(data.evict(), Bytes(2));
    assert_eq!(data.residency(), Residency::Host);
    assert_eq!(data.evict(), Bytes(0));
    assert_eq!(on_gpu.evict(), Bytes(0));
    assert_eq!(on_gpu.residency(), Residency::Device(GPU));
    assert_eq!(on_gpu.as_slice().unwrap(), [2, 3]);
}

#[test]
fn a_prefetched_array_is_not_transferred_again() {
    let runtime = runtime();
    let data = Array::from_slice(&[7_u8; 10]);
    runtime.prefetch(&data, GPU).unwrap();
    assert_eq!(data.residency(), Residency::Both(GPU));
    let used = runtime.run_traced(increment(&data), Some(GPU)).unwrap();
    assert_eq!(used.timing.moved.bytes(), Bytes(0));
    runtime.prefetch(&used.output, DeviceId::CPU).unwrap();
    assert_eq!(used.output.residency(), Residency::Both(GPU));
    assert!(runtime.prefetch(&data, DeviceId::cuda(7)).is_err());
}

//! The CPU and several emulated GPUs in one runtime.

use std::sync::Arc;

use heddle_cuda::simt::{SimtDevice, SimtOptions};
use heddle_runtime::config::Config;
use heddle_runtime::device::DeviceId;
use heddle_runtime::{Array, Runtime};

/// Creates a runtime with these emulated GPUs, all of them allowed. `config` may force one.
pub fn runtime(mut config: Config, gpus: Vec<SimtOptions>) -> (Runtime, Vec<Arc<SimtDevice>>) {
    let devices: Vec<Arc<SimtDevice>> = gpus
        .into_iter()
        .enumerate()
        .map(|(index, options)| Arc::new(SimtDevice::new(index as u16, options)))
        .collect();
    config.route.allow = Some(
        std::iter::once(DeviceId::CPU)
            .chain((0..devices.len()).map(|index| DeviceId::simt(index as u16)))
            .collect(),
    );
    let builder = Runtime::builder().config(config).without_model_cache();
    let builder = devices.iter().fold(builder, |builder, device| {
        builder.device(Arc::clone(device) as _)
    });
    (builder.build().unwrap(), devices)
}

/// Creates a runtime with the CPU and one emulated GPU that runs on one thread.
pub fn cpu_and_gpu() -> Runtime {
    let gpu = SimtDevice::new(0, small());
    crate::runtime_with(Arc::new(gpu))
}

/// Returns the options of an emulated GPU that uses few threads.
pub fn small() -> SimtOptions {
    SimtOptions::default().with(|it| it.workers = 1)
}

/// Creates a runtime with one emulated GPU that runs every operation.
pub fn forced(options: SimtOptions) -> Runtime {
    let config = Config::default().with(|it| it.device = Some(DeviceId::simt(0)));
    runtime(config, vec![options]).0
}

/// Returns bytes that depend on their index and on `salt`.
pub fn bytes(len: usize, salt: usize) -> Vec<u8> {
    (0..len)
        .map(|at| (at * 167 + at / 251 + salt * 29) as u8)
        .collect()
}

/// Returns the expected result of xor.
pub fn xored(data: &[u8], key: &[u8]) -> Vec<u8> {
    data.iter()
        .enumerate()
        .map(|(at, byte)| byte ^ key[at % key.len()])
        .collect()
}

/// Returns a matrix of small whole numbers, so that products are exact.
pub fn matrix(rows: usize, columns: usize, salt: usize) -> Array<f32> {
    let values: Vec<f32> = (0..rows * columns)
        .map(|at| ((at * 7 + salt) % 11) as f32 - 5.0)
        .collect();
    Array::from_shape(&[rows, columns], &values).unwrap()
}

//! Runtimes on the CPU and one more device, without saved models.

use std::sync::Arc;

use heddle_runtime::config::Config;
use heddle_runtime::device::Device;
use heddle_runtime::{Runtime, RuntimeBuilder};

pub fn runtime<D: Device + 'static>(config: Config, device: Arc<D>) -> Runtime {
    open(Runtime::builder().config(config).device(device))
}

pub fn runtime_with<D: Device + 'static>(device: Arc<D>) -> Runtime {
    open(Runtime::builder().device(device))
}

fn open(builder: RuntimeBuilder) -> Runtime {
    builder.without_model_cache().build().unwrap()
}

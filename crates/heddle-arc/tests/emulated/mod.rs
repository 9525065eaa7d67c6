//! A runtime with an emulated GPU that runs on one thread.

use heddle_cuda::simt::{SimtDevice, SimtOptions};
use heddle_runtime::Runtime;
use std::sync::Arc;

pub(crate) fn runtime() -> Runtime {
    let options = SimtOptions {
        workers: 1,
        ..SimtOptions::default()
    };
    let gpu = SimtDevice::new(0, options).unwrap();
    let builder = Runtime::builder().device(Arc::new(gpu)).forgetful();
    builder.build().unwrap()
}

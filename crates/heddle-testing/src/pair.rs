//! The CPU and an emulated GPU, whose results are compared.

use std::sync::Arc;

use heddle_cuda::simt::{SimtDevice, SimtOptions};
use heddle_runtime::device::DeviceId;
use heddle_runtime::{Agreement, Operation, RunOutcome, Runtime};

/// The emulated GPU of every pair.
pub const SIMT: DeviceId = DeviceId::simt(0);

/// Both devices in one runtime.
pub struct CpuGpuPair {
    runtime: Runtime,
}

impl CpuGpuPair {
    /// With an emulated GPU of as many worker threads as there are CPUs.
    pub fn new() -> Self {
        Self::over(SimtOptions::default())
    }

    /// With an emulated GPU whose blocks share `workers` worker threads.
    pub fn with_workers(workers: usize) -> Self {
        Self::over(SimtOptions {
            workers,
            ..SimtOptions::default()
        })
    }

    fn over(options: SimtOptions) -> Self {
        let gpu = SimtDevice::new(0, options).unwrap();
        let runtime = Runtime::builder()
            .device(Arc::new(gpu))
            .without_model_cache()
            .build()
            .unwrap();
        Self { runtime }
    }

    /// Returns the GPU's result with its decision and timing.
    pub fn gpu<O: Operation>(&self, operation: O) -> RunOutcome<O::Output> {
        let outcome = self.runtime.run_traced(operation, Some(SIMT)).unwrap();
        assert_eq!(outcome.decision.device, SIMT);
        assert!(outcome.timing.device.is_some(), "a GPU has its own clock");
        outcome
    }

    /// Returns the results of the CPU and the GPU, after comparing them with the operation's own
    /// `compare`.
    pub fn agree<O: Operation>(&self, mut operation: O, what: &str) -> [O::Output; 2] {
        let cpu = self.runtime.run_on(DeviceId::CPU, &mut operation).unwrap();
        let gpu = self.gpu(&mut operation).output;
        assert_eq!(operation.compare(&cpu, &gpu), Agreement::Same, "{what}");
        [cpu, gpu]
    }
}

//! Operations that run only on the CPU. They go through the runtime's pipeline like
//! any other: each kind is routed, admitted, recorded and calibrated.

use heddle_runtime::cpu::CpuPool;
use heddle_runtime::device::ExecutionContext;
use heddle_runtime::{DType, Description, Kind, Operation, Runtime};

use crate::error::Error;

struct CpuTask<F> {
    kind: &'static Kind,
    work: u64,
    body: F,
}

impl<R, F: FnMut(&CpuPool) -> R> Operation for CpuTask<F> {
    type Output = R;

    fn describe(&self) -> Description {
        Description::new(self.kind, DType::F64, self.work)
    }

    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<R, heddle_runtime::Error> {
        context.pool(self.kind.name()).map(&mut self.body)
    }
}

/// Runs `body` on the CPU's thread pool and returns its result.
pub(crate) fn run<R>(
    runtime: &Runtime,
    kind: &'static Kind,
    work: u64,
    body: impl FnMut(&CpuPool) -> R,
) -> Result<R, Error> {
    Ok(runtime.run(CpuTask { kind, work, body })?)
}

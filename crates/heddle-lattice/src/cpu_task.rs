//! Operations that run only on the CPU. They go through the runtime's pipeline like
//! any other: each kind is routed, admitted, recorded and calibrated.

use heddle_runtime::cpu::CpuPool;
use heddle_runtime::device::ExecutionContext;
use heddle_runtime::memory::admit_host;
use heddle_runtime::units::Bytes;
use heddle_runtime::{DType, Description, Kind, Operation, Runtime};

use crate::error::Error;

struct CpuTask<F> {
    kind: &'static Kind,
    amount: TaskAmount,
    body: F,
}

/// How much a task computes and allocates.
#[derive(Clone, Copy)]
pub(crate) struct TaskAmount {
    /// In the units of its kind.
    pub(crate) work: u64,
    /// The most bytes that it allocates at once, its result included.
    pub(crate) bytes: u64,
}

impl<R, F: FnMut(&CpuPool) -> R> Operation for CpuTask<F> {
    type Output = R;

    fn describe(&self) -> Description {
        let mut description = Description::new(self.kind, DType::F64, self.amount.work);
        description.scratch = Bytes(self.amount.bytes);
        description
    }

    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<R, heddle_runtime::Error> {
        let pool = context.pool(self.kind.name())?;
        admit_host(self.kind.name(), Bytes(self.amount.bytes))?;
        Ok((self.body)(pool))
    }
}

/// Runs `body` on the CPU's thread pool and returns its result.
pub(crate) fn run<R>(
    runtime: &Runtime,
    kind: &'static Kind,
    amount: TaskAmount,
    body: impl FnMut(&CpuPool) -> R,
) -> Result<R, Error> {
    Ok(runtime.run(CpuTask { kind, amount, body })?)
}

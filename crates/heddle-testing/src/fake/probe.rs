//! A probe of operations that have a size and compute nothing.

use heddle_runtime::array::Residency;
use heddle_runtime::device::{DeviceId, ExecutionContext};
use heddle_runtime::ops::Probe;
use heddle_runtime::{DType, Description, Error, Kind, Operation};

use super::describe;

/// A probe of one kind, with the size as work and a number of bytes per unit of work.
#[derive(Clone, Debug)]
pub struct FakeProbe {
    pub kind: &'static Kind,
    pub bytes_each: u64,
    pub sizes: Vec<usize>,
    /// Whether the operation exists for GPUs.
    pub on_gpu: bool,
}

impl FakeProbe {
    /// Creates a probe of sizes a factor of four apart, up to `largest`.
    pub fn new(kind: &'static Kind, bytes_each: u64, largest: usize) -> Self {
        let sizes = std::iter::successors(Some(100_usize), |size| Some(size * 4));
        Self {
            kind,
            bytes_each,
            sizes: sizes.take_while(|&size| size <= largest).collect(),
            on_gpu: true,
        }
    }
}

impl Probe for FakeProbe {
    fn kind(&self) -> &'static Kind {
        self.kind
    }

    fn dtype(&self) -> DType {
        DType::F32
    }

    fn size_means(&self) -> &'static str {
        "units of work"
    }

    fn sizes(&self) -> Vec<usize> {
        self.sizes.clone()
    }

    fn describe(&self, size: usize, residency: Residency) -> Description {
        let work = size as u64;
        describe(
            self.kind,
            work,
            work.saturating_mul(self.bytes_each),
            residency,
        )
    }

    fn prepare(&self, size: usize) -> Result<Box<dyn Operation<Output = ()> + Send>, Error> {
        Ok(Box::new(FakeOperation {
            described: self.describe(size, Residency::Host),
            on_gpu: self.on_gpu,
        }))
    }
}

struct FakeOperation {
    described: Description,
    on_gpu: bool,
}

impl Operation for FakeOperation {
    type Output = ();

    fn describe(&self) -> Description {
        self.described.clone()
    }

    fn runs_on(&self, device: DeviceId) -> bool {
        self.on_gpu || !device.has_own_memory()
    }

    fn run(&mut self, _context: &ExecutionContext<'_>) -> Result<(), Error> {
        Ok(())
    }
}

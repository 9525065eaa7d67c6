//! Launches kernels.

#![allow(unsafe_code)]

use heddle_runtime::Error;
use heddle_runtime::device::{Argument, Launch};

use super::mapped_results::CudaMappedResults;
use super::memory::CudaMemory;
use super::state::CudaState;
use super::timestamps::{KernelLaunch, MOST_ARGUMENTS};

/// Queues one kernel on the calling thread's lease. A grid with no blocks succeeds without
/// a launch.
pub(super) fn launch(state: &CudaState, launch: &Launch<'_>) -> Result<(), Error> {
    state.on_lease(|lease, resources| {
        let kernel = state.kernels.get(launch.kernel)?;
        let mismatch = kernel.signature.mismatch(launch.arguments);
        let too_many = || {
            (launch.arguments.len() > MOST_ARGUMENTS)
                .then(|| format!("more than {MOST_ARGUMENTS} arguments"))
        };
        if let Some(why) = mismatch.or_else(too_many) {
            let message = format!("kernel {}: {why}", launch.kernel.name);
            return Err(state.context.refuse(message));
        }
        if launch.grid.contains(&0) {
            return Ok(());
        }
        state.kernels.allow_shared(kernel, launch.shared)?;
        let mut values = [0_u64; MOST_ARGUMENTS];
        for (index, argument) in launch.arguments.iter().enumerate() {
            values[index] = match *argument {
                Argument::Buffer(memory) => {
                    let memory = CudaMemory::of(state, memory)?;
                    memory.join(lease)?;
                    memory.pointer()
                }
                Argument::MappedResults(mapped_results) => {
                    let mapped_results = CudaMappedResults::of(state, mapped_results)?;
                    mapped_results.join(lease);
                    mapped_results.pointer()
                }
                Argument::U32(value) => u64::from(value).to_le(),
                Argument::I32(value) => u64::from(value.cast_unsigned()).to_le(),
                Argument::U64(value) => value,
                Argument::F32(value) => u64::from(value.to_bits()).to_le(),
                Argument::F64(value) => value.to_bits(),
            };
        }
        state.note_queued_work(lease);
        let kernel_launch = KernelLaunch {
            kernel,
            grid: launch.grid,
            block: launch.block,
            shared: launch.shared,
            arguments: &values[..launch.arguments.len()],
        };
        // SAFETY: the arguments have the types of the kernel's signature. Each buffer and
        // all mapped results have joined the lease, so their memory is not reused before the
        // lease is synchronized. What the kernel does with its pointers is the contract of
        // its author (`Kernel::new`).
        unsafe {
            resources
                .kernel_timer
                .launch(state, kernel_launch, &lease.stream)
        }
    })
}

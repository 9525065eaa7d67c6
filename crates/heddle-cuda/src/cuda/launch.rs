//! Launches kernels.

#![allow(unsafe_code)]

use std::ffi::c_void;
use std::ptr;

use heddle_runtime::Error;
use heddle_runtime::device::{Argument, Launch};

use super::mapped_results::CudaMappedResults;
use super::memory::CudaMemory;
use super::state::CudaState;
use super::timestamps::KernelLaunch;

/// The most parameters a kernel of ours may have.
const MOST_ARGUMENTS: usize = 32;

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
        // Eight bytes each, whatever the type: the driver reads as many as the parameter
        // has, from the low end.
        let mut values = [0_u64; MOST_ARGUMENTS];
        let mut pointers = [ptr::null_mut::<c_void>(); MOST_ARGUMENTS];
        for (index, argument) in launch.arguments.iter().enumerate() {
            values[index] = match *argument {
                Argument::Buffer(memory) => {
                    let memory = CudaMemory::of(state, memory)?;
                    memory.join(lease)?;
                    memory.pointer()
                }
                Argument::MappedResults(mapped_results) => {
                    let own = mapped_results.as_any().downcast_ref::<CudaMappedResults>();
                    own.ok_or_else(|| {
                        state
                            .context
                            .refuse("the mapped results belong to another device")
                    })?
                    .pointer()
                }
                Argument::U32(value) => u64::from(value).to_le(),
                Argument::I32(value) => u64::from(value.cast_unsigned()).to_le(),
                Argument::U64(value) => value,
                Argument::F32(value) => u64::from(value.to_bits()).to_le(),
                Argument::F64(value) => value.to_bits(),
            };
        }
        for (pointer, value) in pointers.iter_mut().zip(&mut values) {
            *pointer = ptr::from_mut(value).cast();
        }
        state.note_queued_work(lease);
        let kernel_launch = KernelLaunch {
            function: kernel.function,
            grid: launch.grid,
            block: launch.block,
            shared: launch.shared,
            arguments: &mut pointers[..launch.arguments.len()],
        };
        // SAFETY: the arguments were checked against the kernel's signature, so the driver
        // reads as many values as there are and of their sizes. Buffers are not reused
        // before the lease is synchronised. What the kernel does with its pointers is the
        // kernel's contract.
        unsafe {
            resources
                .kernel_timer
                .launch(state, kernel_launch, &lease.stream)
        }
    })
}

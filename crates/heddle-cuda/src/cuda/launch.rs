//! Starts kernels.

#![allow(unsafe_code)]

use std::ffi::c_void;
use std::ptr;

use heddle_runtime::Error;
use heddle_runtime::device::{Argument, Launch};

use super::core::Core;
use super::memory::CudaMemory;
use super::notices::CudaNotices;
use super::stamp::Shot;

/// Parameters a kernel of ours may have.
const MOST_ARGUMENTS: usize = 32;

/// Queues one kernel on the calling thread's lease. A grid with no blocks is no
/// work and succeeds.
pub(super) fn launch(core: &Core, launch: &Launch<'_>) -> Result<(), Error> {
    core.on_lease(|lease, desk| {
        let kernel = core.kernels.get(launch.kernel)?;
        let mismatch = kernel.signature.mismatch(launch.arguments);
        let too_many = || {
            (launch.arguments.len() > MOST_ARGUMENTS)
                .then(|| format!("more than {MOST_ARGUMENTS} arguments"))
        };
        if let Some(why) = mismatch.or_else(too_many) {
            let message = format!("kernel {}: {why}", launch.kernel.name);
            return Err(core.context.refuse(message));
        }
        if launch.grid.contains(&0) {
            return Ok(());
        }
        core.kernels.allow_shared(kernel, launch.shared)?;
        // Eight bytes each, whatever the type: the driver reads as many as the
        // parameter has, from the low end.
        let mut values = [0_u64; MOST_ARGUMENTS];
        let mut pointers = [ptr::null_mut::<c_void>(); MOST_ARGUMENTS];
        for (index, argument) in launch.arguments.iter().enumerate() {
            values[index] = match *argument {
                Argument::Buffer(memory) => {
                    let memory = CudaMemory::of(core, memory)?;
                    memory.join(lease)?;
                    memory.pointer()
                }
                Argument::Notices(notices) => {
                    let own = notices.as_any().downcast_ref::<CudaNotices>();
                    own.ok_or_else(|| core.context.refuse("notices of another device"))?
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
        core.expect_work(lease);
        let shot = Shot {
            function: kernel.function,
            grid: launch.grid,
            block: launch.block,
            shared: launch.shared,
            arguments: &mut pointers[..launch.arguments.len()],
        };
        // SAFETY: the arguments were checked against the kernel's signature, so
        // the driver reads as many values as there are and of their sizes. Buffers
        // are not reused before the lease has settled. What the kernel does with
        // its pointers is the kernel's contract.
        unsafe { desk.clock.launch(core, shot, &lease.stream) }
    })
}

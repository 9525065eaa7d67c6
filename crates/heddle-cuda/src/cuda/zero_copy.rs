//! Small host-to-host maps whose kernel reads and writes pinned host memory itself.
//!
//! A copy engine is a queue of its own: each transfer through it costs a few microseconds,
//! more than moving a small operand over the bus. A map reads each byte of its operands
//! once, so the kernel reads them in place at no loss. Inputs that every element may read
//! again and again, such as a key, are copied to the device all the same.
//!
//! The device time of the kernel then includes the bus; the transfer times are those of the
//! copies into and out of pinned memory.

#![allow(unsafe_code)]

use std::sync::Arc;
use std::time::Instant;

use heddle_runtime::Error;
use heddle_runtime::device::{
    Accelerator, ChunkLaunch, ChunkedMap, ChunkedMapInput, DeviceMemory, MapChunk, TransferTotals,
};
use heddle_runtime::units::{Bytes, Nanos};

use super::CudaDevice;
use super::lease::{SLAB_STEP, SLAB_UPLOAD, StreamLease};
use super::memory::CudaMemory;
use super::pinned::Pinned;

/// The largest map computed this way in bytes, operands and output together. Beyond it the
/// copy engines' higher rate makes up for their latency.
const MOST: usize = 64 << 10;

/// The offset of each part of a map in the slab, from the slab's first free byte on.
#[derive(Debug, PartialEq, Eq)]
struct PinnedLayout {
    /// One per input; None where the device holds it.
    inputs: Vec<Option<usize>>,
    output: usize,
    /// The total number of bytes.
    len: usize,
}

impl PinnedLayout {
    /// None where there is nothing to compute, too much, or more than one chunk.
    fn of(work: &ChunkedMap<'_>) -> Option<Self> {
        let elements = work.output.len() / work.output_unit.max(1);
        let is_whole = work.chunk_elements == 0 || work.chunk_elements >= elements;
        if elements == 0 || !is_whole {
            return None;
        }
        let mut len = 0_usize;
        let mut place = |bytes: usize| {
            let start = len;
            len = start
                .saturating_add(bytes)
                .checked_next_multiple_of(SLAB_STEP)?;
            (len <= MOST).then_some(start)
        };
        let mut inputs = Vec::with_capacity(work.inputs.len());
        for input in work.inputs {
            inputs.push(match input.unit {
                0 => None,
                _ => Some(place(input.bytes.len())?),
            });
        }
        let output = place(work.output.len())?;
        Some(Self {
            inputs,
            output,
            len,
        })
    }
}

/// Computes the map in the calling thread's slab; None where the map needs transfers. Only
/// within an execution, where no other thread uses the slab.
pub(super) fn map(
    device: &CudaDevice,
    work: &mut ChunkedMap<'_>,
    launch: &mut ChunkLaunch<'_>,
) -> Result<Option<TransferTotals>, Error> {
    let state = device.state();
    let Some(lease) = state.leases.held() else {
        return Ok(None);
    };
    let Some(pinned_layout) = PinnedLayout::of(work) else {
        return Ok(None);
    };
    let mut moved = work.traffic();
    let start = Instant::now();
    let Some(operands) = load(device, &lease, &pinned_layout, work.inputs)? else {
        return Ok(None);
    };
    moved.up_time = Nanos::from(start.elapsed());
    let views: Vec<&dyn DeviceMemory> = operands.inputs.iter().map(Box::as_ref).collect();
    let launched = launch(&MapChunk {
        first_element: 0,
        elements: work.output.len() / work.output_unit,
        inputs: &views,
        output: &operands.output,
    });
    state.on_lease(|lease, resources| {
        // Also after an error: the slab is used again.
        resources.slab_held = 0;
        let synchronized = state.synchronize_lease(lease, resources);
        launched.and(synchronized)?;
        let start = Instant::now();
        let output = operands.base + pinned_layout.output;
        // SAFETY: the stream has been waited for, and no thread queues on it without
        // `resources`.
        let output = unsafe { resources.slab.bytes(output, work.output.len()) };
        work.output.put(output);
        moved.down_time = Nanos::from(start.elapsed());
        Ok(())
    })?;
    Ok(Some(moved))
}

/// A map's operands in pinned memory.
struct PinnedOperands {
    inputs: Vec<Box<dyn DeviceMemory>>,
    output: CudaMemory,
    /// Where the layout begins in the slab.
    base: usize,
}

/// Fills the slab and holds that part of it; None where a map that encloses this one holds
/// a part already.
fn load(
    device: &CudaDevice,
    lease: &Arc<StreamLease>,
    pinned_layout: &PinnedLayout,
    inputs: &[ChunkedMapInput<'_>],
) -> Result<Option<PinnedOperands>, Error> {
    let state = device.state();
    if lease.resources().slab_held > 0 {
        return Ok(None);
    }
    // These pass through the slab too, so they come before the layout.
    let mut kept = Vec::new();
    for input in inputs.iter().filter(|input| input.unit == 0) {
        let buffer = device.allocate(Bytes(input.bytes.len() as u64))?;
        buffer.upload(&input.bytes.contiguous(0..input.bytes.len()))?;
        kept.push(buffer);
    }
    let mut kept = kept.into_iter();
    state.context.ensure_entered()?;
    let mut resources = lease.resources();
    if resources.slab_used + pinned_layout.len > SLAB_UPLOAD {
        state.synchronize_lease(lease, &mut resources)?;
    }
    // Before the launch, so that the wait frees the slab even if the launch fails.
    state.note_queued_work(lease);
    let base = resources.slab_used;
    resources.slab_used = base + pinned_layout.len;
    resources.slab_held = resources.slab_used;
    let view = |slab: &Pinned, offset: usize, len: usize| {
        let address = slab.address(base + offset, len);
        // SAFETY: this part of the slab is held until the map has waited for the stream, and
        // the operands do not outlive the map.
        unsafe { CudaMemory::within(state, address, Bytes(len as u64)) }
    };
    let mut operands = Vec::with_capacity(inputs.len());
    for (input, offset) in inputs.iter().zip(&pinned_layout.inputs) {
        let operand = match offset {
            Some(offset) => {
                let (to, len) = (base + offset, input.bytes.len());
                // SAFETY: nothing queued uses this part of the slab yet.
                let part = unsafe { resources.slab.bytes_mut(to, len) };
                input.bytes.copy(0..len, part);
                Some(Box::new(view(&resources.slab, *offset, len)) as Box<dyn DeviceMemory>)
            }
            None => kept.next(),
        };
        operands.extend(operand);
    }
    Ok(Some(PinnedOperands {
        inputs: operands,
        output: view(
            &resources.slab,
            pinned_layout.output,
            pinned_layout.len - pinned_layout.output,
        ),
        base,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pinned_layout(
        inputs: &[(usize, usize)],
        output: usize,
        unit: usize,
        chunk: usize,
    ) -> Option<PinnedLayout> {
        let bytes = vec![0; inputs.iter().map(|(len, _)| *len).max().unwrap_or(0)];
        let inputs: Vec<_> = inputs
            .iter()
            .map(|&(len, unit)| ChunkedMapInput::new(&bytes[..len], unit))
            .collect();
        PinnedLayout::of(
            &ChunkedMap::new(&inputs, &mut vec![0_u8; output][..], unit).in_chunks_of(chunk),
        )
    }

    #[test]
    fn only_small_maps_of_one_chunk_use_the_slab() {
        let one = pinned_layout(&[(1024, 1), (1024, 1)], 1024, 1, 0);
        assert_eq!(
            one,
            Some(PinnedLayout {
                inputs: vec![Some(0), Some(1024)],
                output: 2048,
                len: 3072
            })
        );
        assert_eq!(pinned_layout(&[(1024, 1), (1024, 1)], 1024, 1, 1024), one);
        assert_eq!(pinned_layout(&[(1024, 1)], 1024, 1, 1000), None);
        assert_eq!(pinned_layout(&[], 0, 1, 0), None);
        assert_eq!(pinned_layout(&[(MOST, 1)], MOST, 1, 0), None);
    }

    #[test]
    fn a_key_stays_out_of_the_layout() {
        let pinned_layout = pinned_layout(&[(5000, 0), (100, 1)], 100, 1, 0).unwrap();
        assert_eq!(pinned_layout.inputs, [None, Some(0)]);
    }

    proptest! {
        #[test]
        fn parts_do_not_overlap(units in proptest::collection::vec(0_usize..9, 0..5), elements in 1_usize..3000) {
            let lens: Vec<_> = units.iter().map(|&unit| (elements * unit, unit)).collect();
            if let Some(pinned_layout) = pinned_layout(&lens, elements, 1, 0) {
                let mut end = 0;
                for (part, (len, unit)) in pinned_layout.inputs.iter().zip(&lens) {
                    prop_assert_eq!(part.is_none(), *unit == 0);
                    if let Some(start) = part {
                        prop_assert!(*start >= end && start.is_multiple_of(SLAB_STEP));
                        end = start + len;
                    }
                }
                prop_assert!(pinned_layout.output >= end && pinned_layout.output + elements <= pinned_layout.len);
                prop_assert!(pinned_layout.len <= MOST);
            }
        }
    }
}

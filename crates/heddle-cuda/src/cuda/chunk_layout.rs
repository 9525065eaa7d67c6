//! The layout of a chunk of a chunked map in its slot.

use heddle_runtime::device::ChunkedMapInput;

/// The alignment of the parts of a slot, so that the copy engine reads whole lines.
const ALIGNMENT: usize = 256;
/// Chunks of more elements than this begin at multiples of it, so that every chunk starts
/// on a line for kernels that work by lines.
const STEP: usize = 64;

/// The offsets of a chunk's parts, the same for all chunks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ChunkLayout {
    /// The number of elements of every chunk but the last.
    pub(super) elements: usize,
    /// The offset of each input; 0 and unused where the unit is 0.
    pub(super) input_offsets: Vec<usize>,
    /// The offset of the output.
    pub(super) output_offset: usize,
    /// The bytes per element of the output.
    pub(super) output_unit: usize,
}

impl ChunkLayout {
    /// The layout of chunks of at most `requested` elements (0: as many as fit) in slots of
    /// `slot_bytes`; None where not one element fits.
    pub(super) fn new(
        units: &[usize],
        output_unit: usize,
        requested: usize,
        slot_bytes: usize,
    ) -> Option<Self> {
        let per_element = units
            .iter()
            .try_fold(output_unit, |sum, &unit| sum.checked_add(unit))
            .filter(|&sum| sum > 0)?;
        // Each part may lose up to one alignment step to the next one's start.
        let padding = ALIGNMENT * units.len();
        let fits = slot_bytes.checked_sub(padding)? / per_element;
        let elements = match requested {
            0 => fits,
            requested => requested.min(fits),
        };
        if elements == 0 {
            return None;
        }
        let elements = match elements {
            few @ ..STEP => few,
            many => many - many % STEP,
        };
        let mut end = 0;
        let input_offsets = units
            .iter()
            .map(|&unit| {
                let start = end;
                end = (start + elements * unit).next_multiple_of(ALIGNMENT);
                start
            })
            .collect();
        Some(Self {
            elements,
            input_offsets,
            output_offset: end,
            output_unit,
        })
    }

    /// Copies a chunk's part of every input to its offset in the slot.
    pub(super) fn fill(&self, chunk: usize, inputs: &[ChunkedMapInput<'_>], slot: &mut [u8]) {
        for (input, &offset) in inputs.iter().zip(&self.input_offsets) {
            let step = self.elements * input.unit;
            if step > 0 {
                let start = chunk * step;
                let part = start..input.bytes.len().min(start + step);
                let to = offset..offset + part.len();
                input.bytes.copy(part, &mut slot[to]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_parts_of_a_chunk_fit_its_slot_and_do_not_overlap(
            units in proptest::collection::vec(0_usize..40, 0..5),
            output_unit in 1_usize..40,
            requested in 0_usize..5000,
            slot_bytes in 0_usize..100_000,
        ) {
            let Some(chunk_layout) = ChunkLayout::new(&units, output_unit, requested, slot_bytes) else {
                let least = output_unit + units.iter().sum::<usize>() + ALIGNMENT * units.len();
                prop_assert!(slot_bytes < least);
                return Ok(());
            };
            prop_assert!(chunk_layout.elements > 0);
            prop_assert!(requested == 0 || chunk_layout.elements <= requested);
            let mut end = 0;
            for (&unit, &offset) in units.iter().zip(&chunk_layout.input_offsets) {
                prop_assert!(offset >= end && offset.is_multiple_of(ALIGNMENT));
                end = offset + unit * chunk_layout.elements;
            }
            prop_assert!(chunk_layout.output_offset >= end);
            prop_assert!(chunk_layout.output_offset + chunk_layout.elements * output_unit <= slot_bytes);
        }

        #[test]
        fn filling_all_chunks_moves_every_byte_once(
            elements in 1_usize..3000,
            unit in 1_usize..9,
            requested in 0_usize..700,
        ) {
            let bytes: Vec<u8> = (0..elements * unit).map(|index| (index % 251) as u8).collect();
            let key = [1, 2, 3];
            let inputs = [
                ChunkedMapInput::new(&key[..], 0),
                ChunkedMapInput::new(&bytes[..], unit),
            ];
            let chunk_layout = ChunkLayout::new(&[0, unit], 1, requested, 8192).unwrap();
            let mut moved = Vec::new();
            for chunk in 0..elements.div_ceil(chunk_layout.elements) {
                let mut slot = vec![0; 8192];
                chunk_layout.fill(chunk, &inputs, &mut slot);
                let here = chunk_layout.elements.min(elements - chunk * chunk_layout.elements);
                let start = chunk_layout.input_offsets[1];
                moved.extend_from_slice(&slot[start..start + here * unit]);
            }
            prop_assert_eq!(moved, bytes);
        }
    }
}

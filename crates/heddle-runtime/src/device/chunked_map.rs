//! Maps over host memory that a device computes chunk by chunk.
//!
//! For each chunk, host memory is uploaded, a kernel runs and the result is downloaded. A device
//! that can do the three at once overlaps the chunks; every other device uses [`sequential`], which
//! is also the reference in tests of the overlapped ones.

use super::{Accelerator, DeviceBuffer, DeviceMemory, GatherSource, ScatterSink, TransferTotals};
use crate::error::Error;
use crate::units::Bytes;

/// One operand of a [`ChunkedMap`].
#[derive(Clone, Copy, Debug)]
pub struct ChunkedMapInput<'a> {
    /// Its bytes.
    pub bytes: GatherSource<'a>,
    /// Bytes that each element of the output reads from it; 0 if every chunk needs all of it, like
    /// a key.
    pub unit: usize,
}

impl<'a> ChunkedMapInput<'a> {
    /// An operand of which each element of the output reads `unit` bytes, or 0 as above.
    pub fn new(bytes: impl Into<GatherSource<'a>>, unit: usize) -> Self {
        Self {
            bytes: bytes.into(),
            unit,
        }
    }
}

/// A map from host memory to host memory. A literal stays possible, as of a
/// [`Launch`](super::Launch).
#[derive(Debug)]
pub struct ChunkedMap<'a> {
    /// The operands.
    pub inputs: &'a [ChunkedMapInput<'a>],
    /// Where the result is written.
    pub output: ScatterSink<'a>,
    /// Bytes per element of the output.
    pub output_unit: usize,
    /// The most elements per launch; 0 leaves it to the device.
    pub chunk_elements: usize,
    /// The most device memory for all chunks in progress together. One element, and operands that
    /// every chunk needs whole, are allowed even beyond it.
    pub memory_budget: Bytes,
}

/// One chunk, on the device and ready to be computed.
#[derive(Clone, Copy, Debug)]
pub struct MapChunk<'a> {
    /// The index of the chunk's first element in the whole output.
    pub first_element: u64,
    /// The number of elements to compute; the buffers may be larger.
    pub elements: usize,
    /// The operands in the given order: the chunk's part, or all of an operand whose unit is 0.
    pub inputs: &'a [&'a dyn DeviceMemory],
    /// Where the chunk's result is written.
    pub output: &'a dyn DeviceMemory,
}

/// Queues the kernels of one chunk. It must only launch, because the device holds its staging
/// memory during the call. Chunks come in any order.
pub type ChunkLaunch<'a> = dyn FnMut(&MapChunk<'_>) -> Result<(), Error> + 'a;

impl<'a> ChunkedMap<'a> {
    /// A map in chunks that the device chooses, of any size.
    pub fn new(
        inputs: &'a [ChunkedMapInput<'a>],
        output: impl Into<ScatterSink<'a>>,
        output_unit: usize,
    ) -> Self {
        Self {
            inputs,
            output: output.into(),
            output_unit,
            chunk_elements: 0,
            memory_budget: Bytes(u64::MAX),
        }
    }

    /// The same map with at most this many elements per launch.
    #[must_use]
    pub fn in_chunks_of(mut self, elements: usize) -> Self {
        self.chunk_elements = elements;
        self
    }

    /// The same map within this device memory.
    #[must_use]
    pub fn within(mut self, memory_budget: Bytes) -> Self {
        self.memory_budget = memory_budget;
        self
    }

    /// Returns the number of elements in the output. Fails if the lengths of the operands do not
    /// match it.
    pub fn elements(&self) -> Result<usize, Error> {
        if self.output_unit == 0 {
            return Err(unsuited("output_unit", "at least 1", 0));
        }
        if !self.output.len().is_multiple_of(self.output_unit) {
            return Err(unsuited(
                "output",
                "a whole number of elements",
                self.output.len(),
            ));
        }
        let elements = self.output.len() / self.output_unit;
        let uneven = self.inputs.iter().find(|input| {
            input.unit > 0 && Some(input.bytes.len()) != elements.checked_mul(input.unit)
        });
        match uneven {
            None => Ok(elements),
            Some(input) => Err(unsuited(
                "input",
                "as many elements as the output",
                input.bytes.len(),
            )),
        }
    }

    /// The bytes that a chunk of one element uses on the device.
    #[must_use]
    pub fn bytes_per_element(&self) -> usize {
        let units = self.inputs.iter().map(|input| input.unit);
        units.fold(self.output_unit, usize::saturating_add)
    }

    /// The number of elements that fit into the memory budget at once, beside the operands that
    /// every chunk needs whole: at least one.
    #[must_use]
    pub fn elements_in_budget(&self) -> usize {
        let shared = self.inputs.iter().filter(|input| input.unit == 0);
        let shared = Bytes(shared.map(|input| input.bytes.len() as u64).sum());
        let memory_budget = self.memory_budget.saturating_sub(shared).0;
        let elements = memory_budget / self.bytes_per_element().max(1) as u64;
        usize::try_from(elements).map_or(usize::MAX, |elements| elements.max(1))
    }

    /// The bytes that cross the bus, without times.
    #[must_use]
    pub fn traffic(&self) -> TransferTotals {
        TransferTotals {
            up: self
                .inputs
                .iter()
                .map(|input| Bytes(input.bytes.len() as u64))
                .sum(),
            down: Bytes(self.output.len() as u64),
            ..TransferTotals::default()
        }
    }
}

fn unsuited(parameter: &'static str, expected: &'static str, found: usize) -> Error {
    Error::BadParameter {
        operation: "pipeline",
        parameter,
        expected,
        found: found.to_string(),
    }
}

/// Runs the chunks one after another: upload, launch, download.
#[allow(
    clippy::needless_pass_by_value,
    reason = "as `Accelerator::chunked_map` takes it: the output is consumed"
)]
pub fn sequential<A: Accelerator + ?Sized>(
    device: &A,
    work: ChunkedMap<'_>,
    launch: &mut ChunkLaunch<'_>,
) -> Result<TransferTotals, Error> {
    let elements = work.elements()?;
    let mut moved = TransferTotals::default();
    if elements == 0 {
        return Ok(moved);
    }
    let chunk_elements = match work.chunk_elements {
        0 => elements,
        asked => asked.min(elements),
    }
    .min(work.elements_in_budget());
    let mut shared = Vec::with_capacity(work.inputs.len());
    for input in work.inputs {
        shared.push(if input.unit == 0 {
            let buffer = device.allocate(Bytes(input.bytes.len() as u64))?;
            let all = input.bytes.contiguous(0..input.bytes.len());
            moved = moved.and(&uploaded(&buffer, &all)?);
            Some(buffer)
        } else {
            None
        });
    }
    let (units, output_unit) = (work.inputs, work.output_unit);
    let mut buffers = ChunkBuffers::new(device, units, output_unit, chunk_elements)?;
    let destinations = work.output.chunks(chunk_elements * output_unit);
    for (index, mut destination) in destinations.into_iter().enumerate() {
        let first = index * chunk_elements;
        let here = destination.len() / output_unit;
        if here < chunk_elements {
            // A transfer fills its buffer, so the shorter last chunk gets its own, and the memory
            // budget does not allow both at once.
            drop(buffers);
            buffers = ChunkBuffers::new(device, units, output_unit, here)?;
        }
        for (buffer, input) in buffers.inputs.iter().zip(work.inputs) {
            if let Some(buffer) = buffer {
                let part = first * input.unit..(first + here) * input.unit;
                moved = moved.and(&uploaded(buffer, &input.bytes.contiguous(part))?);
            }
        }
        let operands: Vec<&dyn DeviceMemory> = buffers
            .inputs
            .iter()
            .zip(&shared)
            .filter_map(|(own, shared)| own.as_deref().or(shared.as_deref()))
            .collect();
        launch(&MapChunk {
            first_element: first as u64,
            elements: here,
            inputs: &operands,
            output: buffers.output.as_ref(),
        })?;
        let down = Bytes(destination.len() as u64);
        moved = moved.and(&TransferTotals {
            down,
            down_time: destination.fill(|to| buffers.output.download(to))?,
            ..TransferTotals::default()
        });
    }
    Ok(moved)
}

/// The buffers of one chunk.
struct ChunkBuffers {
    /// One per input; `None` if all chunks share it.
    inputs: Vec<Option<DeviceBuffer>>,
    output: DeviceBuffer,
}

impl ChunkBuffers {
    fn new<A: Accelerator + ?Sized>(
        device: &A,
        inputs: &[ChunkedMapInput<'_>],
        output_unit: usize,
        elements: usize,
    ) -> Result<Self, Error> {
        let memory_budget = |unit: usize| device.allocate(Bytes((elements * unit) as u64));
        let inputs = inputs
            .iter()
            .map(|input| {
                (input.unit > 0)
                    .then(|| memory_budget(input.unit))
                    .transpose()
            })
            .collect::<Result<_, _>>()?;
        Ok(Self {
            inputs,
            output: memory_budget(output_unit)?,
        })
    }
}

fn uploaded(buffer: &DeviceBuffer, from: &[u8]) -> Result<TransferTotals, Error> {
    Ok(TransferTotals {
        up: Bytes(from.len() as u64),
        up_time: buffer.upload(from)?,
        ..TransferTotals::default()
    })
}

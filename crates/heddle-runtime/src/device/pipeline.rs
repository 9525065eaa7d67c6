//! Maps over host memory that a device computes chunk by chunk.
//!
//! Host memory goes up, a kernel runs and the answer comes down. A device that
//! can do the three at once overlaps the chunks; [`sequential`] is what every
//! other device does, and what the overlapped ones are tested against.

use super::{Accelerator, DeviceBuffer, DeviceMemory, Moved};
use crate::error::Error;
use crate::units::Bytes;

/// One operand of a [`Pipeline`].
#[derive(Clone, Copy, Debug)]
pub struct PipelineInput<'a> {
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Bytes each element of the output reads from it; 0 when every chunk needs
    /// all of it, as of a key.
    pub unit: usize,
}

/// A map from host memory to host memory.
#[derive(Debug)]
pub struct Pipeline<'a> {
    /// The operands.
    pub inputs: &'a [PipelineInput<'a>],
    /// Where the answer goes.
    pub output: &'a mut [u8],
    /// Bytes per element of the output.
    pub output_unit: usize,
    /// Elements per launch, at most; 0 leaves it to the device.
    pub chunk_elements: usize,
}

/// One chunk, on the device and ready to be computed.
#[derive(Clone, Copy, Debug)]
pub struct PipelineChunk<'a> {
    /// The chunk's first element within the whole output.
    pub first_element: u64,
    /// Elements to compute; the buffers may have room for more.
    pub elements: usize,
    /// The operands in the order given: the chunk's part, or all of it where the
    /// unit is 0.
    pub inputs: &'a [&'a dyn DeviceMemory],
    /// Where the chunk's answer goes.
    pub output: &'a dyn DeviceMemory,
}

/// Queues the kernels of one chunk. It launches and does nothing else: the device
/// is holding its staging memory meanwhile. Chunks come in any order.
pub type PipelineLaunch<'a> = dyn FnMut(&PipelineChunk<'_>) -> Result<(), Error> + 'a;

impl Pipeline<'_> {
    /// Elements of the output, once the operands' lengths agree with it.
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

    /// What crosses the bus, times aside.
    #[must_use]
    pub fn traffic(&self) -> Moved {
        Moved {
            up: self
                .inputs
                .iter()
                .map(|input| Bytes(input.bytes.len() as u64))
                .sum(),
            down: Bytes(self.output.len() as u64),
            ..Moved::default()
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

/// Runs the chunks one after another: up, launch, down.
#[allow(
    clippy::needless_pass_by_value,
    reason = "as `Accelerator::pipeline` takes it: the output is used up"
)]
pub fn sequential<A: Accelerator + ?Sized>(
    device: &A,
    work: Pipeline<'_>,
    launch: &mut PipelineLaunch<'_>,
) -> Result<Moved, Error> {
    let elements = work.elements()?;
    let mut moved = Moved::default();
    if elements == 0 {
        return Ok(moved);
    }
    let chunk_elements = match work.chunk_elements {
        0 => elements,
        asked => asked.min(elements),
    };
    let mut inputs = Vec::with_capacity(work.inputs.len());
    for input in work.inputs {
        let room = match input.unit {
            0 => input.bytes.len(),
            unit => unit * chunk_elements,
        };
        let buffer = device.allocate(Bytes(room as u64))?;
        if input.unit == 0 {
            moved = moved.and(&uploaded(&buffer, input.bytes)?);
        }
        inputs.push(buffer);
    }
    let mut output = device.allocate(Bytes((chunk_elements * work.output_unit) as u64))?;
    let landings = work.output.chunks_mut(chunk_elements * work.output_unit);
    for (index, landing) in landings.enumerate() {
        let first = index * chunk_elements;
        let here = landing.len() / work.output_unit;
        if here < chunk_elements {
            // A transfer fills its buffer, so the short last chunk has its own.
            output = device.allocate(Bytes(landing.len() as u64))?;
        }
        for (buffer, input) in inputs.iter_mut().zip(work.inputs) {
            if input.unit > 0 {
                let part = &input.bytes[first * input.unit..(first + here) * input.unit];
                if here < chunk_elements {
                    *buffer = device.allocate(Bytes(part.len() as u64))?;
                }
                moved = moved.and(&uploaded(buffer, part)?);
            }
        }
        let operands: Vec<&dyn DeviceMemory> = inputs.iter().map(Box::as_ref).collect();
        launch(&PipelineChunk {
            first_element: first as u64,
            elements: here,
            inputs: &operands,
            output: output.as_ref(),
        })?;
        moved = moved.and(&Moved {
            down: Bytes(landing.len() as u64),
            down_time: output.download(landing)?,
            ..Moved::default()
        });
    }
    Ok(moved)
}

fn uploaded(buffer: &DeviceBuffer, from: &[u8]) -> Result<Moved, Error> {
    Ok(Moved {
        up: Bytes(from.len() as u64),
        up_time: buffer.upload(from)?,
        ..Moved::default()
    })
}

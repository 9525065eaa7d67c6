//! The work of most tests: exclusive or of bytes, and its expected result.

use heddle_cuda::cuda::CudaDevice;
use heddle_runtime::Error;
use heddle_runtime::device::Argument::{Buffer, U64};
use heddle_runtime::device::{
    Accelerator, ChunkedMap, ChunkedMapInput, Device, DeviceBuffer, DeviceMemory, Kernel, Launch,
};
use heddle_runtime::ops;
use heddle_runtime::units::Bytes;
use heddle_testing::Random;

/// Bytes that differ by seed and index.
pub(crate) fn noise(len: usize, seed: u64) -> Vec<u8> {
    Random::seeded(seed).bytes(len)
}

/// Whether `output` is the exclusive or of both.
pub(crate) fn is_xor(left: &[u8], right: &[u8], output: &[u8]) -> bool {
    output.len() == left.len()
        && output
            .iter()
            .zip(left.iter().zip(right))
            .all(|(found, (a, b))| *found == a ^ b)
}

/// An unwritten buffer of `len` bytes.
pub(crate) fn unwritten_buffer(gpu: &CudaDevice, len: usize) -> Result<DeviceBuffer, Error> {
    gpu.allocate(Bytes(len as u64))
}

/// Uploads bytes to a new buffer.
pub(crate) fn up(gpu: &CudaDevice, bytes: &[u8]) -> Result<DeviceBuffer, Error> {
    let buffer = unwritten_buffer(gpu, bytes.len())?;
    buffer.upload(bytes)?;
    Ok(buffer)
}

/// Downloads a buffer's content.
pub(crate) fn down(buffer: &DeviceBuffer) -> Result<Vec<u8>, Error> {
    let mut bytes = vec![0xAA; buffer.bytes().0 as usize];
    buffer.download(&mut bytes)?;
    Ok(bytes)
}

/// Two operands and a buffer for their exclusive or, on the device.
pub(crate) struct Resident {
    left: DeviceBuffer,
    right: DeviceBuffer,
    pub(crate) output: DeviceBuffer,
    len: usize,
}

/// Bytes enough that a kernel on them takes a GPU longer than anything around it.
pub(crate) const LARGE: usize = 256 << 20;

impl Resident {
    pub(crate) fn new(gpu: &CudaDevice, left: &[u8], right: &[u8]) -> Result<Self, Error> {
        Ok(Self {
            left: up(gpu, left)?,
            right: up(gpu, right)?,
            output: unwritten_buffer(gpu, left.len())?,
            len: left.len(),
        })
    }

    /// Queues `output = left ^ right`.
    pub(crate) fn launch(&self, gpu: &CudaDevice) -> Result<(), Error> {
        let Self {
            left,
            right,
            output,
            len,
        } = self;
        launch(gpu, left.as_ref(), right.as_ref(), output.as_ref(), *len)
    }

    /// Drops the operands and returns the output.
    pub(crate) fn into_output(self) -> DeviceBuffer {
        self.output
    }
}

/// Queues `output = left ^ right` over `len` bytes.
pub(crate) fn launch(
    gpu: &CudaDevice,
    left: &dyn DeviceMemory,
    right: &dyn DeviceMemory,
    output: &dyn DeviceMemory,
    len: usize,
) -> Result<(), Error> {
    launch_with_key(gpu, left, right, (len as u64, 0), output, len)
}

/// Queues `output = data ^ key` over `len` bytes, the key repeating: its length, and the
/// index in it of the first byte.
pub(crate) fn launch_with_key(
    gpu: &CudaDevice,
    data: &dyn DeviceMemory,
    key: &dyn DeviceMemory,
    (key_len, key_phase): (u64, u64),
    output: &dyn DeviceMemory,
    len: usize,
) -> Result<(), Error> {
    let most_blocks = gpu.properties().units * 16;
    gpu.launch(&Launch::new(
        Kernel::named(&ops::KERNELS, "xor_u8"),
        len.div_ceil(16 * 256).clamp(1, most_blocks) as u32,
        256,
        &[
            Buffer(data),
            U64(0),
            Buffer(key),
            U64(key_len),
            U64(key_phase),
            Buffer(output),
            U64(0),
            U64(len as u64),
        ],
    ))
}

/// Host to device to host, one launch.
pub(crate) fn whole(gpu: &CudaDevice, left: &[u8], right: &[u8]) -> Result<Vec<u8>, Error> {
    let operands = Resident::new(gpu, left, right)?;
    operands.launch(gpu)?;
    down(&operands.output)
}

/// Host to device to host, chunk by chunk.
pub(crate) fn pipelined(
    gpu: &CudaDevice,
    left: &[u8],
    right: &[u8],
    chunk_elements: usize,
) -> Result<Vec<u8>, Error> {
    let mut output = vec![0xAA; left.len()];
    let inputs = [left, right].map(|bytes| ChunkedMapInput::new(bytes, 1));
    let work = ChunkedMap::new(&inputs, output.as_mut_slice(), 1).in_chunks_of(chunk_elements);
    gpu.chunked_map(work, &mut |chunk| {
        let [left, right] = *chunk.inputs else {
            panic!("two operands went in");
        };
        launch(gpu, left, right, chunk.output, chunk.elements)
    })?;
    Ok(output)
}

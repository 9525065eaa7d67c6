//! A device with its own memory, simulated in host memory, with two kernels, and an operation that
//! runs both there and on the CPU.

use std::any::Any;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use heddle_runtime::device::{
    Accelerator, Argument, Device, DeviceBuffer, DeviceId, DeviceMemory, DeviceProperties,
    ExecutionContext, ExecutionTarget, Kernel, Launch, ParameterKind, Timing,
};
use heddle_runtime::units::{Bytes, Nanos};
use heddle_runtime::{Agreement, Array, DType, Description, Error, Kind, Operation, WorkUnit};

/// The simulated time per transferred byte.
pub const NANOS_PER_BYTE: u64 = 2;

#[derive(Debug)]
pub struct HostMemoryGpu {
    id: DeviceId,
    properties: DeviceProperties,
    pub held: Arc<HeldBytes>,
    /// Whether the first element of its results is wrong.
    pub faulty: AtomicBool,
    /// Whether the last element of its results stays unwritten.
    pub short: AtomicBool,
    /// Whether it omits its device time from its timings.
    pub reports_no_device_time: AtomicBool,
}

/// The bytes in buffers: the current number and the maximum.
#[derive(Debug, Default)]
pub struct HeldBytes {
    now: AtomicU64,
    pub peak: AtomicU64,
}

impl HostMemoryGpu {
    pub fn new(index: u16, memory: Bytes) -> Arc<Self> {
        Arc::new(Self {
            id: DeviceId::cuda(index),
            properties: DeviceProperties::new("made of host bytes", "host memory", memory)
                .with(|it| it.driver = String::from("1")),
            held: Arc::default(),
            faulty: AtomicBool::new(false),
            short: AtomicBool::new(false),
            reports_no_device_time: AtomicBool::new(false),
        })
    }
}

impl Device for HostMemoryGpu {
    fn id(&self) -> DeviceId {
        self.id
    }

    fn properties(&self) -> &DeviceProperties {
        &self.properties
    }

    fn free_memory(&self) -> Bytes {
        self.properties.memory
    }

    fn execute(
        &self,
        description: &Description,
        _start: Instant,
        body: &mut dyn FnMut(&ExecutionContext<'_>) -> Result<(), Error>,
    ) -> Result<Timing, Error> {
        let context = ExecutionContext::new(self.id, ExecutionTarget::Accelerator(self));
        body(&context)?;
        let device = Nanos(description.work);
        Ok(Timing::of(context.moved().time() + device)
            .on_device((!self.reports_no_device_time.load(Ordering::Relaxed)).then_some(device))
            .moving(context.moved()))
    }

    fn accelerator(&self) -> Option<&dyn Accelerator> {
        Some(self)
    }
}

impl Accelerator for HostMemoryGpu {
    fn allocate(&self, bytes: Bytes) -> Result<DeviceBuffer, Error> {
        let now = self.held.now.fetch_add(bytes.0, Ordering::Relaxed) + bytes.0;
        self.held.peak.fetch_max(now, Ordering::Relaxed);
        Ok(Box::new(HostMemoryBuffer {
            device: self.id,
            held: Arc::clone(&self.held),
            bytes: Mutex::new(vec![0xA5; bytes.0 as usize]),
        }))
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<(), Error> {
        match (launch.kernel.name, launch.arguments) {
            ("increment", [Argument::Buffer(input), Argument::Buffer(output)]) => {
                self.increment(*input, *output)
            }
            (
                "xor",
                [
                    Argument::Buffer(values),
                    Argument::Buffer(key),
                    Argument::Buffer(output),
                    Argument::U64(first),
                    Argument::U32(elements),
                ],
            ) => {
                let (values, key) = (content(*values)?, content(*key)?);
                let mut result = content(*output)?;
                for index in 0..*elements as usize {
                    result[index] = values[index] ^ key[(*first as usize + index) % key.len()];
                }
                output.upload(&result).map(drop)
            }
            _ => Err(Error::device(
                self.id,
                format!("there is no kernel {}", launch.kernel.name),
            )),
        }
    }

    fn synchronize(&self) -> Result<(), Error> {
        Ok(())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl HostMemoryGpu {
    fn increment(&self, input: &dyn DeviceMemory, output: &dyn DeviceMemory) -> Result<(), Error> {
        let (values, mut result) = (content(input)?, content(output)?);
        let written =
            values.len() - usize::from(self.short.load(Ordering::Relaxed)).min(values.len());
        for (result, value) in result[..written].iter_mut().zip(&values) {
            *result = value.wrapping_add(1);
        }
        if self.faulty.load(Ordering::Relaxed)
            && let Some(one) = result.first_mut()
        {
            *one = one.wrapping_add(1);
        }
        output.upload(&result).map(drop)
    }
}

fn content(memory: &dyn DeviceMemory) -> Result<Vec<u8>, Error> {
    let mut bytes = vec![0; memory.bytes().0 as usize];
    memory.download(&mut bytes).map(|_| bytes)
}

#[derive(Debug)]
struct HostMemoryBuffer {
    device: DeviceId,
    held: Arc<HeldBytes>,
    bytes: Mutex<Vec<u8>>,
}

impl Drop for HostMemoryBuffer {
    fn drop(&mut self) {
        self.held.now.fetch_sub(self.bytes().0, Ordering::Relaxed);
    }
}

impl DeviceMemory for HostMemoryBuffer {
    fn device(&self) -> DeviceId {
        self.device
    }

    fn bytes(&self) -> Bytes {
        Bytes(self.bytes.lock().unwrap().len() as u64)
    }

    fn upload(&self, from: &[u8]) -> Result<Nanos, Error> {
        self.bytes.lock().unwrap().copy_from_slice(from);
        Ok(Nanos(from.len() as u64 * NANOS_PER_BYTE))
    }

    fn download(&self, to: &mut [u8]) -> Result<Nanos, Error> {
        to.copy_from_slice(&self.bytes.lock().unwrap());
        Ok(Nanos(to.len() as u64 * NANOS_PER_BYTE))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

static INCREMENT_KERNEL: Kernel =
    Kernel::without_images("increment", &[ParameterKind::Buffer, ParameterKind::Buffer]);

/// `output = values ^ key`, the key repeated: the three buffers, the index of the first element in
/// the whole, and the number of elements.
pub static XOR_KERNEL: Kernel = Kernel::without_images(
    "xor",
    &[
        ParameterKind::Buffer,
        ParameterKind::Buffer,
        ParameterKind::Buffer,
        ParameterKind::U64,
        ParameterKind::U32,
    ],
);

pub static INCREMENT: Kind = Kind::new("increment", WorkUnit::Bytes);

/// Adds one to every byte, wrapping.
pub struct Increment {
    pub data: Array<u8>,
}

impl Operation for Increment {
    type Output = Array<u8>;

    fn describe(&self) -> Description {
        Description::new(&INCREMENT, DType::U8, self.data.bytes().0)
            .reads(&self.data)
            .writes(self.data.bytes())
    }

    fn runs_on(&self, device: DeviceId) -> bool {
        !device.is_emulated()
    }

    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<Array<u8>, Error> {
        let ExecutionTarget::Accelerator(accelerator) = context.target() else {
            let values: Vec<u8> = context
                .host(&self.data)?
                .iter()
                .map(|value| value.wrapping_add(1))
                .collect();
            return Ok(Array::from_slice(&values));
        };
        let input = context.resident(&self.data, accelerator)?;
        let output = accelerator.allocate(self.data.bytes())?;
        if !self.data.is_empty() {
            accelerator.launch(&Launch::new(
                &INCREMENT_KERNEL,
                1,
                1,
                &[
                    Argument::Buffer(&**input),
                    Argument::Buffer(output.as_ref()),
                ],
            ))?;
        }
        Array::on_device(self.data.shape().clone(), output)
    }

    fn compare(&self, first: &Array<u8>, second: &Array<u8>) -> Agreement {
        let (Ok(first), Ok(second)) = (first.as_slice(), second.as_slice()) else {
            return Agreement::Unchecked;
        };
        match first.iter().zip(second).position(|(a, b)| a != b) {
            None => Agreement::Same,
            Some(at) => {
                Agreement::Different(format!("element {at} is {} and {}", first[at], second[at]))
            }
        }
    }
}

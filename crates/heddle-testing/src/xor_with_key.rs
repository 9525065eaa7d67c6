//! Operations that run on the CPU and on GPUs, where they launch an existing kernel: exclusive or
//! with a key.

use heddle_runtime::device::Argument::{Buffer, U64};
use heddle_runtime::device::{
    Accelerator, DeviceMemory, ExecutionContext, ExecutionTarget, Kernel, Launch,
};
use heddle_runtime::device::{DeviceBuffer, DeviceId};
use heddle_runtime::ops;
use heddle_runtime::{Agreement, Array, DType, Description, Error, Kind, Operation, WorkUnit};

pub static XOR_WITH_KEY: Kind = Kind::new("xor-with-key", WorkUnit::Bytes);
pub static XOR_WITH_KEY_IN_PLACE: Kind = Kind::new("xor-with-key-in-place", WorkUnit::Bytes);

pub const KEY: &[u8] = b"a key of 17 bytes";

/// Returns the expected result.
pub fn xored_with_key(data: &[u8]) -> Vec<u8> {
    let key = KEY.iter().cycle();
    data.iter().zip(key).map(|(byte, key)| byte ^ key).collect()
}

/// `data ^ key` into a new array.
pub struct XorWithKey {
    pub data: Array<u8>,
}

impl XorWithKey {
    pub fn of(data: &[u8]) -> Self {
        Self {
            data: Array::from_slice(data),
        }
    }
}

impl Operation for XorWithKey {
    type Output = Array<u8>;

    fn describe(&self) -> Description {
        Description::new(&XOR_WITH_KEY, DType::U8, self.data.bytes().0)
            .reads(&self.data)
            .writes(self.data.bytes())
    }

    fn runs_on(&self, device: DeviceId) -> bool {
        device.is_host() || device.has_kernels()
    }

    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<Array<u8>, Error> {
        let ExecutionTarget::Accelerator(gpu) = context.target() else {
            return Ok(Array::from_slice(&xored_with_key(
                context.host(&self.data)?,
            )));
        };
        let input = context.resident(&self.data, gpu)?;
        let output = gpu.allocate(self.data.bytes())?;
        launch(gpu, input.as_ref().as_ref(), output.as_ref())?;
        Array::on_device(self.data.shape().clone(), output)
    }

    fn compare(&self, first: &Array<u8>, second: &Array<u8>) -> Agreement {
        match (first.as_slice(), second.as_slice()) {
            (Ok(first), Ok(second)) if first == second => Agreement::Same,
            (Err(error), _) | (_, Err(error)) => Agreement::Different(error.to_string()),
            _ => Agreement::Different("other bytes".to_owned()),
        }
    }
}

/// `data ^= key`; records whether it has begun to write.
pub struct XorWithKeyInPlace<'a> {
    pub data: &'a mut Array<u8>,
    pub begun: bool,
}

impl Operation for XorWithKeyInPlace<'_> {
    type Output = ();

    fn describe(&self) -> Description {
        Description::new(&XOR_WITH_KEY_IN_PLACE, DType::U8, self.data.bytes().0).reads(&*self.data)
    }

    fn runs_on(&self, device: DeviceId) -> bool {
        device.is_host() || device.has_kernels()
    }

    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<(), Error> {
        let ExecutionTarget::Accelerator(gpu) = context.target() else {
            let result = xored_with_key(context.host(self.data)?);
            self.begun = true;
            context.host_mut(self.data)?.copy_from_slice(&result);
            return Ok(());
        };
        let buffer = context.resident(self.data, gpu)?;
        self.begun = true;
        launch(gpu, buffer.as_ref().as_ref(), buffer.as_ref().as_ref())
    }

    fn is_repeatable(&self) -> bool {
        false
    }

    fn can_be_retried(&self) -> bool {
        !self.begun
    }
}

fn launch(
    gpu: &dyn Accelerator,
    data: &dyn DeviceMemory,
    out: &dyn DeviceMemory,
) -> Result<(), Error> {
    let key: DeviceBuffer = gpu.allocate(heddle_runtime::units::Bytes(KEY.len() as u64))?;
    key.upload(KEY)?;
    gpu.launch(&Launch::new(
        Kernel::named(&ops::KERNELS, "xor_u8"),
        4,
        256,
        &[
            Buffer(data),
            U64(0),
            Buffer(key.as_ref()),
            U64(KEY.len() as u64),
            U64(0),
            Buffer(out),
            U64(0),
            U64(data.bytes().0),
        ],
    ))
}

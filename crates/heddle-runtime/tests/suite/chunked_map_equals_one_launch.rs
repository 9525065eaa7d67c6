//! The default pipeline of a device computes the same as one launch.

#![allow(clippy::unwrap_used)]

use std::any::Any;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use heddle_runtime::device::{
    Accelerator, Argument, ChunkedMap, ChunkedMapInput, Device, DeviceBuffer, DeviceId,
    DeviceMemory, DeviceProperties, ExecutionContext, Kernel, KernelModule, Launch, ParameterKind,
    Timing,
};
use heddle_runtime::units::{Bytes, Nanos};
use heddle_runtime::{Description, Error};
use proptest::prelude::*;

static XOR: Kernel = Kernel {
    name: "xor",
    module: &KernelModule {
        source: "none",
        source_hash: "",
        ptx: &[],
        machine_code: &[],
    },
    max_threads: 1,
    parameters: &[
        ParameterKind::Buffer,
        ParameterKind::Buffer,
        ParameterKind::Buffer,
        ParameterKind::U64,
        ParameterKind::U32,
    ],
    entry: None,
};

/// A device whose memory is the host's and whose only kernel is a repeating xor.
#[derive(Debug)]
struct HostMemoryDevice {
    properties: DeviceProperties,
    held: Arc<HeldBytes>,
}

/// The bytes in buffers: the current number and the maximum.
#[derive(Debug, Default)]
struct HeldBytes {
    now: AtomicU64,
    peak: AtomicU64,
}

#[derive(Debug)]
struct FakeMemory(Mutex<Vec<u8>>, Arc<HeldBytes>);

impl Drop for FakeMemory {
    fn drop(&mut self) {
        self.1.now.fetch_sub(self.bytes().0, Ordering::Relaxed);
    }
}

impl FakeMemory {
    fn of(memory: &dyn DeviceMemory) -> &Mutex<Vec<u8>> {
        &memory.as_any().downcast_ref::<Self>().unwrap().0
    }
}

impl DeviceMemory for FakeMemory {
    fn device(&self) -> DeviceId {
        DeviceId::simt(0)
    }

    fn bytes(&self) -> Bytes {
        Bytes(self.0.lock().unwrap().len() as u64)
    }

    fn upload(&self, from: &[u8]) -> Result<Nanos, Error> {
        self.0.lock().unwrap().copy_from_slice(from);
        Ok(Nanos(3))
    }

    fn download(&self, to: &mut [u8]) -> Result<Nanos, Error> {
        to.copy_from_slice(&self.0.lock().unwrap());
        Ok(Nanos(5))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Device for HostMemoryDevice {
    fn id(&self) -> DeviceId {
        DeviceId::simt(0)
    }

    fn properties(&self) -> &DeviceProperties {
        &self.properties
    }

    fn free_memory(&self) -> Bytes {
        Bytes(u64::MAX)
    }

    fn execute(
        &self,
        _: &Description,
        _: std::time::Instant,
        _: &mut dyn FnMut(&ExecutionContext<'_>) -> Result<(), Error>,
    ) -> Result<Timing, Error> {
        Ok(Timing::default())
    }
}

impl Accelerator for HostMemoryDevice {
    fn allocate(&self, bytes: Bytes) -> Result<DeviceBuffer, Error> {
        let now = self.held.now.fetch_add(bytes.0, Ordering::Relaxed) + bytes.0;
        self.held.peak.fetch_max(now, Ordering::Relaxed);
        let content = Mutex::new(vec![0xEE; bytes.0 as usize]);
        Ok(Box::new(FakeMemory(content, Arc::clone(&self.held))))
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<(), Error> {
        let [
            Argument::Buffer(values),
            Argument::Buffer(key),
            Argument::Buffer(output),
            Argument::U64(first),
            Argument::U32(elements),
        ] = *launch.arguments
        else {
            return Err(Error::EmptyKey);
        };
        let values = FakeMemory::of(values).lock().unwrap();
        let key = FakeMemory::of(key).lock().unwrap();
        let mut output = FakeMemory::of(output).lock().unwrap();
        for index in 0..elements as usize {
            output[index] = values[index] ^ key[(first as usize + index) % key.len()];
        }
        Ok(())
    }

    fn synchronize(&self) -> Result<(), Error> {
        Ok(())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn fake() -> HostMemoryDevice {
    HostMemoryDevice {
        properties: DeviceProperties {
            name: "fake".to_owned(),
            backend: "test",
            driver: String::new(),
            kernel_version: 0,
            units: 1,
            memory: Bytes(0),
        },
        held: Arc::default(),
    }
}

fn xor(
    device: &HostMemoryDevice,
    values: &[u8],
    key: &[u8],
    chunk: usize,
    memory_budget: Bytes,
) -> (Vec<u8>, usize, Bytes) {
    let mut output = vec![0xAA; values.len()];
    let mut launches = 0;
    let inputs = [
        ChunkedMapInput {
            bytes: values.into(),
            unit: 1,
        },
        ChunkedMapInput {
            bytes: key.into(),
            unit: 0,
        },
    ];
    let work = ChunkedMap {
        inputs: &inputs,
        output: output.as_mut_slice().into(),
        output_unit: 1,
        chunk_elements: chunk,
        memory_budget,
    };
    let moved = device
        .chunked_map(work, &mut |chunk| {
            launches += 1;
            device.launch(&Launch {
                kernel: &XOR,
                grid: [1; 3],
                block: [1; 3],
                shared: 0,
                arguments: &[
                    Argument::Buffer(chunk.inputs[0]),
                    Argument::Buffer(chunk.inputs[1]),
                    Argument::Buffer(chunk.output),
                    Argument::U64(chunk.first_element),
                    Argument::U32(chunk.elements as u32),
                ],
            })
        })
        .unwrap();
    (output, launches, moved.bytes())
}

proptest! {
    #![proptest_config(heddle_testing::depth::cases(256))]

    #[test]
    fn chunks_of_any_size_give_the_same_result(
        values in proptest::collection::vec(any::<u8>(), 0..600),
        key in proptest::collection::vec(any::<u8>(), 1..20),
        chunk in 0_usize..700,
    ) {
        let (output, launches, crossed) = xor(&fake(), &values, &key, chunk, Bytes(u64::MAX));
        let expected: Vec<u8> = values
            .iter()
            .zip(key.iter().cycle())
            .map(|(value, key)| value ^ key)
            .collect();
        prop_assert_eq!(output, expected);
        let chunk = if chunk == 0 { values.len().max(1) } else { chunk };
        prop_assert_eq!(launches, values.len().div_ceil(chunk));
        // The key is transferred once, for any number of chunks.
        let whole = if values.is_empty() { 0 } else { 2 * values.len() + key.len() };
        prop_assert_eq!(crossed, Bytes(whole as u64));
    }

    /// One element and the key are allowed beyond the budget.
    #[test]
    fn chunks_keep_to_the_budget_and_fill_it(
        values in proptest::collection::vec(any::<u8>(), 1..600),
        key in proptest::collection::vec(any::<u8>(), 1..20),
        chunk in 0_usize..700,
        memory_budget in 0_u64..1500,
    ) {
        let device = fake();
        let whole = xor(&fake(), &values, &key, chunk, Bytes(u64::MAX));
        let (output, launches, crossed) = xor(&device, &values, &key, chunk, Bytes(memory_budget));
        prop_assert_eq!((output, crossed), (whole.0, whole.2));
        let key = key.len() as u64;
        prop_assert!(device.held.peak.load(Ordering::Relaxed) <= memory_budget.max(key + 2));
        let fits = (memory_budget.saturating_sub(key) / 2).max(1) as usize;
        let chunk = if chunk == 0 { fits } else { chunk.min(fits) };
        prop_assert_eq!(launches, values.len().div_ceil(chunk));
    }
}

#[test]
fn operands_that_do_not_fit_together_are_refused() {
    let device = fake();
    for (values, unit, output_unit) in [(&[0_u8; 7][..], 1, 1), (&[0; 8], 2, 1), (&[0; 8], 1, 0)] {
        let inputs = [ChunkedMapInput {
            bytes: values.into(),
            unit,
        }];
        let mut output = [0; 8];
        let work = ChunkedMap {
            inputs: &inputs,
            output: output.as_mut_slice().into(),
            output_unit,
            chunk_elements: 0,
            memory_budget: Bytes(u64::MAX),
        };
        let refused = device.chunked_map(work, &mut |_| Ok(()));
        assert!(matches!(refused, Err(Error::BadParameter { .. })));
    }
}

#[test]
fn a_failed_launch_ends_the_map_with_its_error() {
    let mut output = [0; 8];
    let work = ChunkedMap {
        inputs: &[],
        output: output.as_mut_slice().into(),
        output_unit: 1,
        chunk_elements: 2,
        memory_budget: Bytes(u64::MAX),
    };
    let outcome = fake().chunked_map(work, &mut |chunk| {
        if chunk.first_element == 4 {
            Err(Error::EmptyKey)
        } else {
            Ok(())
        }
    });
    assert!(matches!(outcome, Err(Error::EmptyKey)));
}

//! A device of a family defined outside the workspace, with a kernel of its own, is routed,
//! calibrated, explained and recorded like any other.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![allow(unsafe_code, reason = "a kernel's entry takes pointers")]

use std::any::Any;
use std::ffi::c_void;
use std::hint::black_box;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use heddle::device::{
    Accelerator, Argument, Capabilities, Device, DeviceBuffer, DeviceFamily, DeviceId,
    DeviceMemory, DeviceProperties, ExecutionContext, ExecutionTarget, Kernel, KernelModule,
    Launch, ParameterKind, Timing,
};
use heddle::ops::{Probe, discard_result};
use heddle::route::{self, CalibrationPlan};
use heddle::units::{Bytes, Nanos};
use heddle::{
    Array, DType, Description, Error, Kind, Operand, Operation, Residency, Runtime, WorkUnit,
};

/// Registers the family: devices with their own memory and their own form of kernels.
fn family() -> DeviceFamily {
    let capabilities = Capabilities::default().with(|it| it.has_own_memory = true);
    DeviceFamily::register("npu", capabilities).unwrap()
}

/// Multiplies each byte; one call runs the whole launch.
// SAFETY: it has no image, and the entry takes these parameters.
static MULTIPLY: Kernel = unsafe {
    Kernel::new(
        "npu_multiply",
        &KernelModule {
            source: "npu",
            source_hash: "",
            ptx: &[],
            machine_code: &[],
        },
        1,
        &[
            ParameterKind::Buffer,
            ParameterKind::Buffer,
            ParameterKind::U64,
            ParameterKind::U32,
        ],
        Some(multiply),
    )
};

/// # Safety
/// The arguments have the types of `MULTIPLY.parameters`; both buffers have as many bytes
/// as the third argument says and do not overlap.
unsafe extern "C" fn multiply(arguments: *const *const c_void) {
    #[allow(
        clippy::multiple_unsafe_ops_per_block,
        reason = "one promise covers all arguments"
    )]
    // SAFETY: the caller's promise.
    let (from, to, factor) = unsafe {
        let from = (*arguments).cast::<*const u8>().read();
        let to = (*arguments.add(1)).cast::<*mut u8>().read();
        let count = (*arguments.add(2)).cast::<u64>().read() as usize;
        let factor = (*arguments.add(3)).cast::<u32>().read();
        let from = std::slice::from_raw_parts(from, count);
        (from, std::slice::from_raw_parts_mut(to, count), factor)
    };
    for (to, from) in to.iter_mut().zip(from) {
        *to = from.wrapping_mul(factor as u8);
    }
}

#[derive(Debug)]
struct Npu {
    id: DeviceId,
    properties: DeviceProperties,
    /// Total time of its kernels, in nanoseconds.
    busy: AtomicU64,
}

#[derive(Debug)]
struct NpuMemory(DeviceId, Mutex<Vec<u8>>);

impl Npu {
    fn new(index: u16) -> Arc<Self> {
        Arc::new(Self {
            id: DeviceId::new(family(), index),
            properties: DeviceProperties::new("a neural processor", "npu", Bytes(1 << 30)),
            busy: AtomicU64::new(0),
        })
    }

    fn refuse(&self, message: String) -> Error {
        Error::device(self.id, message)
    }
}

impl Device for Npu {
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
        _: &Description,
        start: Instant,
        body: &mut dyn FnMut(&ExecutionContext<'_>) -> Result<(), Error>,
    ) -> Result<Timing, Error> {
        let context = ExecutionContext::new(self.id, ExecutionTarget::Accelerator(self));
        let before = self.busy.load(Ordering::Relaxed);
        body(&context)?;
        Ok(Timing::of(Nanos::from(start.elapsed()))
            .on_device(Nanos(self.busy.load(Ordering::Relaxed) - before))
            .moving(context.moved()))
    }

    fn accelerator(&self) -> Option<&dyn Accelerator> {
        Some(self)
    }
}

impl Accelerator for Npu {
    fn allocate(&self, bytes: Bytes) -> Result<DeviceBuffer, Error> {
        let content = vec![0xA5; bytes.0 as usize];
        Ok(Box::new(NpuMemory(self.id, Mutex::new(content))))
    }

    /// Runs only the kernel `MULTIPLY`.
    fn launch(&self, launch: &Launch<'_>) -> Result<(), Error> {
        let (true, Some(entry)) = (
            ptr::eq(launch.kernel, &raw const MULTIPLY),
            launch.kernel.entry,
        ) else {
            return Err(self.refuse(format!(
                "{} is not a kernel of this device",
                launch.kernel.name
            )));
        };
        let [
            Argument::Buffer(from),
            Argument::Buffer(to),
            Argument::U64(count),
            Argument::U32(factor),
        ] = launch.arguments
        else {
            return Err(self.refuse(format!("{:?} do not fit", launch.arguments)));
        };
        let own = |memory: &'_ dyn DeviceMemory| memory.device() == self.id;
        assert!(own(*from) && own(*to) && from.bytes().0 >= *count && to.bytes().0 >= *count);
        let memory = |memory: &'_ dyn DeviceMemory| {
            let memory = memory.as_any().downcast_ref::<NpuMemory>().unwrap();
            memory.1.lock().unwrap().as_mut_ptr()
        };
        let (from, to) = (memory(*from), memory(*to));
        let values: [*const c_void; 4] = [
            ptr::from_ref(&from).cast(),
            ptr::from_ref(&to).cast(),
            ptr::from_ref(count).cast(),
            ptr::from_ref(factor).cast(),
        ];
        let start = Instant::now();
        // SAFETY: four values of the kernel's types; the buffers are two, of at least
        // `count` bytes each, and outlive the call.
        unsafe { entry(values.as_ptr()) };
        let took = start.elapsed().as_nanos() as u64;
        self.busy.fetch_add(took.max(1), Ordering::Relaxed);
        Ok(())
    }

    fn synchronize(&self) -> Result<(), Error> {
        Ok(())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl DeviceMemory for NpuMemory {
    fn device(&self) -> DeviceId {
        self.0
    }

    fn bytes(&self) -> Bytes {
        Bytes(self.1.lock().unwrap().len() as u64)
    }

    fn upload(&self, from: &[u8]) -> Result<Nanos, Error> {
        let start = Instant::now();
        self.1.lock().unwrap().copy_from_slice(from);
        Ok(Nanos::from(start.elapsed()))
    }

    fn download(&self, to: &mut [u8]) -> Result<Nanos, Error> {
        let start = Instant::now();
        to.copy_from_slice(&self.1.lock().unwrap());
        Ok(Nanos::from(start.elapsed()))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

static TRIPLE: Kind = Kind::new("triple", WorkUnit::Bytes);

/// Number of times each byte is tripled.
const ROUNDS: u32 = 100;

/// Triples each byte [`ROUNDS`] times: the CPU one by one, the device in one
/// multiplication.
struct Triple(Array<u8>);

impl Operation for Triple {
    type Output = Array<u8>;

    fn describe(&self) -> Description {
        Description::new(&TRIPLE, DType::U8, self.0.bytes().0)
            .reads(&self.0)
            .writes(self.0.bytes())
    }

    /// Runs on the CPU and on its own family, which has the kernel.
    fn runs_on(&self, device: DeviceId) -> bool {
        device.is_host() || device.family() == family()
    }

    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<Array<u8>, Error> {
        let ExecutionTarget::Accelerator(accelerator) = context.target() else {
            let mut values = context.host(&self.0)?.to_vec();
            for _ in 0..ROUNDS {
                for value in &mut values {
                    *value = black_box(value.wrapping_mul(3));
                }
            }
            return Ok(Array::from_slice(&values));
        };
        let input = context.resident(&self.0, accelerator)?;
        let output = accelerator.allocate(self.0.bytes())?;
        accelerator.launch(&Launch::new(
            &MULTIPLY,
            1,
            1,
            &[
                Argument::Buffer(&**input),
                Argument::Buffer(&*output),
                Argument::U64(self.0.bytes().0),
                Argument::U32(3_u8.wrapping_pow(ROUNDS).into()),
            ],
        ))?;
        Array::on_device(self.0.shape().clone(), output)
    }
}

/// Sizes of [`Triple`].
struct Probing;

impl Probe for Probing {
    fn kind(&self) -> &'static Kind {
        &TRIPLE
    }

    fn dtype(&self) -> DType {
        DType::U8
    }

    fn size_means(&self) -> &'static str {
        "bytes"
    }

    fn sizes(&self) -> Vec<usize> {
        vec![1 << 10, 1 << 13, 1 << 16]
    }

    fn describe(&self, size: usize, residency: Residency) -> Description {
        let bytes = Bytes(size as u64);
        let operand = Operand { bytes, residency };
        Description::new(&TRIPLE, DType::U8, bytes.0)
            .reads(operand)
            .writes(bytes)
    }

    fn prepare(&self, size: usize) -> Result<Box<dyn Operation<Output = ()> + Send>, Error> {
        let data = Array::from_slice(&vec![7; size]);
        Ok(discard_result(Triple(data)))
    }
}

fn runtime(npu: &Arc<Npu>) -> Runtime {
    let device: Arc<dyn Device> = npu.clone();
    let builder = Runtime::builder().device(device).probe(Box::new(Probing));
    builder.without_model_cache().build().unwrap()
}

fn data() -> Array<u8> {
    let values: Vec<u8> = (0..=255).cycle().take(1 << 16).collect();
    Array::from_slice(&values)
}

#[test]
fn its_name_is_parsed_printed_and_listed() {
    let id = Npu::new(3).id();
    assert_eq!(id.to_string(), "npu:3");
    assert_eq!("npu:3".parse::<DeviceId>().unwrap(), id);
    let json = serde_json::to_string(&id).unwrap();
    assert_eq!(json, "\"npu:3\"");
    assert_eq!(serde_json::from_str::<DeviceId>(&json).unwrap(), id);
    let unknown = "tpu:0".parse::<DeviceId>().unwrap_err();
    assert!(unknown.hint().unwrap().contains("`npu:0`"));
}

#[test]
fn its_kernel_computes_and_the_span_names_it() {
    let npu = Npu::new(0);
    let runtime = runtime(&npu);
    let outcome = runtime.run_traced(Triple(data()), Some(npu.id())).unwrap();
    assert_eq!(outcome.decision.device, npu.id());
    assert_eq!(outcome.output.residency(), Residency::Device(npu.id()));
    assert!(outcome.timing.device.unwrap() > Nanos(0));
    let on_cpu = runtime.run_on(DeviceId::CPU, Triple(data())).unwrap();
    assert_eq!(
        outcome.output.as_slice().unwrap(),
        on_cpu.as_slice().unwrap()
    );

    let report = runtime.report();
    let rows = &report.summary.rows;
    let row = rows.iter().find(|row| row.device == "npu:0").unwrap();
    assert_eq!(row.operation, "triple");
}

/// Operations of the array library have CUDA kernels only, so they do not run on it.
#[test]
fn operations_without_a_kernel_for_it_stay_on_the_cpu() {
    let npu = Npu::new(0);
    let runtime = runtime(&npu);
    for _ in 0..20 {
        let squares = runtime.square(&Array::from_slice(&[3_u8; 4096])).unwrap();
        assert_eq!(squares.residency(), Residency::Host);
    }
}

#[test]
fn routing_finds_it_once_it_is_measured() {
    let npu = Npu::new(0);
    let runtime = runtime(&npu);
    let plan = CalibrationPlan::default().with(|it| it.budget = Duration::from_millis(300));
    let reports = runtime.calibrate(&plan, &mut |_| ()).unwrap();
    let report = reports.iter().find(|report| report.device == npu.id());
    assert_eq!(report.unwrap().lost, None);

    let devices: Vec<DeviceId> = runtime.devices().map(|device| device.id()).collect();
    assert_eq!(devices, [DeviceId::CPU, npu.id()]);
    for probe in runtime.probes() {
        let explanation = route::explain(runtime.router(), probe.as_ref(), 1 << 16, None, &devices);
        let candidates = explanation.unwrap().candidates;
        let takes_it = candidates
            .iter()
            .any(|candidate| candidate.device == npu.id());
        assert_eq!(
            takes_it,
            probe.kind().name() == "triple",
            "{}",
            probe.kind()
        );
    }
    let ran_on: Vec<DeviceId> = (0..10)
        .map(|_| {
            runtime
                .run_traced(Triple(data()), None)
                .unwrap()
                .decision
                .device
        })
        .collect();
    let chosen = ran_on.iter().filter(|&&device| device == npu.id()).count();
    assert!(chosen >= 8, "{ran_on:?}");
}

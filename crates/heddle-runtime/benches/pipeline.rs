//! The cost of the whole pipeline: an empty operation through it, against a call of the same
//! function. The bound is one microsecond more. Also the cost of choosing between two devices,
//! against a fixed device.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use criterion::{Criterion, criterion_group, criterion_main};
use heddle_runtime::config::Config;
use heddle_runtime::device::{Device, DeviceId, DeviceProperties, ExecutionContext, Timing};
use heddle_runtime::ops::Xor;
use heddle_runtime::units::{Bytes, Nanos};
use heddle_runtime::{Array, DType, Description, Error, Kind, Operation, Runtime, WorkUnit};

static EMPTY: Kind = Kind::new("empty", WorkUnit::Items);

struct Empty;

impl Operation for Empty {
    type Output = u64;

    fn describe(&self) -> Description {
        Description::new(&EMPTY, DType::U8, 1)
    }

    fn run(&mut self, _lane: &ExecutionContext<'_>) -> Result<u64, Error> {
        Ok(constant())
    }
}

#[inline(never)]
fn constant() -> u64 {
    black_box(42)
}

fn pipeline(criterion: &mut Criterion) {
    let runtime = Runtime::builder().without_model_cache().build().unwrap();
    let mut group = criterion.benchmark_group("cpu");
    group.bench_function("call", |bencher| bencher.iter(|| black_box(constant())));
    group.bench_function("pipeline", |bencher| bencher.iter(|| runtime.run(Empty)));
    let data = Array::from_slice(b"tiny!");
    let key = Array::from_slice(b"key");
    group.bench_function("xor of 5 bytes", |bencher| {
        bencher.iter(|| runtime.xor(&data, &key));
    });
    group.finish();
}

/// A GPU with known prices that is never the cheapest for a tiny operation.
#[derive(Debug)]
struct IdleGpu(DeviceProperties);

impl Device for IdleGpu {
    fn id(&self) -> DeviceId {
        DeviceId::cuda(0)
    }

    fn properties(&self) -> &DeviceProperties {
        &self.0
    }

    fn free_memory(&self) -> Bytes {
        self.0.memory
    }

    fn execute(
        &self,
        _: &Description,
        _: Instant,
        _: &mut dyn FnMut(&ExecutionContext<'_>) -> Result<(), Error>,
    ) -> Result<Timing, Error> {
        Err(Error::Device {
            device: self.id(),
            message: "tiny work was sent to a GPU".to_owned(),
        })
    }
}

/// A runtime over the CPU and the idle GPU.
fn pair(device: Option<DeviceId>) -> Runtime {
    let properties = DeviceProperties {
        name: "Idle".to_owned(),
        backend: "none",
        driver: "1".to_owned(),
        kernel_version: 1,
        units: 1,
        memory: Bytes(1 << 34),
    };
    let config = Config {
        device,
        ..Config::default()
    };
    Runtime::builder()
        .config(config)
        .device(Arc::new(IdleGpu(properties)))
        .without_model_cache()
        .build()
        .unwrap()
}

/// Teaches the cost on an H200 of XORs of these sizes.
fn record_times(runtime: &Runtime, sizes: &[usize]) {
    let gpu = DeviceId::cuda(0);
    for &size in sizes.iter().cycle().take(20 * sizes.len()) {
        let data = Array::<u8>::zeros(&[size]).unwrap();
        let described = Xor::new(&data, &data).unwrap().describe();
        let mut timing = Timing::default();
        timing.moved.up = described.missing(gpu);
        timing.moved.down = described.returned(gpu);
        timing.moved.up_time = Nanos(16_000 + timing.moved.up.0 / 20);
        timing.moved.down_time = Nanos(8_000 + timing.moved.down.0 / 12);
        timing.total = Nanos(10_000) + timing.moved.time();
        runtime.router().observe(&described, gpu, &timing);
        let timing = Timing {
            total: Nanos(200 + size as u64 / 10),
            ..Timing::default()
        };
        runtime.router().observe(&described, DeviceId::CPU, &timing);
    }
}

/// XORs of 200 sizes, as in `heddle run`.
fn choosing(criterion: &mut Criterion) {
    let messages: Vec<Array<u8>> = (0..200)
        .map(|index| Array::zeros(&[5 + index * 1019 / 199]).unwrap())
        .collect();
    let key = Array::from_slice(b"thread the heddle");
    let mut group = criterion.benchmark_group("two devices");
    for (name, device) in [("routed", None), ("forced", Some(DeviceId::CPU))] {
        let runtime = pair(device);
        if device.is_none() {
            record_times(&runtime, &[16, 64, 256, 1024, 4096, 65536]);
        }
        let mut next = 0;
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                next = (next + 1) % messages.len();
                runtime.xor(&messages[next], &key).unwrap()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, pipeline, choosing);
criterion_main!(benches);

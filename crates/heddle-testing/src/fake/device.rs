//! A device whose costs are known.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use heddle_runtime::array::Residency;
use heddle_runtime::cpu::CpuPool;
use heddle_runtime::device::{
    Accelerator, Device, DeviceBuffer, DeviceId, DeviceMemory, DeviceProperties, ExecutionContext,
    ExecutionTarget, Timing, TransferTotals,
};
use heddle_runtime::units::{Bytes, Nanos};
use heddle_runtime::{Description, Error};

use crate::Random;

/// A fixed time and a time per amount.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    pub fixed_ns: f64,
    pub each_ns: f64,
}

impl Cost {
    pub const fn new(fixed_ns: f64, each_ns: f64) -> Self {
        Self { fixed_ns, each_ns }
    }

    pub fn of(self, amount: u64) -> f64 {
        self.fixed_ns + self.each_ns * amount as f64
    }
}

/// A simulated device. Transfers cost the same for every GPU.
#[derive(Debug)]
pub struct FakeDevice {
    id: DeviceId,
    properties: DeviceProperties,
    pool: CpuPool,
    costs: BTreeMap<&'static str, Cost>,
    up: Cost,
    down: Cost,
    noise: Arc<TimingNoise>,
    slowness: AtomicU64,
    /// The additional time of the first run of every kind, and the kinds that have run.
    loading: Nanos,
    loaded: Mutex<BTreeSet<&'static str>>,
    /// The number of executions until it is lost.
    life: AtomicU64,
}

/// The random variation between runs.
#[derive(Debug)]
struct TimingNoise {
    deviation: f64,
    /// One in this many runs takes ten times as long; zero for none.
    outlier_every: u64,
    random: Mutex<Random>,
}

impl TimingNoise {
    fn on(&self, ns: f64) -> Nanos {
        let mut random = self.random.lock().unwrap();
        let outlier = self.outlier_every > 0 && random.below(self.outlier_every) == 0;
        let factor = (self.deviation * random.normal()).exp() * if outlier { 10.0 } else { 1.0 };
        Nanos((ns * factor).round() as u64)
    }
}

impl FakeDevice {
    pub fn new(id: DeviceId, costs: &[(&'static str, Cost)]) -> Self {
        Self {
            id,
            properties: DeviceProperties::new(format!("Fake {id}"), "fake", Bytes(1 << 34))
                .with(|it| it.driver = String::from("1.0")),
            pool: CpuPool::new(Some(1)),
            costs: costs.iter().copied().collect(),
            up: Cost::new(8_000.0, 0.1),
            down: Cost::new(12_000.0, 0.12),
            noise: Arc::new(TimingNoise {
                deviation: 0.0,
                outlier_every: 0,
                random: Mutex::new(Random::seeded(0)),
            }),
            slowness: AtomicU64::new(1_f64.to_bits()),
            loading: Nanos(0),
            loaded: Mutex::default(),
            life: AtomicU64::new(u64::MAX),
        }
    }

    #[must_use]
    pub fn with_noise(mut self, noise: f64, outlier_every: u64, seed: u64) -> Self {
        self.noise = Arc::new(TimingNoise {
            deviation: noise,
            outlier_every,
            random: Mutex::new(Random::seeded(seed)),
        });
        self
    }

    #[must_use]
    pub fn with_bus(mut self, up: Cost, down: Cost) -> Self {
        (self.up, self.down) = (up, down);
        self
    }

    /// Adds this time to the first run of every kind, as if a module had to be loaded.
    #[must_use]
    pub fn with_loading(mut self, loading: Nanos) -> Self {
        self.loading = loading;
        self
    }

    /// Makes the device fail as lost after this many executions.
    #[must_use]
    pub fn with_life(self, executions: u64) -> Self {
        self.life.store(executions, Ordering::Relaxed);
        self
    }

    /// Multiplies the times of all further computations by `factor`, relative to the original ones.
    pub fn slow_down(&self, factor: f64) {
        self.slowness.store(factor.to_bits(), Ordering::Relaxed);
    }

    fn work_ns(&self, d: &Description) -> f64 {
        let slowness = f64::from_bits(self.slowness.load(Ordering::Relaxed));
        self.costs[d.kind.name()].of(d.work) * slowness
    }

    /// Returns the transfers and the noise-free times.
    fn moves(&self, d: &Description) -> (TransferTotals, f64, f64) {
        let (mut up_ns, mut down_ns) = (0.0, 0.0);
        let mut moved = TransferTotals::default();
        for operand in d
            .operands
            .iter()
            .filter(|operand| !operand.residency.is_on(self.id))
        {
            if matches!(operand.residency, Residency::Device(_)) {
                down_ns += self.down.of(operand.bytes.0);
                moved.down = moved.down + operand.bytes;
            }
            if self.id.has_own_memory() {
                up_ns += self.up.of(operand.bytes.0);
                moved.up = moved.up + operand.bytes;
            }
        }
        let returned = d.returned(self.id);
        if returned.0 > 0 {
            down_ns += self.down.of(returned.0);
            moved.down = moved.down + returned;
        }
        (moved, up_ns, down_ns)
    }

    pub fn true_ns(&self, d: &Description) -> f64 {
        let (_, up_ns, down_ns) = self.moves(d);
        self.work_ns(d) + up_ns + down_ns
    }
}

impl Device for FakeDevice {
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
        d: &Description,
        _start: Instant,
        body: &mut dyn FnMut(&ExecutionContext<'_>) -> Result<(), Error>,
    ) -> Result<Timing, Error> {
        if self.life.load(Ordering::Relaxed) == 0 {
            return Err(Error::DeviceLost {
                device: self.id,
                message: "fell off the bus".to_owned(),
            });
        }
        self.life.fetch_sub(1, Ordering::Relaxed);
        body(&ExecutionContext::new(
            self.id,
            ExecutionTarget::Host(&self.pool),
        ))?;
        let (mut moved, up_ns, down_ns) = self.moves(d);
        moved.up_time = self.noise.on(up_ns);
        moved.down_time = self.noise.on(down_ns);
        let work = self.noise.on(self.work_ns(d));
        let is_first = self.loaded.lock().unwrap().insert(d.kind.name());
        let loading = if is_first { self.loading } else { Nanos(0) };
        Ok(Timing::of(work + moved.time() + loading)
            .on_device(self.id.has_own_memory().then_some(work))
            .moving(moved))
    }

    fn accelerator(&self) -> Option<&dyn Accelerator> {
        self.id.has_own_memory().then_some(self)
    }
}

impl Accelerator for FakeDevice {
    fn launch(&self, launch: &heddle_runtime::device::Launch<'_>) -> Result<(), Error> {
        Err(Error::device(
            self.id(),
            format!("there is no kernel {}", launch.kernel.name),
        ))
    }

    fn synchronize(&self) -> Result<(), Error> {
        Ok(())
    }

    fn allocate(&self, bytes: Bytes) -> Result<DeviceBuffer, Error> {
        Ok(Box::new(FakeMemory {
            device: self.id,
            bytes,
            up_ns: self.up.of(bytes.0),
            down_ns: self.down.of(bytes.0),
            noise: Arc::clone(&self.noise),
        }))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Memory without content, whose transfers take a known time.
#[derive(Debug)]
struct FakeMemory {
    device: DeviceId,
    bytes: Bytes,
    up_ns: f64,
    down_ns: f64,
    noise: Arc<TimingNoise>,
}

impl DeviceMemory for FakeMemory {
    fn device(&self) -> DeviceId {
        self.device
    }

    fn bytes(&self) -> Bytes {
        self.bytes
    }

    fn upload(&self, _from: &[u8]) -> Result<Nanos, Error> {
        Ok(self.noise.on(self.up_ns))
    }

    fn download(&self, _to: &mut [u8]) -> Result<Nanos, Error> {
        Ok(self.noise.on(self.down_ns))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

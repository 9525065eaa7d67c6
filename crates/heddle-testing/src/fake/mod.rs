//! A simulated machine: devices whose true costs are known, so that the router's predictions can be
//! compared with them. Nothing sleeps; the times come from the cost curves and a seeded generator.

mod device;
mod probe;

use std::sync::Arc;
use std::time::Instant;

pub use device::{Cost, FakeDevice};
use heddle_runtime::array::Residency;
use heddle_runtime::device::{Device, DeviceId, Timing};
use heddle_runtime::route::{Decision, RouteSettings, Router};
use heddle_runtime::units::Bytes;
use heddle_runtime::{DType, Description, Kind, Operand, ResultLocation, WorkUnit};
pub use probe::FakeProbe;

pub static XOR: Kind = Kind::new("fake-xor", WorkUnit::Bytes);
pub static MATMUL: Kind = Kind::new("fake-matmul", WorkUnit::MultiplyAdds);
pub static SUM: Kind = Kind::new("fake-sum", WorkUnit::Items);

pub const CPU: DeviceId = DeviceId::CPU;
pub const GPU: DeviceId = DeviceId::cuda(0);

/// A machine and its router.
pub struct SimulatedMachine {
    pub devices: Vec<Arc<FakeDevice>>,
    pub router: Router,
}

impl SimulatedMachine {
    pub fn new(devices: Vec<FakeDevice>, settings: RouteSettings) -> Self {
        let ids: Vec<DeviceId> = devices.iter().map(Device::id).collect();
        Self {
            devices: devices.into_iter().map(Arc::new).collect(),
            router: Router::new(&ids, settings),
        }
    }

    pub fn device(&self, id: DeviceId) -> &FakeDevice {
        self.devices
            .iter()
            .find(|device| device.id() == id)
            .unwrap()
    }

    /// Runs one operation through the pipeline: decide, run, learn.
    pub fn run(&self, d: &Description) -> (Decision, Timing) {
        let decision = self.router.decide(d, &|_| true, None).unwrap();
        let timing = self.execute(d, decision.device);
        self.router.learn(d, &decision, &timing);
        (decision, timing)
    }

    pub fn execute(&self, d: &Description, on: DeviceId) -> Timing {
        self.device(on)
            .execute(d, Instant::now(), &mut |_| Ok(()))
            .unwrap()
    }

    /// Runs `d` on every device, outside of any decision.
    pub fn measure_everywhere(&self, d: &Description, times: usize) {
        for device in &self.devices {
            for _ in 0..times {
                let timing = self.execute(d, device.id());
                self.router.observe(d, device.id(), &timing);
            }
        }
    }

    /// Returns the noise-free time on a device.
    pub fn true_ns(&self, d: &Description, on: DeviceId) -> f64 {
        self.device(on).true_ns(d)
    }

    /// Returns the device with the least true cost, and its time.
    pub fn oracle(&self, d: &Description) -> (DeviceId, f64) {
        self.devices
            .iter()
            .map(|device| (device.id(), device.true_ns(d)))
            .min_by(|one, other| one.1.total_cmp(&other.1))
            .unwrap()
    }
}

/// Describes an operation on two operands of `bytes / 2` each, with a result of the same size.
pub fn describe(kind: &'static Kind, work: u64, bytes: u64, residency: Residency) -> Description {
    let operand = Operand {
        bytes: Bytes(bytes / 2),
        residency,
    };
    Description::new(kind, DType::F32, work)
        .reads(operand)
        .reads(operand)
        .writes(Bytes(bytes / 2))
        .leaves(ResultLocation::WithOperands)
}

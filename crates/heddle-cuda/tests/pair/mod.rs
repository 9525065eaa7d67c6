//! The processor and an emulated GPU side by side, asked the same thing.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![allow(dead_code, reason = "each test file uses some of it")]

use std::sync::Arc;
use std::time::SystemTime;

use heddle_cuda::simt::{SimtDevice, SimtOptions};
use heddle_runtime::device::DeviceId;
use heddle_runtime::{Agreement, Operation, Outcome, Runtime};

/// The emulated GPU of every pair.
pub(crate) const SIMT: DeviceId = DeviceId::simt(0);

/// Both devices in one runtime.
pub(crate) struct Pair {
    runtime: Runtime,
}

impl Pair {
    /// With an emulated GPU of as many workers as there are processors.
    pub(crate) fn new() -> Self {
        Self::over(SimtOptions::default())
    }

    /// With an emulated GPU whose blocks share so many workers.
    pub(crate) fn with_workers(workers: usize) -> Self {
        Self::over(SimtOptions {
            workers,
            ..SimtOptions::default()
        })
    }

    fn over(options: SimtOptions) -> Self {
        let gpu = SimtDevice::new(0, options).unwrap();
        let runtime = Runtime::builder()
            .device(Arc::new(gpu))
            .forgetful()
            .build()
            .unwrap();
        Self { runtime }
    }

    /// The GPU's answer and how it came about.
    pub(crate) fn gpu<O: Operation>(&self, operation: O) -> Outcome<O::Output> {
        let outcome = self.runtime.trace(operation, Some(SIMT)).unwrap();
        assert_eq!(outcome.decision.device, SIMT);
        assert!(outcome.timing.device.is_some(), "a GPU has its own clock");
        outcome
    }

    /// The processor's answer and the GPU's, which agree by the operation's own
    /// measure.
    pub(crate) fn agree<O: Operation>(&self, mut operation: O, what: &str) -> [O::Output; 2] {
        let cpu = self.runtime.run_on(DeviceId::CPU, &mut operation).unwrap();
        let gpu = self.gpu(&mut operation).output;
        assert_eq!(operation.compare(&cpu, &gpu), Agreement::Same, "{what}");
        [cpu, gpu]
    }
}

/// Numbers that differ from run to run; the seed is printed with a failing test.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn fresh() -> Self {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        Self::seeded(now.map_or(1, |time| time.as_nanos() as u64))
    }

    pub(crate) fn seeded(seed: u64) -> Self {
        println!("seed {seed}");
        Self(seed)
    }

    /// The next word, by splitmix64.
    pub(crate) fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        word ^ (word >> 31)
    }

    /// Between -1 and 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.word() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// Of magnitudes from 1e-3 to 1e3, both signs.
    pub(crate) fn spread(&mut self) -> f64 {
        self.unit() * 10_f64.powf(3.0 * self.unit())
    }
}

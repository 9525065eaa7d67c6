//! A mixed job gives the same results whichever allocation or launch of its GPU fails, and
//! after whichever call the GPU is lost.
//!
//! At thorough depth every index is tried, at quick depth some of each kind.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

use std::sync::Arc;

use heddle::arc::assess::Grade;
use heddle::arc::data::Task;
use heddle::arc::engine::{Example, Tile};
use heddle::arc::gpu::{LaunchSettings, grade};
use heddle::arc::meter::Budget;
use heddle::arc::operations::{EvaluationSettings, Graded, TileExample, WorkerPool};
use heddle::arc::plan::Plan;
use heddle::arc::program::load;
use heddle::arc::tasks::{PROGRAMS, dataset};
use heddle::device::DeviceId;
use heddle::gpu::simt::{Faults, SimtCalls, SimtDevice, SimtOptions};
use heddle::lattice::Lattice;
use heddle::lattice::sweep::{ReachTotals, Sweep};
use heddle::ops::{Sqrt, Unary};
use heddle::units::Bytes;
use heddle::{Array, Config, Error, Runtime};
use heddle_testing::depth;

const GPU: DeviceId = DeviceId::simt(0);
const SIDE: usize = 24;
/// The indices tried of each kind of fault at quick depth.
const SAMPLE: u64 = 7;

/// Elements of arrays, a lattice, programs and their examples.
struct MixedJob {
    bytes: Vec<u8>,
    squares: Vec<f32>,
    /// Square, of side [`SIDE`].
    matrix: Vec<f32>,
    lattice: Lattice,
    sources: Vec<u64>,
    plan: Plan,
    tasks: Vec<Task>,
}

/// Everything the job computes.
#[derive(PartialEq)]
struct Results {
    arrays: Vec<ArrayResults>,
    reach: ReachTotals,
    graded: Vec<Graded<Grade>>,
}

/// Floats are whole numbers, so they are the same on every device.
#[derive(PartialEq)]
struct ArrayResults {
    secret: Vec<u8>,
    roots: Vec<f32>,
    total: f64,
    product: Vec<f32>,
    transposed: Vec<f32>,
    secrets: Vec<Vec<u8>>,
}

impl MixedJob {
    fn new() -> Self {
        let squares = (0..3_000_u16).map(|at| f32::from(at % 40).powi(2));
        let free = |site: &u64| !site.is_multiple_of(7);
        Self {
            bytes: [7, 77, 177].repeat(2_000),
            squares: squares.collect(),
            matrix: (0..SIDE * SIDE).map(|at| (at % 5) as f32).collect(),
            lattice: Lattice::cubic(2, 24)
                .unwrap()
                .with_blocked((0..576).step_by(7))
                .unwrap(),
            sources: (0..576).filter(free).collect(),
            plan: Plan::new(&load(PROGRAMS, "programs.py").programs[..8]),
            tasks: dataset(2).tasks.into_iter().take(3).collect(),
        }
    }

    fn compute(&self, runtime: &Runtime) -> Result<Results, Error> {
        let rounds = depth::pick(1, 6);
        let arrays = (0..rounds).map(|round| self.arrays(runtime, round));
        Ok(Results {
            arrays: arrays.collect::<Result<_, _>>()?,
            reach: {
                let sources = self.sources.iter().copied();
                runtime.run(Sweep::new(&self.lattice, sources).unwrap())?
            },
            graded: self.grades(runtime)?,
        })
    }

    /// Computes with arrays of this runtime alone: a copy on its GPU is of no use to another.
    /// The later the round, the shorter they are.
    fn arrays(&self, runtime: &Runtime, round: usize) -> Result<ArrayResults, Error> {
        let slice = |array: Array<f32>| array.as_slice().map(<[f32]>::to_vec);
        let side = SIDE - round;
        let bytes = Array::from_slice(&self.bytes[round..]);
        let key = Array::from_slice(b"thread the heddle");
        let matrix = Array::from_shape(&[side, side], &self.matrix[..side * side])?;
        let secret = runtime.xor(&bytes, &key)?;
        let squares = Array::from_slice(&self.squares[round..]);
        let roots = runtime.run(Unary::new(Sqrt, &squares))?;
        let pairs = (0..20).map(|_| (&bytes, &key));
        let secrets = runtime.xor_batch(pairs).into_iter();
        Ok(ArrayResults {
            secret: secret.as_slice()?.to_vec(),
            total: runtime.sum(&roots)?,
            roots: slice(roots)?,
            product: slice(runtime.matmul(&matrix, &matrix)?)?,
            transposed: slice(runtime.transpose(&matrix)?)?,
            secrets: secrets
                .map(|secret| secret?.as_slice().map(<[u8]>::to_vec))
                .collect::<Result<_, _>>()?,
        })
    }

    fn grades(&self, runtime: &Runtime) -> Result<Vec<Graded<Grade>>, Error> {
        let examples: Vec<Vec<Example<'_>>> = self
            .tasks
            .iter()
            .map(|task| task.examples().take(2).collect())
            .collect();
        let tiles: Vec<Tile<'_>> = examples
            .iter()
            .map(|examples| Tile {
                plan: &self.plan,
                examples,
            })
            .collect();
        let worker_pool = WorkerPool::new(Budget::default());
        let settings = EvaluationSettings::of(&worker_pool);
        let launch = LaunchSettings::default().with(|it| it.warps = 4);
        let wanted = |part: TileExample| {
            let (_, wanted) = self.tasks[part.tile].pairs().nth(part.example).unwrap();
            wanted
        };
        Ok(grade(runtime, &tiles, &settings, launch, wanted)?.graded)
    }
}

/// A runtime that sends everything to an emulated GPU with these faults.
fn faulty(faults: Faults) -> (Runtime, Arc<SimtDevice>) {
    let options = SimtOptions::default().with(|it| {
        it.memory = Bytes(64 << 20);
        it.faults = faults;
        it.workers = 1;
    });
    let gpu = Arc::new(SimtDevice::new(0, options));
    let config = Config::default().with(|it| {
        it.device = Some(GPU);
        it.threads = Some(2);
    });
    let builder = Runtime::builder().config(config).device(gpu.clone());
    (builder.without_model_cache().build().unwrap(), gpu)
}

/// The indices to try of `count`.
fn indices(count: u64) -> Vec<u64> {
    let tried = depth::pick(SAMPLE.min(count), count);
    let last = tried.saturating_sub(1).max(1);
    (0..tried)
        .map(|at| 1 + at * count.saturating_sub(1) / last)
        .collect()
}

/// Runs the job with one fault. The results must be the expected ones, and no memory may
/// stay reserved.
fn run_with(faults: Faults, job: &MixedJob, expected: &Results) -> Result<SimtCalls, String> {
    let (runtime, gpu) = faulty(faults);
    let found = runtime
        .retry_on_device_loss("mixed job", || job.compute(&runtime))
        .map_err(|error| error.to_string())?;
    if found != *expected {
        return Err("other results".to_owned());
    }
    let report = runtime.report();
    if let Some(reading) = report
        .devices
        .iter()
        .find(|reading| reading.memory.reserved.0 > 0)
    {
        return Err(format!("memory stays reserved: {reading:?}"));
    }
    Ok(gpu.calls())
}

#[test]
fn any_single_fault_changes_no_result() {
    let job = MixedJob::new();
    let cpu = Runtime::builder().without_model_cache().build().unwrap();
    let expected = job.compute(&cpu).unwrap();
    let calls = run_with(Faults::default(), &job, &expected).unwrap();
    let (mut wrong, mut injected) = (Vec::new(), [0; 3]);
    let mut inject = |kind: usize, faults: Faults, happened: &dyn Fn(SimtCalls) -> bool| {
        match run_with(faults, &job, &expected) {
            // Threads meet in different orders, so that some runs have fewer calls.
            Ok(calls) => injected[kind] += u64::from(happened(calls)),
            Err(what) => wrong.push(format!("{faults:?}: {what}")),
        }
    };
    for index in indices(calls.allocations) {
        let faults = Faults::default().with(|it| it.allocation = Some(index));
        inject(0, faults, &|calls| calls.allocations >= index);
    }
    for index in indices(calls.launches) {
        let faults = Faults::default().with(|it| it.launch = Some(index));
        inject(1, faults, &|calls| calls.launches >= index);
    }
    for index in indices(calls.all) {
        let faults = Faults::default().with(|it| it.lost_after = Some(index - 1));
        inject(2, faults, &|calls| calls.all >= index);
    }
    println!("{calls:?}; injected {injected:?}");
    assert!(
        wrong.is_empty(),
        "{} faults changed a result:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    let tried = [calls.allocations, calls.launches, calls.all].map(|count| indices(count).len());
    for (injected, tried) in injected.into_iter().zip(tried) {
        assert!(injected * 10 >= tried as u64 * 9, "{injected} of {tried}");
    }
}

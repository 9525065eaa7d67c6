//! A hundred jobs on small lattices, from host to host.
//!
//! A job has a lattice of three axes of ten sites: it xors the state with a key, scales a
//! field and adds it to another, and multiplies two coupling matrices. In the merged
//! variant, the operations of one kind of all jobs are one routed batch; in the other,
//! each operation is issued alone on the GPU.

use std::hint::black_box;
use std::time::{Duration, Instant};

use heddle::batch::BatchStatistics;
use heddle::config::Config;
use heddle::device::DeviceId;
use heddle::ops::{Random, RandomElement};
use heddle::{Array, Error, Runtime};

use super::super::BenchRow;
use super::super::sample::TimeDistribution;
use super::is_wanted;
use crate::cli::{Failure, open};

const JOBS: usize = 100;
const SITES: usize = 1000;
const COUPLING: usize = 32;
/// Untimed rounds, from which the router learns.
const UNTIMED: usize = 20;
const MIN_SAMPLES: usize = 8;

struct Job {
    state: Array<u8>,
    field: Array<f32>,
    drift: Array<f32>,
    coupling: [Array<f32>; 2],
}

impl Job {
    fn new(runtime: &Runtime, seed: u64) -> Result<Self, Error> {
        fn drawn<T: RandomElement>(
            runtime: &Runtime,
            seed: u64,
            extents: &[usize],
        ) -> Result<Array<T>, Error> {
            runtime.run_on(DeviceId::CPU, Random::new(seed, extents)?)
        }
        let side = [COUPLING, COUPLING];
        Ok(Self {
            state: drawn(runtime, seed, &[SITES])?,
            field: drawn(runtime, seed + 1, &[SITES])?,
            drift: drawn(runtime, seed + 2, &[SITES])?,
            coupling: [
                drawn(runtime, seed + 3, &side)?,
                drawn(runtime, seed + 4, &side)?,
            ],
        })
    }

    /// Drops all device copies of its arrays.
    fn evict_all(&self) {
        self.state.evict();
        for array in [
            &self.field,
            &self.drift,
            &self.coupling[0],
            &self.coupling[1],
        ] {
            array.evict();
        }
    }
}

pub(super) fn rows(
    config: &Config,
    gpu: DeviceId,
    cases: &[String],
    time: Duration,
    rows: &mut Vec<BenchRow>,
) -> Result<BatchStatistics, Failure> {
    if !is_wanted(cases, "lattice", JOBS) {
        return Ok(BatchStatistics::default());
    }
    let routed = open(&config.clone().with(|it| it.device = None))?;
    let forced = open(&config.clone().with(|it| it.device = Some(gpu)))?;
    let jobs = (0..JOBS as u64)
        .map(|job| Job::new(&routed, job * 8))
        .collect::<Result<Vec<_>, Error>>()?;
    let key = Array::from_slice(b"shared secret");
    for _ in 0..UNTIMED {
        merged(&routed, &jobs, &key)?;
    }
    let mut times = [Vec::new(), Vec::new()];
    let deadline = Instant::now() + 2 * time;
    while times[0].len() < MIN_SAMPLES || Instant::now() < deadline {
        for (variant, times) in times.iter_mut().enumerate() {
            for job in &jobs {
                job.evict_all();
            }
            let start = Instant::now();
            if variant == 0 {
                merged(&routed, &jobs, &key)?;
            } else {
                one_by_one(&forced, &jobs, &key)?;
            }
            times.push(start.elapsed().as_nanos() as f64);
        }
    }
    let places = ["routed".to_owned(), gpu.to_string()];
    let variants = ["lattice-batched", "lattice-one-by-one"]
        .into_iter()
        .zip(places);
    for ((name, device), times) in variants.zip(times) {
        rows.push(BenchRow {
            name: name.to_owned(),
            element: None,
            size: JOBS,
            device,
            sample: TimeDistribution::from_times(times, 1),
            device_ns: None,
            moved_bytes: None,
            rate: None,
        });
    }
    Ok(routed.batch_statistics())
}

fn merged(runtime: &Runtime, jobs: &[Job], key: &Array<u8>) -> Result<(), Error> {
    let states = runtime.xor_batch(jobs.iter().map(|job| (&job.state, key)));
    let scaled = runtime.mul_batch(jobs.iter().map(|job| (&job.field, 0.5)));
    let scaled = scaled.into_iter().collect::<Result<Vec<_>, Error>>()?;
    let moved = scaled
        .iter()
        .zip(jobs)
        .map(|(field, job)| (field, &job.drift));
    let fields = runtime.add_batch(moved);
    let couplings = jobs.iter().map(|job| (&job.coupling[0], &job.coupling[1]));
    let couplings = runtime.matmul_batch(couplings);
    for state in states {
        black_box(state?.as_slice()?);
    }
    for array in fields.into_iter().chain(couplings) {
        black_box(array?.as_slice()?);
    }
    Ok(())
}

fn one_by_one(runtime: &Runtime, jobs: &[Job], key: &Array<u8>) -> Result<(), Error> {
    for job in jobs {
        black_box(runtime.xor(&job.state, key)?.as_slice()?);
        let scaled = runtime.mul(&job.field, 0.5)?;
        black_box(runtime.add(&scaled, &job.drift)?.as_slice()?);
        let [left, right] = &job.coupling;
        black_box(runtime.matmul(left, right)?.as_slice()?);
    }
    Ok(())
}

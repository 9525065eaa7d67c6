//! `heddle memory stress`: uses more than a device's memory and checks every result.
//!
//! Every operation is forced onto the device, so no other device can take it over; the
//! CPU computes the same, and the results are compared element by element.

use std::time::{Duration, Instant};

use heddle::config::Config;
use heddle::device::DeviceId;
use heddle::memory::MemoryReading;
use heddle::ops::{Add, Binary, MatMul, Random, RandomElement, Sum};
use heddle::runtime::{MemoryUse, SplitCount};
use heddle::units::{Bytes, Nanos};
use heddle::{Agreement, Array, Error, Operation, Runtime};
use serde::Serialize;

use crate::cli::output::Output;
use crate::cli::table::table;
use crate::cli::{Failure, first_gpu, open};

/// Number of arrays that together fill the limit once.
const PARTS: u64 = 16;
/// Rows and columns of a product's right matrix: on an emulated GPU, and on a GPU.
const NARROW: [usize; 2] = [64, 8];
const WIDE: [usize; 2] = [512, 256];

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Size of each part of the workload as a multiple of the device's limit.
    #[arg(long, value_name = "TIMES", default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=64))]
    times: u64,
}

/// One part of the workload.
#[derive(Serialize)]
struct StressStep {
    name: &'static str,
    /// Bytes of all its arrays.
    bytes: Bytes,
    /// Time on the device, with transfers and without the checks.
    #[serde(rename = "ns")]
    time: Nanos,
    /// Results compared with the CPU's.
    checked: usize,
}

#[derive(Serialize)]
struct StressOutcome {
    device: DeviceId,
    limit: Bytes,
    parts: Vec<StressStep>,
    splits: Vec<SplitCount>,
    memory: MemoryReading,
}

pub(super) fn run(
    config: &Config,
    arguments: &Arguments,
    output: &mut Output,
) -> Result<(), Failure> {
    let runtime = open(config)?;
    let (gpu, memory) = first_gpu(&runtime, "test")?;
    let limit = memory.reading().limit.capacity;
    let needed = Bytes(limit.0.saturating_mul(2 * arguments.times + 1));
    let host = runtime.device(DeviceId::CPU)?.free_memory();
    if needed > host {
        return Err(Failure::Usage {
            message: format!(
                "{} times {limit} needs {needed} of host memory, but only {host} is free",
                arguments.times
            ),
            hint: "set a lower limit: HEDDLE_MEMORY_DEVICE_LIMIT=1GiB".to_owned(),
        });
    }
    let mut stress = Stress {
        runtime: &runtime,
        gpu: gpu.id(),
        limit,
        times: arguments.times,
        parts: Vec::new(),
    };
    stress.alternate_operands()?;
    stress.results_kept()?;
    stress.larger_maps()?;
    stress.larger_product()?;
    let result = StressOutcome {
        device: gpu.id(),
        limit,
        parts: stress.parts,
        splits: runtime.report().splits,
        memory: MemoryUse::of(memory).reading,
    };
    if output.is_json() {
        return Ok(output.object(&result)?);
    }
    print(&result, output)
}

fn print(result: &StressOutcome, output: &mut Output) -> Result<(), Failure> {
    let mut list = table(&[
        "part ",
        "bytes",
        "multiple of limit",
        "time",
        "results checked",
    ]);
    for part in &result.parts {
        list.add_row([
            part.name.to_owned(),
            part.bytes.to_string(),
            format!("{:.1} x", part.bytes.0 as f64 / result.limit.0 as f64),
            part.time.to_string(),
            part.checked.to_string(),
        ]);
    }
    output.line(list)?;
    let memory = &result.memory;
    let split: u64 = result.splits.iter().map(|split| split.count).sum();
    output.line(format_args!(
        "\n{}: every result equals the CPU's; peak use {} of {}\n\
         {} cached copies dropped, {} moved to the host, {split} operations worked in pieces",
        result.device, memory.limit.peak, result.limit, memory.evictions, memory.spilled,
    ))?;
    Ok(())
}

struct Stress<'a> {
    runtime: &'a Runtime,
    gpu: DeviceId,
    limit: Bytes,
    times: u64,
    parts: Vec<StressStep>,
}

impl Stress<'_> {
    /// Random elements on the host.
    fn random<T: RandomElement>(&self, extents: &[usize], seed: u64) -> Result<Array<T>, Error> {
        self.runtime
            .run_on(DeviceId::CPU, Random::new(seed, extents)?)
    }

    /// Returns the number of elements of an array of which `PARTS` fill the limit.
    fn elements<T>(&self) -> usize {
        (self.limit.0 / PARTS) as usize / size_of::<T>()
    }

    fn on_gpu<O: Operation>(&self, time: &mut Duration, operation: O) -> Result<O::Output, Error> {
        let start = Instant::now();
        let result = self.runtime.run_on(self.gpu, operation)?;
        *time += start.elapsed();
        Ok(result)
    }

    /// Fails unless the CPU's result is the same.
    fn check<O: Operation>(&self, mut operation: O, found: &O::Output) -> Result<(), Error> {
        let expected = self.runtime.run_on(DeviceId::CPU, &mut operation)?;
        match operation.compare(&expected, found) {
            Agreement::Same => Ok(()),
            other => Err(Error::Disagreement {
                operation: operation.describe().kind.name(),
                first: DeviceId::CPU,
                second: self.gpu,
                difference: match other {
                    Agreement::Different(how) => how,
                    _ => "the results cannot be compared".to_owned(),
                },
            }),
        }
    }

    fn done(&mut self, name: &'static str, bytes: Bytes, time: Duration, checked: usize) {
        self.parts.push(StressStep {
            name,
            bytes,
            time: time.into(),
            checked,
        });
    }

    /// Prefetches arrays to the device one after another, twice, and sums each.
    fn alternate_operands(&mut self) -> Result<(), Failure> {
        let count = self.times * PARTS;
        let arrays = (0..count)
            .map(|seed| self.random::<u8>(&[self.elements::<u8>()], seed))
            .collect::<Result<Vec<_>, Error>>()?;
        let (mut time, mut checked) = (Duration::ZERO, 0);
        for array in arrays.iter().chain(&arrays) {
            let start = Instant::now();
            self.runtime.prefetch(array, self.gpu)?;
            time += start.elapsed();
            let sum = self.on_gpu(&mut time, Sum::new(array))?;
            self.check(Sum::new(array), &sum)?;
            checked += 1;
        }
        let bytes = arrays.iter().map(Array::bytes).sum();
        self.done("arrays prefetched and summed in turn", bytes, time, checked);
        Ok(())
    }

    /// Keeps all results, which live only on the device. Random numbers are generated in
    /// one piece, so they cannot be streamed to the host.
    fn results_kept(&mut self) -> Result<(), Failure> {
        let extents = [self.elements::<u8>()];
        let made = |seed| Random::<u8>::new(seed, &extents);
        let seeds = 0..self.times * PARTS;
        let mut time = Duration::ZERO;
        let results = seeds
            .clone()
            .map(|seed| self.on_gpu(&mut time, made(seed)?))
            .collect::<Result<Vec<_>, Error>>()?;
        for (seed, result) in seeds.zip(&results) {
            self.check(made(seed)?, result)?;
        }
        let bytes = results.iter().map(Array::bytes).sum();
        self.done("results kept on the device", bytes, time, results.len());
        Ok(())
    }

    /// Adds and sums operands larger than the memory.
    fn larger_maps(&mut self) -> Result<(), Failure> {
        let elements = (self.limit.0 * self.times) as usize / size_of::<f32>() / 2;
        let (left, right) = (
            self.random::<f32>(&[elements], 1)?,
            self.random::<f32>(&[elements], 2)?,
        );
        let mut time = Duration::ZERO;
        let sum = self.on_gpu(&mut time, Binary::new(Add, &left, &right)?)?;
        self.check(Binary::new(Add, &left, &right)?, &sum)?;
        let total = self.on_gpu(&mut time, Sum::new(&left))?;
        self.check(Sum::new(&left), &total)?;
        let bytes = left.bytes() + right.bytes();
        self.done("operands larger than the memory", bytes, time, 2);
        Ok(())
    }

    /// Multiplies a left matrix that is larger than the memory.
    fn larger_product(&mut self) -> Result<(), Failure> {
        // An emulated GPU takes about a thousand times as long for a product.
        let [k, n] = if self.gpu.is_emulated() { NARROW } else { WIDE };
        let m = (self.limit.0 * self.times) as usize / size_of::<f32>() / k;
        let (left, right) = (
            self.random::<f32>(&[m, k], 3)?,
            self.random::<f32>(&[k, n], 4)?,
        );
        let mut time = Duration::ZERO;
        let product = self.on_gpu(&mut time, MatMul::new(&left, &right)?)?;
        self.check(MatMul::new(&left, &right)?, &product)?;
        let bytes = left.bytes() + right.bytes() + product.bytes();
        self.done("a product larger than the memory", bytes, time, 1);
        Ok(())
    }
}

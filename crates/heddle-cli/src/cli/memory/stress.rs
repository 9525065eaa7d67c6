//! `heddle memory stress`: more than a device's memory, every answer checked.
//!
//! Every operation names its device, so no other may take it over; the processor
//! computes the same beside it, and the answers are compared element by element.

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
use crate::cli::{Failure, open};

/// Arrays that together fill the limit once.
const PARTS: u64 = 16;
/// A product's right matrix: rows and columns of an emulated GPU's, and of a GPU's.
const NARROW: [usize; 2] = [64, 8];
const WIDE: [usize; 2] = [512, 256];

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// How many times the device's limit each part of the workload is.
    #[arg(long, value_name = "TIMES", default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=64))]
    times: u64,
}

/// One part of the workload.
#[derive(Serialize)]
struct StressStep {
    name: &'static str,
    /// Bytes of all arrays in it.
    bytes: Bytes,
    /// Time on the device, transfers included; checking is not.
    #[serde(rename = "ns")]
    time: Nanos,
    /// Answers compared with the processor's.
    checked: usize,
}

#[derive(Serialize)]
struct RunOutcome {
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
    let gpu = runtime
        .devices()
        .find(|device| device.id().has_own_memory());
    let memory = gpu.and_then(|gpu| gpu.accelerator()?.memory());
    let (Some(gpu), Some(memory)) = (gpu, memory) else {
        return Err(Failure::Usage {
            message: "there is no GPU whose memory could run short".to_owned(),
            hint: "`heddle devices` says why; --device simt:0 takes the emulated one".to_owned(),
        });
    };
    let limit = memory.reading().limit.capacity;
    let needed = Bytes(limit.0.saturating_mul(2 * arguments.times + 1));
    let host = runtime.device(DeviceId::CPU)?.free_memory();
    if needed > host {
        return Err(Failure::Usage {
            message: format!(
                "{} times {limit} need {needed} of host memory, of which {host} are free",
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
    let result = RunOutcome {
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

fn print(result: &RunOutcome, output: &mut Output) -> Result<(), Failure> {
    let mut list = table(&["part ", "bytes", "of the limit", "time", "answers checked"]);
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
        "\n{}: every answer is the processor's; at most {} of {} were in use\n\
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

    /// Elements of one array of which `PARTS` fill the limit.
    fn elements<T>(&self) -> usize {
        (self.limit.0 / PARTS) as usize / size_of::<T>()
    }

    fn on_gpu<O: Operation>(&self, time: &mut Duration, operation: O) -> Result<O::Output, Error> {
        let start = Instant::now();
        let answer = self.runtime.run_on(self.gpu, operation)?;
        *time += start.elapsed();
        Ok(answer)
    }

    /// Fails unless the processor says the same.
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
                    _ => "the answers cannot be compared".to_owned(),
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

    /// Arrays that are brought to the device one after another, twice.
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
        self.done("arrays brought and summed in turns", bytes, time, checked);
        Ok(())
    }

    /// Results that live on the device alone and are all kept. Random numbers are
    /// made in one piece, so they cannot pass through to the host.
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

    /// Operands larger than the memory, element by element and summed.
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

    /// A product whose left matrix is larger than the memory.
    fn larger_product(&mut self) -> Result<(), Failure> {
        // An emulated GPU takes a thousand times as long for a product.
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

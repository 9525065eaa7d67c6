//! Arrays of several times a GPU's memory, faults, many threads: every result is right, no
//! array is lost, and the accounts are exact in the end.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Arc;

use heddle_cuda::simt::{Faults, SimtDevice, SimtOptions};
use heddle_runtime::config::{Config, Size};
use heddle_runtime::device::{Accelerator, DeviceId, ExecutionContext, ExecutionTarget};
use heddle_runtime::memory::{
    AcceleratorMemory, AllocationSite, MemorySettings, PressureLevel, SimulatedStorage,
    StreamIndex, SystemClock,
};
use heddle_runtime::ops::{Random, Sum, Xor};
use heddle_runtime::runtime::Report;
use heddle_runtime::units::Bytes;
use heddle_runtime::{
    Array, DType, Description, Error, Kind, Operation, Residency, Runtime, WorkUnit,
};
use heddle_testing::Random as Generator;

const GPU: DeviceId = DeviceId::simt(0);

fn gpu(memory: u64, faults: Faults) -> Arc<SimtDevice> {
    let options = SimtOptions::default().with(|it| {
        it.memory = Bytes(memory);
        it.faults = faults;
        it.workers = 2;
    });
    Arc::new(SimtDevice::new(0, options))
}

/// A runtime that sends every operation it can to the emulated GPU.
fn runtime(gpu: &Arc<SimtDevice>, limit: Size) -> Runtime {
    let mut config = Config::default().with(|it| it.device = Some(GPU));
    config.memory.device_limit = limit;
    heddle_testing::runtime(config, gpu.clone())
}

fn noise(len: usize, seed: u64) -> Vec<u8> {
    Generator::seeded(seed).bytes(len)
}

fn sum_of(values: &[u8]) -> u64 {
    values.iter().map(|&value| u64::from(value)).sum()
}

fn memory_of(report: &Report) -> &heddle_runtime::runtime::MemoryUse {
    let gpu = report.devices.iter().find(|row| row.device == GPU);
    gpu.unwrap().memory_use.as_ref().unwrap()
}

/// No memory is held or reserved, and every allocation was freed.
fn assert_all_freed(gpu: &SimtDevice) {
    let memory = gpu.memory().unwrap();
    let reading = memory.reading();
    assert!(
        memory.live_allocations().is_empty(),
        "{}",
        memory.live_allocations()
    );
    assert_eq!(reading.limit.allocated, Bytes(0), "{reading:?}");
    assert_eq!(reading.limit.reserved, Bytes(0), "{reading:?}");
    assert_eq!(reading.storage.used, Bytes(0), "{reading:?}");
    assert_eq!(reading.statistics.allocations, reading.statistics.frees);
}

#[test]
fn arrays_of_three_times_the_memory_are_all_computed() {
    const EACH: usize = 8 << 20;
    let gpu = gpu(64 << 20, Faults::default());
    let runtime = runtime(&gpu, Size::Share(1.0));
    let contents: Vec<_> = (0..24).map(|seed| noise(EACH, seed)).collect();
    let arrays: Vec<_> = contents.iter().map(|it| Array::from_slice(it)).collect();
    for round in 0..2 {
        for (content, array) in contents.iter().zip(&arrays) {
            runtime.prefetch(array, GPU).unwrap();
            assert_eq!(runtime.sum(array).unwrap(), sum_of(content), "{round}");
        }
    }
    let report = runtime.report();
    assert!(report.fallbacks.is_empty(), "{:?}", report.fallbacks);
    assert_eq!((report.failures, report.retries.len()), (0, 0));
    let used = memory_of(&report);
    assert_eq!(used.reading.shortages, 0, "{:?}", used.reading);
    // All but the last were uploaded twice and evicted.
    let evicted = used.reading.cleanups.freed.0;
    assert!(evicted >= (2 * 24 - 8) * EACH as u64, "{evicted}");
    assert!(used.reading.limit.peak <= Bytes(64 << 20));
    assert!(used.reading.levels_entered[PressureLevel::High as usize] > 0);
    let step = used.last_cleanups.last().unwrap().steps.last().unwrap();
    assert_eq!(step.name, "cached copies");
    // The last one used is evicted last.
    assert_eq!(arrays[23].residency(), Residency::Both(GPU));
    assert_eq!(arrays[0].residency(), Residency::Host);
    drop((runtime, arrays));
    assert_all_freed(&gpu);
}

static HOLDS_OPERAND: Kind = Kind::new("holds", WorkUnit::Bytes);

/// Checks that its operand stays while it is in use, and can be evicted afterwards.
struct HoldsOperand(Array<u8>);

impl Operation for HoldsOperand {
    type Output = Bytes;

    fn describe(&self) -> Description {
        Description::new(&HOLDS_OPERAND, DType::U8, 1).reads(&self.0)
    }

    fn runs_on(&self, _: DeviceId) -> bool {
        true
    }

    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<Bytes, Error> {
        let ExecutionTarget::Accelerator(gpu) = context.target() else {
            return Ok(Bytes(0));
        };
        let held = context.resident(&self.0, gpu)?;
        let memory = gpu.memory().ok_or(Error::EmptyKey)?;
        memory.cleanup();
        assert_eq!(self.0.residency(), Residency::Both(GPU));
        drop(held);
        memory.cleanup();
        assert_eq!(self.0.residency(), Residency::Host);
        Ok(context.budget())
    }
}

#[test]
fn a_copy_in_use_is_never_dropped() {
    let gpu = gpu(1 << 20, Faults::default());
    let runtime = runtime(&gpu, Size::Share(1.0));
    let array = Array::from_slice(&noise(700 << 10, 1));
    // Memory evicted during the operation refills its reservation.
    let left = runtime.run(HoldsOperand(array)).unwrap();
    assert_eq!(left, Bytes(700 << 10));
    drop(runtime);
    assert_all_freed(&gpu);
}

/// Adds one to every byte, in pieces as large as the memory allows.
struct Increment {
    input: Array<u8>,
    pieces: usize,
    given: Bytes,
}

static INCREMENT: Kind = Kind::new("increment-in-pieces", WorkUnit::Bytes);

impl Operation for Increment {
    type Output = Vec<u8>;

    fn describe(&self) -> Description {
        Description::new(&INCREMENT, DType::U8, 1)
            .reads(&self.input)
            .writes(self.input.bytes())
            .splits_to(Bytes(64 << 10))
    }

    fn runs_on(&self, _: DeviceId) -> bool {
        true
    }

    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<Vec<u8>, Error> {
        let mut actual = context.host(&self.input)?.to_vec();
        let ExecutionTarget::Accelerator(gpu) = context.target() else {
            return Ok(Vec::new());
        };
        self.given = context.budget();
        let memory_budget = (self.given.0 as usize).min(actual.len());
        for piece in actual.chunks_mut(memory_budget) {
            let buffer = gpu.allocate(Bytes(piece.len() as u64))?;
            buffer.upload(piece)?;
            context.download(buffer.as_ref(), piece)?;
            for byte in piece.iter_mut() {
                *byte = byte.wrapping_add(1);
            }
            self.pieces += 1;
        }
        Ok(actual)
    }
}

#[test]
fn an_operation_larger_than_the_memory_works_piece_by_piece() {
    let gpu = gpu(1 << 20, Faults::default());
    let runtime = runtime(&gpu, Size::Share(1.0));
    // The GPU also holds an array that can be evicted and one that cannot.
    let spare = Array::from_slice(&noise(200 << 10, 3));
    runtime.prefetch(&spare, GPU).unwrap();
    let kept = gpu.allocate(Bytes(256 << 10)).unwrap();
    let content = noise(3 << 20, 7);
    let mut operation = Increment {
        input: Array::from_slice(&content),
        pieces: 0,
        given: Bytes(0),
    };
    let actual = runtime.run(&mut operation).unwrap();
    let expected: Vec<_> = content.iter().map(|byte| byte.wrapping_add(1)).collect();
    assert!(actual == expected);
    assert_eq!(operation.given, Bytes(768 << 10));
    assert_eq!(operation.pieces, 4);
    assert_eq!(spare.residency(), Residency::Host);
    let report = runtime.report();
    assert_eq!(report.splits.len(), 1);
    let split = &report.splits[0];
    assert_eq!((split.operation, split.count), ("increment-in-pieces", 1));
    assert_eq!(
        (split.asked, split.granted),
        (Bytes(6 << 20), operation.given)
    );
    assert!(report.fallbacks.is_empty() && report.failures == 0);
    drop((kept, runtime, spare));
    assert_all_freed(&gpu);
}

#[test]
fn a_refusal_names_the_holders_of_the_memory() {
    let gpu = gpu(1 << 20, Faults::default());
    let runtime = runtime(&gpu, Size::Share(1.0));
    let data = Array::from_slice(&noise(300 << 10, 1));
    let key = Array::from_slice(&[7_u8]);
    runtime.prefetch(&data, GPU).unwrap();
    let kept: Vec<_> = (0..2).map(|_| runtime.xor(&data, &key).unwrap()).collect();
    let line = line!() - 1;
    assert_eq!(kept[1].residency(), Residency::Device(GPU));
    // More than the memory, in one piece: no eviction would help.
    let huge = || Random::<u8>::new(1, &[2 << 20]).unwrap();
    let error = runtime.run_on(GPU, huge()).unwrap_err();
    assert_eq!(kept[1].residency(), Residency::Device(GPU));
    let Error::OutOfMemory {
        operation,
        shortage,
    } = &error
    else {
        panic!("{error}");
    };
    assert_eq!(*operation, "random");
    assert_eq!(shortage.asked, Bytes(2 << 20));
    assert_eq!(shortage.device, GPU);
    let AllocationSite { kind, place } = shortage.holders[0].site;
    assert_eq!((kind, place.file(), place.line()), ("xor", file!(), line));
    assert!(shortage.holders[0].bytes >= Bytes(600 << 10), "{shortage}");
    let text = error.to_string();
    assert!(text.contains(" blocks by xor at "), "{text}");
    assert!(error.hint().is_some(), "{error}");
    // Without a named device, the router takes another one and reports it.
    let elsewhere = runtime.run(huge()).unwrap();
    assert_eq!(elsewhere.residency(), Residency::Host);
    assert_eq!(runtime.report().fallbacks.len(), 1);
}

#[test]
fn results_of_three_times_the_memory_are_all_kept() {
    const EACH: usize = 2 << 20;
    let gpu = gpu(64 << 20, Faults::default());
    let runtime = runtime(&gpu, Size::Share(1.0));
    // The device is named, so that no other may take the operations; each result is made in
    // one piece, so that it cannot pass through to the host.
    let results: Vec<Array<u8>> = (0..96)
        .map(|seed| {
            let random = Random::new(seed, &[EACH]).unwrap();
            runtime.run_on(GPU, random).unwrap()
        })
        .collect();
    let report = runtime.report();
    assert_eq!(report.failures, 0);
    let reading = memory_of(&report).reading;
    assert!(reading.spilled >= Bytes(2 * (64 << 20)), "{reading:?}");
    assert!(reading.limit.peak <= Bytes(64 << 20));
    let live_allocations = runtime.live_allocations();
    assert_eq!(
        (live_allocations.len(), live_allocations[0].device),
        (1, GPU)
    );
    assert_eq!(live_allocations[0].holders[0].site.kind, "random");
    // The oldest were moved to the host; they come back where they are needed.
    assert_eq!(results[0].residency(), Residency::Host);
    assert_eq!(results[95].residency(), Residency::Device(GPU));
    let sums: Vec<u64> = results
        .iter()
        .map(|result| runtime.run_on(GPU, Sum::new(result)).unwrap())
        .collect();
    for (seed, (result, sum)) in (0..96).zip(results.iter().zip(sums)) {
        let random = Random::new(seed, &[EACH]).unwrap();
        let expected: Array<u8> = runtime.run_on(DeviceId::CPU, random).unwrap();
        let expected = expected.as_slice().unwrap();
        assert_eq!(sum, sum_of(expected), "{seed}");
        assert!(result.as_slice().unwrap() == expected, "{seed}");
    }
    drop((runtime, results));
    assert_all_freed(&gpu);
}

#[test]
fn threads_read_arrays_that_were_spilled() {
    const EACH: usize = 256 << 10;
    let gpu = gpu(1 << 20, Faults::default());
    let runtime = runtime(&gpu, Size::Share(1.0));
    let content = noise(EACH, 9);
    let data = Array::from_slice(&content);
    let results: Vec<_> = (0..12_u8)
        .map(|key| {
            let key = Array::from_slice(&[key]);
            runtime.run_on(GPU, Xor::new(&data, &key).unwrap()).unwrap()
        })
        .collect();
    // Some threads read on the host what others have brought to the GPU, or move it off the
    // GPU.
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (runtime, results, content) = (&runtime, &results, &content);
            scope.spawn(move || {
                for turn in 0..60 {
                    let at = (turn * 5 + thread * 3) % results.len();
                    let result = &results[at];
                    let expected: Vec<u8> = content.iter().map(|byte| byte ^ at as u8).collect();
                    if (turn + thread) % 3 == 0 {
                        assert!(result.as_slice().unwrap() == expected);
                    } else {
                        assert_eq!(runtime.sum(result).unwrap(), sum_of(&expected));
                    }
                }
            });
        }
    });
    drop((runtime, results, data));
    assert_all_freed(&gpu);
}

/// An array and its expected content.
type Known = (Array<u8>, Vec<u8>);

fn step(runtime: &Runtime, gpu: &SimtDevice, generator: &mut Generator, known: &mut Vec<Known>) {
    let short = |error: &Error| matches!(error, Error::OutOfMemory { .. });
    let pick = generator.index(known.len().max(1));
    match (generator.index(12), known.get(pick)) {
        (0..3, _) | (_, None) => {
            let content = noise(1 + generator.index(48 << 10), generator.word());
            known.push((Array::from_slice(&content), content));
        }
        (3..6, Some((array, content))) => {
            let key = noise(1 + generator.index(100), 3);
            let actual = runtime.xor(array, &Array::from_slice(&key)).unwrap();
            let pairs = content.iter().zip(key.iter().cycle());
            known.push((actual, pairs.map(|(data, key)| data ^ key).collect()));
        }
        (6, Some((array, content))) => {
            assert_eq!(runtime.sum(array).unwrap(), sum_of(content));
        }
        (7, Some((array, content))) => assert!(array.as_slice().unwrap() == content),
        (8, Some((array, _))) => {
            if let Err(error) = runtime.prefetch(array, GPU) {
                assert!(short(&error), "{error}");
            }
        }
        (9, Some(_)) => match gpu.allocate(Bytes(generator.index(64 << 10) as u64)) {
            Ok(buffer) => drop(buffer),
            Err(error) => assert!(short(&error), "{error}"),
        },
        (10, Some(_)) if generator.index(20) == 0 => {
            gpu.memory().unwrap().cleanup();
        }
        (_, Some(_)) => {
            known.swap_remove(pick);
        }
    }
    if known.len() > 60 {
        known.swap_remove(pick);
    }
}

#[test]
fn ten_thousand_random_steps_with_faults_lose_nothing() {
    for (seed, refusal_every, launch) in [(1, Some(7), None), (2, Some(3), Some(500))] {
        let faults = Faults::default().with(|it| {
            it.refusal_every = refusal_every;
            it.launch = launch;
            it.allocation = Some(900);
        });
        let gpu = gpu(512 << 10, faults);
        let runtime = runtime(&gpu, Size::Share(0.9));
        let (mut generator, mut known) = (Generator::seeded(seed), Vec::new());
        for _ in 0..10_000 {
            step(&runtime, &gpu, &mut generator, &mut known);
        }
        for (array, content) in &known {
            assert!(array.as_slice().unwrap() == content);
        }
        let report = runtime.report();
        let reading = memory_of(&report).reading;
        assert!(reading.cleanups.runs > 100 && reading.rescued > 100);
        assert!(reading.limit.peak <= reading.limit.capacity);
        drop((runtime, known));
        assert_all_freed(&gpu);
    }
}

#[test]
fn threads_that_need_more_than_the_memory_share_it() {
    const EACH: usize = 300 << 10;
    let gpu = gpu(1 << 20, Faults::default());
    let runtime = runtime(&gpu, Size::Share(1.0));
    let contents: Vec<_> = (0..10).map(|seed| noise(EACH, seed)).collect();
    let arrays: Vec<_> = contents.iter().map(|it| Array::from_slice(it)).collect();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (runtime, contents, arrays) = (&runtime, &contents, &arrays);
            scope.spawn(move || {
                for turn in 0..25 {
                    let at = (turn * 3 + thread * 7) % arrays.len();
                    let sum = runtime.sum(&arrays[at]).unwrap();
                    assert_eq!(sum, sum_of(&contents[at]));
                }
            });
        }
    });
    let report = runtime.report();
    assert_eq!(report.failures, 0);
    drop((runtime, arrays));
    assert_all_freed(&gpu);
}

#[test]
fn a_repeating_workload_is_served_from_the_pool() {
    let settings = MemorySettings::new(DeviceId::cuda(0), Bytes(1 << 30))
        .with(|it| it.tracks_queued_work = true);
    let base_storage = Box::new(SimulatedStorage::new(Bytes(1 << 30)));
    let memory = AcceleratorMemory::new(base_storage, settings, Arc::new(SystemClock::new()));
    for round in 0_u8..=255 {
        let stream = StreamIndex::new(round % 8).unwrap().as_set();
        memory.queued(stream);
        let sizes = [1 << 10, 100_000, 5 << 20, 3];
        let blocks = sizes.map(|bytes| memory.allocate(Bytes(bytes), None).unwrap());
        for block in blocks {
            memory.free(block, stream);
        }
        memory.synchronized(stream);
    }
    let storage = memory.reading().storage;
    assert!(storage.hit_rate() >= 0.99, "{storage:?}");
}

//! Jobs on emulated GPUs.

use super::*;
use crate::engine::Example;
use crate::gpu::device_group::Member;
use crate::gpu::program_queue::Latency;
use crate::gpu::sample::{programs, tasks};
use crate::meter::Budget;
use crate::operations::{WorkerPool, by_device};
use crate::plan::Plan;
use heddle_cuda::simt::{Faults, SimtDevice, SimtOptions};
use heddle_runtime::Config;
use heddle_runtime::batch::CancelToken;
use std::sync::Arc;

fn runtime(force: bool) -> Runtime {
    let gpu = SimtDevice::new(0, SimtOptions::default());
    let config = Config::default().with(|it| it.device = force.then(|| DeviceId::simt(0)));
    let builder = Runtime::builder().config(config).device(Arc::new(gpu));
    builder.without_model_cache().build().unwrap()
}

/// Two emulated GPUs, one of them with faults, beside a processor.
fn several_gpus(faults: Faults) -> Runtime {
    let gpu = |index, faults| {
        let options = SimtOptions::default().with(|it| {
            it.faults = faults;
            it.workers = 1;
        });
        Arc::new(SimtDevice::new(index, options))
    };
    let config = Config::default().with(|it| it.threads = Some(1));
    let builder = Runtime::builder().config(config);
    let builder = builder.device(gpu(0, Faults::default()));
    builder
        .device(gpu(1, faults))
        .without_model_cache()
        .build()
        .unwrap()
}

/// All three, equally fast.
fn device_group() -> DeviceGroup {
    let devices = [DeviceId::CPU, DeviceId::simt(0), DeviceId::simt(1)];
    let member = |device| Member {
        device,
        rate: 200.0,
    };
    let mut device_group = DeviceGroup::new(devices.map(member).to_vec());
    device_group.latency = Latency {
        launch: 0.0,
        step: 0.0,
    };
    device_group
}

/// Slow enough that nobody is done before the others have begun.
fn slowly(_: u64) {
    thread::sleep(Duration::from_millis(5));
}

struct Work {
    plan: Plan,
    examples: Vec<Vec<Example<'static>>>,
    wanted: Vec<Vec<&'static Grid>>,
}

impl Work {
    fn new(tasks_run: usize) -> Self {
        let some = || tasks()[..tasks_run].iter();
        Work {
            plan: Plan::new(&programs()[..12]),
            examples: some().map(|task| task.examples().collect()).collect(),
            wanted: some()
                .map(|task| task.pairs().map(|(_, output)| output).collect())
                .collect(),
        }
    }

    fn tiles(&self) -> Vec<Tile<'_>> {
        self.examples
            .iter()
            .map(|examples| Tile {
                plan: &self.plan,
                examples,
            })
            .collect()
    }
}

#[test]
fn operations_follow_each_other_and_what_is_flagged_is_filled_in() {
    let work = Work::new(8);
    let tiles = work.tiles();
    let wanted = |part: TileExample| work.wanted[part.tile][part.example];
    let worker_pool = WorkerPool::new(Budget::default());
    let settings = EvaluationSettings::of(&worker_pool);
    let mut launch = LaunchSettings::default();
    launch.caps.rows = 16;
    let known = grade(&runtime(false), &tiles, &settings, launch, wanted).unwrap();
    assert!(matches!(known.on_cpu, Some(CpuReason::Decided(_))));
    let gpu = runtime(true);
    let found = judge_in_parts(&gpu, &tiles, &settings, launch, 50, None, wanted).unwrap();
    assert_eq!(found.graded, known.graded);
    assert!(found.flags.total() > 0 && found.on_cpu.is_none());
    let spans = gpu.profiler().spans();
    let launches = spans.iter().filter(|span| &*span.device == "simt:0");
    assert!(launches.count() >= 3);
    let counts = by_device(&gpu);
    assert_eq!(counts["cpu"], found.flags.total());
}

#[test]
fn a_cancelled_job_ends_after_the_operation_under_way() {
    let work = Work::new(8);
    let tiles = work.tiles();
    let wanted = |part: TileExample| work.wanted[part.tile][part.example];
    let worker_pool = WorkerPool::new(Budget::default());
    let token = CancelToken::new();
    let settings = EvaluationSettings {
        worker_pool: &worker_pool,
        token: token.clone(),
        progress: &|_| token.cancel(),
    };
    let launch = LaunchSettings::default();
    let found =
        judge_in_parts(&runtime(true), &tiles, &settings, launch, 50, None, wanted).unwrap();
    let done = found.graded.iter().filter(|(_, row)| row.is_some()).count();
    let examples: usize = tiles.iter().map(|tile| tile.examples.len()).sum();
    assert_eq!(found.graded.len(), examples);
    assert!(done > 0 && done < examples, "{done} of {examples}");
}

#[test]
fn devices_share_a_job_and_answer_as_one() {
    let work = Work::new(8);
    let tiles = work.tiles();
    let evaluations: usize = tiles.iter().map(Tile::evaluations).sum();
    let wanted = |part: TileExample| work.wanted[part.tile][part.example];
    let worker_pool = WorkerPool::new(Budget::default());
    let mut launch = LaunchSettings::default();
    let known = grade(
        &runtime(false),
        &tiles,
        &EvaluationSettings::of(&worker_pool),
        launch,
        wanted,
    )
    .unwrap();
    let settings = EvaluationSettings {
        progress: &slowly,
        ..EvaluationSettings::of(&worker_pool)
    };
    // Few steps: what is long is left to the processor from the start.
    launch.caps.steps = 300;
    let several_gpus = several_gpus(Faults::default());
    let found = judge_in_parts(
        &several_gpus,
        &tiles,
        &settings,
        launch,
        50,
        Some(device_group()),
        wanted,
    );
    let found = found.unwrap();
    assert_eq!(found.graded, known.graded);
    assert_eq!(found.on_cpu, Some(CpuReason::Shared));
    let counts = by_device(&several_gpus);
    for device in ["cpu", "simt:0", "simt:1"] {
        assert!(counts[device] > 0, "{counts:?}");
    }
    let all: u64 = counts.values().sum();
    assert_eq!(all, evaluations as u64 + found.flags.total(), "{counts:?}");
    // What some programs take says nothing of others, and no price is learned of it.
    let spans = several_gpus.profiler().spans();
    let mut kinds = spans.iter().map(|span| &*span.operation);
    assert!(kinds.all(|kind| kind != EVALUATE.name()));
}

#[test]
fn a_shared_job_can_be_cancelled() {
    let work = Work::new(8);
    let tiles = work.tiles();
    let wanted = |part: TileExample| work.wanted[part.tile][part.example];
    let worker_pool = WorkerPool::new(Budget::default());
    let token = CancelToken::new();
    let known = grade(
        &runtime(false),
        &tiles,
        &EvaluationSettings::of(&worker_pool),
        LaunchSettings::default(),
        wanted,
    );
    let settings = EvaluationSettings {
        worker_pool: &worker_pool,
        token: token.clone(),
        progress: &|_| token.cancel(),
    };
    let launch = LaunchSettings::default();
    let several_gpus = several_gpus(Faults::default());
    let found = judge_in_parts(
        &several_gpus,
        &tiles,
        &settings,
        launch,
        50,
        Some(device_group()),
        wanted,
    );
    let (found, known) = (found.unwrap(), known.unwrap());
    assert_eq!(found.graded.len(), known.graded.len());
    let pairs = || found.graded.iter().zip(&known.graded);
    let done = pairs().filter(|(found, _)| found.1.is_some());
    assert!(done.clone().count() < known.graded.len());
    assert!(done.clone().count() > 0);
    for (found, known) in done {
        assert_eq!(found, known);
    }
}

#[test]
fn a_device_that_fails_ends_a_shared_job_with_an_error() {
    let work = Work::new(8);
    let tiles = work.tiles();
    let wanted = |part: TileExample| work.wanted[part.tile][part.example];
    let worker_pool = WorkerPool::new(Budget::default());
    let settings = EvaluationSettings {
        progress: &slowly,
        ..EvaluationSettings::of(&worker_pool)
    };
    for faults in [
        Faults::default().with(|it| it.launch = Some(1)),
        Faults::default().with(|it| it.lost_after = Some(12)),
    ] {
        let several_gpus = several_gpus(faults);
        let launch = LaunchSettings::default();
        let ended = judge_in_parts(
            &several_gpus,
            &tiles,
            &settings,
            launch,
            50,
            Some(device_group()),
            wanted,
        );
        let told = ended.unwrap_err().to_string();
        assert!(told.contains("simt:1"), "{told}");
    }
}

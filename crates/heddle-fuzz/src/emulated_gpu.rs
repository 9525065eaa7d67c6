//! Programs made from bytes, on the CPU and on an emulated GPU: the same values, faults and
//! numbers of steps, unless the GPU leaves the evaluation to the CPU and says so.

use std::sync::{Arc, LazyLock};

use heddle_arc::engine::{Evaluation, EvaluationRef, Tile, Worker};
use heddle_arc::gpu::{Answer, Batch, Interpret, LaunchSettings, ResultError};
use heddle_arc::operations::TileExample;
use heddle_arc::plan::Plan;
use heddle_cuda::simt::{SimtDevice, SimtOptions};
use heddle_runtime::device::DeviceId;
use heddle_runtime::units::Bytes;
use heddle_runtime::{Config, Runtime};

use crate::any_program::case;
use crate::differential::budget;
use crate::generated_programs;

/// The bytes for a copy of each value.
const DUMP: Bytes = Bytes(64 << 10);

/// One emulated GPU of one thread, so that a launch is repeatable.
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    let options = SimtOptions::default().with(|it| it.workers = 1);
    let config = Config::default().with(|it| {
        it.device = Some(DeviceId::simt(0));
        it.threads = Some(1);
    });
    let gpu = SimtDevice::new(0, options);
    let builder = Runtime::builder().config(config).device(Arc::new(gpu));
    let runtime = builder.without_model_cache().build();
    runtime.expect("a runtime of two devices can be made")
});

pub fn check(bytes: &[u8]) {
    let (programs, inputs) = case(bytes);
    if programs.is_empty() {
        return;
    }
    let plan = Plan::new(&programs);
    let examples = [inputs.example()];
    let mut expected: Vec<(Evaluation, Option<u64>)> = Vec::new();
    Worker::new(budget()).run(&plan, &examples, |_, _, evaluation| {
        let steps = match evaluation {
            EvaluationRef::Defined { steps, .. } => Some(steps),
            EvaluationRef::Undefined(_) => None,
        };
        expected.push((evaluation.to_evaluation(), steps));
    });
    let tiles = [Tile {
        plan: &plan,
        examples: &examples,
    }];
    let batch = Batch::new(&tiles, budget(), |_| None);
    let settings = LaunchSettings::default().with(|it| {
        it.warps = 1;
        it.budget = budget();
        it.dump = DUMP;
    });
    let interpret = Interpret::new(batch.job(), settings);
    let ran = RUNTIME
        .run_on(DeviceId::simt(0), interpret)
        .unwrap_or_else(|error| panic!("the launch failed: {error}"));
    let part = TileExample {
        tile: 0,
        example: 0,
    };
    for (program, expected) in expected.iter().enumerate() {
        let evaluation = match batch.evaluation(&ran, &plan, part, program) {
            Ok(evaluation) => evaluation,
            Err(ResultError::Flagged(_)) => continue,
            Err(problem) => panic!("{problem}\n{}", programs[program]),
        };
        let steps = match batch.answer(&ran, part, program) {
            Answer::Defined { steps, .. } => Some(u64::from(steps)),
            _ => None,
        };
        assert_eq!(&(evaluation, steps), expected, "{}", programs[program]);
    }
}

#[must_use]
pub fn seeds() -> Vec<Vec<u8>> {
    generated_programs::seeds()
}

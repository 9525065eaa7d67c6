//! The operation that launches the interpreter kernel.
//!
//! The kernel is persistent: each warp takes the next row of the schedule until there is
//! none, and runs the row's program on its example. A warp's memory is allocated once for
//! all of its evaluations.

use super::answer::{Answer, culprit_of};
use super::caps::Caps;
use super::kernels::KERNELS;
use super::result_slot::ResultSlot;
use super::schedule::{Schedule, Spot, Turn};
use crate::meter::Budget;
use crate::operations::EVALUATE;
use crate::prim::Prim;
use heddle_runtime::device::{
    Accelerator, Argument, DeviceId, ExecutionContext, ExecutionTarget, Kernel, Launch,
    MappedResults,
};
use heddle_runtime::units::Bytes;
use heddle_runtime::{Array, DType, Description, Error, Kind, Operand, Operation, ResultLocation};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The kernel.
const KERNEL: &Kernel = Kernel::named(&KERNELS, "arc_evaluate");
/// Threads of a warp.
const WARP: u32 = 32;
/// Warps of a block at most: all that a multiprocessor runs. They go step by step
/// together, so that each instruction is fetched once for all of them.
const MAX_WARPS: u64 = 32;
/// Bytes of a result.
const RESULT_BYTES: u64 = 8;
/// Flagged evaluations that a launch tells of while it runs, at most.
const MAX_FLAGGED: usize = 1 << 16;

/// The settings of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LaunchSettings {
    /// The limits of a warp.
    pub caps: Caps,
    /// The budget of each evaluation; its wall time is ignored.
    pub budget: Budget,
    /// The most warps. There are fewer if there are fewer rows, if memory is short or if the
    /// device cannot run as many at once.
    pub warps: u32,
    /// The most warps for each multiprocessor, in blocks of up to 32.
    pub warps_per_unit: u32,
    /// The bytes for a copy of each value; zero means no copies.
    pub dump: Bytes,
}

impl Default for LaunchSettings {
    /// 32 warps on each of the 132 multiprocessors of an H200.
    fn default() -> Self {
        LaunchSettings {
            caps: Caps::default(),
            budget: Budget::default(),
            warps: 132 * 32,
            warps_per_unit: 32,
            dump: Bytes(0),
        }
    }
}

impl LaunchSettings {
    /// Returns them after `change`: `default().with(|it| it.warps = 8)`.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}

/// A program and consecutive examples that it runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduleRow {
    /// The program's offset in the code.
    pub program: u32,
    /// The number of the first example.
    pub first_example: u32,
    /// The number of examples.
    pub examples: u32,
    /// The number of the first result; the results of the other examples follow.
    pub first_result: u32,
}

impl ScheduleRow {
    fn spots(self) -> Vec<Spot> {
        let spot = |at| Spot {
            example: self.first_example + at,
            result: self.first_result + at,
            stride: 0,
        };
        (0..self.examples).map(spot).collect()
    }
}

/// The evaluations of a launch: code, examples and schedule.
#[derive(Clone, Debug)]
pub struct Job {
    code: Array<u32>,
    data: Array<u8>,
    schedule: Schedule,
    evaluations: usize,
}

impl Job {
    /// A job of the words of [`Bytecode`](super::Bytecode), the bytes of
    /// [`Examples`](super::Examples) and rows.
    #[must_use]
    pub fn new(code: &[u32], data: &[u8], rows: &[ScheduleRow]) -> Job {
        let lists: Vec<Vec<Spot>> = rows.iter().map(|row| row.spots()).collect();
        let turn = |(list, row): (usize, &ScheduleRow)| Turn {
            program: row.program,
            place: 0,
            list,
        };
        let turns: Vec<Turn> = rows.iter().enumerate().map(turn).collect();
        let end = |row: &ScheduleRow| (row.first_result + row.examples) as usize;
        let evaluations = rows.iter().map(end).max().unwrap_or(0);
        let (code, data) = (Array::from_slice(code), Array::from_slice(data));
        Job::sharing(&code, &data, Schedule::new(&turns, &lists), evaluations)
    }

    /// The same with code and data that may be on a device already, with so many
    /// results.
    pub(super) fn sharing(
        code: &Array<u32>,
        data: &Array<u8>,
        schedule: Schedule,
        evaluations: usize,
    ) -> Job {
        Job {
            code: code.clone(),
            data: data.clone(),
            schedule,
            evaluations,
        }
    }

    /// Code, data and schedule, and where they are.
    pub(super) fn operands(&self) -> [Operand; 3] {
        [
            (&self.code).into(),
            (&self.data).into(),
            self.schedule.words().into(),
        ]
    }

    /// Brings code and data to a device.
    pub(super) fn prefetch(
        &self,
        context: &ExecutionContext<'_>,
        accelerator: &dyn Accelerator,
    ) -> Result<(), Error> {
        context.resident(&self.code, accelerator)?;
        context.resident(&self.data, accelerator)?;
        Ok(())
    }

    /// The number of results.
    #[must_use]
    pub fn evaluations(&self) -> usize {
        self.evaluations
    }

    #[cfg(test)]
    pub(super) fn schedule(&self) -> &Schedule {
        &self.schedule
    }
}

/// The results of a job.
#[derive(Clone, Debug, Default)]
pub struct Ran {
    /// Results, and behind them what was flagged; none where nothing was launched.
    words: Option<Arc<dyn MappedResults>>,
    results: usize,
    dumps: Vec<u8>,
    dump: usize,
}

impl Ran {
    /// One with these words, of which so many are results.
    #[cfg(test)]
    pub(super) fn of(words: Arc<dyn MappedResults>, results: usize) -> Ran {
        Ran {
            words: Some(words),
            results,
            ..Ran::default()
        }
    }

    /// The number of results.
    #[must_use]
    pub fn len(&self) -> usize {
        self.results
    }

    /// Whether there are no results.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.results == 0
    }

    /// All of them.
    pub(super) fn results(&self) -> &[AtomicU64] {
        let words = self.words.as_deref().map_or(&[][..], MappedResults::words);
        &words[..self.results]
    }

    /// The same with what was flagged behind them.
    pub(super) fn words(&self) -> Option<&dyn MappedResults> {
        self.words.as_deref()
    }

    fn result(&self, result: usize) -> u64 {
        let word = self.results().get(result);
        word.map_or(0, |word| word.load(Ordering::Acquire))
    }

    /// A result, decoded.
    #[must_use]
    pub fn answer(&self, result: usize) -> Answer {
        Answer::of(self.result(result))
    }

    /// The primitive in which an evaluation failed or was flagged.
    #[must_use]
    pub fn failed_primitive(&self, result: usize) -> Option<Prim> {
        culprit_of((self.result(result) >> 32) as u32)
    }

    /// The copy of a value; empty if the launch made no copies.
    #[must_use]
    pub fn dump(&self, result: usize) -> &[u8] {
        let dumps = self.dumps.get(result * self.dump..);
        dumps
            .and_then(|dumps| dumps.get(..self.dump))
            .unwrap_or(&[])
    }
}

/// The operation that runs a job on a device with kernels.
#[derive(Debug)]
pub struct Interpret<'a> {
    job: &'a Job,
    settings: LaunchSettings,
    /// It is launched for so many rows, whatever it has.
    rows: u64,
}

impl<'a> Interpret<'a> {
    /// The operation for a job with these settings.
    #[must_use]
    pub fn new(job: &'a Job, settings: LaunchSettings) -> Self {
        Interpret {
            job,
            settings,
            rows: job.schedule.rows().into(),
        }
    }

    /// With as many warps as so many rows take.
    pub(super) fn for_rows(self, rows: u64) -> Self {
        Interpret { rows, ..self }
    }

    fn block_bytes(&self) -> u64 {
        block_bytes(&self.settings)
    }

    fn results_bytes(&self) -> Bytes {
        Bytes(RESULT_BYTES * self.job.evaluations as u64)
    }

    /// Bytes of the copy of a value: a multiple of 16.
    fn dump(&self) -> u64 {
        self.settings.dump.0 / 16 * 16
    }

    fn dumps_bytes(&self) -> u64 {
        self.dump() * self.job.evaluations as u64
    }

    /// Blocks a device runs at once and has memory for.
    fn blocks(&self, context: &ExecutionContext<'_>, accelerator: &dyn Accelerator) -> u64 {
        let units = accelerator.properties().units as u64;
        let room = context.budget().0 / self.block_bytes();
        wanted_blocks(&self.settings, self.rows)
            .min(units * blocks_per_unit(&self.settings))
            .min(room)
            .max(1)
    }

    /// Launches it. Who looks into the letterbox finds results before all have come.
    pub(super) fn launch(
        &self,
        context: &ExecutionContext<'_>,
        accelerator: &dyn Accelerator,
        result_slot: Option<&ResultSlot>,
    ) -> Result<Ran, Error> {
        let Job {
            code,
            data,
            schedule,
            ..
        } = self.job;
        let caps = Array::from_slice(&self.settings.caps.words());
        // The kernel counts in it, so it is nobody else's.
        let queue = Array::from_slice(&[0_u32; 2]);
        let [code, turns, caps, queue] = [
            context.resident(code, accelerator)?,
            context.resident(schedule.words(), accelerator)?,
            context.resident(&caps, accelerator)?,
            context.resident(&queue, accelerator)?,
        ];
        let data = context.resident(data, accelerator)?;
        let results = self.job.evaluations;
        let flagged = words_for(results) - results;
        let Some(words) = accelerator.mapped_results(results + flagged)? else {
            return Err(Error::NotImplementedOn {
                operation: EVALUATE.name(),
                device: context.device(),
            });
        };
        let dumps = accelerator.allocate(Bytes(self.dumps_bytes().max(16)))?;
        let blocks = self.blocks(context, accelerator);
        let scratch = accelerator.allocate(Bytes(blocks * self.block_bytes()))?;
        let Budget { steps, bytes, .. } = self.settings.budget;
        if let Some(result_slot) = result_slot {
            result_slot.launched(&words);
        }
        accelerator.launch(&Launch {
            kernel: KERNEL,
            grid: [blocks as u32, 1, 1],
            block: [WARP * warps(&self.settings) as u32, 1, 1],
            shared: 0,
            arguments: &[
                Argument::Buffer(&**code),
                Argument::Buffer(&**data),
                Argument::Buffer(&**turns),
                Argument::U32(schedule.programs()),
                Argument::U32(schedule.rows()),
                Argument::Buffer(&**queue),
                Argument::MappedResults(&*words),
                Argument::U32(results as u32),
                Argument::U32(flagged as u32),
                Argument::Buffer(&*scratch),
                Argument::U64(self.settings.caps.scratch().0),
                Argument::Buffer(&**caps),
                Argument::U64(steps),
                Argument::U64(bytes),
                Argument::Buffer(&*dumps),
                Argument::U64(self.dump()),
            ],
        })?;
        accelerator.synchronize()?;
        context.received(self.results_bytes());
        let mut ran = Ran {
            words: Some(words),
            results,
            dumps: vec![0; self.dumps_bytes() as usize],
            dump: self.dump() as usize,
        };
        if !ran.dumps.is_empty() {
            context.download(&*dumps, &mut ran.dumps)?;
        }
        Ok(ran)
    }
}

/// Words of the host that a launch with so many results writes.
pub(super) fn words_for(results: usize) -> usize {
    results + results.min(MAX_FLAGGED)
}

/// Warps of a block.
fn warps(settings: &LaunchSettings) -> u64 {
    u64::from(settings.warps_per_unit.min(settings.warps)).clamp(1, MAX_WARPS)
}

/// Blocks on a multiprocessor.
fn blocks_per_unit(settings: &LaunchSettings) -> u64 {
    (u64::from(settings.warps_per_unit) / warps(settings)).max(1)
}

/// Blocks that rows and settings ask for.
fn wanted_blocks(settings: &LaunchSettings, rows: u64) -> u64 {
    let all = u64::from(settings.warps).min(rows);
    all.div_ceil(warps(settings)).max(1)
}

fn block_bytes(settings: &LaunchSettings) -> u64 {
    warps(settings) * settings.caps.scratch().0
}

/// What a job is described as whose code, data and schedule are these.
pub(super) fn outline(
    kind: &'static Kind,
    settings: &LaunchSettings,
    [code, data, schedule]: [Operand; 3],
    rows: u64,
    evaluations: u64,
) -> Description {
    let result = RESULT_BYTES + settings.dump.0 / 16 * 16;
    let out = result * evaluations;
    let wanted = wanted_blocks(settings, rows);
    // Caps, queue and the stand-in for dumps nobody asked for.
    let small = 1024;
    let description = Description::new(kind, DType::U8, evaluations)
        .reads(code)
        .reads(data)
        .reads(schedule)
        .writes(Bytes(out))
        .leaves(ResultLocation::Host)
        .scratches_on_gpu(Bytes(wanted * block_bytes(settings) + small));
    let least = description.input().0 + out + block_bytes(settings) + small;
    description.splits_to(Bytes(least))
}

impl Operation for Interpret<'_> {
    type Output = Ran;

    fn describe(&self) -> Description {
        let evaluations = self.job.evaluations as u64;
        let operands = self.job.operands();
        outline(&EVALUATE, &self.settings, operands, self.rows, evaluations)
    }

    fn runs_on(&self, device: DeviceId) -> bool {
        device.has_kernels()
    }

    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<Ran, Error> {
        match context.target() {
            ExecutionTarget::Accelerator(_) if self.job.evaluations == 0 => Ok(Ran::default()),
            ExecutionTarget::Accelerator(accelerator) => self.launch(context, accelerator, None),
            ExecutionTarget::Host(_) => Err(Error::NotImplementedOn {
                operation: EVALUATE.name(),
                device: context.device(),
            }),
        }
    }
}

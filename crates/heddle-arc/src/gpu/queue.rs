//! What nobody has taken yet of a job, and how much each device takes.
//!
//! GPUs take blocks from the front, in large portions; a processor that shares the job
//! takes small ones from the back. Where it is known how long programs are, both take
//! programs instead: see [`ProgramQueue`].

use super::device_group::{DeviceGroup, Member};
use super::program_queue::{ProgramQueue, QueueStep};
use super::program_selection::ProgramSelection;
use super::selected_evaluations::SelectedOfTile;
use super::tile_group::TileGroup;
use crate::engine::Tile;
use crate::operations::{ExampleBlock, PROGRAMS_PER_BLOCK};
use heddle_runtime::device::DeviceId;
use heddle_runtime::units::Nanos;
use std::collections::HashMap;
use std::sync::Arc;

/// The least and the most evaluations of an operation on a GPU.
const MIN_EVALUATIONS: usize = 1 << 10;
const MAX_EVALUATIONS: usize = 1 << 22;
/// What an operation on a GPU should take: long against what it costs to begin
/// one, short for somebody who watches or cancels.
const SHORT: Nanos = Nanos(50_000_000);
const LONG: Nanos = Nanos(500_000_000);
/// The part of its fair share that a GPU takes at once: nearly all, because each
/// launch ends with a wait for its slowest evaluation; shares are predicted.
const PART_OF_SHARE: f64 = 0.9;
/// Seconds of work below which a launch is not worth that wait.
const LAUNCH_S: f64 = 0.02;
/// Seconds of work that a processor takes at once: what it is late by at the end.
const QUICK_S: f64 = 0.02;

/// What is left of a job.
#[derive(Debug)]
pub(super) struct Queue<'a> {
    tiles: &'a [Tile<'a>],
    tile_groups: &'a [TileGroup],
    rest: &'a [ExampleBlock],
    /// Evaluations in the rest.
    left: usize,
    /// Evaluations of the next operation, about, where nobody shares.
    at_once: usize,
    device_group: DeviceGroup,
    /// Evaluations that members have taken and not made yet.
    under_way: HashMap<DeviceId, usize>,
    /// The same by program; blocks do not matter then.
    by_program: Option<ProgramQueue<'a>>,
    /// GPUs whose first launch has not begun yet. All threads lay it out and upload it, so
    /// the processor does nothing else meanwhile.
    to_start: Vec<DeviceId>,
    /// Threads that still take for GPUs.
    hands: usize,
    /// Portions whose flagged evaluations are being redone.
    redoing: usize,
}

/// What comes next for a GPU, or for whichever device the router chooses.
#[derive(Debug)]
pub(super) enum Next<'a> {
    /// Blocks, and the lot they are in; of some programs, or of all.
    Blocks(
        &'a [ExampleBlock],
        Option<&'a TileGroup>,
        Option<Arc<ProgramSelection>>,
    ),
    /// It has its share; ask again when something has changed.
    Wait,
    /// Nothing, and nothing will come.
    Done,
}

/// What a processor does next beside GPUs.
#[derive(Debug)]
pub(super) enum Beside {
    /// Evaluations of some programs.
    SelectedOfTile(Vec<SelectedOfTile>),
    /// Blocks of its own.
    Blocks(Vec<ExampleBlock>),
    /// It would hold the others up; ask again when something has changed.
    Wait,
    /// There is nothing left, and nothing will come.
    Done,
}

/// How much a GPU takes.
enum LaunchSize {
    Evaluations(usize),
    Wait,
    None,
}

impl<'a> Queue<'a> {
    /// All blocks, of tiles in these lots, or in none.
    pub(super) fn new(
        tiles: &'a [Tile<'a>],
        tile_groups: &'a [TileGroup],
        blocks: &'a [ExampleBlock],
        at_once: usize,
        device_group: DeviceGroup,
    ) -> Self {
        Queue {
            tiles,
            tile_groups,
            rest: blocks,
            left: blocks.iter().map(|block| block.evaluations(tiles)).sum(),
            at_once,
            // Beside threads that evaluate, lowering takes twice as long.
            to_start: device_group.gpus().collect(),
            device_group,
            under_way: HashMap::new(),
            by_program: None,
            hands: 0,
            redoing: 0,
        }
    }

    /// The lot of the next blocks.
    pub(super) fn tile_group(&self) -> Option<&'a TileGroup> {
        let first = self.rest.first()?;
        self.tile_groups
            .iter()
            .find(|tile_group| tile_group.tiles().contains(&first.tile))
    }

    /// Goes on by program.
    pub(super) fn next_programs(&mut self, by_program: ProgramQueue<'a>) {
        self.by_program = Some(by_program);
    }

    /// Notes that a GPU has something to run, or never will.
    pub(super) fn started(&mut self, device: DeviceId) {
        self.to_start.retain(|other| *other != device);
    }

    /// What comes next.
    pub(super) fn take(&mut self, device: Option<DeviceId>) -> Next<'a> {
        if let (Some(by_program), Some(device)) = (&mut self.by_program, device) {
            if self.to_start.contains(&device) && by_program.is_busy(device) {
                // Nothing may overtake its first launch.
                return Next::Wait;
            }
            return match by_program.take(device) {
                QueueStep::Programs(program_selection, tile_group) => Next::Blocks(
                    by_program.blocks(tile_group),
                    Some(&self.tile_groups[tile_group]),
                    Some(program_selection),
                ),
                QueueStep::Wait => Next::Wait,
                QueueStep::Done => Next::Done,
            };
        }
        if self.rest.is_empty() {
            return Next::Done;
        }
        let most = match device.map(|device| self.portion_of(device)) {
            Some(LaunchSize::Evaluations(most)) => most,
            Some(LaunchSize::Wait) => return Next::Wait,
            Some(LaunchSize::None) => return Next::Done,
            None => self.at_once,
        };
        let tile_group = self.tile_group();
        let (mut count, mut taken) = (0, 0);
        for block in self.rest {
            if taken >= most
                || tile_group.is_some_and(|tile_group| !tile_group.tiles().contains(&block.tile))
            {
                break;
            }
            count += 1;
            taken += block.evaluations(self.tiles);
        }
        let (now, later) = self.rest.split_at(count);
        self.rest = later;
        self.left -= taken;
        if let Some(device) = device {
            *self.under_way.entry(device).or_default() += taken;
        }
        Next::Blocks(now, tile_group, None)
    }

    /// What a GPU of a team takes next.
    fn portion_of(&self, device: DeviceId) -> LaunchSize {
        let left = self.left as f64;
        let own = self.device_group.rate(device);
        // The processor is done with it sooner than a launch would be, and not by its
        // price alone: that is one of programs that may be shorter by far.
        let cpu = DeviceId::CPU;
        if self.device_group.has_seen(cpu) && left <= LAUNCH_S * self.device_group.rate(cpu) {
            return LaunchSize::None;
        }
        let busy = self.under_way.get(&device).copied().unwrap_or(0) as f64;
        let all = left + self.under_way.values().sum::<usize>() as f64;
        let fair = all * own / self.device_group.rates().max(f64::MIN_POSITIVE) - busy;
        let least = LAUNCH_S * own;
        if busy > 0.0 && fair < least {
            return LaunchSize::Wait;
        }
        // The others have their share, however little that seems.
        let portion = (PART_OF_SHARE * fair).max(least.min(fair)) as usize;
        LaunchSize::Evaluations(portion.clamp(1, MAX_EVALUATIONS))
    }

    /// What a processor of so many threads does next.
    pub(super) fn beside(&mut self, threads: usize) -> Beside {
        if !self.to_start.is_empty() {
            return Beside::Wait;
        }
        if let Some(by_program) = &mut self.by_program {
            let few = by_program.beside();
            return if few.is_empty() {
                Beside::Done
            } else {
                Beside::SelectedOfTile(few)
            };
        }
        if self.rest.is_empty() {
            return Beside::Done;
        }
        // What was flagged comes first.
        if self.redoing > 0 {
            return Beside::Wait;
        }
        let own = self.device_group.rate(DeviceId::CPU);
        let fair = self.left as f64 * own / self.device_group.rates().max(f64::MIN_POSITIVE);
        let (mut count, mut taken, mut parts) = (0, 0, 0);
        for block in self.rest.iter().rev() {
            let is_enough = taken as f64 >= QUICK_S * own && parts >= threads;
            if is_enough || self.hands > 0 && count > 0 && taken as f64 >= fair {
                break;
            }
            count += 1;
            taken += block.evaluations(self.tiles);
            // A plan of very many programs is shared by threads.
            let programs = self.tiles[block.tile].plan.len();
            parts += block.examples.len() * programs.div_ceil(PROGRAMS_PER_BLOCK);
        }
        // Whether the GPUs are done with all that is left before.
        let others = self.device_group.rates() - own;
        let late = taken as f64 * others > self.left as f64 * own;
        if self.hands > 0 && late && self.left as f64 > LAUNCH_S * own {
            return Beside::Wait;
        }
        let (rest, now) = self.rest.split_at(self.rest.len() - count);
        self.rest = rest;
        self.left -= taken;
        *self.under_way.entry(DeviceId::CPU).or_default() += taken;
        if now.len() >= 2 * threads {
            return Beside::Blocks(now.to_vec());
        }
        let tiles = self.tiles;
        let single = |block: &ExampleBlock| {
            let tile = block.tile;
            let examples = block.examples.clone();
            examples.map(move |example| ExampleBlock::new(tiles, tile, example..example + 1))
        };
        Beside::Blocks(now.iter().flat_map(single).collect())
    }

    /// Counts threads that take for GPUs, before they begin.
    pub(super) fn hand_comes(&mut self) {
        self.hands += 1;
    }

    /// Notes that one takes no more.
    pub(super) fn hand_goes(&mut self) {
        self.hands -= 1;
    }

    /// Notes that redoing begins.
    pub(super) fn redoing_begins(&mut self) {
        self.redoing += 1;
    }

    /// Notes that it has ended.
    pub(super) fn redoing_ends(&mut self) {
        self.redoing -= 1;
    }

    /// Learns what a launch of some programs took.
    pub(super) fn learn_of(
        &mut self,
        device: DeviceId,
        program_selection: &ProgramSelection,
        took: Nanos,
    ) {
        if let Some(by_program) = &mut self.by_program {
            by_program.learn(device, program_selection, took);
        }
    }

    /// Learns from how many evaluations an operation made of its blocks, and what
    /// that took.
    pub(super) fn learn(
        &mut self,
        device: DeviceId,
        blocks: &[ExampleBlock],
        evaluations: u64,
        took: Nanos,
    ) {
        if let Some(under_way) = self.under_way.get_mut(&device) {
            let made: usize = blocks
                .iter()
                .map(|block| block.evaluations(self.tiles))
                .sum();
            *under_way = under_way.saturating_sub(made);
        }
        self.device_group.learn(Member {
            device,
            rate: rate(evaluations, took),
        });
        if !device.has_own_memory() {
            return;
        }
        let next = if took < SHORT {
            self.at_once * 2
        } else if took > LONG {
            self.at_once / 2
        } else {
            self.at_once
        };
        self.at_once = next.clamp(MIN_EVALUATIONS, MAX_EVALUATIONS);
    }
}

/// Evaluations in a second.
fn rate(evaluations: u64, took: Nanos) -> f64 {
    evaluations as f64 / (took.0.max(1) as f64 / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Example, Grid};
    use crate::gpu::sample::programs;
    use crate::plan::Plan;

    const GPUS: [DeviceId; 2] = [DeviceId::cuda(0), DeviceId::cuda(1)];

    fn device_group(rates: [f64; 3]) -> DeviceGroup {
        let devices = [DeviceId::CPU, GPUS[0], GPUS[1]];
        let members = devices.into_iter().zip(rates);
        DeviceGroup::new(
            members
                .map(|(device, rate)| Member { device, rate })
                .collect(),
        )
    }

    fn evaluations(tiles: &[Tile<'_>], blocks: &[ExampleBlock]) -> usize {
        blocks.iter().map(|block| block.evaluations(tiles)).sum()
    }

    /// Devices take turns, each done when its rate says so: all are done at about
    /// the same time, and every block was taken once.
    #[test]
    fn devices_end_together() {
        let plan = Plan::new(&programs()[..10]);
        let grid = Grid::new(&[[0]]).unwrap();
        let examples = vec![Example::new(&grid); 2_000];
        let tiles = [Tile {
            plan: &plan,
            examples: &examples,
        }];
        let single = |example| ExampleBlock::new(&tiles, 0, example..example + 1);
        let blocks: Vec<ExampleBlock> = (0..2_000).map(single).collect();
        let rates = [5_000.0, 20_000.0, 10_000.0];
        // What the router believed of them.
        let mut queue = Queue::new(
            &tiles,
            &[],
            &blocks,
            1,
            device_group([8_000.0, 16_000.0, 16_000.0]),
        );
        for _ in GPUS {
            queue.hand_comes();
        }
        let mut busy_until = [0.0_f64; 3];
        let mut has: [Option<Vec<ExampleBlock>>; 3] = [const { None }; 3];
        let mut is_done = [false; 3];
        let mut made = 0;
        for _ in 0..10_000 {
            for member in 0..3 {
                if has[member].is_some() || is_done[member] {
                    continue;
                }
                let next = if member == 0 {
                    match queue.beside(1) {
                        Beside::Blocks(blocks) => Some(blocks),
                        Beside::Wait => continue,
                        _ => None,
                    }
                } else {
                    match queue.take(Some(GPUS[member - 1])) {
                        Next::Blocks(blocks, ..) => Some(blocks.to_vec()),
                        Next::Wait => continue,
                        Next::Done => {
                            queue.hand_goes();
                            None
                        }
                    }
                };
                is_done[member] = next.is_none();
                let count = next.as_deref().map_or(0, |next| evaluations(&tiles, next));
                busy_until[member] += count as f64 / rates[member];
                has[member] = next;
            }
            let working = (0..3).filter(|member| has[*member].is_some());
            let first = working.min_by(|one, two| busy_until[*one].total_cmp(&busy_until[*two]));
            let Some(first) = first else {
                break;
            };
            // Who waits goes on from here.
            for member in (0..3).filter(|member| has[*member].is_none()) {
                busy_until[member] = busy_until[member].max(busy_until[first]);
            }
            let blocks = has[first].take().unwrap();
            let count = evaluations(&tiles, &blocks);
            made += count;
            let took = Nanos((count as f64 / rates[first] * 1e9) as u64);
            let device = [DeviceId::CPU, GPUS[0], GPUS[1]][first];
            queue.learn(device, &blocks, count as u64, took);
        }
        assert_eq!(made, 20_000);
        let fair = 20_000.0 / rates.iter().sum::<f64>();
        let last = busy_until.iter().copied().fold(0.0, f64::max);
        assert!(last < 1.35 * fair, "{last} s, {fair} s at best");
    }
}

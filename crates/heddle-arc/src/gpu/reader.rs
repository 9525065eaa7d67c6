//! What a launch flags, found while it runs.
//!
//! A launch takes its rows in order, so results come nearly in order too: those that are
//! not there yet are kept in mind, and nobody goes far ahead of them. The others are read
//! when all are there.

use super::answer::{Answer, Flag};
use super::chosen::Chosen;
use super::ground::Portion;
use super::schedule::Listed;
use crate::engine::Tile;
use crate::road::Block;
use heddle_runtime::device::Notices;
use std::sync::Arc;

/// Results that are waited for before anybody looks further: about twice as many as an
/// H200 has warps.
const MOST_LATE: usize = 1 << 13;

/// One evaluation of a job, by number of the tile, its example and its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Spotted {
    pub(super) tile: usize,
    pub(super) example: usize,
    pub(super) program: usize,
}

/// Looks at each result of a launch once.
pub(super) struct Reader<'a> {
    tiles: &'a [Tile<'a>],
    /// Those of the launch.
    blocks: &'a [Block],
    /// Its programs, if not all.
    only: Option<Arc<Chosen>>,
    portion: Arc<Portion>,
    /// Tile and example of each spot of its schedule.
    spots: Vec<(u32, u32)>,
    /// The first turn that nobody has looked at.
    next: usize,
    /// Turns and spots whose results were not there.
    late: Vec<(u32, u32)>,
}

impl<'a> Reader<'a> {
    /// Nobody has looked yet.
    pub(super) fn new(
        tiles: &'a [Tile<'a>],
        blocks: &'a [Block],
        only: Option<Arc<Chosen>>,
        portion: Arc<Portion>,
    ) -> Self {
        Reader {
            tiles,
            blocks,
            only,
            spots: Vec::new(),
            portion,
            next: 0,
            late: Vec::new(),
        }
    }

    /// Finds out where every spot is, if nobody has: not before there is something to read,
    /// because a launch waits for who makes a reader.
    fn locate(&mut self) {
        let spots = self.portion.job().schedule().spots();
        if self.spots.len() == spots.len() {
            return;
        }
        let located = spots.iter().map(|spot| {
            // Every spot has a result, of its first program.
            let place = self.portion.place(spot.result as usize);
            let (block, example, _) = place.unwrap_or_default();
            let Block { tile, examples } = &self.blocks[block];
            (*tile as u32, (examples.start + example) as u32)
        });
        self.spots = located.collect();
    }

    /// Tells what was flagged of those that have come since the last look.
    pub(super) fn look(&mut self, results: &dyn Notices, tell: impl FnMut(Spotted, Flag)) {
        self.look_ahead(results, MOST_LATE, tell);
    }

    /// The same of all that are left, when all have come that will.
    pub(super) fn finish(
        mut self,
        results: Option<&dyn Notices>,
        mut tell: impl FnMut(Spotted, Flag),
    ) {
        if let Some(results) = results {
            self.look_ahead(results, usize::MAX, &mut tell);
        }
        let turns = self.portion.job().schedule().turns();
        for (turn, spot) in &self.late {
            let spotted = self.spotted(turns[*turn as usize], *spot as usize);
            tell(spotted, Flag::Garbled);
        }
        for spotted in self.unlowered() {
            tell(spotted, Flag::Unlowered);
        }
    }

    fn look_ahead(
        &mut self,
        results: &dyn Notices,
        most_late: usize,
        mut tell: impl FnMut(Spotted, Flag),
    ) {
        self.locate();
        let mut late = std::mem::take(&mut self.late);
        let schedule = self.portion.job().schedule();
        let (turns, spots) = (schedule.turns(), schedule.spots());
        let mut is_there = |listed: Listed, spot: usize| {
            let result = results.read(spots[spot].result_of(listed.place));
            if result == 0 {
                return false;
            }
            if let Answer::Flagged(flag) = Answer::of(result) {
                tell(self.spotted(listed, spot), flag);
            }
            true
        };
        late.retain(|(turn, spot)| !is_there(turns[*turn as usize], *spot as usize));
        let mut next = self.next;
        while late.len() < most_late
            && let Some(listed) = turns.get(next)
        {
            let missing = listed.spots().filter(|spot| !is_there(*listed, *spot));
            late.extend(missing.map(|spot| (next as u32, spot as u32)));
            next += 1;
        }
        (self.late, self.next) = (late, next);
    }

    fn spotted(&self, listed: Listed, spot: usize) -> Spotted {
        let (tile, example) = self.spots[spot];
        Spotted {
            tile: tile as usize,
            example: example as usize,
            program: self.program(tile as usize, listed.place as usize),
        }
    }

    fn program(&self, tile: usize, place: usize) -> usize {
        let only = self.only.as_deref();
        let given = only.and_then(|only| only.of(self.tiles[tile].plan).get(place));
        given.map_or(place, |given| given.program)
    }

    fn programs(&self, tile: usize) -> usize {
        let plan = self.tiles[tile].plan;
        let only = self.only.as_deref();
        only.map_or(plan.len(), |only| only.of(plan).len())
    }

    /// Evaluations that are in no row, because a program has no bytecode or an example no
    /// image.
    fn unlowered(&self) -> Vec<Spotted> {
        let schedule = self.portion.job().schedule();
        let of = |block: &Block| self.programs(block.tile) * block.examples.len();
        let all: usize = self.blocks.iter().map(of).sum();
        if schedule.rows() as usize == all {
            return Vec::new();
        }
        let mut has_row = vec![false; all];
        for listed in schedule.turns() {
            for spot in &schedule.spots()[listed.spots()] {
                has_row[spot.result_of(listed.place)] = true;
            }
        }
        let mut has_row = has_row.into_iter();
        let mut left = Vec::new();
        for block in self.blocks {
            let tile = block.tile;
            for place in 0..self.programs(tile) {
                let examples = block.examples.clone();
                let none = examples.zip(&mut has_row).filter(|(_, has_row)| !has_row);
                left.extend(none.map(|(example, _)| Spotted {
                    tile,
                    example,
                    program: self.program(tile, place),
                }));
            }
        }
        left
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dice::Dice;
    use crate::engine::{Example, Grid};
    use crate::gpu::answer::Flags;
    use crate::gpu::chosen::Given;
    use crate::gpu::judge::{Hole, Judge};
    use crate::gpu::launch::LaunchSettings;
    use crate::gpu::lot::Lot;
    use crate::gpu::sample::{programs, tasks};
    use crate::meter::Budget;
    use crate::plan::Plan;
    use crate::road::{Crew, Part, Settings, blocks};
    use heddle_cuda::simt::{SimtDevice, SimtOptions};
    use heddle_runtime::Runtime;
    use heddle_runtime::device::DeviceId;
    use std::any::Any;
    use std::collections::BTreeMap;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[derive(Debug)]
    struct Words(Vec<AtomicU64>);

    impl Notices for Words {
        fn len(&self) -> usize {
            self.0.len()
        }

        fn read(&self, place: usize) -> u64 {
            self.0[place].load(Ordering::Relaxed)
        }

        fn as_any(&self) -> &dyn Any {
            self
        }
    }

    fn given(program: usize) -> Given {
        Given {
            program,
            steps: program as u32 % 3,
            gauge: 0,
        }
    }

    #[test]
    fn what_is_flagged_is_told_once_when_it_has_come() {
        let plan = Plan::new(&programs()[..12]);
        let task = &tasks()[0];
        let examples: Vec<Example<'_>> = task.examples().collect();
        let outputs: Vec<&Grid> = task.pairs().map(|(_, output)| output).collect();
        let tiles = [Tile {
            plan: &plan,
            examples: &examples,
        }];
        let blocks = blocks(&tiles, 2);
        let crew = Crew::new(Budget::default());
        let settings = Settings::of(&crew);
        let wanted = |part: Part| outputs[part.example];
        let lots = Lot::all(&tiles);
        let gpu = SimtDevice::new(0, SimtOptions::default()).unwrap();
        let runtime = Runtime::builder().device(Arc::new(gpu)).forgetful();
        let runtime = runtime.build().unwrap();
        let mut launch = LaunchSettings::default();
        launch.caps.rows = 16;
        let some = [1, 4, 5, 9, 11].map(|program| (plan.number, given(program)));
        let some = Some(Arc::new(Chosen::new(some, 1.0)));
        let mut dice = Dice::new(3);
        for (only, warps) in [(None, 4), (some, 1)] {
            launch.warps = warps;
            let letterbox = Arc::default();
            let judge = Judge::new(&tiles, &blocks, &settings, &wanted);
            let judge = judge.only(only).on_gpu(&lots[0], launch);
            let mut judge = judge.telling(&letterbox);
            assert!(judge.reader().is_none() && letterbox.results().is_none());
            judge.prepare();
            let findings = runtime.run_on(DeviceId::simt(0), &mut judge).unwrap();
            let found = judge.read(findings);
            assert!(!found.holes.is_empty());
            let results = letterbox.results().unwrap();
            // They come again, in another order and in several rounds.
            let words: Vec<AtomicU64> = (0..results.len()).map(|_| AtomicU64::new(0)).collect();
            let words = Words(words);
            let mut told = BTreeMap::new();
            let mut tell = |spotted: Spotted, flag| {
                assert!(told.insert(spotted, flag).is_none(), "{spotted:?} twice");
            };
            let mut reader = judge.reader().unwrap();
            for _ in 0..4 {
                for (place, word) in words.0.iter().enumerate() {
                    if dice.below(3) == 0 {
                        word.store(results.read(place), Ordering::Relaxed);
                    }
                }
                // One late result may be enough to stop there.
                reader.look_ahead(&words, 1 + dice.below(9), &mut tell);
            }
            reader.finish(Some(results), &mut tell);
            let mut flags = Flags::default();
            let mut holes = Vec::new();
            for (spotted, flag) in told {
                flags.add(flag);
                let holds = |block: &Block| block.examples.contains(&spotted.example);
                let block = blocks.iter().position(holds).unwrap();
                let example = spotted.example - blocks[block].examples.start;
                holes.push(Hole {
                    block,
                    example,
                    program: spotted.program,
                });
            }
            let mut expected = found.holes;
            expected.sort_unstable();
            holes.sort_unstable();
            assert_eq!(holes, expected);
            assert_eq!(flags, found.flags);
        }
    }

    #[test]
    fn what_never_came_and_what_has_no_row_is_flagged() {
        let plan = Plan::new(&programs()[..6]);
        let small = Grid::new(&[[1, 2]]).unwrap();
        let examples = [Example::new(&small), Example::new(&small)];
        let tiles = [Tile {
            plan: &plan,
            examples: &examples,
        }];
        let wanted = |_: Part| &small;
        let told_by = |budget: Budget| {
            let crew = Crew::new(budget);
            let settings = Settings::of(&crew);
            let blocks = blocks(&tiles, 1);
            let lots = Lot::all(&tiles);
            let judge = Judge::new(&tiles, &blocks, &settings, &wanted);
            let judge = judge.on_gpu(&lots[0], LaunchSettings::default());
            judge.prepare();
            let reader = judge.reader().unwrap();
            let mut told = Vec::new();
            let nothing = Words((0..12).map(|_| AtomicU64::new(0)).collect());
            reader.finish(Some(&nothing), |_, flag| told.push(flag));
            told
        };
        let never = told_by(Budget::default());
        assert_eq!(never, [Flag::Garbled; 12]);
        // No room for the example, so it has no image.
        let none = Budget {
            bytes: 1,
            ..Budget::default()
        };
        let unlowered = told_by(none);
        assert_eq!(unlowered, [Flag::Unlowered; 12]);
    }
}

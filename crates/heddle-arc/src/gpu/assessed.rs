//! What comes of a job, part by part in any order.

use super::answer::Flags;
use super::chosen::Chosen;
use super::judge::Found;
use super::scattered::{Few, FewJudged};
use crate::assess::Judgement;
use crate::engine::Tile;
use crate::plan::Plan;
use crate::road::{Block, Judged, Part};
use heddle_runtime::route::Decision;

/// What came of tiles, and what had to be done twice.
#[derive(Clone, Debug)]
pub struct Assessed {
    /// As of a [`sweep`](crate::road::sweep).
    pub judged: Vec<Judged<Judgement>>,
    /// Evaluations that a GPU flagged and a processor redid.
    pub flags: Flags,
    /// Why the last operation that ran on a processor did so, where there is a
    /// GPU.
    pub on_cpu: Option<WhyCpu>,
}

/// Why evaluations were not sent to a GPU.
#[derive(Clone, Debug, PartialEq)]
pub enum WhyCpu {
    /// The router's decision.
    Decided(Decision),
    /// They have a limit of time, and a kernel does not look at the clock.
    Timed,
    /// It did its share of a job that GPUs were chosen for.
    Shared,
}

/// The same on its way.
#[derive(Debug)]
pub(super) struct Assembly {
    assessed: Assessed,
    /// Where the examples of each tile begin.
    starts: Vec<usize>,
    /// Judgements each row still lacks, by place.
    lacking: Vec<usize>,
}

/// What stands where nothing is known.
pub(super) const NOTHING: Judgement = Judgement::Wrong { cells: 0 };

impl Assembly {
    /// Nothing yet of these tiles.
    pub(super) fn new(tiles: &[Tile<'_>], on_cpu: Option<WhyCpu>) -> Self {
        let (mut judged, mut lacking) = (Vec::new(), Vec::new());
        let mut starts = Vec::with_capacity(tiles.len());
        for (tile, of) in tiles.iter().enumerate() {
            starts.push(judged.len());
            let part = |example| (Part { tile, example }, None);
            judged.extend((0..of.examples.len()).map(part));
            lacking.resize(judged.len(), of.plan.len());
        }
        Assembly {
            assessed: Assessed {
                judged,
                flags: Flags::default(),
                on_cpu,
            },
            starts,
            lacking,
        }
    }

    /// Takes in what was found of blocks, every hole filled.
    pub(super) fn add(&mut self, blocks: &[Block], found: Found) {
        self.assessed.flags.add_all(&found.flags);
        for (block, rows) in blocks.iter().zip(found.rows) {
            let start = self.starts[block.tile] + block.examples.start;
            for (place, row) in rows.into_iter().flatten().enumerate() {
                self.assessed.judged[start + place].1 = Some(row);
                self.lacking[start + place] = 0;
            }
        }
    }

    /// The same of some programs.
    pub(super) fn add_chosen(
        &mut self,
        tiles: &[Tile<'_>],
        blocks: &[Block],
        found: Found,
        only: &Chosen,
    ) {
        self.assessed.flags.add_all(&found.flags);
        for (block, rows) in blocks.iter().zip(found.rows) {
            let plan = tiles[block.tile].plan;
            let start = self.starts[block.tile] + block.examples.start;
            for (place, row) in rows.into_iter().flatten().enumerate() {
                for (given, judgement) in only.of(plan).iter().zip(row) {
                    self.put(plan, start + place, given.program, judgement);
                }
            }
        }
    }

    /// Notes why a processor ran some.
    pub(super) fn ran_on_cpu(&mut self, why: WhyCpu) {
        self.assessed.on_cpu = Some(why);
    }

    /// Takes in evaluations here and there.
    pub(super) fn add_few(
        &mut self,
        tiles: &[Tile<'_>],
        some: &[Few],
        judged: Vec<FewJudged<Judgement>>,
    ) {
        for ((tile, _), judged) in some.iter().zip(judged) {
            let start = self.starts[*tile];
            for (example, program, judgement) in judged {
                self.put(tiles[*tile].plan, start + example, program, judgement);
            }
        }
    }

    fn put(&mut self, plan: &Plan, place: usize, program: usize, judgement: Judgement) {
        let row = &mut self.assessed.judged[place].1;
        row.get_or_insert_with(|| vec![NOTHING; plan.len()])[program] = judgement;
        self.lacking[place] -= 1;
    }

    pub(super) fn finish(mut self) -> Assessed {
        for (judged, lacking) in self.assessed.judged.iter_mut().zip(self.lacking) {
            if lacking > 0 {
                judged.1 = None;
            } else {
                // Of no programs there is nothing to wait for.
                judged.1.get_or_insert_default();
            }
        }
        self.assessed
    }
}

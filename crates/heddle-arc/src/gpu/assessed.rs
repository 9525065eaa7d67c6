//! What comes of a job, part by part in any order.

use super::answer::Flags;
use super::judge::Found;
use super::redo::{Few, FewJudged};
use crate::assess::Judgement;
use crate::engine::Tile;
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
    /// What belongs into rows that may come later, by their place and the program.
    late: Vec<(usize, usize, Judgement)>,
    /// Rows that lack some.
    lacking: Vec<usize>,
}

impl Assembly {
    /// Nothing yet of these tiles.
    pub(super) fn new(tiles: &[Tile<'_>], on_cpu: Option<WhyCpu>) -> Self {
        let mut judged = Vec::new();
        let mut starts = Vec::with_capacity(tiles.len());
        for (tile, of) in tiles.iter().enumerate() {
            starts.push(judged.len());
            let part = |example| (Part { tile, example }, None);
            judged.extend((0..of.examples.len()).map(part));
        }
        Assembly {
            assessed: Assessed {
                judged,
                flags: Flags::default(),
                on_cpu,
            },
            starts,
            late: Vec::new(),
            lacking: Vec::new(),
        }
    }

    /// Takes in what was found of blocks, every hole filled.
    pub(super) fn add(&mut self, blocks: &[Block], found: Found) {
        self.assessed.flags.add_all(&found.flags);
        for (block, rows) in blocks.iter().zip(found.rows) {
            let start = self.starts[block.tile] + block.examples.start;
            for (place, row) in rows.into_iter().flatten().enumerate() {
                self.assessed.judged[start + place].1 = Some(row);
            }
        }
    }

    /// Notes why a processor ran some.
    pub(super) fn ran_on_cpu(&mut self, why: WhyCpu) {
        self.assessed.on_cpu = Some(why);
    }

    /// Takes in what GPUs were not given.
    pub(super) fn add_left_out(&mut self, some: &[Few], judged: Vec<FewJudged>) {
        for ((tile, _), judged) in some.iter().zip(judged) {
            let start = self.starts[*tile];
            let late = judged
                .into_iter()
                .map(|(example, program, judgement)| (start + example, program, judgement));
            self.late.extend(late);
        }
    }

    /// Notes what GPUs were not given and nobody did.
    pub(super) fn lacks(&mut self, (tile, few): &Few) {
        let start = self.starts[*tile];
        self.lacking
            .extend(few.iter().map(|(example, _)| start + example));
    }

    pub(super) fn finish(mut self) -> Assessed {
        let judged = &mut self.assessed.judged;
        for place in self.lacking {
            judged[place].1 = None;
        }
        for (place, program, judgement) in self.late {
            if let Some(row) = &mut judged[place].1 {
                row[program] = judgement;
            }
        }
        self.assessed
    }
}

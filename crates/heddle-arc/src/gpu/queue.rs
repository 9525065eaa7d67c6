//! Blocks of a job that nobody has taken yet.

use super::lot::Lot;
use crate::engine::Tile;
use crate::road::Block;
use heddle_runtime::units::Nanos;

/// The least and the most evaluations of an operation on a GPU.
const LEAST_EVALUATIONS: usize = 1 << 10;
const MOST_EVALUATIONS: usize = 1 << 22;
/// What an operation on a GPU should take: long against what it costs to begin
/// one, short for somebody who watches or cancels.
const SHORT: Nanos = Nanos(50_000_000);
const LONG: Nanos = Nanos(500_000_000);

/// What is left of a job.
#[derive(Debug)]
pub(super) struct Queue<'a> {
    tiles: &'a [Tile<'a>],
    lots: &'a [Lot],
    rest: &'a [Block],
    /// Evaluations of the next operation, about.
    at_once: usize,
}

impl<'a> Queue<'a> {
    /// All blocks, of tiles in these lots, or in none.
    pub(super) fn new(
        tiles: &'a [Tile<'a>],
        lots: &'a [Lot],
        blocks: &'a [Block],
        at_once: usize,
    ) -> Self {
        Queue {
            tiles,
            lots,
            rest: blocks,
            at_once,
        }
    }

    /// The next blocks, and the lot they are in.
    pub(super) fn take(&mut self) -> Option<(&'a [Block], Option<&'a Lot>)> {
        let first = self.rest.first()?;
        let lot = self
            .lots
            .iter()
            .find(|lot| lot.tiles().contains(&first.tile));
        let mut evaluations = 0;
        let fits = |block: &&Block| {
            let fits = evaluations < self.at_once
                && lot.is_none_or(|lot| lot.tiles().contains(&block.tile));
            evaluations += block.evaluations(self.tiles);
            fits
        };
        let count = self.rest.iter().take_while(fits).count();
        let (now, later) = self.rest.split_at(count);
        self.rest = later;
        Some((now, lot))
    }

    /// Takes more or fewer from now on, by what an operation on a GPU took.
    pub(super) fn adapt(&mut self, took: Nanos) {
        let next = if took < SHORT {
            self.at_once * 2
        } else if took > LONG {
            self.at_once / 2
        } else {
            self.at_once
        };
        self.at_once = next.clamp(LEAST_EVALUATIONS, MOST_EVALUATIONS);
    }
}

//! Blocks of tiles cut into operations.

use super::judge::Judge;
use super::launch::LaunchSettings;
use super::lot::Lot;
use crate::engine::{Grid, Tile};
use crate::road::{Block, Part, Settings};

/// Cuts blocks into operations.
pub(super) struct Cutter<'a, W> {
    pub(super) tiles: &'a [Tile<'a>],
    pub(super) settings: &'a Settings<'a>,
    pub(super) wanted: &'a W,
    pub(super) launch: LaunchSettings,
    pub(super) lots: &'a [Lot],
    pub(super) rest: &'a [Block],
}

impl<'a, 'g, W: Fn(Part) -> &'g Grid + Sync> Cutter<'a, W> {
    /// The next operation, of about so many evaluations.
    pub(super) fn next(&mut self, at_once: usize) -> Option<Judge<'a, W>> {
        let first = self.rest.first()?;
        let lot = self
            .lots
            .iter()
            .find(|lot| lot.tiles().contains(&first.tile));
        let mut evaluations = 0;
        let fits = |block: &&Block| {
            let fits =
                evaluations < at_once && lot.is_none_or(|lot| lot.tiles().contains(&block.tile));
            evaluations += self.tiles[block.tile].plan.len() * block.examples.len();
            fits
        };
        let count = self.rest.iter().take_while(fits).count();
        let (now, later) = self.rest.split_at(count);
        self.rest = later;
        let judge = Judge::new(self.tiles, now, self.settings, self.wanted);
        Some(match lot {
            Some(lot) => judge.on_gpu(lot, self.launch),
            None => judge,
        })
    }
}

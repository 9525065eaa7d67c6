//! GPUs made ready while the processor lowers plans and runs a sample.

use super::{SharedJob, lock};
use crate::engine::{Grid, Tile};
use crate::gpu::launch::LaunchSettings;
use crate::gpu::lowered_tiles::LoweredTiles;
use crate::gpu::preparation::Preparation;
use crate::gpu::tile_group::TileGroup;
use crate::operations::TileExample;
use heddle_runtime::Error;
use heddle_runtime::device::DeviceId;
use std::sync::{Condvar, Mutex};

/// A thread that settles a GPU; dropped when it has.
pub(super) struct Preparing<'r>(pub(super) &'r Mutex<usize>, pub(super) &'r Condvar);

impl Drop for Preparing<'_> {
    fn drop(&mut self) {
        *lock(self.0) -= 1;
        self.1.notify_all();
    }
}

impl<'a, 'g, W: Fn(TileExample) -> &'g Grid + Sync> SharedJob<'a, W> {
    /// Brings a GPU what it needs while the processor lowers plans and runs a sample, if
    /// there is one; room for at most so many results. One after the other, because two
    /// threads wait for the same driver.
    pub(super) fn preparation(&self, gpu: DeviceId, most: usize) -> Result<(), Error> {
        let Some(tile_group) = self.tile_group() else {
            return Ok(());
        };
        let of_lot = &self.tiles[tile_group.tiles()];
        let evaluations = of_lot.iter().map(Tile::evaluations).sum::<usize>();
        let launch = LaunchSettings {
            budget: self.settings.worker_pool.budget(),
            ..self.launch
        };
        self.runtime.run_on(gpu, Preparation::warps(launch))?;
        let results = Preparation::Results(evaluations.min(most));
        self.runtime.run_on(gpu, results)?;
        if self.samples.is_empty() {
            return Ok(());
        }
        self.prefetch(gpu, tile_group)
    }

    /// Brings a GPU the code and the examples of a lot, unless somebody did. Who asks
    /// meanwhile waits.
    pub(super) fn prefetch(&self, gpu: DeviceId, tile_group: &TileGroup) -> Result<(), Error> {
        let mut brought = lock(&self.brought);
        let own = (gpu, tile_group.tiles().start);
        if brought.contains(&own) {
            return Ok(());
        }
        brought.push(own);
        self.runtime.run_on(
            gpu,
            Preparation::lowered_tiles(self.lowered_tiles(tile_group)),
        )
    }

    /// Returns when all GPUs are settled. Beside a thread on every core, a driver gets a
    /// turn every few milliseconds; so for each GPU one of them does nothing until then.
    pub(super) fn wait_for_gpus(&self) {
        let unsettled = lock(&self.unsettled);
        drop(
            self.settled
                .wait_while(unsettled, |unsettled| *unsettled > 0),
        );
    }

    /// The lot that comes next.
    pub(super) fn tile_group(&self) -> Option<&'a TileGroup> {
        lock(&self.queue).tile_group()
    }

    /// The ground of a lot, lowered by whoever asks first.
    pub(super) fn lowered_tiles<'l>(&self, tile_group: &'l TileGroup) -> &'l LoweredTiles {
        let budget = self.settings.worker_pool.budget();
        tile_group.lowered_tiles(self.tiles, budget, self.wanted)
    }
}

//! GPUs made ready while the processor lowers plans and runs a sample.

use super::{Relay, lock};
use crate::engine::{Grid, Tile};
use crate::gpu::ground::Ground;
use crate::gpu::launch::LaunchSettings;
use crate::gpu::lot::Lot;
use crate::gpu::settle::Settle;
use crate::road::Part;
use heddle_runtime::Error;
use heddle_runtime::device::DeviceId;
use std::sync::{Condvar, Mutex};

/// A thread that settles a GPU; dropped when it has.
pub(super) struct Settling<'r>(pub(super) &'r Mutex<usize>, pub(super) &'r Condvar);

impl Drop for Settling<'_> {
    fn drop(&mut self) {
        *lock(self.0) -= 1;
        self.1.notify_all();
    }
}

impl<'a, 'g, W: Fn(Part) -> &'g Grid + Sync> Relay<'a, W> {
    /// Brings a GPU what it needs while the processor lowers plans and runs a sample, if
    /// there is one; room for at most so many results. One after the other, because two
    /// threads wait for the same driver.
    pub(super) fn settle(&self, gpu: DeviceId, most: usize) -> Result<(), Error> {
        let Some(lot) = self.lot() else {
            return Ok(());
        };
        let of_lot = &self.tiles[lot.tiles()];
        let evaluations = of_lot.iter().map(Tile::evaluations).sum::<usize>();
        let launch = LaunchSettings {
            budget: self.settings.crew.budget(),
            ..self.launch
        };
        self.runtime.run_on(gpu, Settle::warps(launch))?;
        let results = Settle::Results(evaluations.min(most));
        self.runtime.run_on(gpu, results)?;
        if self.samples.is_empty() {
            return Ok(());
        }
        self.bring(gpu, lot)
    }

    /// Brings a GPU the code and the examples of a lot, unless somebody did. Who asks
    /// meanwhile waits.
    pub(super) fn bring(&self, gpu: DeviceId, lot: &Lot) -> Result<(), Error> {
        let mut brought = lock(&self.brought);
        let own = (gpu, lot.tiles().start);
        if brought.contains(&own) {
            return Ok(());
        }
        brought.push(own);
        self.runtime.run_on(gpu, Settle::ground(self.ground(lot)))
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
    pub(super) fn lot(&self) -> Option<&'a Lot> {
        lock(&self.queue).lot()
    }

    /// The ground of a lot, lowered by whoever asks first.
    pub(super) fn ground<'l>(&self, lot: &'l Lot) -> &'l Ground {
        let budget = self.settings.crew.budget();
        lot.ground(self.tiles, budget, self.wanted)
    }
}

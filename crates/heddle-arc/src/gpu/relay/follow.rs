//! A launch followed: what it flags is redone while it runs, what it brings is read.

use super::{Relay, lock};
use crate::engine::Grid;
use crate::gpu::judge::{Findings, Hole, Judge};
use crate::gpu::letterbox::Letterbox;
use crate::gpu::places::Places;
use crate::gpu::redo::{Redone, fill, redo};
use crate::road::{Block, Part};
use heddle_runtime::Error;
use heddle_runtime::device::DeviceId;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

/// How often somebody looks at what a launch has flagged so far.
const LOOK: Duration = Duration::from_millis(1);

impl<'g, W: Fn(Part) -> &'g Grid + Sync> Relay<'_, W> {
    /// Has the processor redo what a launch flags while it runs, and reads what it
    /// brought in the end, if anything.
    pub(super) fn follow(
        &self,
        device: Option<DeviceId>,
        places: &Places<'_>,
        letterbox: &Letterbox,
        end: &Receiver<(Judge<'_, W>, Findings)>,
    ) {
        let (mut seen, mut redone) = (0, Redone::new());
        let mut is_told = false;
        loop {
            match end.recv_timeout(LOOK) {
                Ok((judge, findings)) => return self.read(&judge, findings, redone),
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if letterbox.is_launched() && !is_told {
                is_told = true;
                if let Some(device) = device {
                    self.started(device);
                }
            }
            let flagged = letterbox.fresh(&mut seen);
            let holes = flagged.into_iter().filter_map(|result| places.hole(result));
            match self.redo(places.blocks, holes.collect()) {
                Ok(more) => redone.extend(more),
                Err(error) => return self.fail(error),
            }
        }
    }

    /// Has the processor redo evaluations of blocks, before anything else.
    fn redo(&self, blocks: &[Block], holes: Vec<Hole>) -> Result<Redone, Error> {
        if holes.is_empty() {
            return Ok(Redone::new());
        }
        lock(&self.queue).redoing_begins();
        let (runtime, tiles, settings) = (self.runtime, self.tiles, self.settings);
        let redone = redo(runtime, tiles, settings, self.wanted, blocks, holes);
        lock(&self.queue).redoing_ends();
        self.changed.notify_all();
        redone
    }

    /// Reads what an operation brought and redoes what was flagged and is not redone yet.
    pub(super) fn read(&self, judge: &Judge<'_, W>, findings: Findings, mut redone: Redone) {
        let mut found = judge.read(findings);
        let left = found.holes.iter().filter(|hole| !redone.contains_key(hole));
        match self.redo(judge.blocks(), left.copied().collect()) {
            Ok(more) => redone.extend(more),
            Err(error) => return self.fail(error),
        }
        fill(&mut found, redone, judge.blocks(), |tile, program| {
            judge.place(tile, program)
        });
        let mut assembly = lock(&self.assembly);
        match judge.chosen() {
            Some(only) => assembly.add_chosen(self.tiles, judge.blocks(), found, only),
            None => assembly.add(judge.blocks(), found),
        }
    }
}

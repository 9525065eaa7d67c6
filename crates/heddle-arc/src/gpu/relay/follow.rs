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
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ScopedJoinHandle};
use std::time::Duration;

/// How often somebody looks at what a launch has flagged so far.
const LOOK: Duration = Duration::from_millis(1);

/// Operations of one launch that redo what it flagged, at once: while one waits for the
/// last thread of its own, another has begun.
const REDOERS: usize = 2;

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
        let redone: Mutex<Redone> = Mutex::default();
        let brought = thread::scope(|scope| {
            let (mut seen, mut is_told) = (0, false);
            let mut redoers: Vec<ScopedJoinHandle<'_, ()>> = Vec::new();
            loop {
                match end.recv_timeout(LOOK) {
                    Ok(brought) => return Some(brought),
                    Err(RecvTimeoutError::Disconnected) => return None,
                    Err(RecvTimeoutError::Timeout) => {}
                }
                if letterbox.is_launched() && !is_told {
                    is_told = true;
                    if let Some(device) = device {
                        self.started(device);
                    }
                }
                redoers.retain(|redoer| !redoer.is_finished());
                if redoers.len() == REDOERS {
                    continue;
                }
                let flagged = letterbox.fresh(&mut seen).into_iter();
                let holes: Vec<Hole> = flagged.filter_map(|result| places.hole(result)).collect();
                if !holes.is_empty() {
                    let redone = &redone;
                    redoers.push(scope.spawn(move || match self.redo(places.blocks, holes) {
                        Ok(more) => lock(redone).extend(more),
                        Err(error) => self.fail(error),
                    }));
                }
            }
        });
        if let Some((judge, findings)) = brought {
            let redone = redone.into_inner();
            self.read(
                &judge,
                findings,
                redone.unwrap_or_else(PoisonError::into_inner),
            );
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

//! A launch followed: what it flags is redone while it runs, what it answers read.

use super::{Relay, lock};
use crate::engine::Grid;
use crate::gpu::answer::{Flag, Flags};
use crate::gpu::judge::{Findings, Judge};
use crate::gpu::launch::Ran;
use crate::gpu::letterbox::Letterbox;
use crate::gpu::lookout::{Address, Lookout};
use crate::gpu::redo::redo;
use crate::road::Part;
use heddle_runtime::Error;
use heddle_runtime::device::DeviceId;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread::{self, ScopedJoinHandle};
use std::time::Duration;

/// How often somebody looks whether a launch has begun, for which the processor waits, and
/// then at what it has answered so far.
const FIRST_LOOK: Duration = Duration::from_micros(100);
const LOOK: Duration = Duration::from_millis(1);

/// Operations of one launch that redo what it flagged, at once: while one waits for the
/// last thread of its own, another has begun.
const REDOERS: usize = 2;

/// What a launch flagged so far.
#[derive(Default)]
struct Flagged {
    flags: Flags,
    /// Those that nobody redoes yet.
    left: Vec<Address>,
}

impl Flagged {
    fn add(&mut self, address: Address, flag: Flag) {
        self.flags.add(flag);
        self.left.push(address);
    }
}

impl<'g, W: Fn(Part) -> &'g Grid + Sync> Relay<'_, W> {
    /// Has the processor redo what a launch flags while it runs, and reads what it
    /// answered in the end, if anything.
    pub(super) fn follow(
        &self,
        device: Option<DeviceId>,
        mut lookout: Lookout<'_>,
        letterbox: &Letterbox,
        end: &Receiver<(Judge<'_, W>, Findings)>,
    ) {
        let mut flagged = Flagged::default();
        let brought = thread::scope(|scope| {
            let mut is_told = false;
            let mut redoers: Vec<ScopedJoinHandle<'_, ()>> = Vec::new();
            loop {
                let look = if is_told { LOOK } else { FIRST_LOOK };
                match end.recv_timeout(look) {
                    Ok(brought) => return Some(brought),
                    Err(RecvTimeoutError::Disconnected) => return None,
                    Err(RecvTimeoutError::Timeout) => {}
                }
                let Some(words) = letterbox.words() else {
                    continue;
                };
                if !is_told {
                    is_told = true;
                    if let Some(device) = device {
                        self.started(device);
                    }
                }
                lookout.look(words, |address, flag| flagged.add(address, flag));
                redoers.retain(|redoer| !redoer.is_finished());
                if redoers.len() < REDOERS && !flagged.left.is_empty() {
                    let some = std::mem::take(&mut flagged.left);
                    redoers.push(scope.spawn(move || {
                        if let Err(error) = self.redo(some) {
                            self.fail(error);
                        }
                    }));
                }
            }
        });
        match brought {
            Some((judge, Findings::Launched(ran))) => {
                self.end_launch(&judge, &ran, lookout, flagged);
            }
            Some((judge, findings)) => self.read(&judge, findings),
            None => {}
        }
    }

    /// Reads what an operation brought that nobody followed, and redoes what was flagged.
    pub(super) fn read(&self, judge: &Judge<'_, W>, findings: Findings) {
        match (findings, judge.lookout()) {
            (Findings::Launched(ran), Some(lookout)) => {
                self.end_launch(judge, &ran, lookout, Flagged::default());
            }
            (findings, _) => {
                let found = judge.read(findings);
                let mut assembly = lock(&self.assembly);
                match judge.chosen() {
                    Some(only) => assembly.add_chosen(self.tiles, judge.blocks(), found, only),
                    None => assembly.add(judge.blocks(), found),
                }
            }
        }
    }

    /// Reads what a launch answered, redoes the rest of what it flagged and counts it.
    fn end_launch(
        &self,
        judge: &Judge<'_, W>,
        ran: &Ran,
        lookout: Lookout<'_>,
        mut flagged: Flagged,
    ) {
        let unread = AtomicUsize::new(0);
        let pool = self.runtime.pool();
        lock(&self.assembly).add_blocks(pool, self.tiles, judge.blocks(), |block, rows| {
            unread.fetch_add(judge.read_rows(ran, block, rows), Ordering::Relaxed);
        });
        let tell = |address, flag| flagged.add(address, flag);
        lookout.finish(ran, unread.into_inner(), tell);
        lock(&self.assembly).add_flags(&flagged.flags);
        if let Err(error) = self.redo(flagged.left) {
            self.fail(error);
        }
    }

    /// Has the processor redo evaluations, before anything else.
    fn redo(&self, flagged: Vec<Address>) -> Result<(), Error> {
        if flagged.is_empty() {
            return Ok(());
        }
        lock(&self.queue).redoing_begins();
        let (runtime, tiles, settings) = (self.runtime, self.tiles, self.settings);
        let redone = redo(runtime, tiles, settings, self.wanted, flagged);
        lock(&self.queue).redoing_ends();
        self.changed.notify_all();
        let (some, judged) = redone?;
        lock(&self.assembly).add_few(tiles, &some, judged);
        Ok(())
    }
}

//! A launch followed: what it flags is redone while it runs, what it answers read.

use super::{SharedJob, lock};
use crate::engine::Grid;
use crate::gpu::answer::{Flag, Flags};
use crate::gpu::cpu_fallback::cpu_fallback;
use crate::gpu::flag_monitor::{Address, FlagMonitor};
use crate::gpu::grade::{Findings, GradeBlocks};
use crate::gpu::launch::Ran;
use crate::gpu::result_slot::ResultSlot;
use crate::operations::TileExample;
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

impl<'g, W: Fn(TileExample) -> &'g Grid + Sync> SharedJob<'_, W> {
    /// Has the processor redo what a launch flags while it runs, and reads what it
    /// answered in the end, if anything.
    pub(super) fn monitor(
        &self,
        device: Option<DeviceId>,
        mut flag_monitor: FlagMonitor<'_>,
        result_slot: &ResultSlot,
        end: &Receiver<(GradeBlocks<'_, W>, Findings)>,
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
                let Some(words) = result_slot.words() else {
                    continue;
                };
                if !is_told {
                    is_told = true;
                    if let Some(device) = device {
                        self.started(device);
                    }
                }
                flag_monitor.look(words, |address, flag| flagged.add(address, flag));
                redoers.retain(|redoer| !redoer.is_finished());
                if redoers.len() < REDOERS && !flagged.left.is_empty() {
                    let some = std::mem::take(&mut flagged.left);
                    let kept = some.clone();
                    let redo = move |some| {
                        if let Err(error) = self.cpu_fallback(some) {
                            self.fail(error);
                        }
                    };
                    let redoer = thread::Builder::new().spawn_scoped(scope, move || redo(some));
                    match redoer {
                        Ok(redoer) => redoers.push(redoer),
                        // The system has no thread left.
                        Err(_) => redo(kept),
                    }
                }
            }
        });
        match brought {
            Some((grade, Findings::Launched(ran))) => {
                self.end_launch(&grade, &ran, flag_monitor, flagged);
            }
            Some((grade, findings)) => self.read(&grade, findings),
            None => {}
        }
    }

    /// Reads what an operation brought that nobody followed, and redoes what was flagged.
    pub(super) fn read(&self, grade: &GradeBlocks<'_, W>, findings: Findings) {
        match (findings, grade.flag_monitor()) {
            (Findings::Launched(ran), Some(flag_monitor)) => {
                self.end_launch(grade, &ran, flag_monitor, Flagged::default());
            }
            (findings, _) => {
                let found = grade.read(findings);
                let mut assembly = lock(&self.assembly);
                match grade.program_selection() {
                    Some(only) => assembly.add_chosen(self.tiles, grade.blocks(), found, only),
                    None => assembly.add(grade.blocks(), found),
                }
            }
        }
    }

    /// Reads what a launch answered, redoes the rest of what it flagged and counts it.
    fn end_launch(
        &self,
        grade: &GradeBlocks<'_, W>,
        ran: &Ran,
        flag_monitor: FlagMonitor<'_>,
        mut flagged: Flagged,
    ) {
        let unread = AtomicUsize::new(0);
        let pool = self.runtime.pool();
        lock(&self.assembly).add_blocks(pool, self.tiles, grade.blocks(), |block, rows| {
            unread.fetch_add(grade.read_rows(ran, block, rows), Ordering::Relaxed);
        });
        let tell = |address, flag| flagged.add(address, flag);
        flag_monitor.finish(ran, unread.into_inner(), tell);
        lock(&self.assembly).add_flags(&flagged.flags);
        if let Err(error) = self.cpu_fallback(flagged.left) {
            self.fail(error);
        }
    }

    /// Has the processor redo evaluations, before anything else.
    fn cpu_fallback(&self, flagged: Vec<Address>) -> Result<(), Error> {
        if flagged.is_empty() {
            return Ok(());
        }
        lock(&self.queue).redoing_begins();
        let (runtime, tiles, settings) = (self.runtime, self.tiles, self.settings);
        let redone = cpu_fallback(runtime, tiles, settings, self.wanted, flagged);
        lock(&self.queue).redoing_ends();
        self.changed.notify_all();
        let (some, graded) = redone?;
        lock(&self.assembly).add_few(tiles, &some, graded);
        Ok(())
    }
}

//! Runs the blocks of a grid, on this thread or on all workers.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use heddle_runtime::cpu::CpuPool;
use heddle_runtime::units::Bytes;

use super::failure::KernelFailure;
use super::launch::GridLaunch;
use super::worker;

/// The number of threads of a grid from which waking the workers pays: about half a
/// millisecond of kernel against some tens of microseconds.
const PARALLEL_FROM: u64 = 16 * 1024;

/// Runs every block: in order on one worker, in any order on several. After a failure no
/// further block starts; the failure of the lowest block is returned.
pub(super) fn run(task: &GridLaunch<'_>, workers: &CpuPool) -> Result<(), KernelFailure> {
    let blocks = task.blocks();
    let threads = blocks.saturating_mul(task.threads() as u64);
    if blocks == 1 || threads < PARALLEL_FROM || workers.threads() == 1 {
        return (0..blocks).try_for_each(|block| worker::run_block(task, block));
    }
    let next = AtomicU64::new(0);
    let first: Mutex<Option<(u64, KernelFailure)>> = Mutex::new(None);
    workers.each(Bytes(u64::MAX), 0..workers.threads(), |_| {
        loop {
            let block = next.fetch_add(1, Ordering::Relaxed);
            if block >= blocks {
                return;
            }
            if let Err(failure) = worker::run_block(task, block) {
                next.store(blocks, Ordering::Relaxed);
                let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
                if first.as_ref().is_none_or(|(other, _)| block < *other) {
                    *first = Some((block, failure));
                }
            }
        }
    });
    match first.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some((_, failure)) => Err(failure),
        None => Ok(()),
    }
}

//! A fiber: a stack that runs threads of the current block, one after another, until one of
//! them has to wait.
#![allow(unsafe_code)]

use std::io;

use corosensei::{Coroutine, CoroutineResult, Yielder};

use super::fiber_stack::FiberStack;
use super::worker::Worker;

/// Why a fiber was suspended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FiberSignal {
    /// Its thread waits for others.
    Waiting,
    /// No thread is left to start.
    Idle,
}

/// The handle a fiber suspends itself with.
pub(super) type FiberYielder = Yielder<(), FiberSignal>;

/// One fiber, reused for block after block.
pub(super) struct Fiber {
    coroutine: Coroutine<(), FiberSignal, (), FiberStack>,
}

impl Fiber {
    /// Creates a fiber that runs the threads of `worker`'s blocks.
    ///
    /// # Safety
    /// `worker` must be valid whenever the fiber is resumed.
    pub(super) unsafe fn new(worker: *const Worker) -> io::Result<Self> {
        let coroutine =
            Coroutine::with_stack(FiberStack::new()?, move |pause: &FiberYielder, ()| {
                loop {
                    // SAFETY: by the contract of `new`.
                    unsafe { &*worker }.run_threads(pause);
                    pause.suspend(FiberSignal::Idle);
                }
            });
        Ok(Self { coroutine })
    }

    /// Runs the fiber until its thread waits or no thread is left to start.
    pub(super) fn resume(&mut self) -> FiberSignal {
        match self.coroutine.resume(()) {
            CoroutineResult::Yield(signal) => signal,
            CoroutineResult::Return(()) => FiberSignal::Idle,
        }
    }
}

impl Drop for Fiber {
    fn drop(&mut self) {
        // SAFETY: the stack holds the loop above and, if its block was abandoned, a
        // kernel's frames and those of `frame.rs`. None of them has anything to drop, and
        // unwinding could not pass the kernel's frames.
        unsafe { self.coroutine.force_reset() };
    }
}

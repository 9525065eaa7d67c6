//! The scheduler: runs one block after another on the fibers of one system thread.
#![allow(unsafe_code)]

use std::cell::{Cell, RefCell, UnsafeCell};
use std::ffi::c_void;
use std::ptr;

use heddle_runtime::device::HostEntry;

use super::block::{Barrier, MAX_THREADS, ThreadBlock};
use super::failure::KernelFailure;
use super::fiber::{Fiber, FiberSignal, FiberYielder};
use super::frame::{ThreadFrame, set_now};
use super::launch::GridLaunch;
use super::shared_memory::SharedMemory;
use super::warp::WarpArrival;

thread_local! {
    static WORKER: Worker = Worker::new();
}

/// Runs block `index` of the task on this system thread.
pub(super) fn run_block(task: &GridLaunch<'_>, index: u64) -> Result<(), KernelFailure> {
    WORKER.with(|worker| worker.run(task, index))
}

/// The state with which one system thread runs blocks. It never moves: its fibers and
/// frames hold its address, and all of it changes through shared references.
pub(super) struct Worker {
    /// Fibers that run no thread.
    idle: RefCell<Vec<Fiber>>,
    /// The fiber of each waiting thread, by thread.
    waiting: RefCell<Vec<Option<Fiber>>>,
    /// The suspension point of each waiting thread.
    pauses: Vec<Cell<*const FiberYielder>>,
    frames: Vec<UnsafeCell<ThreadFrame>>,
    block: ThreadBlock,
    shared: SharedMemory,
    /// The running thread.
    current: Cell<usize>,
    /// The kernel and a pointer to each argument; none between blocks.
    call: Cell<Option<(HostEntry, *const *const c_void)>>,
    failure: RefCell<Option<KernelFailure>>,
}

impl Worker {
    fn new() -> Self {
        let frame = || UnsafeCell::new(ThreadFrame::empty());
        Self {
            idle: RefCell::default(),
            waiting: RefCell::default(),
            pauses: vec![Cell::new(ptr::null()); MAX_THREADS],
            frames: std::iter::repeat_with(frame).take(MAX_THREADS).collect(),
            block: ThreadBlock::new(),
            shared: SharedMemory::new(),
            current: Cell::new(0),
            call: Cell::new(None),
            failure: RefCell::default(),
        }
    }

    fn run(&self, task: &GridLaunch<'_>, index: u64) -> Result<(), KernelFailure> {
        let at = task.block_at(index);
        let arguments: Vec<*const c_void> = task
            .values
            .iter()
            .map(|value| ptr::from_ref(value).cast())
            .collect();
        self.block.reset(task.threads());
        self.shared.reset(task.shared as usize);
        for (thread, frame) in self.frames[..task.threads()].iter().enumerate() {
            let fresh = ThreadFrame::new(thread as u32, at, task.block, task.grid, self);
            // SAFETY: no thread of an earlier block is left to hold the frame: each has
            // returned, or its fiber was dropped when the block was abandoned.
            unsafe { *frame.get() = fresh };
        }
        self.waiting
            .borrow_mut()
            .resize_with(task.threads(), || None);
        self.failure.borrow_mut().take();
        self.call.set(Some((task.entry, arguments.as_ptr())));
        let outcome = self.schedule(at);
        self.call.set(None);
        // Fibers of threads that will never continue are dropped with their stacks.
        self.waiting.borrow_mut().clear();
        outcome
    }

    /// Starts threads and continues those that may, until all have returned or none can
    /// move. New threads come first: a thread that spins may be waiting for one that has
    /// not started.
    fn schedule(&self, block: [u32; 3]) -> Result<(), KernelFailure> {
        let mut unstarted = true;
        loop {
            if let Some(failure) = self.failure.borrow_mut().take() {
                return Err(failure);
            }
            let fiber = if unstarted {
                Some(self.fresh_fiber()?)
            } else if let Some(thread) = self.block.take_ready() {
                self.enter(thread);
                self.waiting.borrow_mut()[thread].take()
            } else if self.block.is_done() {
                return Ok(());
            } else {
                return Err(KernelFailure::Deadlock {
                    block,
                    waiting: self.block.describe_waiting(),
                });
            };
            if let Some(mut fiber) = fiber {
                match fiber.resume() {
                    FiberSignal::Idle => {
                        unstarted = false;
                        self.idle.borrow_mut().push(fiber);
                    }
                    FiberSignal::Waiting => {
                        self.waiting.borrow_mut()[self.current.get()] = Some(fiber);
                    }
                }
            }
        }
    }

    fn fresh_fiber(&self) -> Result<Fiber, KernelFailure> {
        let idle = self.idle.borrow_mut().pop();
        idle.map_or_else(
            // SAFETY: a worker lives in a thread-local variable, where it never moves, and
            // its fibers, which it owns, are resumed by its own `schedule` alone.
            || unsafe { Fiber::new(self) },
            Ok,
        )
        .map_err(|error| KernelFailure::Resources(format!("no stack for another fiber: {error}")))
    }

    /// Makes `thread` the running one.
    fn enter(&self, thread: usize) {
        self.current.set(thread);
        // SAFETY: frames stay in place until the block has ended.
        unsafe { set_now(self.frames[thread].get()) };
    }

    /// Called on a fiber: runs threads that have not started until there are none.
    pub(super) fn run_threads(&self, pause: &FiberYielder) {
        while let (Some((entry, arguments)), Some(thread)) =
            (self.call.get(), self.block.start_next())
        {
            self.enter(thread);
            self.pauses[thread].set(pause);
            // SAFETY: the launch checked number and types of the arguments against the
            // kernel's signature; each pointer is to a value of the task, which outlives the
            // block, aligned for any type. What the kernel does with its buffers is the
            // contract of the operation that launches it.
            unsafe { entry(arguments) };
            self.block.exit(thread);
        }
    }

    /// Makes the running thread wait at a barrier. True if every live thread has arrived.
    pub(super) fn arrive(&self, barrier: Barrier, value: u32) -> bool {
        self.block.arrive(self.current.get(), barrier, value)
    }

    /// Makes the running thread wait for lanes of its warp. True if all have arrived.
    pub(super) fn arrive_in_warp(&self, arrival: WarpArrival) -> bool {
        self.block.arrive_in_warp(self.current.get(), arrival)
    }

    /// Lets other threads run. False if the block makes no other progress.
    pub(super) fn yield_thread(&self) -> bool {
        self.block.pause(self.current.get())
    }

    /// The result of the collective the running thread arrived at. Suspends the thread
    /// first unless `met`: every thread it waits for has arrived.
    pub(super) fn wait_for_result(&self, met: bool) -> u64 {
        let thread = self.current.get();
        if !met {
            // SAFETY: the thread runs on the fiber that set this pointer, whose yielder lives
            // as long as the fiber's loop, which never ends.
            unsafe { &*self.pauses[thread].get() }.suspend(FiberSignal::Waiting);
        }
        self.block.threads()[thread].result.get()
    }

    /// Stops the kernel because of an error of the running thread.
    pub(super) fn abort_kernel(&self, what: String) -> ! {
        let thread = self.current.get();
        // SAFETY: the running thread's own frame, which its kernel does not touch while it
        // waits here.
        let frame = unsafe { &*self.frames[thread].get() };
        let (block, at) = (frame.block, frame.thread);
        *self.failure.borrow_mut() = Some(KernelFailure::Misuse {
            block,
            thread: at,
            what,
        });
        loop {
            // The scheduler sees the failure and never resumes this fiber.
            self.wait_for_result(false);
        }
    }

    /// The memory of a shared declaration; None when the block's shared memory is
    /// exhausted.
    pub(super) fn shared_memory(&self, key: usize, bytes: usize) -> Option<*mut u8> {
        self.shared.declared(key, bytes)
    }

    /// The start of dynamic shared memory.
    pub(super) fn dynamic_shared_memory(&self) -> *mut u8 {
        self.shared.dynamic()
    }
}

//! The border to the kernels' C++: what a thread can see of itself, and the calls
//! it makes to wait. The other side is `heddle-kernel-build/shim/simt.h`.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::block::{Barrier, BarrierKind};
use super::warp::{Arrival, WarpKind};
use super::worker::Worker;

/// Atomics a thread may do before it lets others run.
const FUEL: u32 = 1024;

/// One thread as its kernel sees it. Mirrors `simt_thread`.
#[repr(C)]
pub(super) struct Frame {
    pub(super) thread: [u32; 3],
    pub(super) block: [u32; 3],
    block_size: [u32; 3],
    grid_size: [u32; 3],
    lane: u32,
    fuel: u32,
    calls: *const Calls,
    worker: *const c_void,
}

impl Frame {
    /// Room for a frame.
    pub(super) fn empty() -> Self {
        Self::new(0, [0; 3], [1; 3], [1; 3], std::ptr::null())
    }

    /// The frame of thread `index`, counted along x first.
    pub(super) fn new(
        index: u32,
        block: [u32; 3],
        block_size: [u32; 3],
        grid_size: [u32; 3],
        worker: *const Worker,
    ) -> Self {
        let [x, y, _] = block_size;
        Self {
            thread: [index % x, index / x % y, index / x / y],
            block,
            block_size,
            grid_size,
            lane: index % 32,
            fuel: FUEL,
            calls: &raw const CALLS,
            worker: worker.cast(),
        }
    }
}

/// Mirrors `simt_calls`.
#[repr(C)]
struct Calls {
    barrier: unsafe extern "C" fn(*mut Frame, u32, u32, u32) -> u32,
    warp: unsafe extern "C" fn(*mut Frame, u32, u32, u32, u64, u32) -> u64,
    shared: unsafe extern "C" fn(*mut Frame, *const c_void, u64) -> *mut u8,
    dynamic_shared: unsafe extern "C" fn(*mut Frame) -> *mut u8,
    pause: unsafe extern "C" fn(*mut Frame),
    fault: unsafe extern "C" fn(*mut Frame, *const c_char, *const c_char, u32),
}

static CALLS: Calls = Calls {
    barrier,
    warp,
    shared,
    dynamic_shared,
    pause,
    fault,
};

unsafe extern "C" {
    fn simt_set_now(frame: *mut Frame);
}

/// Makes `frame` the thread that the kernel code on this system thread is.
///
/// # Safety
/// `frame` must stay valid until another is set or no kernel code runs here.
pub(super) unsafe fn set_now(frame: *mut Frame) {
    // SAFETY: stores the pointer in a thread-local variable.
    unsafe { simt_set_now(frame) };
}

/// The worker of the calling thread.
///
/// # Safety
/// `frame` must be what `set_now` was given, as it is in every call from C++.
unsafe fn worker_of<'a>(frame: *mut Frame) -> &'a Worker {
    // SAFETY: frames are made by a worker, of itself, and die with it.
    unsafe { &*(*frame).worker.cast() }
}

/// Runs `step`; a panic of it stops the kernel instead of crossing into C++.
fn contained<T>(worker: &Worker, step: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(step)).unwrap_or_else(|_| {
        worker.give_up("the emulator itself failed; see the panic message".to_owned())
    })
}

unsafe extern "C" fn barrier(frame: *mut Frame, kind: u32, line: u32, value: u32) -> u32 {
    // SAFETY: called from C++ with the current frame.
    let worker = unsafe { worker_of(frame) };
    let barrier = Barrier {
        kind: BarrierKind::from_number(kind),
        line,
    };
    let met = contained(worker, || worker.arrive(barrier, value));
    worker.answer_when(met) as u32
}

unsafe extern "C" fn warp(
    frame: *mut Frame,
    kind: u32,
    line: u32,
    mask: u32,
    value: u64,
    source: u32,
) -> u64 {
    // SAFETY: called from C++ with the current frame.
    let (worker, caller) = unsafe { (worker_of(frame), (*frame).lane) };
    let arrival = Arrival {
        kind: WarpKind::from_number(kind),
        line,
        mask,
        value,
        source,
    };
    if mask >> caller & 1 == 0 {
        worker.give_up(format!(
            "lane {caller} calls {} (line {line}) with mask {mask:#010x}, which does not name it",
            arrival.kind.name()
        ));
    }
    let met = contained(worker, || worker.arrive_in_warp(arrival));
    worker.answer_when(met)
}

unsafe extern "C" fn shared(frame: *mut Frame, key: *const c_void, bytes: u64) -> *mut u8 {
    // SAFETY: called from C++ with the current frame.
    let worker = unsafe { worker_of(frame) };
    match contained(worker, || {
        worker.shared_memory(key as usize, bytes as usize)
    }) {
        Some(memory) => memory,
        None => worker.give_up(format!(
            "no room for {bytes} more bytes of shared memory; a block has {}",
            super::shared::SHARED_BYTES
        )),
    }
}

unsafe extern "C" fn dynamic_shared(frame: *mut Frame) -> *mut u8 {
    // SAFETY: called from C++ with the current frame.
    unsafe { worker_of(frame) }.dynamic_shared_memory()
}

unsafe extern "C" fn pause(frame: *mut Frame) {
    // SAFETY: called from C++ with the current frame, which nobody else uses.
    let worker = unsafe {
        (*frame).fuel = FUEL;
        worker_of(frame)
    };
    if contained(worker, || worker.stand_back()) {
        worker.answer_when(false);
    } else {
        worker.give_up("spins on an atomic that nobody changes".to_owned());
    }
}

unsafe extern "C" fn fault(frame: *mut Frame, what: *const c_char, file: *const c_char, line: u32) {
    // SAFETY: called from C++ with the current frame and two static strings.
    let (worker, what, file) = unsafe {
        (
            worker_of(frame),
            CStr::from_ptr(what).to_string_lossy(),
            CStr::from_ptr(file).to_string_lossy(),
        )
    };
    worker.give_up(format!("{what} ({file} line {line})"));
}

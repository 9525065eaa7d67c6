//! The interface to the kernels' C++: a thread's view of itself, and the calls with which
//! it waits. The other side is `heddle-kernel-build/shim/simt.h`.
#![allow(unsafe_code)]

use std::borrow::Cow;
use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::block::{Barrier, BarrierKind};
use super::warp::{WarpArrival, WarpKind};
use super::worker::Worker;

/// Atomics of a thread between two yields.
const ATOMICS_PER_TURN: u32 = 1024;

/// One thread as its kernel sees it. Mirrors `simt_thread`.
#[repr(C)]
pub(super) struct ThreadFrame {
    pub(super) thread: [u32; 3],
    pub(super) block: [u32; 3],
    block_size: [u32; 3],
    grid_size: [u32; 3],
    lane: u32,
    atomics_left: u32,
    calls: *const HostCalls,
    worker: *const c_void,
}

impl ThreadFrame {
    /// An empty frame.
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
            atomics_left: ATOMICS_PER_TURN,
            calls: &raw const CALLS,
            worker: worker.cast(),
        }
    }
}

/// Mirrors `simt_calls`.
#[repr(C)]
struct HostCalls {
    barrier: unsafe extern "C" fn(*mut ThreadFrame, u32, u32, u32) -> u32,
    warp: unsafe extern "C" fn(*mut ThreadFrame, u32, u32, u32, u64, u32) -> u64,
    shared: unsafe extern "C" fn(*mut ThreadFrame, *const c_void, u64) -> *mut u8,
    dynamic_shared: unsafe extern "C" fn(*mut ThreadFrame) -> *mut u8,
    pause: unsafe extern "C" fn(*mut ThreadFrame),
    fault: unsafe extern "C" fn(*mut ThreadFrame, *const c_char, *const c_char, u32),
}

static CALLS: HostCalls = HostCalls {
    barrier,
    warp,
    shared,
    dynamic_shared,
    pause,
    fault,
};

unsafe extern "C" {
    fn simt_set_now(frame: *mut ThreadFrame);
}

/// Makes `frame` the current thread of the kernel code on this system thread.
///
/// # Safety
/// `frame` must stay valid until another is set or no kernel code runs here.
pub(super) unsafe fn set_now(frame: *mut ThreadFrame) {
    // SAFETY: stores the pointer in a thread-local variable.
    unsafe { simt_set_now(frame) };
}

/// The worker of the calling thread.
///
/// # Safety
/// `frame` must be the pointer given to `set_now`, as it is in every call from C++.
unsafe fn worker_of<'a>(frame: *mut ThreadFrame) -> &'a Worker {
    // SAFETY: the caller's promise: the frame is one that `Worker::run` has filled.
    let worker = unsafe { (*frame).worker };
    // SAFETY: a worker makes its own frames, and they are dropped with it. It is only used by
    // its thread, which is the calling one, and changes through shared references.
    unsafe { &*worker.cast() }
}

/// A string of the kernel's code.
///
/// # Safety
/// `text` must be a string literal of C++.
unsafe fn literal<'a>(text: *const c_char) -> Cow<'a, str> {
    // SAFETY: the caller's promise: it ends in zero and lives as long as the process.
    unsafe { CStr::from_ptr(text) }.to_string_lossy()
}

/// Runs `step`; a panic in it stops the kernel instead of crossing into C++.
fn contained<T>(worker: &Worker, step: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(step)).unwrap_or_else(|_| {
        worker.abort_kernel("the emulator itself failed; see the panic message".to_owned())
    })
}

unsafe extern "C" fn barrier(frame: *mut ThreadFrame, kind: u32, line: u32, value: u32) -> u32 {
    // SAFETY: called from C++ with the current frame.
    let worker = unsafe { worker_of(frame) };
    let barrier = Barrier {
        kind: BarrierKind::from_number(kind),
        line,
    };
    let met = contained(worker, || worker.arrive(barrier, value));
    worker.wait_for_result(met) as u32
}

unsafe extern "C" fn warp(
    frame: *mut ThreadFrame,
    kind: u32,
    line: u32,
    mask: u32,
    value: u64,
    source: u32,
) -> u64 {
    // SAFETY: called from C++ with the current frame.
    let worker = unsafe { worker_of(frame) };
    // SAFETY: as above.
    let caller = unsafe { (*frame).lane };
    let arrival = WarpArrival {
        kind: WarpKind::from_number(kind),
        line,
        mask,
        value,
        source,
    };
    if mask >> caller & 1 == 0 {
        worker.abort_kernel(format!(
            "lane {caller} calls {} (line {line}) with mask {mask:#010x}, which does not name it",
            arrival.kind.name()
        ));
    }
    let met = contained(worker, || worker.arrive_in_warp(arrival));
    worker.wait_for_result(met)
}

unsafe extern "C" fn shared(frame: *mut ThreadFrame, key: *const c_void, bytes: u64) -> *mut u8 {
    // SAFETY: called from C++ with the current frame.
    let worker = unsafe { worker_of(frame) };
    match contained(worker, || {
        worker.shared_memory(key as usize, bytes as usize)
    }) {
        Some(memory) => memory,
        None => worker.abort_kernel(format!(
            "shared memory exhausted: {bytes} more bytes requested; a block has {}",
            super::shared_memory::SHARED_BYTES
        )),
    }
}

unsafe extern "C" fn dynamic_shared(frame: *mut ThreadFrame) -> *mut u8 {
    // SAFETY: called from C++ with the current frame.
    unsafe { worker_of(frame) }.dynamic_shared_memory()
}

unsafe extern "C" fn pause(frame: *mut ThreadFrame) {
    // SAFETY: called from C++ with the current frame.
    let worker = unsafe { worker_of(frame) };
    // SAFETY: as above; nothing else refers to the frame while its kernel waits here.
    unsafe { (*frame).atomics_left = ATOMICS_PER_TURN };
    if contained(worker, || worker.yield_thread()) {
        worker.wait_for_result(false);
    } else {
        worker.abort_kernel("spins on an atomic that no other thread changes".to_owned());
    }
}

unsafe extern "C" fn fault(
    frame: *mut ThreadFrame,
    what: *const c_char,
    file: *const c_char,
    line: u32,
) {
    // SAFETY: called from C++ with the current frame.
    let worker = unsafe { worker_of(frame) };
    // SAFETY: called from C++ with two literals.
    let [what, file] = [what, file].map(|text| unsafe { literal(text) });
    worker.abort_kernel(format!("{what} ({file} line {line})"));
}

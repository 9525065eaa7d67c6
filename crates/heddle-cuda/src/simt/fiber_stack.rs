//! The stack of a fiber.
#![allow(unsafe_code)]

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use corosensei::stack::{DefaultStack, Stack, StackPointer};

/// The virtual size; pages that are never touched cost nothing. Below it lies a guard page,
/// so that an overflow stops the process instead of corrupting it.
const BYTES: usize = 128 * 1024;

/// The number of different distances from a page's end at which stacks begin. Were they all
/// alike, the hot end of every stack would lie in the same few cache sets: 25,500 switches
/// of `benches/simt.rs` then took 2.2 and 2.3 ms, against 1.1 and 1.7 ms with distances
/// (runs in turn, two shared cores, other work on them).
const COLOURS: usize = 16;
const COLOUR_BYTES: usize = 256;

/// Memory with a guard page, entered a little below its top.
pub(super) struct FiberStack {
    memory: DefaultStack,
    base: StackPointer,
}

impl FiberStack {
    pub(super) fn new() -> io::Result<Self> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let memory = DefaultStack::new(BYTES)?;
        let colour = NEXT.fetch_add(1, Ordering::Relaxed) % COLOURS;
        let top = memory.base();
        let base = StackPointer::new(top.get() - colour * COLOUR_BYTES).unwrap_or(top);
        Ok(Self { memory, base })
    }
}

// SAFETY: the memory is the default stack's own, guard page included; the base is at most 4
// KiB below its top, keeps its alignment of 16, and leaves far more than the smallest valid
// stack.
unsafe impl Stack for FiberStack {
    fn base(&self) -> StackPointer {
        self.base
    }

    fn limit(&self) -> StackPointer {
        self.memory.limit()
    }
}

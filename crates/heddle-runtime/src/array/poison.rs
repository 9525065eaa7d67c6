//! Fresh host memory that holds a pattern, for tests that every element of a result is written.
//!
//! A recycled buffer may hold the very result that is expected. While a [`Poison`] exists, buffers
//! of unspecified content hold its pattern instead, which shows an unwritten element.

use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The number of poisons on all threads, which every new buffer reads: one relaxed load is the
/// whole cost while there are none.
static ACTIVE_POISONS: AtomicUsize = AtomicUsize::new(0);

/// The pattern for threads without their own poison, which may work for a thread that has one.
const DEFAULT_PATTERN: u8 = 0xA5;

thread_local! {
    static PATTERN: Cell<u8> = const { Cell::new(DEFAULT_PATTERN) };
}

/// While it exists, fresh buffers of this thread hold its pattern, and those of other threads some
/// pattern.
#[derive(Debug)]
pub(crate) struct Poison {
    before: u8,
    /// The pattern is set for this thread, so the guard is not `Send`.
    thread: PhantomData<*const ()>,
}

impl Poison {
    pub(crate) fn new(pattern: u8) -> Self {
        ACTIVE_POISONS.fetch_add(1, Ordering::Relaxed);
        Self {
            before: PATTERN.replace(pattern),
            thread: PhantomData,
        }
    }
}

impl Drop for Poison {
    fn drop(&mut self) {
        PATTERN.set(self.before);
        ACTIVE_POISONS.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Whether fresh memory must be filled.
#[inline]
pub(super) fn is_wanted() -> bool {
    ACTIVE_POISONS.load(Ordering::Relaxed) != 0
}

/// Fills fresh memory.
#[cold]
pub(super) fn fill(memory: &mut [u8]) {
    memory.fill(PATTERN.get());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::HostBuffer;

    fn fresh(len: usize) -> Vec<u8> {
        HostBuffer::<u8>::unspecified(len).as_slice().to_vec()
    }

    #[test]
    fn every_fresh_buffer_holds_the_pattern() {
        let _poison = Poison::new(0x7F);
        // Small buffers come from the allocator, large ones from a free list or from new memory.
        for len in [0, 1, 5, 4095, 4096, 100_000, (5 << 20) + 321] {
            assert_eq!(fresh(len), vec![0x7F; len]);
            drop(Vec::from([1_u8; 5]));
            assert_eq!(fresh(len), vec![0x7F; len]);
        }
        let elsewhere = std::thread::spawn(|| fresh(100)).join().unwrap();
        assert_eq!(elsewhere, [DEFAULT_PATTERN; 100]);
    }

    #[test]
    fn the_innermost_pattern_is_used_and_the_outer_one_restored() {
        let outer = Poison::new(1);
        {
            let _inner = Poison::new(2);
            assert_eq!(fresh(3), [2; 3]);
        }
        assert_eq!(fresh(3), [1; 3]);
        drop(outer);
        assert_eq!(PATTERN.get(), DEFAULT_PATTERN);
    }
}

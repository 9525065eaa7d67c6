//! Fresh host memory that holds a pattern, for who checks that results are written.
//!
//! A recycled buffer may hold the very answer that is expected of it. While a
//! [`Poison`] lives, buffers of unspecified content hold its pattern instead, so
//! that an element nobody writes is seen.

use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Poisons that live, on all threads: what a buffer asks first. One relaxed load
/// is all that it costs where nobody checks anything.
static ACTIVE_POISONS: AtomicUsize = AtomicUsize::new(0);

/// What a thread without a poison of its own fills with: it may be working for
/// one that has.
const DEFAULT_PATTERN: u8 = 0xA5;

thread_local! {
    static PATTERN: Cell<u8> = const { Cell::new(DEFAULT_PATTERN) };
}

/// As long as it lives, fresh buffers of this thread hold its pattern, and those
/// of other threads one or another.
#[derive(Debug)]
pub(crate) struct Poison {
    before: u8,
    /// The pattern is this thread's, so the guard stays with it.
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

/// Whether fresh memory is to be filled.
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
        // Small ones come from the allocator, large ones from a shelf or new.
        for len in [0, 1, 5, 4095, 4096, 100_000, (5 << 20) + 321] {
            assert_eq!(fresh(len), vec![0x7F; len]);
            drop(Vec::from([1_u8; 5]));
            assert_eq!(fresh(len), vec![0x7F; len]);
        }
        let elsewhere = std::thread::spawn(|| fresh(100)).join().unwrap();
        assert_eq!(elsewhere, [DEFAULT_PATTERN; 100]);
    }

    #[test]
    fn the_innermost_pattern_counts_and_the_outer_one_comes_back() {
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

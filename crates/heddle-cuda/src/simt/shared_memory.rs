//! The shared memory of the running block: the dynamic part first, then each static
//! declaration when a thread first reaches it.
#![allow(unsafe_code)]

use std::cell::{Cell, RefCell, UnsafeCell};

/// The shared memory a block may use without opting in to more, on every GPU.
pub(super) const SHARED_BYTES: usize = 48 * 1024;

/// The content of shared memory before each block, so that reads of unwritten bytes show.
const POISON: u8 = 0xA5;

const LINE: usize = 256;

#[repr(align(256))]
struct SharedLine(
    #[expect(dead_code, reason = "read and written through the storage's pointer")]
    UnsafeCell<[u8; LINE]>,
);

/// One worker's shared memory, used by one block at a time.
pub(super) struct SharedMemory {
    storage: Vec<SharedLine>,
    used: Cell<usize>,
    /// Declarations met so far: key and offset.
    found: RefCell<Vec<(usize, usize)>>,
}

impl SharedMemory {
    pub(super) fn new() -> Self {
        let line = || SharedLine(UnsafeCell::new([POISON; LINE]));
        Self {
            storage: std::iter::repeat_with(line)
                .take(SHARED_BYTES / LINE)
                .collect(),
            used: Cell::new(0),
            found: RefCell::default(),
        }
    }

    /// Prepares the memory for a new block, with `dynamic` bytes of dynamic part.
    pub(super) fn reset(&self, dynamic: usize) {
        // SAFETY: `used` never exceeds the storage, and no fiber of the last block is left
        // to read it.
        unsafe { self.dynamic().write_bytes(POISON, self.used.get()) };
        self.found.borrow_mut().clear();
        self.used
            .set(dynamic.next_multiple_of(16).min(SHARED_BYTES));
    }

    /// The start of the dynamic part.
    pub(super) fn dynamic(&self) -> *mut u8 {
        self.storage.as_ptr().cast_mut().cast()
    }

    /// The memory of the declaration `key`, the same for every thread of the block; None
    /// when the block's shared memory is exhausted.
    pub(super) fn declared(&self, key: usize, bytes: usize) -> Option<*mut u8> {
        let mut found = self.found.borrow_mut();
        let start = if let Some(&(_, start)) = found.iter().find(|(other, _)| *other == key) {
            start
        } else {
            let start = self.used.get();
            let end = start.checked_add(bytes)?.next_multiple_of(16);
            if end > SHARED_BYTES {
                return None;
            }
            self.used.set(end);
            found.push((key, start));
            start
        };
        Some(self.dynamic().wrapping_add(start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_declaration_has_one_address_per_block() {
        let shared = SharedMemory::new();
        shared.reset(10);
        let first = shared.declared(1, 100).unwrap();
        assert_eq!(first as usize, shared.dynamic() as usize + 16);
        assert_eq!(shared.declared(1, 100), Some(first));
        assert_ne!(shared.declared(2, 4), Some(first));
        assert_eq!(shared.declared(3, SHARED_BYTES), None);
        shared.reset(0);
        assert_eq!(shared.declared(3, SHARED_BYTES), Some(shared.dynamic()));
    }
}

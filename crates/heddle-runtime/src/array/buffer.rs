//! Host memory for elements: aligned for SIMD, recycled because fresh pages are slow.
//!
//! A page touched for the first time costs more than computing on it: a 10 MB
//! result in new memory spends most of its time in the kernel's page faults. So
//! buffers from [`RECYCLE_FROM`] on go back to a shelf when dropped and come out
//! again with whatever they held, which is why fresh buffers are
//! [`unspecified`](HostBuffer::unspecified), never silently zero.

use std::fmt;
use std::marker::PhantomData;
use std::mem;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use bytemuck::{Pod, Zeroable};

use super::poison;
use crate::dtype::Element;
use crate::machine::Machine;

/// Smaller buffers are left to the allocator, which is as fast and has no lock.
const RECYCLE_FROM: usize = 4 << 10;
/// Bytes the shelves hold at most, all sizes together: a share of the machine's
/// memory, between these two.
const SHELF_SHARE: u64 = 16;
const SHELF_LEAST: u64 = 256 << 20;
const SHELF_MOST: u64 = 1 << 30;
/// Elements start on a cache line.
const ALIGNMENT: usize = 64;

/// Buffers from here on start at different places within a page. Streams that
/// start at the same place compete for the same sets of the cache: a 100 kB xor
/// took 3.29 µs with and 3.08 µs without (medians of five runs in turn).
const COLOURED_FROM: usize = 32 << 10;
/// Places there are, and units from one to the next: five cache lines, so that
/// neither the lines nor their neighbours meet.
const COLOURS: usize = 8;
const COLOUR_UNITS: usize = 20;

/// Sixteen bytes: the largest alignment for which the allocator still hands out
/// lazily zeroed pages.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(16))]
struct Unit([u8; 16]);

/// `len` elements in host memory, starting on a cache line.
pub struct HostBuffer<T: Element> {
    units: Vec<Unit>,
    /// Units to skip to reach the first cache line.
    start: usize,
    len: usize,
    element: PhantomData<T>,
}

impl<T: Element> HostBuffer<T> {
    /// Room for `len` elements whose values are whatever was there before.
    #[must_use]
    pub fn unspecified(len: usize) -> Self {
        let size = Class::holding(len.saturating_mul(size_of::<T>()));
        let units = SHELVES.take(size).unwrap_or_else(|| size.allocate());
        let mut buffer = Self::over(units, len);
        if poison::is_wanted() {
            poison::fill(bytemuck::cast_slice_mut(buffer.as_mut_slice()));
        }
        buffer
    }

    /// Room for `len` zeros.
    #[must_use]
    pub fn zeroed(len: usize) -> Self {
        let size = Class::holding(len.saturating_mul(size_of::<T>()));
        Self::over(size.allocate(), len)
    }

    fn over(units: Vec<Unit>, len: usize) -> Self {
        Self {
            start: units.as_ptr().align_offset(ALIGNMENT) + colour(len * size_of::<T>()),
            units,
            len,
            element: PhantomData,
        }
    }

    /// The same bytes as elements of another type; what does not make up an element
    /// is left out.
    pub(super) fn cast<U: Element>(mut self) -> HostBuffer<U> {
        HostBuffer {
            start: self.start,
            len: self.len * size_of::<T>() / size_of::<U>(),
            units: mem::take(&mut self.units),
            element: PhantomData,
        }
    }

    /// Number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The elements.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        &bytemuck::cast_slice(&self.units[self.start..])[..self.len]
    }

    /// The elements, for writing.
    #[must_use]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut bytemuck::cast_slice_mut(&mut self.units[self.start..])[..self.len]
    }
}

impl<T: Element> Drop for HostBuffer<T> {
    fn drop(&mut self) {
        SHELVES.put(mem::take(&mut self.units));
    }
}

impl<T: Element> fmt::Debug for HostBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HostBuffer<{}>({})", T::DTYPE, self.len)
    }
}

/// Units by which a buffer of this size starts later than it could.
fn colour(bytes: usize) -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    if bytes < COLOURED_FROM {
        return 0;
    }
    NEXT.fetch_add(1, Ordering::Relaxed) % COLOURS * COLOUR_UNITS
}

/// A size buffers are rounded up to: eight steps per power of two, so that at
/// most an eighth is wasted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Class {
    units: usize,
}

impl Class {
    const STEPS_LOG2: u32 = 3;

    fn holding(bytes: usize) -> Self {
        let room = if bytes < COLOURED_FROM {
            0
        } else {
            COLOURS * COLOUR_UNITS
        };
        let needed = bytes.div_ceil(size_of::<Unit>()) + ALIGNMENT / size_of::<Unit>() + room;
        let step = 1_usize << needed.ilog2().saturating_sub(Self::STEPS_LOG2);
        Self {
            units: needed.checked_next_multiple_of(step).unwrap_or(needed),
        }
    }

    fn allocate(self) -> Vec<Unit> {
        if self.units * size_of::<Unit>() < RECYCLE_FROM {
            // `calloc` never takes from the allocator's per-thread cache, though
            // `free` gives to it, so small buffers would always miss it.
            let mut units = Vec::with_capacity(self.units);
            units.resize(self.units, Unit::zeroed());
            return units;
        }
        bytemuck::allocation::zeroed_vec(self.units)
    }

    /// The shelf for this size, if it is worth keeping.
    fn shelf(self) -> Option<usize> {
        if self.units * size_of::<Unit>() < RECYCLE_FROM {
            return None;
        }
        let power = self.units.ilog2();
        let step = (self.units >> (power - Self::STEPS_LOG2)) & ((1 << Self::STEPS_LOG2) - 1);
        Some(((power as usize) << Self::STEPS_LOG2) + step)
    }
}

fn shelf_limit() -> usize {
    static LIMIT: OnceLock<usize> = OnceLock::new();
    *LIMIT.get_or_init(|| {
        let share = Machine::read().memory.0 / SHELF_SHARE;
        share.clamp(SHELF_LEAST, SHELF_MOST) as usize
    })
}

struct Shelves {
    stock: Mutex<Stock>,
}

struct Stock {
    shelves: Vec<Vec<Vec<Unit>>>,
    bytes: usize,
}

static SHELVES: Shelves = Shelves {
    stock: Mutex::new(Stock {
        shelves: Vec::new(),
        bytes: 0,
    }),
};

impl Shelves {
    fn take(&self, size: Class) -> Option<Vec<Unit>> {
        let shelf = size.shelf()?;
        let mut stock = self.stock.lock().unwrap_or_else(PoisonError::into_inner);
        let units = stock.shelves.get_mut(shelf)?.pop()?;
        stock.bytes -= units.len() * size_of::<Unit>();
        Some(units)
    }

    fn put(&self, units: Vec<Unit>) {
        let Some(shelf) = (Class { units: units.len() }).shelf() else {
            return;
        };
        let bytes = units.len() * size_of::<Unit>();
        let mut stock = self.stock.lock().unwrap_or_else(PoisonError::into_inner);
        if stock.bytes + bytes > shelf_limit() {
            drop(stock);
            drop(units);
            return;
        }
        stock.bytes += bytes;
        if stock.shelves.len() <= shelf {
            stock.shelves.resize_with(shelf + 1, Vec::new);
        }
        stock.shelves[shelf].push(units);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_start_on_a_cache_line() {
        for len in [0, 1, 5, 63, 64, 65, 1000, 100_000] {
            let buffer = HostBuffer::<f64>::zeroed(len);
            assert_eq!(buffer.as_slice().len(), len);
            assert!(buffer.as_slice().iter().all(|&value| value == 0.0));
            assert_eq!(buffer.as_slice().as_ptr() as usize % ALIGNMENT, 0);
        }
    }

    #[test]
    fn a_class_wastes_at_most_an_eighth() {
        for bytes in (1..200_000).step_by(37) {
            let colours = COLOURS * COLOUR_UNITS * size_of::<Unit>();
            let asked = bytes + ALIGNMENT + size_of::<Unit>() + colours;
            let given = Class::holding(bytes).units * size_of::<Unit>();
            assert!(given >= bytes + ALIGNMENT - size_of::<Unit>());
            assert!(
                given <= asked + asked / 8 + size_of::<Unit>(),
                "{bytes} -> {given}"
            );
        }
    }

    #[test]
    fn equal_classes_share_a_shelf_and_others_do_not() {
        let mut sizes: Vec<Class> = (RECYCLE_FROM..(RECYCLE_FROM * 64))
            .step_by(64)
            .map(Class::holding)
            .collect();
        sizes.dedup();
        let mut shelves: Vec<_> = sizes.iter().map(|size| size.shelf()).collect();
        shelves.dedup();
        assert_eq!(shelves.len(), sizes.len());
    }

    #[test]
    fn a_dropped_buffer_is_used_again() {
        // A size no other test uses, so that nobody else takes it from the shelf.
        let len = (3 << 20) + 777;
        let mut first = HostBuffer::<u8>::unspecified(len);
        first.as_mut_slice().fill(0xA5);
        let address = first.units.as_ptr() as usize;
        drop(first);
        let second = HostBuffer::<u8>::unspecified(len);
        assert_eq!(second.units.as_ptr() as usize, address);
    }
}

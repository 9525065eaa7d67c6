//! Host memory for elements: aligned for SIMD, recycled because fresh pages are slow.
//!
//! A page touched for the first time costs more than computing on it: most of the time of a 10 MB
//! result in new memory goes into the kernel's page faults. So buffers of at least [`RECYCLE_FROM`]
//! bytes go to a free list when dropped and are used again with their old content. Fresh buffers
//! are therefore [`unspecified`](HostBuffer::unspecified), never silently zero.

use std::fmt;
use std::marker::PhantomData;
use std::mem;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use bytemuck::{Pod, Zeroable};

use super::poison;
use crate::dtype::Element;
use crate::error::Error;
use crate::machine::Machine;
use crate::memory::{CHECKED_FROM, check_host, refused_by_allocator};
use crate::units::Bytes;

/// Smaller buffers are left to the allocator, which is as fast and takes no lock.
const RECYCLE_FROM: usize = 4 << 10;
/// The most bytes in all free lists together: a share of the machine's memory, between these two.
const CACHE_SHARE: u64 = 16;
const CACHE_MIN: u64 = 256 << 20;
const CACHE_MAX: u64 = 1 << 30;
/// The alignment of the first element: a cache line.
const ALIGNMENT: usize = 64;

/// Buffers of at least this size start at different offsets within a page. Streams that start at
/// the same offset compete for the same sets of the cache: a 100 kB xor took 3.08 µs with different
/// offsets and 3.29 µs with equal ones (medians of five alternating runs).
const COLOURED_FROM: usize = 32 << 10;
/// The number of offsets, and the distance between two: five cache lines, so that neither the lines
/// nor their neighbours coincide.
const COLOURS: usize = 8;
const COLOUR_CHUNKS: usize = 20;

/// Sixteen bytes: the largest alignment for which the allocator still returns lazily zeroed pages.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(16))]
struct AlignedChunk([u8; 16]);

/// `len` elements in host memory, starting on a cache line.
pub struct HostBuffer<T: Element> {
    chunks: Vec<AlignedChunk>,
    /// Chunks before the first cache line.
    start: usize,
    len: usize,
    element: PhantomData<T>,
}

impl<T: Element> HostBuffer<T> {
    /// Allocates `len` elements of unspecified content.
    ///
    /// # Panics
    /// If there is no memory for them. Where input chooses `len`, use
    /// [`try_unspecified`](Self::try_unspecified).
    #[must_use]
    pub fn unspecified(len: usize) -> Self {
        Self::try_unspecified("a host buffer", len).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Allocates `len` elements of unspecified content for what `operation` names.
    pub fn try_unspecified(operation: &'static str, len: usize) -> Result<Self, Error> {
        let size = SizeClass::of::<T>(operation, len)?;
        let chunks = match BUFFER_CACHE.take(size) {
            Some(chunks) => chunks,
            None => size.allocate(operation)?,
        };
        let mut buffer = Self::over(chunks, len);
        if poison::is_wanted() {
            poison::fill(bytemuck::cast_slice_mut(buffer.as_mut_slice()));
        }
        Ok(buffer)
    }

    /// Allocates `len` zeros for what `operation` names.
    pub fn try_zeroed(operation: &'static str, len: usize) -> Result<Self, Error> {
        let size = SizeClass::of::<T>(operation, len)?;
        Ok(Self::over(size.allocate(operation)?, len))
    }

    fn over(chunks: Vec<AlignedChunk>, len: usize) -> Self {
        if let Some(bytes) = counted_bytes(&chunks) {
            HELD_BYTES.fetch_add(bytes, Ordering::Relaxed);
        }
        Self {
            start: chunks.as_ptr().align_offset(ALIGNMENT) + colour(len * size_of::<T>()),
            chunks,
            len,
            element: PhantomData,
        }
    }

    /// Returns the same bytes as elements of another type, without an incomplete last element.
    pub(super) fn cast<U: Element>(mut self) -> HostBuffer<U> {
        HostBuffer {
            start: self.start,
            len: self.len * size_of::<T>() / size_of::<U>(),
            chunks: mem::take(&mut self.chunks),
            element: PhantomData,
        }
    }

    /// The number of elements.
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
        &bytemuck::cast_slice(&self.chunks[self.start..])[..self.len]
    }

    /// The elements, for writing.
    #[must_use]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut bytemuck::cast_slice_mut(&mut self.chunks[self.start..])[..self.len]
    }
}

impl<T: Element> Drop for HostBuffer<T> {
    fn drop(&mut self) {
        if let Some(bytes) = counted_bytes(&self.chunks) {
            HELD_BYTES.fetch_sub(bytes, Ordering::Relaxed);
        }
        BUFFER_CACHE.put(mem::take(&mut self.chunks));
    }
}

/// The bytes of all large buffers in use.
static HELD_BYTES: AtomicU64 = AtomicU64::new(0);

/// The bytes of all arrays on the host that have a large buffer of their own.
pub(crate) fn held_bytes() -> Bytes {
    Bytes(HELD_BYTES.load(Ordering::Relaxed))
}

/// The bytes of a buffer large enough to be counted.
#[inline]
fn counted_bytes(chunks: &[AlignedChunk]) -> Option<u64> {
    let bytes = size_of_val(chunks) as u64;
    (bytes >= CHECKED_FROM.0).then_some(bytes)
}

/// Frees the buffers that are kept for reuse.
pub(crate) fn release_recycled() {
    BUFFER_CACHE.clear();
}

impl<T: Element> fmt::Debug for HostBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HostBuffer<{}>({})", T::DTYPE, self.len)
    }
}

/// Returns the offset of a buffer of this size, in chunks.
fn colour(bytes: usize) -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    if bytes < COLOURED_FROM {
        return 0;
    }
    NEXT.fetch_add(1, Ordering::Relaxed) % COLOURS * COLOUR_CHUNKS
}

/// A size that buffers are rounded up to: eight per power of two, so at most an eighth is wasted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SizeClass {
    chunks: usize,
}

impl SizeClass {
    const STEPS_LOG2: u32 = 3;

    /// The size for `len` elements. Fails for more bytes than an allocation may have.
    #[inline]
    fn of<T>(operation: &'static str, len: usize) -> Result<Self, Error> {
        match len.checked_mul(size_of::<T>()) {
            // Rounding up adds an eighth, and the total must not overflow.
            Some(bytes) if bytes < usize::MAX / 4 => Ok(Self::for_bytes(bytes)),
            _ => Err(refused_by_allocator(operation, Bytes::of::<T>(len))),
        }
    }

    fn for_bytes(bytes: usize) -> Self {
        let offsets = if bytes < COLOURED_FROM {
            0
        } else {
            COLOURS * COLOUR_CHUNKS
        };
        let needed = bytes.div_ceil(size_of::<AlignedChunk>())
            + ALIGNMENT / size_of::<AlignedChunk>()
            + offsets;
        let step = 1_usize << needed.ilog2().saturating_sub(Self::STEPS_LOG2);
        Self {
            chunks: needed.checked_next_multiple_of(step).unwrap_or(needed),
        }
    }

    fn allocate(self, operation: &'static str) -> Result<Vec<AlignedChunk>, Error> {
        let bytes = Bytes::of::<AlignedChunk>(self.chunks);
        if bytes.0 < RECYCLE_FROM as u64 {
            // `calloc` never takes from the allocator's per-thread cache, though `free` adds to it,
            // so small buffers would always miss it.
            let mut chunks = Vec::with_capacity(self.chunks);
            chunks.resize(self.chunks, AlignedChunk::zeroed());
            return Ok(chunks);
        }
        check_host(operation, bytes)?;
        bytemuck::allocation::try_zeroed_vec(self.chunks)
            .map_err(|()| refused_by_allocator(operation, bytes))
    }

    /// Returns the index of the free list of this size, if buffers of it are kept.
    fn free_list(self) -> Option<usize> {
        if self.chunks * size_of::<AlignedChunk>() < RECYCLE_FROM {
            return None;
        }
        let power = self.chunks.ilog2();
        let step = (self.chunks >> (power - Self::STEPS_LOG2)) & ((1 << Self::STEPS_LOG2) - 1);
        Some(((power as usize) << Self::STEPS_LOG2) + step)
    }
}

fn cache_limit() -> usize {
    static LIMIT: OnceLock<usize> = OnceLock::new();
    *LIMIT.get_or_init(|| {
        let share = Machine::read().memory.0 / CACHE_SHARE;
        share.clamp(CACHE_MIN, CACHE_MAX) as usize
    })
}

struct BufferCache {
    free_lists: Mutex<FreeLists>,
}

struct FreeLists {
    lists: Vec<Vec<Vec<AlignedChunk>>>,
    bytes: usize,
}

static BUFFER_CACHE: BufferCache = BufferCache {
    free_lists: Mutex::new(FreeLists {
        lists: Vec::new(),
        bytes: 0,
    }),
};

impl BufferCache {
    fn take(&self, size: SizeClass) -> Option<Vec<AlignedChunk>> {
        let free_list = size.free_list()?;
        let mut free_lists = self
            .free_lists
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let chunks = free_lists.lists.get_mut(free_list)?.pop()?;
        free_lists.bytes -= chunks.len() * size_of::<AlignedChunk>();
        Some(chunks)
    }

    fn clear(&self) {
        let mut free_lists = self
            .free_lists
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let lists = mem::take(&mut free_lists.lists);
        free_lists.bytes = 0;
        drop(free_lists);
        drop(lists);
    }

    fn put(&self, chunks: Vec<AlignedChunk>) {
        let Some(free_list) = (SizeClass {
            chunks: chunks.len(),
        })
        .free_list() else {
            return;
        };
        let bytes = chunks.len() * size_of::<AlignedChunk>();
        let mut free_lists = self
            .free_lists
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if free_lists.bytes + bytes > cache_limit() {
            drop(free_lists);
            drop(chunks);
            return;
        }
        free_lists.bytes += bytes;
        if free_lists.lists.len() <= free_list {
            free_lists.lists.resize_with(free_list + 1, Vec::new);
        }
        free_lists.lists[free_list].push(chunks);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_start_on_a_cache_line() {
        for len in [0, 1, 5, 63, 64, 65, 1000, 100_000] {
            let buffer = HostBuffer::<f64>::try_zeroed("a test", len).unwrap();
            assert_eq!(buffer.as_slice().len(), len);
            assert!(buffer.as_slice().iter().all(|&value| value == 0.0));
            assert_eq!(buffer.as_slice().as_ptr() as usize % ALIGNMENT, 0);
        }
    }

    #[test]
    fn a_class_wastes_at_most_an_eighth() {
        for bytes in (1..200_000).step_by(37) {
            let colours = COLOURS * COLOUR_CHUNKS * size_of::<AlignedChunk>();
            let needed = bytes + ALIGNMENT + size_of::<AlignedChunk>() + colours;
            let given = SizeClass::for_bytes(bytes).chunks * size_of::<AlignedChunk>();
            assert!(given >= bytes + ALIGNMENT - size_of::<AlignedChunk>());
            assert!(
                given <= needed + needed / 8 + size_of::<AlignedChunk>(),
                "{bytes} -> {given}"
            );
        }
    }

    #[test]
    fn equal_classes_share_a_free_list_and_others_do_not() {
        let mut sizes: Vec<SizeClass> = (RECYCLE_FROM..(RECYCLE_FROM * 64))
            .step_by(64)
            .map(SizeClass::for_bytes)
            .collect();
        sizes.dedup();
        let mut lists: Vec<_> = sizes.iter().map(|size| size.free_list()).collect();
        lists.dedup();
        assert_eq!(lists.len(), sizes.len());
    }

    #[test]
    fn a_dropped_buffer_is_used_again() {
        // A size that no other test uses, so that none takes the buffer from the free list.
        let len = (3 << 20) + 777;
        let mut first = HostBuffer::<u8>::unspecified(len);
        first.as_mut_slice().fill(0xA5);
        let address = first.chunks.as_ptr() as usize;
        drop(first);
        let second = HostBuffer::<u8>::unspecified(len);
        assert_eq!(second.chunks.as_ptr() as usize, address);
    }
}

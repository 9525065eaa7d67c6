//! A thread's recording state.
//!
//! A `ThreadBuffer` has a `ProfilerBuffer` for each profiler the thread recorded to: the
//! chunk it fills and its open scopes.
//!
//! Invariant: no foreign code runs while the state is borrowed, so recording cannot
//! re-enter.

use std::cell::RefCell;
use std::sync::{Arc, Weak};

use super::chunk::{Chunk, Mark};
use super::packed::{PackedDevice, ScopeRecord, span_words};
use super::store::{Store, ThreadSlot};
use super::{sync, thread};
use crate::name::{NameCache, NameId};
use crate::span::Span;

/// The low bits of an id, a count of the thread's spans; the other bits are the
/// thread.
const COUNT_BITS: u32 = 40;

thread_local! {
    static THREAD_BUFFER: RefCell<ThreadBuffer> = RefCell::new({
        let thread_buffer = ThreadBuffer::new();
        thread::register_name(thread_buffer.thread);
        thread_buffer
    });
}

/// The recording state of one thread.
#[derive(Debug)]
pub(crate) struct ThreadBuffer {
    thread: u32,
    count: u64,
    names: NameCache,
    profilers: Vec<ProfilerBuffer>,
    /// The index of the buffer used last: most threads record to one profiler only.
    last: usize,
}

/// The state of one thread for one profiler.
#[derive(Debug)]
struct ProfilerBuffer {
    owner: u64,
    store: Weak<Store>,
    number: usize,
    slot: sync::Arc<ThreadSlot>,
    chunk: sync::Arc<Chunk>,
    mark: Mark,
    /// Scopes that are open, outermost first.
    open: Vec<OpenScope>,
    /// The number of spans to skip before the next is recorded, when sampling.
    skip: u32,
    random: u32,
}

/// An open scope. It is kept here and not in its guard, so that a guard is two
/// words and a guard that records nothing costs nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenScope {
    pub(crate) id: u64,
    pub(crate) parent: u64,
    pub(crate) start_ticks: u64,
    pub(crate) start: ScopeStart,
}

/// The properties of a scope at the moment it opens.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScopeStart {
    pub(crate) operation: NameId,
    pub(crate) element: NameId,
    pub(crate) device: PackedDevice,
    pub(crate) size: Option<u64>,
}

impl ScopeStart {
    /// A scope with a name and no other properties.
    pub(crate) fn new(operation: NameId) -> Self {
        Self {
            operation,
            element: NameId::EMPTY,
            device: PackedDevice::CPU,
            size: None,
        }
    }
}

impl OpenScope {
    fn record(&self, thread: u32, ticks: u64) -> ScopeRecord {
        ScopeRecord {
            operation: self.start.operation,
            element: self.start.element,
            device: self.start.device,
            thread,
            id: self.id,
            parent: self.parent,
            start_ticks: self.start_ticks,
            ticks: ticks.saturating_sub(self.start_ticks),
        }
    }
}

/// Calls `work` with the calling thread's state, or with a temporary one if the
/// thread is ending and its own is already destroyed.
#[inline]
pub(crate) fn with_thread_buffer<R>(mut work: impl FnMut(&mut ThreadBuffer) -> R) -> R {
    match THREAD_BUFFER.try_with(|thread_buffer| work(&mut thread_buffer.borrow_mut())) {
        Ok(done) => done,
        Err(_) => work(&mut ThreadBuffer::new()),
    }
}

impl ThreadBuffer {
    fn new() -> Self {
        Self {
            thread: thread::number(),
            count: 0,
            names: NameCache::new(),
            profilers: Vec::new(),
            last: 0,
        }
    }

    /// Opens a scope and returns its id, or `None` if sampling skips it.
    #[inline]
    pub(crate) fn begin(
        &mut self,
        store: &Arc<Store>,
        one_in: u32,
        start: ScopeStart,
        clock: impl Fn() -> u64,
    ) -> Option<u64> {
        self.attach(store);
        let id = self.next_id();
        let profiler_buffer = &mut self.profilers[self.last];
        if one_in > 1 && !profiler_buffer.is_next(one_in) {
            return None;
        }
        let parent = profiler_buffer.innermost();
        profiler_buffer.open.push(OpenScope {
            id,
            parent,
            start,
            // Last, so that opening a scope is not part of it.
            start_ticks: clock(),
        });
        Some(id)
    }

    /// Closes a scope that is open here and records it.
    #[inline]
    pub(crate) fn end(&mut self, store: &Arc<Store>, id: u64, ticks: u64) {
        self.attach(store);
        let profiler_buffer = &mut self.profilers[self.last];
        if let Some(scope) = profiler_buffer.close(id) {
            profiler_buffer.write_scope(store, &scope, self.thread, ticks);
        }
    }

    /// Records a scope that was [taken](Self::take) earlier.
    pub(crate) fn end_taken(&mut self, store: &Arc<Store>, scope: &OpenScope, ticks: u64) {
        self.attach(store);
        self.profilers[self.last].write_scope(store, scope, self.thread, ticks);
    }

    /// Changes the properties of a scope that is open on this thread.
    pub(crate) fn amend(
        &mut self,
        store: &Arc<Store>,
        id: u64,
        change: impl FnOnce(&mut OpenScope, &mut NameCache),
    ) {
        self.attach(store);
        let open = &mut self.profilers[self.last].open;
        if let Some(scope) = open.iter_mut().rev().find(|scope| scope.id == id) {
            change(scope, &mut self.names);
        }
    }

    /// Removes an open scope from this thread; it may end on any thread.
    pub(crate) fn take(&mut self, store: &Arc<Store>, id: u64) -> Option<OpenScope> {
        self.attach(store);
        self.profilers[self.last].close(id)
    }

    /// Makes a scope that was taken the innermost one of this thread, until it is
    /// taken again.
    pub(crate) fn put(&mut self, store: &Arc<Store>, scope: OpenScope) {
        self.attach(store);
        self.profilers[self.last].open.push(scope);
    }

    /// Records a finished span inside the innermost open scope.
    #[inline]
    pub(crate) fn record(&mut self, store: &Arc<Store>, one_in: u32, span: &Span) {
        self.attach(store);
        let id = self.next_id();
        let profiler_buffer = &mut self.profilers[self.last];
        if one_in > 1 && !profiler_buffer.is_next(one_in) {
            return;
        }
        let parent = profiler_buffer.innermost();
        let words = span_words(span, &mut self.names, self.thread, id, parent);
        profiler_buffer.write(store, &words);
    }

    /// The thread's cache of names.
    #[inline]
    pub(crate) fn names(&mut self) -> &mut NameCache {
        &mut self.names
    }

    #[inline]
    fn next_id(&mut self) -> u64 {
        self.count += 1;
        u64::from(self.thread) << COUNT_BITS | self.count
    }

    /// Points `last` at the buffer of this store, adding one if there is none.
    #[inline]
    fn attach(&mut self, store: &Arc<Store>) {
        let is_of_store = |profiler_buffer: &ProfilerBuffer| profiler_buffer.owner == store.id;
        if !self.profilers.get(self.last).is_some_and(is_of_store) {
            self.last = match self.profilers.iter().position(is_of_store) {
                Some(index) => index,
                None => self.attach_new(store),
            };
        }
    }

    #[cold]
    fn attach_new(&mut self, store: &Arc<Store>) -> usize {
        // Dropping a profiler does not notify the threads that recorded to it.
        self.profilers
            .retain(|profiler_buffer| profiler_buffer.store.strong_count() > 0);
        let taken = store.attach();
        self.profilers.push(ProfilerBuffer {
            owner: store.id,
            store: Arc::downgrade(store),
            number: taken.number,
            slot: taken.slot,
            mark: taken.chunk.mark(),
            chunk: taken.chunk,
            open: Vec::new(),
            skip: 0,
            // Any seed but zero, different in each thread.
            random: self.thread.wrapping_mul(2).wrapping_add(1),
        });
        self.profilers.len() - 1
    }
}

impl Drop for ThreadBuffer {
    fn drop(&mut self) {
        for profiler_buffer in &self.profilers {
            if let Some(store) = profiler_buffer.store.upgrade() {
                store.release_slot(profiler_buffer.number);
            }
        }
    }
}

impl ProfilerBuffer {
    #[inline]
    fn write<const WORDS: usize>(&mut self, store: &Store, record: &[u64; WORDS]) {
        match self.chunk.append(self.mark, record) {
            Some(mark) => self.mark = mark,
            None => self.write_to_next(store, record),
        }
    }

    #[cold]
    fn write_to_next<const WORDS: usize>(&mut self, store: &Store, record: &[u64; WORDS]) {
        self.chunk = store.exchange(&self.slot);
        // An empty chunk holds the longest record.
        self.mark = self
            .chunk
            .append(Mark::default(), record)
            .unwrap_or_default();
    }

    #[inline]
    fn write_scope(&mut self, store: &Store, scope: &OpenScope, thread: u32, ticks: u64) {
        let record = scope.record(thread, ticks);
        match scope.start.size {
            None => self.write(store, &record.words()),
            Some(size) => self.write(store, &record.sized_words(size)),
        }
    }

    #[inline]
    fn innermost(&self) -> u64 {
        self.open.last().map_or(0, |scope| scope.id)
    }

    /// Removes an open scope. Scopes normally close innermost first, but guards can
    /// be dropped in any order.
    #[inline]
    fn close(&mut self, id: u64) -> Option<OpenScope> {
        if self.open.last().is_some_and(|scope| scope.id == id) {
            return self.open.pop();
        }
        let at = self.open.iter().rposition(|scope| scope.id == id)?;
        Some(self.open.remove(at))
    }

    /// Whether sampling takes the next span. Gaps are random with a mean of
    /// `one_in`: a fixed step would pick the same operation of a loop every time.
    fn is_next(&mut self, one_in: u32) -> bool {
        if self.skip > 0 {
            self.skip -= 1;
            return false;
        }
        // Marsaglia's xorshift with its triple 13, 17, 5.
        self.random ^= self.random << 13;
        self.random ^= self.random >> 17;
        self.random ^= self.random << 5;
        let widest = u64::from(one_in) * 2 - 1;
        self.skip = ((u64::from(self.random) * widest) >> 32) as u32;
        true
    }
}

//! The memory of one device: the whole stack and everything that watches it.

mod maintenance;
mod reclaim;

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use crate::memory::cached_copies::{Cached, CachedCopies};
use crate::memory::cleanup::{Cleanup, CleanupCause, CleanupId, CleanupReport};
use crate::memory::clock::TimeSource;
use crate::memory::event::AllocationEvent;
use crate::memory::leaks::{Leak, Leaks};
use crate::memory::limit::{Admission, Limit, LimitReading};
use crate::memory::live_allocations::LiveAllocations;
use crate::memory::log::LogWriter;
use crate::memory::pool::{MemoryPool, PoolSettings};
use crate::memory::pressure::{PressureChange, PressureLevel, PressureMonitor};
use crate::memory::pressure_band::PressureBand;
use crate::memory::reading::MemoryReading;
use crate::memory::reuse::Reuse;
use crate::memory::settings::{MemoryRules, MemorySettings};
use crate::memory::shortage::{AllocateError, Shortage};
use crate::memory::site::AllocationSite;
use crate::memory::snapshot_history::{Snapshot, SnapshotHistory};
use crate::memory::statistics::{SiteUsage, Statistics};
use crate::memory::storage::{Block, Storage, StreamIndex, StreamSet};
use crate::memory::unpooled::Unpooled;
use crate::units::Bytes;

/// A block of one device's memory. Pass it to [`Memory::free`]; dropping it frees nothing.
#[derive(Debug)]
#[must_use = "an allocation that is dropped without being freed stays allocated"]
pub struct Allocation {
    block: Block,
    asked: Bytes,
}

/// The memory of one device.
///
/// ```
/// use std::sync::Arc;
///
/// use heddle_runtime::device::DeviceId;
/// use heddle_runtime::memory::{SimulatedStorage, Memory, MemorySettings, StreamSet, SystemClock};
/// use heddle_runtime::units::Bytes;
///
/// let capacity = Bytes(64 << 20);
/// let settings = MemorySettings::new(DeviceId::simt(0), capacity);
/// let clock = Arc::new(SystemClock::new());
/// let memory = Memory::new(SimulatedStorage::new(capacity), settings, clock);
///
/// let admission = memory.reserve(memory.footprint(Bytes(1000)))?;
/// let inside = admission.enter();
/// let allocation = memory.allocate(Bytes(1000), None)?;
/// assert_eq!(memory.reading().limit.reserved, Bytes(0));
/// drop((inside, admission));
/// memory.free(allocation, StreamSet::NONE);
/// assert!(memory.live_allocations().is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Memory<B: Storage> {
    settings: MemorySettings,
    clock: Arc<dyn TimeSource>,
    stack: Statistics<Limit<Reuse<B>>>,
    pressure_band: PressureBand,
    pressure: PressureMonitor,
    snapshot_history: SnapshotHistory,
    cleanup: Cleanup,
    leaks: Leaks,
    cached_copies: Arc<CachedCopies>,
    log: OnceLock<Arc<LogWriter>>,
    rescued: AtomicU64,
    shortages: AtomicU64,
}

/// The memory of a device with its own memory.
pub type AcceleratorMemory = Memory<Box<dyn Storage>>;

impl Allocation {
    /// The address of its first byte.
    #[must_use]
    pub fn address(&self) -> u64 {
        self.block.address
    }

    /// The bytes requested.
    #[must_use]
    pub fn bytes(&self) -> Bytes {
        self.asked
    }

    /// The bytes granted, which count against the limit.
    #[must_use]
    pub fn granted(&self) -> Bytes {
        self.block.bytes
    }
}

impl<B: Storage> Memory<B> {
    /// Stacks the parts on `base_storage`.
    pub fn new(base_storage: B, settings: MemorySettings, clock: Arc<dyn TimeSource>) -> Self {
        let reuse = match settings.pool {
            Some(pool) => {
                let pool = PoolSettings {
                    tracks_queued_work: settings.tracks_queued_work,
                    ..pool
                };
                Reuse::Pooled(MemoryPool::new(base_storage, pool, Arc::clone(&clock)))
            }
            None => Reuse::Unpooled(Unpooled::new(base_storage, settings.tracks_queued_work)),
        };
        let limit = Limit::new(reuse, settings.capacity);
        let cached_copies = Arc::new(CachedCopies::new(settings.device));
        let cleanup = Cleanup::default();
        let evicted = Arc::clone(&cached_copies);
        cleanup.add(Cleanup::CACHED_COPIES, "cached copies", move |wanted| {
            evicted.evict(wanted)
        });
        Self {
            stack: Statistics::new(limit, Arc::clone(&clock)),
            pressure_band: PressureBand::new(
                settings.capacity,
                settings.cleanup_at,
                &settings.pressure,
            ),
            pressure: PressureMonitor::new(settings.pressure),
            snapshot_history: SnapshotHistory::new(settings.sample_every, settings.snapshots),
            cleanup,
            leaks: Leaks::new(settings.leaks),
            cached_copies,
            log: OnceLock::new(),
            rescued: AtomicU64::new(0),
            shortages: AtomicU64::new(0),
            settings,
            clock,
        }
    }

    /// Changes the rules that may be changed. The last runtime that registers a device sets
    /// them.
    pub(crate) fn set_rules(&self, rules: &MemoryRules) {
        self.limit().set_capacity(rules.capacity);
        self.limit()
            .upstream()
            .keep(rules.pool_maximum, rules.pool_idle);
        self.pressure.set_thresholds(rules.pressure);
        self.leaks.set(rules.leaks);
        self.pressure_band.set(rules.capacity, rules.cleanup_at);
        self.ask_driver();
        self.update_pressure();
    }

    /// The device's own storage.
    pub fn base_storage(&self) -> &B {
        self.limit().upstream().upstream()
    }

    /// Allocates a block of at least `bytes`, attributed to the [`AllocationSite`] this thread
    /// entered or to the caller. Short of memory, it retries after releasing idle memory and after each
    /// clean-up callback.
    #[inline]
    #[track_caller]
    pub fn allocate(
        &self,
        bytes: Bytes,
        stream: Option<StreamIndex>,
    ) -> Result<Allocation, AllocateError> {
        let site = AllocationSite::current();
        let granted = match self.stack.allocate_for(site, bytes, stream) {
            Ok(block) => Ok(block),
            Err(refusal) => self.allocate_after_refusal(site, bytes, stream, refusal),
        };
        if let Some(log) = self.log.get() {
            let address = granted.as_ref().ok().map(|block| block.address);
            log.allocated(site, bytes, stream, address);
        }
        let block = granted?;
        self.check_after_change();
        Ok(Allocation {
            block,
            asked: bytes,
        })
    }

    /// Frees a block; see [`Storage::free`].
    #[inline]
    pub fn free(&self, allocation: Allocation, busy: StreamSet) {
        let Allocation { block, .. } = allocation;
        if let Some(log) = self.log.get() {
            log.note(AllocationEvent::Free {
                address: block.address,
                busy: busy.0,
            });
        }
        self.stack.free(block, busy);
        self.check_after_change();
    }

    /// Records that work is about to be queued on these streams.
    pub fn queued(&self, streams: StreamSet) {
        if let Some(log) = self.log.get() {
            log.note(AllocationEvent::Queued { streams: streams.0 });
        }
        self.stack.queued(streams);
    }

    /// Records that all work queued on these streams has run; see [`Storage::synchronized`].
    pub fn synchronized(&self, streams: StreamSet) {
        if let Some(log) = self.log.get() {
            log.note(AllocationEvent::Synchronized { streams: streams.0 });
        }
        self.stack.synchronized(streams);
    }

    /// The streams that have announced work and were not synchronized since, if
    /// [`MemorySettings::tracks_queued_work`].
    pub fn unsynchronized(&self) -> StreamSet {
        self.stack.unsynchronized()
    }

    /// Reserves bytes for an operation, cleaning up if they do not fit. Each block draws its
    /// [`footprint`](Self::footprint). Memory that other processes hold cannot be reserved.
    pub fn reserve(&self, bytes: Bytes) -> Result<Admission, Box<Shortage>> {
        let mut admission = self.admit(bytes);
        if admission.is_none() {
            if bytes <= self.limit().capacity() {
                let missing =
                    bytes.saturating_sub(self.pressure_band.available_of(self.limit().left()));
                self.clean_up(CleanupCause::Shortage, missing, false, || {
                    admission = self.admit(bytes);
                    admission.is_some()
                });
            }
            self.count_rescue(admission.is_some());
        }
        self.check_after_change();
        admission.ok_or_else(|| Box::new(self.shortage(bytes)))
    }

    /// Reserves `most`. If that fails, reserves as much of it as is free after a clean-up, if
    /// that is at least `least`: for an operation that can work in pieces.
    pub(crate) fn reserve_between(
        &self,
        least: Bytes,
        most: Bytes,
    ) -> Result<Admission, Box<Shortage>> {
        let admission = match self.admit(most) {
            Some(admission) => Some(admission),
            None => self.reserve_some(least, most),
        };
        self.check_after_change();
        admission.ok_or_else(|| Box::new(self.shortage(least.min(most))))
    }

    /// The bytes left of the reservations this thread has entered here; `None` if it has
    /// entered none.
    pub(crate) fn reserved_for_this_thread(&self) -> Option<Bytes> {
        self.limit().reserved_for_this_thread()
    }

    /// The bytes this thread can still allocate.
    pub fn within_reach(&self) -> Bytes {
        self.free_for_this_thread()
    }

    /// The number of arrays' copies dropped or moved so far to free memory.
    pub(crate) fn copies_removed(&self) -> u64 {
        self.cached_copies.copies_removed()
    }

    /// Moves arrays whose only copy is here to the host, the least recently used first, until
    /// `wanted` bytes are freed, and returns the bytes freed. Call it last, after all other
    /// ways to free memory, and without holding the device.
    pub(crate) fn spill(&self, wanted: Bytes) -> Bytes {
        self.cached_copies.spill(wanted)
    }

    /// Registers a copy that a clean-up may drop.
    pub(crate) fn add_cached(&self, copy: Weak<dyn Cached>) {
        self.cached_copies.add(copy);
    }

    /// The bytes that a block of `bytes` draws from a reservation and counts against the limit.
    pub fn footprint(&self, bytes: Bytes) -> Bytes {
        self.stack.granted(bytes)
    }

    /// Whether a block of `bytes` would fit with a margin: 0.2 requires a fifth more. What this
    /// thread has entered counts as free.
    pub fn can_allocate(&self, bytes: Bytes, safety_margin: f64) -> bool {
        let footprint = self.footprint(bytes).0 as f64;
        footprint * (1.0 + safety_margin.max(0.0)) <= self.free_for_this_thread().0 as f64
    }

    /// Whether less than this share of the limit is free.
    pub fn is_low_memory(&self, threshold: f64) -> bool {
        (self.free_for_this_thread().0 as f64) < self.limit().capacity().0 as f64 * threshold
    }

    /// Releases all unused memory and runs every callback.
    pub fn cleanup(&self) -> Option<CleanupReport> {
        let report = self.clean_up(CleanupCause::Manual, Bytes(u64::MAX), true, || false);
        self.check_after_change();
        report
    }

    /// Releases all memory that is held and not used.
    pub fn trim(&self) -> Bytes {
        if let Some(log) = self.log.get() {
            log.note(AllocationEvent::Trim);
        }
        self.stack.trim()
    }

    /// Calls `callback` at every change of the level of pressure.
    pub fn on_pressure(&self, callback: impl Fn(&PressureChange) + Send + Sync + 'static) {
        self.pressure.on_change(callback);
    }

    /// Calls `callback` in every clean-up, lower priorities first; see
    /// [`Cleanup::add`].
    pub fn on_cleanup(
        &self,
        priority: i32,
        name: &'static str,
        callback: impl Fn(Bytes) -> Bytes + Send + Sync + 'static,
    ) -> CleanupId {
        self.cleanup.add(priority, name, callback)
    }

    /// Removes a clean-up callback.
    pub fn remove_cleanup(&self, id: CleanupId) {
        self.cleanup.remove(id);
    }

    /// Logs every event from now on. Returns false if there is a log already.
    pub fn log_to(&self, to: impl std::io::Write + Send + 'static) -> bool {
        let Self {
            settings, clock, ..
        } = self;
        if self.log.get().is_some() {
            return false;
        }
        let writer = LogWriter::new(
            to,
            settings.device,
            self.limit().capacity(),
            Arc::clone(clock),
        );
        self.log.set(Arc::new(writer)).is_ok()
    }

    /// The log, if there is one.
    pub fn log(&self) -> Option<&LogWriter> {
        self.log.get().map(AsRef::as_ref)
    }

    /// Returns the current state.
    pub fn reading(&self) -> MemoryReading {
        let committed = self.limit().committed();
        MemoryReading {
            device: self.settings.device,
            limit: self.limit().limit_reading(),
            statistics: self.stack.statistics(),
            storage: self.stack.reading(),
            driver_free: self.stack.driver_free(),
            taken_by_others: self.pressure_band.taken_by_others(),
            utilisation: self.pressure_band.utilisation(committed),
            level: self.pressure.level(),
            levels_entered: self.pressure.entered(),
            cleanups: self.cleanup.totals(),
            evictions: self.cached_copies.evicted(),
            spilled: self.cached_copies.spilled(),
            rescued: self.rescued.load(Ordering::Relaxed),
            shortages: self.shortages.load(Ordering::Relaxed),
        }
    }

    /// The bytes granted and reserved now: a few loads, where [`reading`](Self::reading) also
    /// queries the driver.
    #[inline]
    pub fn limit_reading(&self) -> LimitReading {
        self.limit().limit_reading()
    }

    /// The bytes held and not used.
    pub fn pooled(&self) -> Bytes {
        self.stack.reading().pooled()
    }

    /// The level of pressure.
    pub fn level(&self) -> PressureLevel {
        self.pressure.level()
    }

    /// The last snapshots, oldest first.
    pub fn snapshots(&self) -> Vec<Snapshot> {
        self.snapshot_history.snapshots()
    }

    /// The last clean-ups, oldest first.
    pub fn cleanups(&self) -> Vec<CleanupReport> {
        self.cleanup.reports()
    }

    /// The sites that hold more and more.
    pub fn leaks(&self) -> Vec<Leak> {
        let holders = self.holders(usize::MAX);
        self.leaks.suspects(self.clock.now(), &holders)
    }

    /// What is held, by which site and since when. At shutdown, this is what was never freed.
    pub fn live_allocations(&self) -> LiveAllocations {
        LiveAllocations {
            device: self.settings.device,
            at: self.clock.now(),
            holders: self.holders(usize::MAX),
        }
    }

    /// The largest holders, largest first.
    pub fn holders(&self, most: usize) -> Vec<SiteUsage> {
        self.stack.holders(most)
    }

    fn limit(&self) -> &Limit<Reuse<B>> {
        self.stack.upstream()
    }

    fn free_for_this_thread(&self) -> Bytes {
        self.pressure_band.available_of(self.limit().within_reach())
    }
}

impl<B: Storage> fmt::Debug for Memory<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let committed = self.limit().committed();
        let capacity = self.limit().capacity();
        write!(
            f,
            "Memory({committed} of {capacity} on {})",
            self.settings.device
        )
    }
}

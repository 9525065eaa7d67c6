//! The memory of devices: storage, pool, limit, statistics, and what watches them.
//!
//! Small parts of one contract, [`Storage`], are stacked: the device's own storage, a [`MemoryPool`]
//! that reuses it, a [`Limit`] that never lets more be committed than its capacity, and
//! [`Statistics`] that count what each site holds. [`Memory`] is the stack of one device, with
//! everything that watches it.
//!
//! Nothing here touches the memory it manages, and nothing waits for a device. `Ledger` is
//! the plain byte count that [`Limit`] and devices build on. The host has no such stack: what is
//! sized by input there passes [`admit_host`] before it is allocated.

mod cached_copies;
mod callbacks;
mod cleanup;
mod clock;
mod event;
mod host_memory;
mod leaks;
mod ledger;
mod limit;
mod live_allocations;
mod log;
mod pending_streams;
mod pool;
mod pressure;
mod pressure_band;
mod reading;
mod replay;
mod reuse;
mod settings;
mod shortage;
mod simulated_storage;
mod site;
mod size_class;
mod snapshot_history;
mod stack;
mod statistics;
mod storage;
mod unpooled;

pub(crate) use cached_copies::Cached;
pub use cleanup::{
    Cleanup, CleanupCause, CleanupGoal, CleanupId, CleanupReport, CleanupStep, CleanupTotals,
};
pub use clock::{ManualClock, SystemClock, TimeSource};
pub use event::{AllocationEvent, LOG_VERSION, LogHeader, LogLine};
pub(crate) use host_memory::{CHECKED_FROM, check as check_host, refused_by_allocator};
pub use host_memory::{HostBound, admit_host, set_host_limit};
pub use leaks::{Leak, LeakSettings};
pub use ledger::LedgerReading;
pub(crate) use ledger::{Ledger, Reservation};
pub(crate) use limit::EnteredAdmission;
pub use limit::{Admission, Limit, LimitReading};
pub use live_allocations::LiveAllocations;
pub use log::AllocationLog;
#[doc(hidden)]
pub use log::LogWriter;
pub use pool::{MemoryPool, PoolSettings};
pub use pressure::{
    BadThresholds, PressureChange, PressureLevel, PressureMonitor, PressureThresholds,
};
pub use reading::MemoryReading;
pub use replay::{ReplayError, ReplayReport, replay, replay_in_time};
pub use reuse::Reuse;
pub use settings::{MemoryRules, MemorySettings};
pub use shortage::{AllocateError, Shortage};
pub use simulated_storage::SimulatedStorage;
pub use site::{AllocationSite, AllocationSiteGuard};
pub use snapshot_history::Snapshot;
pub use stack::{AcceleratorMemory, Allocation, Memory};
pub use statistics::{SiteUsage, Statistics, StatisticsReading};
pub use storage::{Block, Refusal, Storage, StorageReading, StreamIndex, StreamSet};
pub use unpooled::Unpooled;

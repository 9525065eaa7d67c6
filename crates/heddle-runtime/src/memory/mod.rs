//! The memory of devices: storage, pool, limit, statistics, and what watches them.
//!
//! Small parts of one contract, [`Storage`], are stacked: the device's own storage, a [`Pool`]
//! that reuses it, a [`Limit`] that never lets more be committed than its capacity, and
//! [`Statistics`] that count what each site holds. [`Memory`] is the stack of one device, with
//! everything that watches it.
//!
//! Nothing here touches the memory it manages, and nothing waits for a device. [`Ledger`] is
//! the plain byte count that [`Limit`] and devices build on.

mod callbacks;
mod class;
mod cleanup;
mod clock;
mod copies;
mod direct;
mod event;
mod host;
mod leaks;
mod ledger;
mod limit;
mod log;
mod monitor;
mod pending;
mod pool;
mod pressure;
mod reading;
mod remains;
mod replay;
mod reuse;
mod settings;
mod shortage;
mod site;
mod stack;
mod statistics;
mod storage;
mod watch;

pub use cleanup::{
    Cleanup, CleanupCause, CleanupGoal, CleanupId, CleanupReport, CleanupStep, CleanupTotals,
};
pub use clock::{Clock, ManualClock, SystemClock};
pub(crate) use copies::Cached;
pub use direct::Direct;
pub use event::{Event, LOG_VERSION, LogHeader, LogLine};
pub use host::HostStorage;
pub use leaks::{Leak, LeakSettings};
pub use ledger::LedgerReading;
pub(crate) use ledger::{Ledger, Reservation};
pub use limit::{Admission, Entered, Limit, LimitReading};
pub use log::{AllocationLog, LogWriter};
pub use monitor::Snapshot;
pub use pool::{Pool, PoolSettings};
pub use pressure::{BadThresholds, Pressure, PressureChange, PressureLevel, PressureThresholds};
pub use reading::MemoryReading;
pub use remains::Remains;
pub use replay::{ReplayError, ReplayReport, replay, replay_in_time};
pub use reuse::Reuse;
pub use settings::{MemoryRules, MemorySettings};
pub use shortage::{AllocateError, Shortage};
pub use site::{Site, SiteGuard};
pub use stack::{AcceleratorMemory, Allocation, Memory};
pub use statistics::{Holder, Statistics, StatisticsReading};
pub use storage::{Block, Refusal, Storage, StorageReading, Stream, Streams};

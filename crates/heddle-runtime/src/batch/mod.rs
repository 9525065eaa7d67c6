//! Merges small work: many operations of one kind become one launch.
//!
//! An operation that can be merged is [`Batchable`]. Merged work is itself an operation and
//! takes the same pipeline under its own kind (`xor-batch`), so that ten operations which are
//! too small for a GPU one by one may run there together. The operations pack their items, in
//! `ops/*/batched.rs`. This module decides the groups, the batch sizes and the devices.
//!
//! [`Runtime::batch`](crate::Runtime::batch) merges the operations of one caller, [`Queue`]
//! those that many callers submit one by one, and [`MixedBatch`] operations of different types.
//! [`parallel`] runs any other work on the CPU's worker threads.

mod batchable;
mod caller_queues;
mod future;
mod group;
mod kinds;
mod mixed;
pub(crate) mod pack;
pub mod parallel;
mod queue;
mod run_in_batches;
mod run_on_devices;
mod size;
mod statistics;

pub(crate) use batchable::OperandTotals;
pub use batchable::{Batchable, Group, MergedOperation};
pub use future::{Pending, Promise, promise};
pub(crate) use group::{results, results_of, results_on};
pub(crate) use kinds::{MergedKinds, family, merged_kinds};
pub use mixed::MixedBatch;
pub use parallel::{CancelToken, ParallelOutcome, ParallelSettings, Stop};
pub use queue::{Caller, Queue, QueueSettings};
use run_in_batches::run_in_batches;
use run_on_devices::run_on_devices;
pub(crate) use statistics::BatchCounters;
pub use statistics::{BatchStatistics, DeviceShare, KindBatchCount};

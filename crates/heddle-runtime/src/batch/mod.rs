//! Merges small work: many operations of one kind become one launch.
//!
//! An operation that can be merged is [`Batchable`]. Merged work is itself an operation and
//! takes the same pipeline under its own kind (`xor-batch`), so that ten operations which are
//! too small for a GPU one by one may run there together. The operations pack their items, in
//! `ops/*/batched.rs`. This module decides the groups, the batch sizes and the devices.
//!
//! [`Runtime::batch`](crate::Runtime::batch) merges the operations of one caller, [`Queue`]
//! those that many callers submit one by one, and [`Mixed`] operations of different types.
//! [`parallel`] runs any other work on the CPU's worker threads.

mod batchable;
mod carry;
mod future;
mod gather;
mod group;
mod kinds;
mod mixed;
pub(crate) mod pack;
pub mod parallel;
mod queue;
mod size;
mod spread;
mod statistics;

pub(crate) use batchable::Operands;
pub use batchable::{Batchable, Group, Merged};
use carry::carry;
pub use future::{Pending, Promise, promise};
pub(crate) use group::{answers, answers_on, answers_to};
pub(crate) use kinds::{Family, family, merged_kinds};
pub use mixed::Mixed;
pub use parallel::{CancelToken, ParallelOutcome, ParallelSettings, Stop};
pub use queue::{Caller, Queue, QueueSettings};
use spread::spread;
pub(crate) use statistics::Book;
pub use statistics::{BatchCount, BatchStatistics, DeviceShare};

//! Merging small work: many operations of one kind become one launch.
//!
//! An operation that can be merged is [`Batchable`]. Merged work is an operation
//! itself and takes the one road under a kind of its own (`xor-batch`), so that
//! ten operations which are too small for a GPU one by one may go there together.
//! How items are packed is known to the operations, in `ops/*/batched.rs`; who is
//! merged with whom, in which sizes and on which devices is decided here.
//!
//! [`Runtime::batch`](crate::Runtime::batch) merges what one caller has,
//! [`Queue`] what many callers hand over one by one, [`Mixed`] operations of
//! different types; [`parallel`] runs anything else on the processor's threads.

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

//! The recording path: from a thread's hands into bounded memory.
//!
//! A thread appends records to a chunk of its own (`desk`); full chunks are
//! exchanged for empty ones (`store`). What a record is as words is in `packed`,
//! the block of words in `chunk`, what threads are called in `thread`.
//!
//! The one thing to know: a thread takes locks once per chunk, never per record,
//! and waits for no other thread that records: where the shelves are locked its
//! full chunks wait at its own place.

pub(crate) mod chunk;
pub(crate) mod desk;
pub(crate) mod packed;
pub(crate) mod store;
pub(crate) mod thread;

//! The recording path: from a thread into bounded memory.
//!
//! A thread appends records to its own chunk (`thread_buffer`); full chunks are exchanged
//! for empty ones (`store`). The layout of a record is in `packed`, the block of
//! words in `chunk`, thread names in `thread`.
//!
//! A thread takes locks once per chunk, never per record, and waits for no other
//! recording thread: if the store is locked, the thread keeps its full chunks until
//! the next exchange.
//!
//! `store/models` has loom run chunks and store under every interleaving of two threads.

pub(crate) mod chunk;
pub(crate) mod packed;
pub(crate) mod store;
mod sync;
pub(crate) mod thread;
pub(crate) mod thread_buffer;

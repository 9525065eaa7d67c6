//! What is sized by input on the host is refused with an error before it is allocated. In a process
//! of its own, because the limit is that of the process and arrays of other tests would count.

#![cfg(all(feature = "lattice", feature = "arc"))]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod arrays;
mod lattices;
mod programs;

use std::sync::{Mutex, MutexGuard, PoisonError};

use heddle::memory::set_host_limit;
use heddle::units::Bytes;

static TURN: Mutex<()> = Mutex::new(());

/// A test's turn to limit the process. The limit is lifted on drop.
struct Turn {
    _lock: MutexGuard<'static, ()>,
}

impl Turn {
    fn take() -> Self {
        Self {
            _lock: TURN.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        set_host_limit(Bytes(u64::MAX));
    }
}

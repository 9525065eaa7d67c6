//! Functions called when an event happens.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError, RwLock};

type Callback<E> = Arc<dyn Fn(&E) + Send + Sync>;

/// Callbacks for one kind of event. They are called with no lock held, so a callback may
/// register others or cause the next event. A callback that panics does not affect the others.
pub(super) struct Callbacks<E>(RwLock<Vec<Callback<E>>>);

impl<E> Callbacks<E> {
    pub(super) fn add(&self, callback: impl Fn(&E) + Send + Sync + 'static) {
        self.0
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .push(Arc::new(callback));
    }

    pub(super) fn call(&self, event: &E) {
        let callbacks = self
            .0
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        for callback in callbacks {
            // The panic hook has printed the panic, and no caller can handle it.
            let _panicked = catch_unwind(AssertUnwindSafe(|| callback(event)));
        }
    }
}

impl<E> Default for Callbacks<E> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

impl<E> fmt::Debug for Callbacks<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.0.read().unwrap_or_else(PoisonError::into_inner).len();
        write!(f, "Callbacks({count})")
    }
}

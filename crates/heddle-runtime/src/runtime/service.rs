//! Services that are opened with a runtime and end with it, such as a server of its metrics.

use std::any::Any;
use std::fmt;
use std::sync::Weak;

use super::{Runtime, RuntimeShared};

/// A service that was opened, or could not be.
pub struct Service {
    /// What is kept until the runtime is dropped.
    pub kept: Box<dyn Any + Send + Sync>,
    /// What to tell the user, in one line. It becomes a [note](Runtime::notes) of the runtime.
    pub note: String,
}

pub(super) type OpenService = Box<dyn FnOnce(WeakRuntime) -> Service + Send>;

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Service({:?})", self.note)
    }
}

/// A runtime that ends when its last other handle is dropped.
#[derive(Clone)]
pub struct WeakRuntime(Weak<RuntimeShared>);

impl WeakRuntime {
    pub(super) fn new(shared: Weak<RuntimeShared>) -> Self {
        Self(shared)
    }

    /// Returns the runtime; `None` before it is built and after it was dropped.
    #[must_use]
    pub fn upgrade(&self) -> Option<Runtime> {
        self.0.upgrade().map(|shared| Runtime { shared })
    }
}

impl fmt::Debug for WeakRuntime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WeakRuntime")
    }
}

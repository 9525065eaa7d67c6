//! Where the results of a launch arrive, for those who look before it ends.

use heddle_runtime::device::Notices;
use std::sync::{Arc, OnceLock};

/// Told where results will be when the device gets its work.
#[derive(Debug, Default)]
pub(super) struct Letterbox {
    results: OnceLock<Arc<dyn Notices>>,
}

impl Letterbox {
    /// Notes that the device gets its work now.
    pub(super) fn launched(&self, results: &Arc<dyn Notices>) {
        // What is run twice, to be verified, is read of its first run.
        let _ = self.results.set(Arc::clone(results));
    }

    /// The results so far; none before the device has its work.
    pub(super) fn results(&self) -> Option<&dyn Notices> {
        self.results.get().map(|results| &**results)
    }
}

//! Where the results of a launch arrive, for those who look before it ends.

use heddle_runtime::device::MappedResults;
use std::sync::{Arc, OnceLock};

/// Told where a device writes when it gets its work.
#[derive(Debug, Default)]
pub(super) struct ResultSlot {
    words: OnceLock<Arc<dyn MappedResults>>,
}

impl ResultSlot {
    /// Notes that the device gets its work now.
    pub(super) fn launched(&self, words: &Arc<dyn MappedResults>) {
        // What is run twice, to be verified, is looked at in its first run.
        let _ = self.words.set(Arc::clone(words));
    }

    /// What it has written so far; none before it has its work.
    pub(super) fn words(&self) -> Option<&dyn MappedResults> {
        self.words.get().map(|words| &**words)
    }
}

//! What a launch says before it ends: which evaluations it has flagged so far.
//!
//! The processor has to do these again, and begins while the GPU still works on others.

use heddle_runtime::device::Notices;
use std::sync::{Arc, OnceLock};

/// Flagged evaluations one launch tells of at most; more are read with the results.
pub(super) const NOTICES: usize = 1 << 16;

/// Where a launch leaves the numbers of its flagged results.
#[derive(Debug, Default)]
pub(super) struct Letterbox {
    notices: OnceLock<Option<Arc<dyn Notices>>>,
}

impl Letterbox {
    /// Notes that the device gets its work now, and where it writes, if it can.
    pub(super) fn launched(&self, notices: Option<Arc<dyn Notices>>) {
        // One that is run twice, to be verified, tells of its first run.
        let _ = self.notices.set(notices);
    }

    /// Whether the device has it.
    pub(super) fn is_launched(&self) -> bool {
        self.notices.get().is_some()
    }

    /// Numbers of results that were flagged since the last look; `seen` counts them.
    pub(super) fn fresh(&self, seen: &mut usize) -> Vec<usize> {
        let Some(Some(notices)) = self.notices.get() else {
            return Vec::new();
        };
        let from = *seen;
        // A number is written as one more, because nothing is zero.
        let arrived = (from..notices.len()).map(|place| notices.read(place) as usize);
        let fresh: Vec<usize> = arrived.map_while(|word| word.checked_sub(1)).collect();
        *seen += fresh.len();
        fresh
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::any::Any;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[derive(Debug, Default)]
    struct Words([AtomicU32; 4]);

    impl Notices for Words {
        fn len(&self) -> usize {
            self.0.len()
        }

        fn read(&self, place: usize) -> u32 {
            self.0[place].load(Ordering::Relaxed)
        }

        fn as_any(&self) -> &dyn Any {
            self
        }
    }

    #[test]
    fn every_number_is_told_once_and_none_before_it_has_come() {
        let (letterbox, mut seen) = (Letterbox::default(), 0);
        assert!(!letterbox.is_launched() && letterbox.fresh(&mut seen).is_empty());
        let words = Arc::new(Words::default());
        letterbox.launched(Some(Arc::clone(&words) as Arc<dyn Notices>));
        assert!(letterbox.is_launched() && letterbox.fresh(&mut seen).is_empty());
        let write = |place: usize, word| words.0[place].store(word, Ordering::Relaxed);
        write(0, 8);
        // The second is still on its way.
        write(2, 1);
        assert_eq!(letterbox.fresh(&mut seen), [7]);
        write(1, 100);
        write(3, 5);
        assert_eq!(letterbox.fresh(&mut seen), [99, 0, 4]);
        assert!(letterbox.fresh(&mut seen).is_empty());
    }

    #[test]
    fn a_device_that_cannot_tell_says_nothing() {
        let letterbox = Letterbox::default();
        letterbox.launched(None);
        assert!(letterbox.is_launched() && letterbox.fresh(&mut 0).is_empty());
    }
}

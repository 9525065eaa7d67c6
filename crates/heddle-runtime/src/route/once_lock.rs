//! The lock that the entries of tables are created under: the standard library's, or one
//! made of loom's parts where models check the tables.

#[cfg(not(all(test, heddle_models)))]
pub(super) use std::sync::OnceLock;

#[cfg(all(test, heddle_models))]
pub(super) use modelled::OnceLock;

#[cfg(all(test, heddle_models))]
mod modelled {
    use loom::sync::Mutex;
    use loom::sync::atomic::{AtomicBool, Ordering};

    /// What the documentation of the standard library's type promises, and no more.
    #[derive(Debug)]
    pub(in crate::route) struct OnceLock<T> {
        /// Whether there is a value.
        is_set: AtomicBool,
        /// Stands for the value's memory: stored before `is_set`, without an order of its own.
        content: AtomicBool,
        creating: Mutex<()>,
        value: std::sync::OnceLock<T>,
    }

    impl<T> OnceLock<T> {
        pub(in crate::route) fn new() -> Self {
            Self {
                is_set: AtomicBool::new(false),
                content: AtomicBool::new(false),
                creating: Mutex::new(()),
                value: std::sync::OnceLock::new(),
            }
        }

        pub(in crate::route) fn get(&self) -> Option<&T> {
            if !self.is_set.load(Ordering::Acquire) {
                return None;
            }
            let is_visible = self.content.load(Ordering::Relaxed);
            assert!(is_visible, "a value is read before it is written");
            self.value.get()
        }

        pub(in crate::route) fn get_or_init(&self, make: impl FnOnce() -> T) -> &T {
            if let Some(value) = self.get() {
                return value;
            }
            let _creating = self.creating.lock().unwrap();
            let value = self.value.get_or_init(make);
            self.content.store(true, Ordering::Relaxed);
            self.is_set.store(true, Ordering::Release);
            value
        }
    }
}

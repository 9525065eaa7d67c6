//! Changing fields of structs that other crates cannot write as literals, because they will grow.

/// Gives types a method `with`.
#[doc(hidden)]
#[macro_export]
macro_rules! with {
    ($($type:ty),* $(,)?) => {$(
        impl $type {
            /// Returns it after `change`: `default().with(|it| it.field = value)`.
            #[must_use]
            pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
                change(&mut self);
                self
            }
        }
    )*};
}

with! {
    crate::compare::CompareSettings,
    crate::recording::MemorySample,
    crate::recording::RecordedSpan,
    crate::recording::Recording,
}

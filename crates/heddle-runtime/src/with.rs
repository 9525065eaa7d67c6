//! Changing fields of structs that other crates cannot write as literals, because they will grow.

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
    crate::batch::QueueSettings,
    crate::config::Config,
    crate::device::Capabilities,
    crate::device::DeviceProperties,
    crate::device::Timing,
    crate::route::CalibrationPlan,
    crate::route::RouteSettings,
}

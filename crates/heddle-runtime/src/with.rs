//! Changing fields of structs that other crates cannot write as literals, because they will grow.

#[doc(hidden)]
pub use heddle_profile::with;

with! {
    crate::batch::ParallelSettings,
    crate::batch::QueueSettings,
    crate::config::Config,
    crate::device::Capabilities,
    crate::device::DeviceProperties,
    crate::device::Timing,
    crate::memory::LeakSettings,
    crate::memory::MemoryRules,
    crate::memory::MemorySettings,
    crate::memory::PoolSettings,
    crate::route::CalibrationPlan,
    crate::route::RouteSettings,
}

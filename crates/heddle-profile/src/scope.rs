//! Scopes: sections of code timed from beginning to end.
//!
//! A scope is recorded when its guard is dropped, whether the code ended, returned
//! early or panicked.

use std::fmt;
use std::marker::PhantomData;

use crate::global;
use crate::name::{CallSite, NameCache, NameId};
use crate::profiler::Profiler;
use crate::record::packed::PackedDevice;
use crate::record::thread_buffer::{OpenScope, ScopeStart, ThreadBuffer, with_thread_buffer};
use crate::span::DeviceTag;

/// Times the code from here to the end of the block, on the global profiler.
///
/// The name is a constant and may hold any characters. Sizes and devices are
/// evaluated only while the profiler is on.
///
/// ```
/// use heddle_profile::{DeviceTag, global, span};
///
/// global().set_enabled(true);
/// fn solve(rows: &[u8]) {
///     let _span = span!("solve", device = DeviceTag::CPU, size = rows.len());
///     // …
/// }
/// solve(&[1, 2, 3]);
/// assert_eq!(global().spans()[0].operation, "solve");
/// assert_eq!(global().spans()[0].bytes_in, 3);
/// ```
#[macro_export]
macro_rules! span {
    ($name:expr $(,)?) => {{
        static SITE: $crate::CallSite = $crate::CallSite::new($name);
        $crate::Scope::enter(&SITE)
    }};
    ($name:expr $(, $key:ident = $value:expr)+ $(,)?) => {{
        static SITE: $crate::CallSite = $crate::CallSite::new($name);
        if $crate::is_on() {
            // Collected first, so that one call sets them all.
            $crate::Scope::enter_with(&SITE, $crate::Attributes::default()$(.$key($value))+)
        } else {
            $crate::Scope::off()
        }
    }};
}

/// The properties of a scope besides its name.
#[derive(Clone, Copy, Debug, Default)]
pub struct Attributes {
    device: Option<DeviceTag>,
    element: Option<&'static str>,
    size: Option<u64>,
}

impl Attributes {
    /// Sets the device the code runs on; the default is the CPU.
    #[inline]
    #[must_use]
    pub fn device(self, device: DeviceTag) -> Self {
        Self {
            device: Some(device),
            ..self
        }
    }

    /// Sets the number of bytes the code works on.
    #[inline]
    #[must_use]
    pub fn size(self, bytes: impl ToBytes) -> Self {
        Self {
            size: Some(bytes.to_bytes()),
            ..self
        }
    }

    /// Sets the type of the elements.
    #[inline]
    #[must_use]
    pub fn element(self, element: &'static str) -> Self {
        Self {
            element: Some(element),
            ..self
        }
    }
}

/// A scope that is open until this guard is dropped.
///
/// It stays on its thread; for a future see [`timed`](crate::timed). A scope that
/// is still open when the thread's local storage is destroyed is not recorded.
#[must_use = "a scope that is dropped at once times nothing"]
pub struct Scope<'a> {
    profiler: Option<&'a Profiler>,
    id: u64,
    /// The open scopes are a stack per thread, so a guard is not `Send`.
    stays: PhantomData<*const ()>,
}

/// A size in bytes, from any integer type.
pub trait ToBytes {
    /// The size in bytes.
    fn to_bytes(self) -> u64;
}

impl ToBytes for u64 {
    fn to_bytes(self) -> u64 {
        self
    }
}

impl ToBytes for u32 {
    fn to_bytes(self) -> u64 {
        self.into()
    }
}

impl ToBytes for usize {
    fn to_bytes(self) -> u64 {
        self as u64
    }
}

impl ToBytes for i32 {
    fn to_bytes(self) -> u64 {
        u64::try_from(self).unwrap_or(0)
    }
}

impl Scope<'static> {
    /// Opens a scope on the global profiler, if that is on.
    #[inline]
    pub fn enter(site: &'static CallSite) -> Self {
        match global::active() {
            Some(profiler) => Self::open(profiler, site.id()),
            None => Self::off(),
        }
    }

    /// As [`enter`](Self::enter), with attributes.
    #[inline]
    pub fn enter_with(site: &'static CallSite, attributes: Attributes) -> Self {
        match global::active() {
            Some(profiler) => Self::open_with(profiler, site.id(), &attributes),
            None => Self::off(),
        }
    }
}

impl<'a> Scope<'a> {
    /// A scope that records nothing.
    #[inline]
    pub const fn off() -> Self {
        Self {
            profiler: None,
            id: 0,
            stays: PhantomData,
        }
    }

    pub(crate) fn open(profiler: &'a Profiler, name: NameId) -> Self {
        Self::begin(profiler, |_| ScopeStart::new(name))
    }

    pub(crate) fn open_static(profiler: &'a Profiler, name: &'static str) -> Self {
        Self::begin(profiler, |thread_buffer| {
            ScopeStart::new(thread_buffer.names().id(name))
        })
    }

    fn open_with(profiler: &'a Profiler, name: NameId, attributes: &Attributes) -> Self {
        Self::begin(profiler, |thread_buffer| {
            let mut scope_start = ScopeStart::new(name);
            if let Some(device) = attributes.device {
                scope_start.device = PackedDevice::new(device, thread_buffer.names());
            }
            if let Some(element) = attributes.element {
                scope_start.element = thread_buffer.names().id(element);
            }
            scope_start.size = attributes.size;
            scope_start
        })
    }

    #[inline]
    fn begin(
        profiler: &'a Profiler,
        scope_start: impl Fn(&mut ThreadBuffer) -> ScopeStart,
    ) -> Self {
        let (store, one_in) = (profiler.store(), profiler.sampled_one_in());
        let begun = with_thread_buffer(|thread_buffer| {
            let scope_start = scope_start(thread_buffer);
            thread_buffer.begin(store, one_in, scope_start, || profiler.ticks())
        });
        match begun {
            None => Self::off(),
            Some(id) => Self {
                profiler: Some(profiler),
                id,
                stays: PhantomData,
            },
        }
    }

    /// Sets the device the code runs on; the default is the CPU.
    #[inline]
    pub fn device(self, device: DeviceTag) -> Self {
        self.amend(|scope, names| scope.start.device = PackedDevice::new(device, names));
        self
    }

    /// Sets the number of bytes the code works on.
    #[inline]
    pub fn size(self, bytes: impl ToBytes) -> Self {
        let bytes = bytes.to_bytes();
        self.amend(|scope, _| scope.start.size = Some(bytes));
        self
    }

    /// Sets the type of the elements.
    #[inline]
    pub fn element(self, element: &'static str) -> Self {
        self.amend(|scope, names| scope.start.element = names.id(element));
        self
    }

    #[inline]
    fn amend(&self, change: impl Fn(&mut OpenScope, &mut NameCache)) {
        if let Some(profiler) = self.profiler {
            with_thread_buffer(|thread_buffer| {
                thread_buffer.amend(profiler.store(), self.id, &change);
            });
        }
    }

    /// Whether the scope will be recorded: not while the profiler is off, nor when
    /// sampling skips it.
    #[must_use]
    pub fn is_recorded(&self) -> bool {
        self.profiler.is_some()
    }
}

/// Separate from `drop`, so that dropping a scope that records nothing inlines to
/// one comparison.
fn close(profiler: &Profiler, id: u64) {
    // First, so that closing a scope is not part of it.
    let ticks = profiler.ticks();
    with_thread_buffer(|thread_buffer| thread_buffer.end(profiler.store(), id, ticks));
}

impl Drop for Scope<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some(profiler) = self.profiler {
            close(profiler, self.id);
        }
    }
}

impl fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope")
            .field("recorded", &self.is_recorded())
            .finish_non_exhaustive()
    }
}

//! A record as words, and back.
//!
//! There are two kinds: a scope, 6 or 7 words, with times in ticks; and a span, 17
//! words, with times in nanoseconds. The first word says which. The layout never
//! leaves the process, so it has no version.

use crate::clock::TickScale;
use crate::name::{Name, NameCache, NameId};
use crate::span::{Clock, DeviceTag, Span};

/// Words of a scope that has no size.
pub(crate) const SCOPE_WORDS: usize = 6;
/// Words of a scope that has one.
pub(crate) const SIZED_SCOPE_WORDS: usize = 7;
/// Words of a span, the longest record.
pub(crate) const SPAN_WORDS: usize = 17;

const HAS_SIZE: u64 = 1;
const IS_SPAN: u64 = 1 << 1;
const HAS_INDEX: u64 = 1 << 2;
const HAS_DEVICE_NS: u64 = 1 << 3;
const HAS_DEVICE_START: u64 = 1 << 4;
const HAS_STREAM: u64 = 1 << 5;
const DEVICE_TIMED_TRANSFER: u64 = 1 << 6;

/// A device in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PackedDevice {
    pub(crate) kind: NameId,
    pub(crate) index: Option<u16>,
}

impl PackedDevice {
    pub(crate) const CPU: Self = Self {
        kind: NameId::CPU,
        index: None,
    };

    pub(crate) fn new(tag: DeviceTag, names: &mut NameCache) -> Self {
        Self {
            kind: names.id(tag.kind),
            index: tag.index,
        }
    }
}

/// A closed scope.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScopeRecord {
    pub(crate) operation: NameId,
    pub(crate) element: NameId,
    pub(crate) device: PackedDevice,
    pub(crate) thread: u32,
    pub(crate) id: u64,
    pub(crate) parent: u64,
    pub(crate) start_ticks: u64,
    pub(crate) ticks: u64,
}

/// Bits 0 to 7 flags, 16 to 31 the device's index, 32 to 63 the thread.
fn head(flags: u64, device: PackedDevice, thread: u32) -> u64 {
    let index = device
        .index
        .map_or(0, |index| HAS_INDEX | u64::from(index) << 16);
    flags | index | u64::from(thread) << 32
}

fn four_names(operation: NameId, element: NameId, device: NameId, backend: NameId) -> u64 {
    u64::from(operation.0)
        | u64::from(element.0) << 16
        | u64::from(device.0) << 32
        | u64::from(backend.0) << 48
}

impl ScopeRecord {
    #[inline]
    pub(crate) fn words(&self) -> [u64; SCOPE_WORDS] {
        [
            head(0, self.device, self.thread),
            self.names(),
            self.id,
            self.parent,
            self.start_ticks,
            self.ticks,
        ]
    }

    #[inline]
    pub(crate) fn sized_words(&self, size: u64) -> [u64; SIZED_SCOPE_WORDS] {
        [
            head(HAS_SIZE, self.device, self.thread),
            self.names(),
            self.id,
            self.parent,
            self.start_ticks,
            self.ticks,
            size,
        ]
    }

    #[inline]
    fn names(&self) -> u64 {
        four_names(
            self.operation,
            self.element,
            self.device.kind,
            NameId::SCOPE,
        )
    }
}

/// A span as words, recorded by `thread` inside the scope `parent`.
#[inline]
pub(crate) fn span_words(
    span: &Span,
    names: &mut NameCache,
    thread: u32,
    id: u64,
    parent: u64,
) -> [u64; SPAN_WORDS] {
    let device = PackedDevice::new(span.device, names);
    let flag = |start: bool, flag: u64| if start { flag } else { 0 };
    let flags = IS_SPAN
        | flag(span.device_ns.is_some(), HAS_DEVICE_NS)
        | flag(span.device_start_ns.is_some(), HAS_DEVICE_START)
        | flag(span.stream.is_some(), HAS_STREAM)
        | flag(span.transfer_clock == Clock::Device, DEVICE_TIMED_TRANSFER);
    [
        head(flags, device, thread),
        four_names(
            names.id(span.operation),
            names.id(span.element),
            device.kind,
            names.id(span.backend),
        ),
        id,
        parent,
        span.start_ns,
        span.total_ns,
        span.device_ns.unwrap_or(0),
        span.device_start_ns.unwrap_or(0),
        u64::from(span.stream.unwrap_or(0)),
        span.transfer_ns,
        span.overhead_ns,
        span.bytes_in,
        span.bytes_out,
        span.bytes_moved,
        span.work,
        span.mem_allocated,
        span.mem_peak,
    ]
}

/// A record read back, with names still as numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unpacked {
    pub(crate) operation: NameId,
    pub(crate) element: NameId,
    pub(crate) device: PackedDevice,
    pub(crate) backend: NameId,
    pub(crate) thread: u32,
    pub(crate) id: u64,
    pub(crate) parent: u64,
    /// Times and sizes. Its names are empty and its device is not set.
    pub(crate) figures: Span,
}

/// The next record of `words`, or `None` at their end.
pub(crate) fn unpack(words: &mut impl Iterator<Item = u64>, scale: &TickScale) -> Option<Unpacked> {
    let head = words.next()?;
    let names = words.next()?;
    let id = words.next()?;
    let parent = words.next()?;
    let figures = if head & IS_SPAN == 0 {
        Span {
            start_ns: scale.at_ns(words.next()?),
            total_ns: scale.span_ns(words.next()?),
            bytes_in: if head & HAS_SIZE == 0 {
                0
            } else {
                words.next()?
            },
            ..Span::default()
        }
    } else {
        span_figures(head, words)?
    };
    Some(Unpacked {
        operation: NameId(names as u16),
        element: NameId((names >> 16) as u16),
        device: PackedDevice {
            kind: NameId((names >> 32) as u16),
            index: (head & HAS_INDEX != 0).then_some((head >> 16) as u16),
        },
        backend: NameId((names >> 48) as u16),
        thread: (head >> 32) as u32,
        id,
        parent,
        figures,
    })
}

fn span_figures(head: u64, words: &mut impl Iterator<Item = u64>) -> Option<Span> {
    let some = |flag: u64, word: u64| (head & flag != 0).then_some(word);
    Some(Span {
        start_ns: words.next()?,
        total_ns: words.next()?,
        device_ns: some(HAS_DEVICE_NS, words.next()?),
        device_start_ns: some(HAS_DEVICE_START, words.next()?),
        stream: some(HAS_STREAM, words.next()?).map(|stream| stream as u32),
        transfer_ns: words.next()?,
        transfer_clock: if head & DEVICE_TIMED_TRANSFER == 0 {
            Clock::System
        } else {
            Clock::Device
        },
        overhead_ns: words.next()?,
        bytes_in: words.next()?,
        bytes_out: words.next()?,
        bytes_moved: words.next()?,
        work: words.next()?,
        mem_allocated: words.next()?,
        mem_peak: words.next()?,
        ..Span::default()
    })
}

/// The device's name as it is written.
pub(crate) fn device_name(device: PackedDevice, names: &[Name]) -> Name {
    let kind = &names[usize::from(device.kind.0)];
    match device.index {
        None => kind.clone(),
        Some(index) => Name::from(format!("{kind}:{index}")),
    }
}

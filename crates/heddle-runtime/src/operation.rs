//! The trait that a workload implements, and the description of an operation.
//!
//! An operation defines its work and its result. It does not know its device until its body is
//! called, nor how it is routed, admitted, recorded and learned from.

use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::array::{Array, Residency};
use crate::device::{DeviceId, ExecutionContext};
use crate::dtype::{DType, Element};
use crate::error::Error;
use crate::units::Bytes;

/// The unit of an operation's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum WorkUnit {
    /// Bytes read and written.
    Bytes,
    /// Multiply-adds.
    MultiplyAdds,
    /// Any other count of a workload: cells, sites, evaluations.
    Items,
}

/// A kind of operation. Declare one as a `static`; its id is assigned on first use.
#[derive(Debug)]
pub struct Kind {
    name: &'static str,
    unit: WorkUnit,
    /// Zero until registered, then the id plus one.
    id: AtomicU32,
}

static NAMES: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());

impl Kind {
    /// Creates a kind with this name. Two kinds of one name are the same kind.
    #[must_use]
    pub const fn new(name: &'static str, unit: WorkUnit) -> Self {
        Self {
            name,
            unit,
            id: AtomicU32::new(0),
        }
    }

    /// The name, as in reports and configuration.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The unit of the work.
    #[must_use]
    pub const fn unit(&self) -> WorkUnit {
        self.unit
    }

    /// A small number for tables, equal for equal names. It is stable for the life of the
    /// process and has no meaning outside it.
    #[must_use]
    pub fn id(&self) -> usize {
        match self.id.load(Ordering::Relaxed) {
            0 => self.register(),
            id => id as usize - 1,
        }
    }

    #[cold]
    fn register(&self) -> usize {
        let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
        let position = names
            .iter()
            .position(|&name| name == self.name)
            .unwrap_or_else(|| {
                names.push(self.name);
                names.len() - 1
            });
        self.id.store(position as u32 + 1, Ordering::Relaxed);
        position
    }
}

/// One operand: its size and its residency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// The size.
    pub bytes: Bytes,
    /// The residency.
    pub residency: Residency,
}

impl<T: Element> From<&Array<T>> for Operand {
    fn from(array: &Array<T>) -> Self {
        Self {
            bytes: array.bytes(),
            residency: array.residency_for_use(),
        }
    }
}

/// Where an operation leaves its result, which decides whether the transfer to the host is part
/// of its cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResultLocation {
    /// On the device that computes it. A later reader elsewhere pays for the transfer.
    #[default]
    OnDevice,
    /// On the host if no operand was on the device that computes it, otherwise on that device.
    /// A map that streams from host to host uses this.
    WithOperands,
    /// On the host, always.
    Host,
}

/// The description of an operation before it runs.
///
/// It is built for every run, so its builders are inlined: the copies made by calls would
/// outnumber its reads.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Description {
    /// The kind.
    pub kind: &'static Kind,
    /// The element type.
    pub dtype: DType,
    /// The amount of work, in the kind's unit.
    pub work: u64,
    /// The operands.
    pub operands: SmallVec<[Operand; 3]>,
    /// The bytes of the result.
    pub output: Bytes,
    /// The bytes it needs while it runs, beside operands and result.
    pub scratch: Bytes,
    /// Whether only a GPU needs the scratch.
    pub scratch_on_gpu: bool,
    /// Where the result is left.
    pub result: ResultLocation,
    /// The least memory it can work with on a device when its whole footprint does not fit, or
    /// `None` if it needs the whole footprint.
    pub least: Option<Bytes>,
}

impl Description {
    /// Creates a description with no operands, result or scratch.
    #[inline]
    #[must_use]
    pub fn new(kind: &'static Kind, dtype: DType, work: u64) -> Self {
        Self {
            kind,
            dtype,
            work,
            operands: SmallVec::new(),
            output: Bytes(0),
            scratch: Bytes(0),
            scratch_on_gpu: false,
            result: ResultLocation::default(),
            least: None,
        }
    }

    /// Sets the residency of every operand to the host alone.
    #[must_use]
    pub(crate) fn with_operands_on_host(mut self) -> Self {
        for operand in &mut self.operands {
            operand.residency = Residency::Host;
        }
        self
    }

    /// Adds an operand.
    #[inline]
    #[must_use]
    pub fn reads(mut self, operand: impl Into<Operand>) -> Self {
        self.operands.push(operand.into());
        self
    }

    /// Sets the size of the result.
    #[inline]
    #[must_use]
    pub fn writes(mut self, output: Bytes) -> Self {
        self.output = output;
        self
    }

    /// Adds two operands. If they are the same array, it is moved and held once.
    #[inline]
    #[must_use]
    pub fn reads_both<T: Element>(self, first: &Array<T>, second: &Array<T>) -> Self {
        let described = self.reads(first);
        if first.is_same(second) {
            return described;
        }
        described.reads(second)
    }

    /// Sets where the result is left.
    #[inline]
    #[must_use]
    pub fn leaves(mut self, result: ResultLocation) -> Self {
        self.result = result;
        self
    }

    /// Sets the scratch that a GPU needs; a CPU needs none.
    #[inline]
    #[must_use]
    pub fn scratches_on_gpu(mut self, scratch: Bytes) -> Self {
        self.scratch = scratch;
        self.scratch_on_gpu = true;
        self
    }

    /// Allows the operation to work in pieces in this much memory.
    #[inline]
    #[must_use]
    pub fn splits_to(mut self, least: Bytes) -> Self {
        self.least = Some(least);
        self
    }

    /// The bytes read.
    #[inline]
    #[must_use]
    pub fn input(&self) -> Bytes {
        self.operands.iter().map(|operand| operand.bytes).sum()
    }

    /// The bytes that must be reserved on `device` to run there: operands that are not there
    /// yet, the result and the scratch.
    #[inline]
    #[must_use]
    pub fn footprint(&self, device: DeviceId) -> Bytes {
        let spared = self.scratch_on_gpu && !device.has_own_memory();
        let scratch = if spared { Bytes(0) } else { self.scratch };
        self.missing(device) + self.output + scratch
    }

    /// The bytes of operands that are not on `device`.
    #[inline]
    #[must_use]
    pub fn missing(&self, device: DeviceId) -> Bytes {
        self.operands
            .iter()
            .filter(|operand| !operand.residency.is_on(device))
            .map(|operand| operand.bytes)
            .sum()
    }

    /// The bytes of the result that are copied from `device` to the host.
    #[must_use]
    pub fn returned(&self, device: DeviceId) -> Bytes {
        let comes_back = device.has_own_memory()
            && match self.result {
                ResultLocation::OnDevice => false,
                ResultLocation::Host => true,
                ResultLocation::WithOperands => !self
                    .operands
                    .iter()
                    .any(|operand| operand.residency.is_on(device)),
            };
        if comes_back { self.output } else { Bytes(0) }
    }
}

/// Whether two results of the same operation agree.
#[derive(Clone, Debug, PartialEq)]
pub enum Agreement {
    /// Equal, within the operation's stated tolerance.
    Same,
    /// Different, with the place and both values.
    Different(String),
    /// The operation does not define how to compare its results.
    Unchecked,
}

/// An operation that can be run on a device.
///
/// Arguments are validated when the operation is built, so a body that runs can fail only
/// because of the device.
pub trait Operation {
    /// The result.
    type Output;

    /// Describes its kind, work, bytes and the residency of its operands. Called once per run,
    /// on the hot path: it must not allocate.
    fn describe(&self) -> Description;

    /// Whether it has an implementation for this device. An operation with kernels
    /// tests [`has_kernels`](DeviceId::has_kernels); only one written for one kind of hardware
    /// tests the [`family`](DeviceId::family).
    fn runs_on(&self, device: DeviceId) -> bool {
        device.is_host()
    }

    /// Computes the result on `context`'s device.
    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<Self::Output, Error>;

    /// Whether a second run gives the same result. An operation that overwrites its operand
    /// returns false, and is never run a second time to verify or explore.
    fn is_repeatable(&self) -> bool {
        true
    }

    /// Whether, after a failed run, a run on another device gives the result that the first run
    /// should have given. This is true of every operation that only reads its operands. One
    /// that overwrites an operand returns true only if it has not begun to write, because a
    /// partly overwritten operand is invalid.
    fn can_be_retried(&self) -> bool {
        self.is_repeatable()
    }

    /// Compares two results in verify mode.
    fn compare(&self, _first: &Self::Output, _second: &Self::Output) -> Agreement {
        Agreement::Unchecked
    }
}

/// A borrowed operation runs like an owned one, and can be run again.
impl<O: Operation + ?Sized> Operation for &mut O {
    type Output = O::Output;

    fn describe(&self) -> Description {
        (**self).describe()
    }

    fn runs_on(&self, device: DeviceId) -> bool {
        (**self).runs_on(device)
    }

    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<Self::Output, Error> {
        (**self).run(context)
    }

    fn is_repeatable(&self) -> bool {
        (**self).is_repeatable()
    }

    fn can_be_retried(&self) -> bool {
        (**self).can_be_retried()
    }

    fn compare(&self, first: &Self::Output, second: &Self::Output) -> Agreement {
        (**self).compare(first, second)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static FIRST: Kind = Kind::new("test-first", WorkUnit::Items);
    static FIRST_AGAIN: Kind = Kind::new("test-first", WorkUnit::Items);
    static SECOND: Kind = Kind::new("test-second", WorkUnit::Bytes);

    #[test]
    fn ids_follow_names() {
        assert_eq!(FIRST.id(), FIRST_AGAIN.id());
        assert_ne!(FIRST.id(), SECOND.id());
    }

    #[test]
    fn only_absent_operands_and_results_move() {
        let gpu = DeviceId::cuda(0);
        let described = Description::new(&FIRST, DType::U8, 1)
            .reads(Operand {
                bytes: Bytes(100),
                residency: Residency::Host,
            })
            .reads(Operand {
                bytes: Bytes(10),
                residency: Residency::Both(gpu),
            })
            .writes(Bytes(7))
            .leaves(ResultLocation::WithOperands);
        assert_eq!(described.missing(gpu), Bytes(100));
        assert_eq!(described.missing(DeviceId::CPU), Bytes(0));
        assert_eq!(described.missing(DeviceId::cuda(1)), Bytes(110));
        // One operand lives on the GPU, so the result stays there.
        assert_eq!(described.returned(gpu), Bytes(0));
        assert_eq!(described.returned(DeviceId::cuda(1)), Bytes(7));
        assert_eq!(described.footprint(gpu), Bytes(107));
        let scratching = described.clone().scratches_on_gpu(Bytes(1000));
        assert_eq!(scratching.footprint(gpu), Bytes(1107));
        assert_eq!(scratching.footprint(DeviceId::CPU), Bytes(7));
        let stays = described.leaves(ResultLocation::OnDevice);
        assert_eq!(stays.returned(DeviceId::cuda(1)), Bytes(0));
    }
}

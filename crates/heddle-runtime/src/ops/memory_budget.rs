//! What an operation may hold on its device, and what it does when that is less
//! than it would like.
//!
//! An operation that does not fit streams: its operands pass through the device
//! piece by piece and its result lands on the host. How it is cut up is its own
//! business; whether it must be is decided here, and costs an operation that is
//! smaller than [`LEAST`] one comparison.

use crate::array::{Array, count_transfer};
use crate::device::{Accelerator, DeviceBuffer, DeviceId, ExecutionContext, TransferTotals};
use crate::dtype::Element;
use crate::error::Error;
use crate::operation::Description;
use crate::units::Bytes;

/// What every operation that streams can do with: two pieces of 256 KiB for each
/// of two operands and a result, and the answers of a reduction's blocks. What
/// needs no more than this is never cut up.
pub(super) const LEAST: Bytes = Bytes(2 << 20);

/// Pieces of less than this are not worth cutting: a device that has no room for
/// them says so.
const FLOOR: Bytes = Bytes(LEAST.0 / 8);

/// The description of an operation that streams when it is not granted all.
#[inline]
pub(crate) fn can_split(description: Description) -> Description {
    let all = description.input() + description.output + description.scratch;
    if all <= LEAST {
        return description;
    }
    description.splits_to(LEAST)
}

/// Whether `needed` more bytes may be held on the device at once.
#[inline]
pub(super) fn has(context: &ExecutionContext<'_>, needed: Bytes) -> bool {
    needed <= LEAST || needed <= context.budget()
}

/// What pieces of operands may hold together: allocators round up, by an eighth
/// at most, and small things are held beside the pieces.
pub(super) fn for_chunks(context: &ExecutionContext<'_>) -> Bytes {
    let budget = context.budget();
    Bytes(budget.0 - budget.0 / 8).max(FLOOR)
}

/// Bytes it takes to bring the array to the device.
#[inline]
pub(super) fn missing<T: Element>(device: DeviceId, array: &Array<T>) -> Bytes {
    if array.residency().is_on(device) {
        Bytes(0)
    } else {
        array.bytes()
    }
}

/// As [`missing`], of two arrays that may be one.
#[inline]
pub(super) fn missing_of_both<T: Element>(
    device: DeviceId,
    first: &Array<T>,
    second: &Array<T>,
) -> Bytes {
    if first.is_same(second) {
        return missing(device, first);
    }
    missing(device, first) + missing(device, second)
}

/// These bytes in a buffer of their own.
pub(super) fn upload(
    context: &ExecutionContext<'_>,
    accelerator: &dyn Accelerator,
    bytes: &[u8],
) -> Result<DeviceBuffer, Error> {
    let buffer = accelerator.allocate(Bytes(bytes.len() as u64))?;
    let moved = TransferTotals {
        up: buffer.bytes(),
        up_time: buffer.upload(bytes)?,
        ..TransferTotals::default()
    };
    count_transfer(&moved);
    context.count(&moved);
    Ok(buffer)
}

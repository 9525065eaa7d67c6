//! The memory that an operation may use on its device.
//!
//! An operation that does not fit streams: its operands pass through the device in pieces and
//! its result is written on the host. Each operation divides its own work; this module decides
//! whether it has to, which costs an operation smaller than [`LEAST`] one comparison.

use crate::array::{Array, count_transfer};
use crate::device::{Accelerator, DeviceBuffer, DeviceId, ExecutionContext, TransferTotals};
use crate::dtype::Element;
use crate::error::Error;
use crate::operation::Description;
use crate::units::Bytes;

/// The least memory of any operation that streams: two pieces of 256 KiB for each of two
/// operands and a result, and the partial results of a reduction. An operation that needs no
/// more than this is never divided.
pub(super) const LEAST: Bytes = Bytes(2 << 20);

/// Smaller pieces do not pay: a device without memory for pieces of this size reports an error.
const FLOOR: Bytes = Bytes(LEAST.0 / 8);

/// Marks the operation as able to stream if it is granted less than it requests.
#[inline]
pub(crate) fn can_split(description: Description) -> Description {
    let all = description.input() + description.output + description.scratch;
    if all <= LEAST {
        return description;
    }
    description.splits_to(LEAST)
}

/// Whether `needed` more bytes may be used on the device at once.
#[inline]
pub(super) fn has(context: &ExecutionContext<'_>, needed: Bytes) -> bool {
    needed <= LEAST || needed <= context.budget()
}

/// Returns the bytes that all pieces of operands may use together: allocators round up by at
/// most an eighth, and small buffers are kept beside the pieces.
pub(super) fn for_chunks(context: &ExecutionContext<'_>) -> Bytes {
    let budget = context.budget();
    Bytes(budget.0 - budget.0 / 8).max(FLOOR)
}

/// Returns the device memory needed to upload the array.
#[inline]
pub(super) fn missing<T: Element>(device: DeviceId, array: &Array<T>) -> Bytes {
    if array.residency().is_on(device) {
        Bytes(0)
    } else {
        array.bytes()
    }
}

/// Like [`missing`], for two arrays that may be the same one.
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

/// Uploads these bytes into a new buffer.
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

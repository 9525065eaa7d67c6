//! Arrays that track where their elements are.
//!
//! An array is immutable once shared: cloning it copies a pointer, and its host and device copies
//! hold the same elements. Bytes move only within an
//! [`ExecutionContext`](crate::device::ExecutionContext) or when a caller reads an array that is
//! not on the host; both are counted.

mod buffer;
mod convert;
mod device_copy;
mod display;
mod elements;
mod holding_device;
mod poison;
mod residency;
mod transfers;

use std::fmt;
use std::sync::{Arc, OnceLock};

pub use buffer::HostBuffer;
pub(crate) use buffer::{held_bytes, release_recycled};
pub(crate) use poison::Poison;
pub use residency::Residency;
pub(crate) use transfers::count as count_transfer;
pub use transfers::{TransferCounts, transfer_counts};

use crate::device::{Accelerator, DeviceBuffer, DeviceId, TransferTotals};
use crate::dtype::{DType, Element};
use crate::error::Error;
use crate::memory::admit_host;
use crate::shape::Shape;
use crate::units::Bytes;

use self::device_copy::DeviceCopy;
use self::elements::Elements;

/// An N-dimensional array, row-major, cheap to clone.
#[derive(Clone)]
pub struct Array<T: Element> {
    shape: Shape,
    copies: Arc<Copies<T>>,
}

/// The copies of one array's elements. At least one exists.
struct Copies<T: Element> {
    /// The elements of an array created on the host.
    host_original: Option<Elements<T>>,
    /// The elements of an array created on a device, after it was downloaded.
    downloaded: OnceLock<Elements<T>>,
    /// The copy of an array that was ever on a device.
    device: OnceLock<Arc<DeviceCopy>>,
}

impl<T: Element> Copies<T> {
    fn host(&self) -> Option<&Elements<T>> {
        self.host_original
            .as_ref()
            .or_else(|| self.downloaded.get())
    }

    fn host_mut(&mut self) -> Option<&mut Elements<T>> {
        self.host_original
            .as_mut()
            .or_else(|| self.downloaded.get_mut())
    }

    /// Returns the copy on `device`, if that device holds one.
    fn on(&self, device: DeviceId) -> Option<Arc<DeviceBuffer>> {
        let copy = self.device.get()?;
        if copy.holding_device() != Some(device) {
            return None;
        }
        copy.touch();
        copy.get().filter(|buffer| buffer.device() == device)
    }

    /// Returns the device that holds a copy.
    #[inline]
    fn holding_device(&self) -> Option<DeviceId> {
        self.device.get()?.holding_device()
    }

    /// Returns the copy on whichever device holds one.
    fn any_device_copy(&self) -> Option<Arc<DeviceBuffer>> {
        self.device.get()?.get()
    }

    fn keep(&self, buffer: Arc<DeviceBuffer>) {
        let copy = self.device.get_or_init(Arc::default);
        copy.keep(buffer);
        match self.host() {
            Some(_) => copy.mark_spare(),
            None => copy.list(),
        }
    }

    /// Takes over bytes that the device moved to the host.
    fn take_spilled(&self) {
        if let Some(copy) = self.device.get() {
            copy.take_spilled(|bytes| {
                self.downloaded.get_or_init(|| Elements::Own(bytes.cast()));
            });
        }
    }

    /// Lets the device drop its copy when it is short of memory, if the host has the elements too.
    fn offer_device_copy(&self) {
        if let (Some(copy), Some(_)) = (self.device.get(), self.host()) {
            copy.mark_spare();
        }
    }

    fn forget_device_copy(&self) {
        if let Some(copy) = self.device.get() {
            copy.forget();
        }
    }
}

impl<T: Element> Array<T> {
    /// Creates a flat array of these values.
    ///
    /// # Panics
    /// If there is no memory for a copy of them: see [`try_from_slice`](Self::try_from_slice).
    #[must_use]
    pub fn from_slice(values: &[T]) -> Self {
        Self::try_from_slice(values).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Creates a flat array of these values. Fails if there is no memory for a copy of them.
    pub fn try_from_slice(values: &[T]) -> Result<Self, Error> {
        let mut buffer = HostBuffer::try_unspecified("an array", values.len())?;
        buffer.as_mut_slice().copy_from_slice(values);
        Ok(Self::on_host(Shape::flat(values.len()), buffer))
    }

    /// Creates a flat array of `len` elements, which `fill` writes. It must write all of them:
    /// their content before is unspecified.
    ///
    /// # Panics
    /// If there is no memory for them.
    #[must_use]
    pub fn filled(len: usize, fill: impl FnOnce(&mut [T])) -> Self {
        let mut buffer = HostBuffer::unspecified(len);
        fill(buffer.as_mut_slice());
        Self::on_host(Shape::flat(len), buffer)
    }

    /// Creates an array of this shape with these values in row-major order.
    pub fn from_shape(extents: &[usize], values: &[T]) -> Result<Self, Error> {
        let shape = Shape::new(extents)?;
        if shape.elements() != values.len() {
            return Err(Error::LengthMismatch {
                shape: shape.into(),
                found: values.len(),
            });
        }
        Ok(Self {
            shape,
            ..Self::try_from_slice(values)?
        })
    }

    /// Creates an array of zeros.
    pub fn zeros(extents: &[usize]) -> Result<Self, Error> {
        let shape = Shape::new(extents)?;
        let buffer = HostBuffer::try_zeroed("an array", shape.elements())?;
        Ok(Self::on_host(shape, buffer))
    }

    /// Creates an array on the host. The buffer has the elements of the shape.
    #[inline]
    pub(crate) fn on_host(shape: Shape, buffer: HostBuffer<T>) -> Self {
        debug_assert_eq!(shape.elements(), buffer.len());
        Self::host_original(shape, Elements::Own(buffer))
    }

    /// Creates an array in a part of a buffer, starting at element `start`.
    pub(crate) fn within(shape: Shape, buffer: &Arc<HostBuffer<T>>, start: usize) -> Self {
        let len = shape.elements();
        debug_assert!(start + len <= buffer.len());
        let buffer = Arc::clone(buffer);
        Self::host_original(shape, Elements::Part { buffer, start, len })
    }

    #[inline]
    fn host_original(shape: Shape, elements: Elements<T>) -> Self {
        Self {
            shape,
            copies: Arc::new(Copies {
                host_original: Some(elements),
                downloaded: OnceLock::new(),
                device: OnceLock::new(),
            }),
        }
    }

    /// Creates an array from elements that a device has computed. Fails when the buffer does not
    /// have the bytes of the shape.
    pub fn on_device(shape: Shape, buffer: DeviceBuffer) -> Result<Self, Error> {
        if buffer.bytes() != Bytes::of::<T>(shape.elements()) {
            return Err(Error::LengthMismatch {
                found: buffer.bytes().0 as usize / size_of::<T>(),
                shape: shape.into(),
            });
        }
        let copies = Copies {
            host_original: None,
            downloaded: OnceLock::new(),
            device: OnceLock::new(),
        };
        copies.keep(Arc::new(buffer));
        Ok(Self {
            shape,
            copies: Arc::new(copies),
        })
    }

    /// Returns the same elements with another shape of as many elements. Moves nothing.
    pub fn reshape(&self, extents: &[usize]) -> Result<Self, Error> {
        let shape = Shape::new(extents)?;
        if shape.elements() != self.len() {
            return Err(Error::LengthMismatch {
                shape: shape.into(),
                found: self.len(),
            });
        }
        Ok(Self {
            shape,
            copies: Arc::clone(&self.copies),
        })
    }

    /// Its shape.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Its element type.
    #[must_use]
    pub fn dtype(&self) -> DType {
        T::DTYPE
    }

    /// The number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shape.elements()
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of one copy of the elements.
    #[must_use]
    pub fn bytes(&self) -> Bytes {
        Bytes::of::<T>(self.len())
    }

    /// Returns where the elements are now.
    #[inline]
    #[must_use]
    pub fn residency(&self) -> Residency {
        let on_host = self.copies.host().is_some();
        match self.copies.holding_device() {
            None => Residency::Host,
            Some(device) if on_host => Residency::Both(device),
            Some(device) => Residency::Device(device),
        }
    }

    /// Returns where the elements are and records a use: the operands of a described operation are
    /// the last that a clean-up drops.
    #[inline]
    pub(crate) fn residency_for_use(&self) -> Residency {
        let residency = self.residency();
        if residency != Residency::Host
            && let Some(copy) = self.copies.device.get()
        {
            copy.touch();
        }
        residency
    }

    /// Returns the elements, in row-major order. Downloads them if they are not on the host; that
    /// transfer is counted.
    pub fn as_slice(&self) -> Result<&[T], Error> {
        self.ensure_on_host().map(|(elements, _)| elements)
    }

    /// Returns the elements for writing. A shared array is copied first (and the copy counted);
    /// device copies are dropped, because they are outdated.
    pub fn as_mut_slice(&mut self) -> Result<&mut [T], Error> {
        self.make_host_mut().map(|(elements, _)| elements)
    }

    /// Whether both have the same elements in memory, not just equal ones.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.copies, &other.copies)
    }

    /// Whether other arrays use the same elements, so that writing to them takes a copy.
    pub(crate) fn is_shared(&self) -> bool {
        Arc::strong_count(&self.copies) > 1
    }

    /// Drops the copy on a device if the host has the elements too. Returns the bytes freed there
    /// once no operation uses them.
    #[allow(
        clippy::must_use_candidate,
        reason = "called for its effect; few callers need the bytes freed"
    )]
    pub fn evict(&self) -> Bytes {
        if self.copies.host().is_none() || self.copies.any_device_copy().is_none() {
            return Bytes(0);
        }
        self.copies.forget_device_copy();
        self.bytes()
    }

    /// Copies the elements into a vector.
    pub fn to_vec(&self) -> Result<Vec<T>, Error> {
        let elements = self.as_slice()?;
        admit_host("a copy of an array", self.bytes())?;
        Ok(elements.to_vec())
    }

    pub(crate) fn ensure_on_host(&self) -> Result<(&[T], TransferTotals), Error> {
        if let Some(elements) = self.copies.host() {
            return Ok((elements.as_slice(), TransferTotals::default()));
        }
        let mut moved = TransferTotals::default();
        let Some(buffer) = self.copies.any_device_copy() else {
            self.copies.take_spilled();
            return match self.copies.host() {
                Some(elements) => Ok((elements.as_slice(), moved)),
                None => Err(self.no_copy_error()),
            };
        };
        let mut elements = HostBuffer::try_unspecified("an array read from a device", self.len())?;
        moved.down = self.bytes();
        moved.down_time = buffer
            .download(bytemuck::cast_slice_mut(elements.as_mut_slice()))
            .map_err(|error| self.array_lost_error(error))?;
        transfers::count(&moved);
        // Another thread may have stored its own copy first; both are equal.
        let downloaded = self
            .copies
            .downloaded
            .get_or_init(|| Elements::Own(elements));
        self.copies.offer_device_copy();
        Ok((downloaded.as_slice(), moved))
    }

    /// The error of an array without copies, which cannot occur: at least one exists.
    #[cold]
    fn no_copy_error(&self) -> Error {
        Error::device(
            DeviceId::CPU,
            format!("an array of {} has no copy of its elements", self.shape),
        )
    }

    /// Converts the error of reading a lost device into that of the lost array.
    #[cold]
    fn array_lost_error(&self, error: Error) -> Error {
        match error {
            Error::DeviceLost { device, .. } => Error::ArrayLost {
                device,
                dtype: T::DTYPE,
                shape: self.shape.clone().into(),
            },
            error => error,
        }
    }

    pub(crate) fn make_host_mut(&mut self) -> Result<(&mut [T], TransferTotals), Error> {
        let (_, moved) = self.ensure_on_host()?;
        let is_part = self.copies.host().is_some_and(Elements::is_part);
        if is_part || Arc::get_mut(&mut self.copies).is_none() {
            transfers::count_copy(self.bytes());
            *self = Self {
                shape: self.shape.clone(),
                ..Self::try_from_slice(self.as_slice()?)?
            };
        }
        let elements = Arc::get_mut(&mut self.copies).and_then(|copies| {
            copies.forget_device_copy();
            copies.host_mut()
        });
        Ok((
            // Both exist: the elements were downloaded above, and a shared array has just been
            // copied.
            elements
                .and_then(Elements::as_mut_slice)
                .unwrap_or_default(),
            moved,
        ))
    }

    /// Returns the elements on `device` for writing, if they are there and not shared. Drops the
    /// copy on the host, which the write makes outdated.
    pub(crate) fn exclusive_on(&mut self, device: DeviceId) -> Option<Arc<DeviceBuffer>> {
        let copies = Arc::get_mut(&mut self.copies)?;
        let buffer = copies.on(device)?;
        // From here on a clean-up must not drop the copy. It could not before, because `buffer`
        // refers to it.
        if let Some(copy) = copies.device.get() {
            copy.mark_needed();
        }
        copies.host_original = None;
        copies.downloaded = OnceLock::new();
        Some(buffer)
    }

    pub(crate) fn ensure_on(
        &self,
        accelerator: &dyn Accelerator,
    ) -> Result<(Arc<DeviceBuffer>, TransferTotals), Error> {
        if let Some(buffer) = self.copies.on(accelerator.id()) {
            return Ok((buffer, TransferTotals::default()));
        }
        let (elements, mut moved) = self.ensure_on_host()?;
        let buffer = accelerator.allocate(self.bytes())?;
        let up = TransferTotals {
            up: self.bytes(),
            up_time: buffer.upload(bytemuck::cast_slice(elements))?,
            ..TransferTotals::default()
        };
        transfers::count(&up);
        moved = moved.and(&up);
        let buffer = Arc::new(buffer);
        self.copies.keep(Arc::clone(&buffer));
        Ok((buffer, moved))
    }
}

impl<T: Element> fmt::Debug for Array<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Array<{}>({} on {})",
            T::DTYPE,
            self.shape,
            self.residency()
        )
    }
}

//! A factor and an offset, rounded once.

use crate::array::{Array, HostBuffer};
use crate::device::Lane;
use crate::error::Error;
use crate::operation::{Agreement, Description, Kind, Operation, WorkUnit};

use super::agreement;
use super::loops::{self, Map};
use super::number::Float;

/// `x * factor + offset`.
pub static SCALE: Kind = Kind::new("scale", WorkUnit::Bytes);

/// `x * factor + offset` of every element, rounded once (a fused multiply-add, as
/// every device has it), so that all devices answer alike to the bit.
#[derive(Clone, Debug)]
pub struct Scale<T: Float> {
    input: Array<T>,
    factor: T,
    offset: T,
}

impl<T: Float> Scale<T> {
    /// Any array and any numbers will do; the error is there for uniformity.
    pub fn new(input: &Array<T>, factor: T, offset: T) -> Result<Self, Error> {
        Ok(Self {
            input: input.clone(),
            factor,
            offset,
        })
    }
}

impl<T: Float> Operation for Scale<T> {
    type Output = Array<T>;

    fn describe(&self) -> Description {
        let bytes = self.input.bytes();
        Description::new(&SCALE, T::DTYPE, (bytes + bytes).0)
            .reads(&self.input)
            .writes(bytes)
    }

    fn run(&mut self, lane: &Lane<'_>) -> Result<Array<T>, Error> {
        let pool = lane.pool(SCALE.name())?;
        let input = lane.host(&self.input)?;
        let mut out = HostBuffer::unspecified(input.len());
        let f = Line {
            factor: self.factor,
            offset: self.offset,
        };
        loops::map(pool, out.as_mut_slice(), input, f);
        Ok(Array::on_host(self.input.shape().clone(), out))
    }

    fn compare(&self, first: &Array<T>, second: &Array<T>) -> Agreement {
        agreement::exact(first, second)
    }
}

#[derive(Clone, Copy)]
struct Line<T> {
    factor: T,
    offset: T,
}

impl<T: Float> Map<T> for Line<T> {
    #[inline(always)]
    fn apply(self, x: T) -> T {
        x.fused(self.factor, self.offset)
    }
}

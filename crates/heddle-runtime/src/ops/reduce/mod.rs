//! Many elements to one value: sum, mean, standard deviation, least, greatest.
//!
//! The result does not depend on the number of threads: the array is divided into blocks of a
//! fixed size, a block is reduced over a fixed number of lanes, and block results are merged
//! along a fixed tree. Each element is read from memory once; a second read finds it in the
//! cache.

mod block;
mod extremes;
pub(super) mod gpu;
mod moments;
mod sum;

pub use extremes::{MAX, MIN, Max, Min};
pub use moments::{MEAN, Mean, STD, Std};
pub use sum::{SUM, Sum, Summable};

pub(super) use block::{fold_lanes, reduce};
pub(super) use extremes::{Extremes, extremes_of};
pub(super) use moments::{Moments, moments_of};

use crate::array::Array;
use crate::dtype::Element;
use crate::error::Error;
use crate::operation::Kind;

fn refuse_empty<T: Element>(kind: &'static Kind, input: &Array<T>) -> Result<(), Error> {
    if input.is_empty() {
        return Err(Error::EmptyArray {
            operation: kind.name(),
        });
    }
    Ok(())
}

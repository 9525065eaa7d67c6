//! Random arrays that are the same on every device and for any thread count.
//!
//! Element `i` depends on the seed and on `i` alone. Block `b` of the sequence is
//! Philox4x32-10 of the counter `[b low, b high, 0, 0]` under the key
//! `[seed low, seed high]` (32-bit halves): four words `w0 w1 w2 w3`. Then
//!
//! | type | block | element |
//! |---|---|---|
//! | `u8` | `i / 16` | byte `i % 4` of word `(i % 16) / 4`, least significant first |
//! | `u32`, `i32` | `i / 4` | word `i % 4` |
//! | `f32` | `i / 4` | word `i % 4`: `(w >> 8) * 2^-24` |
//! | `f64` | `i / 2` | words `lo = w[2 (i % 2)]`, `hi = w[2 (i % 2) + 1]`: `((hi << 32 \| lo) >> 11) * 2^-53` |

mod philox;
mod split_mix;

use std::marker::PhantomData;

use pulp::{Arch, Simd, WithSimd};

use crate::array::{Array, HostBuffer};
use crate::device::{Accelerator, Argument, DeviceId, ExecutionContext, ExecutionTarget};
use crate::dtype::Element;
use crate::error::Error;
use crate::operation::{Agreement, Description, Kind, Operation, WorkUnit};
use crate::shape::Shape;
use crate::units::Bytes;

pub use philox::philox4x32_10;
pub use split_mix::SplitMix64;

use super::agreement;
use super::kernel::{self, Kernels, kernels};
use super::loops::part;

/// Uniform random elements.
pub static RANDOM: Kind = Kind::new("random", WorkUnit::Bytes);

/// Each thread draws one block, which it stores in one access.
const KERNELS: Kernels = kernels!("random", all);

/// Bytes of one block.
const BLOCK_BYTES: usize = 16;
/// Blocks computed side by side: two 512-bit vectors of 64-bit words, so that one multiplies
/// while the other waits for its products.
const LANES: usize = 16;
/// The cost of ten rounds as a multiple of a copy, for the threading threshold.
const WEIGHT: u64 = 4;

/// An element type that random words are converted to.
pub trait RandomElement: Element {
    /// Writes the elements of several blocks to `out`, which it fills. Each `u64` of
    /// `words` holds two random words.
    #[doc(hidden)]
    fn draw(words: &[u64; 2 * LANES], out: &mut [Self]);
}

impl RandomElement for u8 {
    #[inline(always)]
    fn draw(words: &[u64; 2 * LANES], out: &mut [Self]) {
        let bytes = words.map(u64::to_le_bytes);
        out.copy_from_slice(&bytes.as_flattened()[..out.len()]);
    }
}

/// Two elements of half a word each, the lower half first.
#[inline(always)]
fn halves<T>(words: &[u64; 2 * LANES], out: &mut [T], element: impl Fn(u32) -> T) {
    // In memory the lower half comes first only in little-endian order.
    let ordered = words.map(u64::to_le);
    let halves: &[u32] = bytemuck::cast_slice(&ordered);
    for (out, half) in out.iter_mut().zip(halves) {
        *out = element(u32::from_le(*half));
    }
}

impl RandomElement for u32 {
    #[inline(always)]
    fn draw(words: &[u64; 2 * LANES], out: &mut [Self]) {
        halves(words, out, |half| half);
    }
}

impl RandomElement for i32 {
    #[inline(always)]
    fn draw(words: &[u64; 2 * LANES], out: &mut [Self]) {
        halves(words, out, u32::cast_signed);
    }
}

impl RandomElement for f32 {
    #[inline(always)]
    fn draw(words: &[u64; 2 * LANES], out: &mut [Self]) {
        halves(words, out, |half| (half >> 8) as f32 * (1.0 / 16_777_216.0));
    }
}

impl RandomElement for f64 {
    #[inline(always)]
    fn draw(words: &[u64; 2 * LANES], out: &mut [Self]) {
        for (out, word) in out.iter_mut().zip(words) {
            *out = (word >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0);
        }
    }
}

/// Uniform random elements: integers over their whole range, floats in [0, 1)
/// with all the bits of their mantissa.
#[derive(Clone, Debug)]
pub struct Random<T: RandomElement> {
    seed: u64,
    shape: Shape,
    element: PhantomData<T>,
}

impl<T: RandomElement> Random<T> {
    /// Fails when the shape is too large to address.
    pub fn new(seed: u64, extents: &[usize]) -> Result<Self, Error> {
        Ok(Self {
            seed,
            shape: Shape::new(extents)?,
            element: PhantomData,
        })
    }
}

impl<T: RandomElement> Operation for Random<T> {
    type Output = Array<T>;

    fn describe(&self) -> Description {
        let bytes = Bytes::of::<T>(self.shape.elements());
        Description::new(&RANDOM, T::DTYPE, bytes.0).writes(bytes)
    }

    fn runs_on(&self, device: DeviceId) -> bool {
        device.is_host() || device.has_kernels()
    }

    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<Array<T>, Error> {
        let pool = match context.target() {
            ExecutionTarget::Host(pool) => pool,
            ExecutionTarget::Accelerator(accelerator) => return self.run_on_gpu(accelerator),
        };
        let mut out = HostBuffer::try_unspecified(RANDOM.name(), self.shape.elements())?;
        let cost = Bytes(Bytes::of::<T>(out.len()).0.saturating_mul(WEIGHT));
        // An element uses as many random bytes as it occupies.
        let blocks_per_part = (part::<T>() * size_of::<T>() / BLOCK_BYTES) as u64;
        let seed = self.seed;
        let parts = (0_u64..).zip(out.as_mut_slice().chunks_mut(part::<T>()));
        pool.each(cost, parts, |(index, out)| {
            Arch::new().dispatch(FillPass {
                seed,
                first_block: index * blocks_per_part,
                out,
            });
        });
        Ok(Array::on_host(self.shape.clone(), out))
    }

    fn compare(&self, first: &Array<T>, second: &Array<T>) -> Agreement {
        agreement::exact(first, second)
    }
}

impl<T: RandomElement> Random<T> {
    fn run_on_gpu(&self, accelerator: &dyn Accelerator) -> Result<Array<T>, Error> {
        let elements = self.shape.elements();
        let out = kernel::allocate_elements::<T>(accelerator, elements)?;
        kernel::over_elements(
            accelerator,
            KERNELS.of::<T>(RANDOM.name())?,
            elements,
            kernel::per_line::<T>(),
            &[
                Argument::Buffer(&*out),
                Argument::U64(elements as u64),
                Argument::U64(self.seed),
            ],
        )?;
        kernel::filled(&self.shape, out)
    }
}

struct FillPass<'a, T> {
    seed: u64,
    first_block: u64,
    out: &'a mut [T],
}

impl<T: RandomElement> WithSimd for FillPass<'_, T> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let key = [self.seed as u32, (self.seed >> 32) as u32];
        let mut block = self.first_block;
        for out in self.out.chunks_mut(LANES * BLOCK_BYTES / size_of::<T>()) {
            let mut words = [0; 2 * LANES];
            philox::blocks(block, key, &mut words);
            T::draw(&words, out);
            block += LANES as u64;
        }
    }
}

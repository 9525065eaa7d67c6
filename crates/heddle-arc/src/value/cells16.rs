//! Comparison and selection of sixteen cells at once.
//!
//! On x86-64 an SSE2 instruction compares sixteen bytes and another gathers the resulting bits.
//! Other CPUs use 64-bit integers of eight bytes each.

#[cfg(target_arch = "x86_64")]
use pulp::core_arch::x86::Sse2;

/// Sixteen cells.
pub(super) type Cells16 = [i8; 16];

/// Loads sixteen cells, with zeros beyond the end of the slice.
#[inline]
pub(super) fn load(cells: &[i8], at: usize) -> Cells16 {
    let rest = &cells[at..];
    match rest.first_chunk::<16>() {
        Some(all) => *all,
        None => load_fewer(rest),
    }
}

fn load_fewer(rest: &[i8]) -> Cells16 {
    let mut all = [0; 16];
    all[..rest.len()].copy_from_slice(rest);
    all
}

/// Stores those of sixteen cells that have their bit set and are not beyond the end of the slice.
#[inline]
pub(super) fn store(cells: &mut [i8], at: usize, bits: u16, new: Cells16) {
    let rest = &mut cells[at..];
    if let Some(all) = rest.first_chunk_mut::<16>() {
        *all = chosen(bits, new, *all);
    } else {
        let all = chosen(bits, new, load_fewer(rest));
        let count = rest.len();
        rest.copy_from_slice(&all[..count]);
    }
}

/// Returns one bit for each cell, set where both are the same.
#[inline]
pub(super) fn same(a: Cells16, b: Cells16) -> u16 {
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = Sse2::try_new() {
        let equal = simd._mm_cmpeq_epi8(pulp::cast(a), pulp::cast(b));
        return simd._mm_movemask_epi8(equal) as u16;
    }
    portable::same(a, b)
}

/// Returns the cells of `new` whose bit is set, and those of `old` elsewhere.
#[inline]
fn chosen(bits: u16, new: Cells16, old: Cells16) -> Cells16 {
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = Sse2::try_new() {
        // The low byte eight times and the high byte eight times. Each lane then tests its own bit.
        let twice = simd._mm_cvtsi32_si128(i32::from(bits));
        let twice = simd._mm_unpacklo_epi8(twice, twice);
        let each = simd._mm_shufflelo_epi16::<0b01_01_00_00>(twice);
        let each = simd._mm_shuffle_epi32::<0b01_01_00_00>(each);
        let own = pulp::cast([0x8040_2010_0804_0201_u64; 2]);
        let taken = simd._mm_cmpeq_epi8(simd._mm_and_si128(each, own), own);
        let new = simd._mm_and_si128(taken, pulp::cast(new));
        let old = simd._mm_andnot_si128(taken, pulp::cast(old));
        return pulp::cast(simd._mm_or_si128(new, old));
    }
    portable::chosen(bits, new, old)
}

/// The portable version: eight cells in one integer.
#[cfg_attr(
    target_arch = "x86_64",
    allow(dead_code, reason = "used on other CPUs and by tests")
)]
mod portable {
    use super::Cells16;

    /// The lowest bit of each byte.
    const LOWEST: u64 = 0x0101_0101_0101_0101;
    /// All bits of each byte but the highest.
    const LOWER: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    /// The highest bit of each byte.
    const HIGHEST: u64 = 0x8080_8080_8080_8080;

    fn split(all: Cells16) -> [u64; 2] {
        let all = u128::from_le_bytes(all.map(i8::cast_unsigned));
        [all as u64, (all >> 64) as u64]
    }

    /// Expands eight bits to eight bytes, each all ones or all zeros.
    fn bytes_of(bits: u8) -> u64 {
        // Byte `k` keeps only bit `k`; the addition carries it into the byte's highest bit.
        let apart = u64::from(bits).wrapping_mul(LOWEST) & 0x8040_2010_0804_0201;
        (((apart + LOWER) & HIGHEST) >> 7).wrapping_mul(0xff)
    }

    /// Returns one bit for each byte that is not zero.
    fn bits_of(bytes: u64) -> u8 {
        let flags = (((bytes & LOWER) + LOWER) | bytes) & HIGHEST;
        // Moves bit `8 k` to bit `56 + k` without collisions.
        ((flags >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
    }

    pub(super) fn same(a: Cells16, b: Cells16) -> u16 {
        let ([a, c], [b, d]) = (split(a), split(b));
        !u16::from_le_bytes([bits_of(a ^ b), bits_of(c ^ d)])
    }

    pub(super) fn chosen(bits: u16, new: Cells16, old: Cells16) -> Cells16 {
        let [low, high] = bits.to_le_bytes().map(bytes_of);
        let taken = u128::from(high) << 64 | u128::from(low);
        let number = |all: Cells16| u128::from_le_bytes(all.map(i8::cast_unsigned));
        let all = number(new) & taken | number(old) & !taken;
        all.to_le_bytes().map(u8::cast_signed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cells() -> impl Strategy<Value = Cells16> {
        prop::array::uniform16(prop_oneof![
            Just(0_i8),
            Just(1),
            Just(-1),
            Just(-128),
            any::<i8>()
        ])
    }

    proptest! {
        #[test]
        fn simd_and_portable_code_agree(a in cells(), b in cells(), bits in any::<u16>()) {
            let held = |bits: u16, index: usize| bits >> index & 1 == 1;
            for equal in [same(a, b), portable::same(a, b)] {
                for index in 0..16 {
                    prop_assert_eq!(held(equal, index), a[index] == b[index]);
                }
            }
            for all in [chosen(bits, a, b), portable::chosen(bits, a, b)] {
                for index in 0..16 {
                    let wanted = if held(bits, index) { a[index] } else { b[index] };
                    prop_assert_eq!(all[index], wanted);
                }
            }
        }
    }
}

//! Arithmetic modulo the largest prime below 2^64.
//!
//! Plain 64-bit arithmetic would fail: modulo 2^64 every even factor loses a bit
//! for good, and the number of walks through some sixty places where two ways meet
//! would be zero. In a field a product of nonzero numbers is never zero.

/// The largest prime below 2^64.
pub(super) const PRIME: u64 = u64::MAX - 58;

/// 2^64 modulo the prime.
const EXCESS: u128 = 59;

pub(super) const fn add(first: u64, second: u64) -> u64 {
    reduce(first as u128 + second as u128)
}

pub(super) const fn sub(first: u64, second: u64) -> u64 {
    if first >= second {
        first - second
    } else {
        PRIME - (second - first)
    }
}

pub(super) const fn mul(first: u64, second: u64) -> u64 {
    reduce(first as u128 * second as u128)
}

/// The remainder of any number.
#[inline]
pub(super) const fn reduce(value: u128) -> u64 {
    let once = (value >> 64) * EXCESS + (value as u64) as u128;
    let twice = (once >> 64) * EXCESS + (once as u64) as u128;
    // The value is below 2^64 + 2^12, so one subtraction is enough.
    if twice >= PRIME as u128 {
        (twice - PRIME as u128) as u64
    } else {
        twice as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_long_division(first in 0..PRIME, second in 0..PRIME, any in any::<u128>()) {
            let prime = u128::from(PRIME);
            let (wide, other) = (u128::from(first), u128::from(second));
            prop_assert_eq!(u128::from(mul(first, second)), wide * other % prime);
            prop_assert_eq!(u128::from(add(first, second)), (wide + other) % prime);
            prop_assert_eq!(add(sub(first, second), second), first);
            prop_assert_eq!(u128::from(reduce(any)), any % prime);
        }
    }

    #[test]
    fn bounds_are_reduced() {
        let prime = u128::from(PRIME);
        for value in [
            0,
            prime - 1,
            prime,
            prime + 1,
            2 * prime,
            u128::MAX,
            u128::from(u64::MAX),
        ] {
            assert_eq!(u128::from(reduce(value)), value % prime, "{value}");
        }
    }
}

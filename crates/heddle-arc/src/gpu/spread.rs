//! Work that all threads share only where that is worth it.

use rayon::prelude::*;

/// Maps items, on all threads if that is worth it: a thread that has to be woken up comes
/// after some milliseconds if all cores evaluate.
pub(super) fn spread<T: Send, R: Send>(
    items: Vec<T>,
    is_worth_it: bool,
    map: impl Fn(T) -> R + Send + Sync,
) -> Vec<R> {
    if is_worth_it {
        items.into_par_iter().map(map).collect()
    } else {
        items.into_iter().map(map).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_kept_either_way() {
        let twice: Vec<u32> = (0..5000).map(|n| 2 * n).collect();
        for is_worth_it in [false, true] {
            assert_eq!(spread((0..5000).collect(), is_worth_it, |n| 2 * n), twice);
        }
    }
}

//! Work that all threads share only where that is worth it.

use heddle_runtime::cpu::CpuPool;
use rayon::prelude::*;

/// Maps items, on all threads of a pool if that is worth it: a thread that has to be
/// woken up comes after some milliseconds if all cores evaluate.
pub(super) fn parallel_map<T: Send, R: Send>(
    pool: &CpuPool,
    items: Vec<T>,
    is_worth_it: bool,
    map: impl Fn(T) -> R + Send + Sync,
) -> Vec<R> {
    match is_worth_it.then(|| pool.rayon()).flatten() {
        Some(workers) => workers.install(|| items.into_par_iter().map(map).collect()),
        None => items.into_iter().map(map).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_kept_either_way() {
        let twice: Vec<u32> = (0..5000).map(|n| 2 * n).collect();
        let pool = CpuPool::shared();
        for is_worth_it in [false, true] {
            let mapped = parallel_map(pool, (0..5000).collect(), is_worth_it, |n| 2 * n);
            assert_eq!(mapped, twice);
        }
    }
}

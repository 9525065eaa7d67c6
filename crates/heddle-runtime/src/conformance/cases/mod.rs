//! The cases of the array operations, one file per family.
//!
//! Each function here adds the cases of one kind and element type; the table of operations lists
//! the functions. Operands are drawn when a case runs, so that a list of cases costs nothing.

mod batches;
mod binary;
mod extent;
mod matrices;
mod random;
mod reduce;
mod unary;
mod xor;

pub(crate) use binary::binary;
pub(crate) use matrices::{batch_matmul, matmul, transpose};
pub(crate) use random::random;
pub(crate) use reduce::{max, mean, min, std, sum};
pub(crate) use unary::{Domain, min_max, scale, unary, unit, z_score};
pub(crate) use xor::{xor, xor_in_place};

use super::case::Case;
use super::sizes::Depth;
use crate::ops;

/// Returns every case up to this depth.
pub(super) fn all(depth: Depth) -> Vec<Case> {
    let mut cases = Vec::new();
    for entry in ops::entries() {
        (entry.cases)(&mut cases, depth);
    }
    cases
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::operation::Kind;

    #[test]
    fn every_kind_and_type_that_can_be_measured_has_cases() {
        let listed: BTreeSet<_> = all(Depth::Quick)
            .iter()
            .map(|case| (case.operation, case.dtype))
            .collect();
        for probe in ops::probes() {
            let pair = (probe.kind().name(), probe.dtype());
            assert!(listed.contains(&pair), "{pair:?}");
        }
    }

    #[test]
    fn every_kind_has_cases() {
        let listed: BTreeSet<_> = all(Depth::Quick)
            .iter()
            .map(|case| case.operation)
            .collect();
        let merged = ops::entries().filter_map(|entry| entry.merged);
        let merged = merged.flat_map(|family| [&family.packed, &family.resident]);
        let kinds: BTreeSet<_> = ops::kinds().chain(merged).map(Kind::name).collect();
        assert_eq!(listed, kinds);
    }

    #[test]
    fn no_two_cases_are_the_same() {
        let cases = all(Depth::Thorough);
        let names: BTreeSet<_> = cases
            .iter()
            .map(|case| (case.operation, case.dtype, &case.what))
            .collect();
        assert_eq!(names.len(), cases.len());
    }
}

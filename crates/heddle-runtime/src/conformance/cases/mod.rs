//! The cases of the array operations, one file per family.
//!
//! A function here takes a kind and an element type and lists its cases; operands
//! are drawn when a case runs, never before, so that a list costs nothing.

mod batches;
mod binary;
mod extent;
mod matrices;
mod random;
mod reduce;
mod unary;
mod xor;

use super::case::Case;
use super::sizes::Depth;

/// Every case there is to this depth.
pub(super) fn all(depth: Depth) -> Vec<Case> {
    let mut cases = Vec::new();
    xor::cases(&mut cases, depth);
    binary::cases(&mut cases, depth);
    unary::cases(&mut cases, depth);
    reduce::cases(&mut cases, depth);
    matrices::cases(&mut cases, depth);
    random::cases(&mut cases, depth);
    batches::cases(&mut cases);
    cases
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::operation::Kind;
    use crate::{batch, ops};

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
    fn every_kind_there_is_has_cases() {
        let listed: BTreeSet<_> = all(Depth::Quick)
            .iter()
            .map(|case| case.operation)
            .collect();
        let kinds = ops::KINDS.into_iter().chain(batch::merged_kinds());
        let kinds: BTreeSet<_> = kinds.map(Kind::name).collect();
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

//! The context that a case runs in: two sides and a seed.

use super::case::{CaseResult, Placement};
use super::runner::CaseRunner;
use super::sample::SampleElement;
use crate::array::Array;
use crate::cpu::CpuDevice;
use crate::device::DeviceId;
use crate::dtype::Element;
use crate::error::Error;
use crate::operation::{Agreement, Operation};
use crate::ops::{Random, RandomElement, SplitMix64};
use crate::runtime::Runtime;

/// One run of one case.
#[derive(Debug)]
pub struct Trial<'a> {
    pub(super) runtime: &'a Runtime,
    pub(super) reference: &'a CpuDevice,
    pub(super) device: DeviceId,
    pub(super) placement: Placement,
    pub(super) seed: u64,
}

impl Trial<'_> {
    /// Returns a seed for the operand of this number.
    #[must_use]
    pub fn seed(&self, operand: u64) -> u64 {
        self.seed
            .wrapping_add(SplitMix64::STEP.wrapping_mul(operand + 1))
    }

    /// Returns random elements, drawn on the CPU.
    pub fn random<T: RandomElement>(
        &self,
        operand: u64,
        extents: &[usize],
    ) -> Result<Array<T>, Error> {
        CaseRunner::reference(self.reference).run(&mut Random::new(self.seed(operand), extents)?)
    }

    /// Returns random elements near zero.
    pub fn near_zero<T: SampleElement>(
        &self,
        operand: u64,
        extents: &[usize],
    ) -> Result<Array<T>, Error> {
        let mut array = self.random::<T>(operand, extents)?;
        for value in array.as_mut_slice()? {
            *value = T::near_zero(*value);
        }
        Ok(array)
    }

    /// Returns random elements of many magnitudes.
    pub fn wide_range<T: SampleElement>(
        &self,
        operand: u64,
        extents: &[usize],
    ) -> Result<Array<T>, Error> {
        let mut array = self.random::<T>(operand, extents)?;
        let magnitudes = self.random::<u8>(operand + 1000, extents)?;
        for (value, &magnitude) in array.as_mut_slice()?.iter_mut().zip(magnitudes.as_slice()?) {
            *value = T::wide_range(*value, magnitude);
        }
        Ok(array)
    }

    /// Runs the operation on both sides and compares the results. Two errors agree when their
    /// messages are equal.
    pub fn check<O: Operation>(
        &self,
        build: impl Fn(&CaseRunner<'_>) -> Result<O, Error>,
    ) -> CaseResult {
        let run = |runner: &CaseRunner<'_>| {
            let mut operation = build(runner)?;
            let result = runner.run(&mut operation)?;
            Ok((operation, result))
        };
        self.compare_sides(run, |(operation, expected), (_, found)| {
            operation.compare(expected, found)
        })
    }

    /// Like [`check`](Self::check), for an operation that overwrites `data`: `apply` runs it on the
    /// data it is passed, and `compare` compares the data afterwards, even when both sides failed.
    pub fn check_in_place<T: Element>(
        &self,
        data: &Array<T>,
        apply: impl Fn(&CaseRunner<'_>, &mut Array<T>) -> Result<(), Error>,
        compare: impl Fn(&Array<T>, &Array<T>) -> Agreement,
    ) -> CaseResult {
        let run = |runner: &CaseRunner<'_>| {
            let mut data = runner.place(0, data)?;
            let refusal = apply(runner, &mut data).err();
            match refusal {
                Some(error @ Error::NotImplementedOn { .. }) => Err(error),
                refusal => Ok((data, refusal.map(|error| error.to_string()))),
            }
        };
        self.compare_sides(run, |(expected, refused), (found, refused_too)| {
            if refused != refused_too {
                let said = |refusal: &Option<String>| {
                    refusal.clone().unwrap_or_else(|| "no error".to_owned())
                };
                return Agreement::Different(format!(
                    "{} against {}",
                    said(refused),
                    said(refused_too)
                ));
            }
            compare(expected, found)
        })
    }

    /// Runs both sides and compares their outcomes.
    fn compare_sides<A>(
        &self,
        run: impl Fn(&CaseRunner<'_>) -> Result<A, Error>,
        compare: impl Fn(&A, &A) -> Agreement,
    ) -> CaseResult {
        let runner = match CaseRunner::under_test(self.runtime, self.device, self.placement) {
            Ok(runner) => runner,
            Err(error) => return CaseResult::Differs(error.to_string()),
        };
        let expected = run(&CaseRunner::reference(self.reference));
        match (expected, run(&runner)) {
            (_, Err(Error::NotImplementedOn { .. })) => CaseResult::Absent,
            (Ok(expected), Ok(found)) => match compare(&expected, &found) {
                Agreement::Same => runner
                    .proof()
                    .map_or_else(CaseResult::Differs, CaseResult::Agrees),
                Agreement::Different(difference) => CaseResult::Differs(difference),
                Agreement::Unchecked => CaseResult::Differs(
                    "the operation does not define how to compare results".to_owned(),
                ),
            },
            (Err(expected), Err(found)) if expected.to_string() == found.to_string() => {
                CaseResult::Agrees(None)
            }
            (Ok(_), Err(found)) => {
                CaseResult::Differs(format!("a result against the error: {found}"))
            }
            (Err(expected), Ok(_)) => {
                CaseResult::Differs(format!("the error: {expected}, against a result"))
            }
            (Err(expected), Err(found)) => {
                CaseResult::Differs(format!("the error: {expected}, against: {found}"))
            }
        }
    }
}

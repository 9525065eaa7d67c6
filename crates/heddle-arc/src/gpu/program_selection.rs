//! Some programs of a job's plans, for one launch.

use crate::plan::Plan;
use std::collections::HashMap;

/// A program and how long it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Given {
    /// Its number in the plan.
    pub(super) program: usize,
    /// The most steps it took where somebody looked.
    pub(super) steps: u32,
    /// Which of the gauges of an example they rise with.
    pub(super) grid_features: u8,
}

/// Programs by number of their plan, ascending in each.
#[derive(Debug, Default)]
pub(super) struct ProgramSelection {
    plans: HashMap<u64, Vec<Given>>,
    /// What a GPU takes for all their evaluations, about.
    pub(super) seconds: f64,
    /// What a thread of the processor takes for those of them that are flagged, about.
    pub(super) flagged: f64,
}

impl ProgramSelection {
    /// These programs, each with the number of its plan, and what a GPU and the processor
    /// take for them.
    pub(super) fn new(
        programs: impl IntoIterator<Item = (u64, Given)>,
        [seconds, flagged]: [f64; 2],
    ) -> Self {
        let mut plans: HashMap<u64, Vec<Given>> = HashMap::new();
        for (plan, given) in programs {
            plans.entry(plan).or_default().push(given);
        }
        for of_plan in plans.values_mut() {
            of_plan.sort_unstable_by_key(|given| given.program);
        }
        ProgramSelection {
            plans,
            seconds,
            flagged,
        }
    }

    /// Those of a plan.
    pub(super) fn of(&self, plan: &Plan) -> &[Given] {
        self.plans.get(&plan.number).map_or(&[], Vec::as_slice)
    }

    /// Which of those of its plan a program is.
    pub(super) fn place(&self, plan: &Plan, program: usize) -> Option<usize> {
        let of_plan = self.of(plan);
        of_plan
            .binary_search_by_key(&program, |given| given.program)
            .ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_by_plan_and_number() {
        let [one, other] = [Plan::new(&[]), Plan::new(&[])];
        let given = |program, steps| Given {
            program,
            steps,
            grid_features: 3,
        };
        let program_selection = ProgramSelection::new(
            [
                (one.number, given(7, 10)),
                (other.number, given(1, 0)),
                (one.number, given(3, 20)),
            ],
            [1.5, 0.5],
        );
        assert_eq!(program_selection.of(&one), [given(3, 20), given(7, 10)]);
        assert_eq!(program_selection.place(&one, 7), Some(1));
        assert_eq!(program_selection.place(&one, 1), None);
        assert_eq!(program_selection.place(&other, 1), Some(0));
        assert!(program_selection.of(&Plan::new(&[])).is_empty());
    }
}

//! How long programs are, and those that are too long for GPUs.
//!
//! A warp is a slow worker: what takes many steps keeps a whole launch waiting if
//! it begins late, and beyond a cap it is flagged and all of it was in vain. Where
//! processor and GPUs share a job, a few examples tell which programs those are: GPUs
//! are not given the longest, and begin with the longest of the others.

use crate::plan::Plan;
use std::collections::HashMap;

/// The part of its fair share that a processor is given in advance: how long
/// programs take elsewhere is a guess.
const PART_OF_SHARE: f64 = 0.75;
/// Programs are set aside from this part of the most steps of a warp on.
const PART_OF_CAP: f64 = 0.1;

/// What is known of programs, by number of their plan.
#[derive(Debug, Default)]
pub(super) struct Aside {
    /// Those set aside.
    plans: HashMap<u64, Vec<usize>>,
    /// The mean of the steps of each.
    steps: HashMap<u64, Vec<f64>>,
}

static NONE: std::sync::LazyLock<Aside> = std::sync::LazyLock::new(Aside::default);

impl Aside {
    /// No program.
    pub(super) fn none() -> &'static Aside {
        &NONE
    }

    /// The programs of a plan, ascending.
    pub(super) fn of(&self, plan: &Plan) -> &[usize] {
        if self.plans.is_empty() {
            return &[];
        }
        self.plans.get(&plan.number).map_or(&[], Vec::as_slice)
    }

    /// Whether a program is set aside.
    pub(super) fn has(&self, plan: &Plan, program: usize) -> bool {
        self.of(plan).binary_search(&program).is_ok()
    }

    /// Steps of a program, about; nothing of all programs where nobody looked.
    pub(super) fn steps(&self, plan: &Plan, program: usize) -> u32 {
        let of_plan = self.steps.get(&plan.number);
        of_plan.map_or(0, |steps| steps[program] as u32)
    }

    /// Sets the longest programs of a plan aside, by the mean of the steps of each,
    /// as far as they are long and a processor's share of the work allows; how many
    /// steps that is.
    pub(super) fn set(&mut self, plan: &Plan, steps: Vec<f64>, share: f64, cap: u32) -> f64 {
        let mut order: Vec<usize> = (0..steps.len()).collect();
        order.sort_by(|one, other| steps[*other].total_cmp(&steps[*one]));
        let most = PART_OF_SHARE * share * steps.iter().sum::<f64>();
        let mut sum = 0.0;
        let mut longest: Vec<usize> = order
            .into_iter()
            .take_while(|program| {
                sum += steps[*program];
                sum <= most && steps[*program] >= PART_OF_CAP * f64::from(cap)
            })
            .collect();
        longest.sort_unstable();
        let set_aside = longest.iter().map(|program| steps[*program]).sum();
        if !longest.is_empty() {
            self.plans.insert(plan.number, longest);
        }
        self.steps.insert(plan.number, steps);
        set_aside
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::sample::programs;

    #[test]
    fn the_longest_are_set_aside_as_far_as_the_share_allows() {
        let plan = Plan::new(&programs()[..5]);
        let steps = [10.0, 9_000.0, 50.0, 3_000.0, 6_000.0];
        let mut aside = Aside::default();
        aside.set(&plan, steps.to_vec(), 1.0, 20_000);
        assert!(aside.of(&plan).is_empty() || aside.has(&plan, 1));
        assert!(!aside.has(&plan, 0) && !aside.has(&plan, 2));
        // 9,000 are half of all, and 6,000 more are too many for two thirds.
        let mut aside = Aside::default();
        let set_aside = aside.set(&plan, steps.to_vec(), 0.67 / PART_OF_SHARE, 20_000);
        assert!((set_aside - 9_000.0).abs() < 1.0, "{set_aside}");
        assert_eq!(aside.of(&plan), [1]);
        let mut aside = Aside::default();
        aside.set(&plan, steps.to_vec(), 0.9 / PART_OF_SHARE, 20_000);
        assert_eq!(aside.of(&plan), [1, 4]);
        // Long is long for a warp.
        let mut aside = Aside::default();
        aside.set(&plan, steps.to_vec(), 1.0 / PART_OF_SHARE, 70_000);
        assert_eq!(aside.of(&plan), [1]);
        assert_eq!((aside.steps(&plan, 1), aside.steps(&plan, 2)), (9_000, 50));
        assert!(Aside::none().of(&plan).is_empty());
        assert_eq!(Aside::none().steps(&plan, 1), 0);
    }
}

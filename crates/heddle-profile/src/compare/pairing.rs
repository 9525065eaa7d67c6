//! Pairs calls of two runs that did the same work.
//!
//! Calls are paired by amount of work, device and order. Calls that ran on another
//! device in the other run are paired with those that ran there instead, if they
//! are more than a few: a router that tries a device now and then has not moved an
//! operation.

use std::collections::{BTreeMap, BTreeSet};

use super::ratio::Stratum;
use crate::name::Name;

/// With more distinct amounts of work than this, those of one power of two are
/// treated as equal.
pub(super) const MOST_AMOUNTS: usize = 256;

/// Calls of one amount of work that moved to another device count from this share
/// on.
pub(super) const LEAST_MOVED: f64 = 0.1;

/// The times of an operation's calls, in order, by amount of work and device.
#[derive(Clone, Debug, Default)]
pub(super) struct CallTimes<'a> {
    by_work: BTreeMap<u64, BTreeMap<&'a Name, Vec<u64>>>,
}

impl<'a> CallTimes<'a> {
    pub(super) fn add(&mut self, work: u64, device: &'a Name, ns: u64) {
        let devices = self.by_work.entry(work).or_default();
        devices.entry(device).or_default().push(ns);
    }

    /// The same with amounts of work rounded to a power of two.
    fn coarse(&self) -> Self {
        let mut classes = Self::default();
        for (work, devices) in &self.by_work {
            let class: u64 = (work | 1).ilog2().into();
            for (device, times) in devices {
                let devices = classes.by_work.entry(class).or_default();
                devices.entry(device).or_default().extend(times);
            }
        }
        classes
    }

    /// The calls that did the same work before and after.
    pub(super) fn strata(&self, after: &Self) -> Vec<Stratum> {
        let amounts = self.by_work.keys().chain(after.by_work.keys());
        let amounts: BTreeSet<&u64> = amounts.collect();
        if amounts.len() > MOST_AMOUNTS {
            let (before, after) = (self.coarse(), after.coarse());
            return before.matched(&after);
        }
        self.matched(after)
    }

    fn matched(&self, after: &Self) -> Vec<Stratum> {
        let mut strata = Vec::new();
        for (work, before) in &self.by_work {
            if let Some(after) = after.by_work.get(work) {
                match_devices(before, after, &mut strata);
            }
        }
        strata
    }
}

/// The calls of one amount of work.
fn match_devices(
    before: &BTreeMap<&Name, Vec<u64>>,
    after: &BTreeMap<&Name, Vec<u64>>,
    strata: &mut Vec<Stratum>,
) {
    let devices: BTreeSet<&Name> = before.keys().chain(after.keys()).copied().collect();
    let (mut paired, mut left, mut came) = (0, Vec::new(), Vec::new());
    for device in devices {
        let times =
            |side: &BTreeMap<&Name, Vec<u64>>| side.get(device).cloned().unwrap_or_default();
        let (before, after) = (times(before), times(after));
        let both = before.len().min(after.len());
        left.extend_from_slice(&before[both..]);
        came.extend_from_slice(&after[both..]);
        if both > 0 {
            paired += both;
            strata.push(Stratum::new(&before, &after));
        }
    }
    let moved = left.len().min(came.len());
    if moved > 0 && moved as f64 >= LEAST_MOVED * (paired + moved) as f64 {
        strata.push(Stratum::new(&left, &came));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(before: &[(u64, &str, usize)], after: &[(u64, &str, usize)]) -> Vec<usize> {
        let names: BTreeMap<&str, Name> = before
            .iter()
            .chain(after)
            .map(|&(_, device, _)| (device, device.into()))
            .collect();
        let [before, after] = [before, after].map(|side| {
            let mut calls = CallTimes::default();
            for &(work, device, count) in side {
                (0..count).for_each(|_| calls.add(work, &names[device], 9));
            }
            calls
        });
        before.strata(&after).iter().map(Stratum::pairs).collect()
    }

    #[test]
    fn calls_are_paired_by_work_and_device() {
        let before = [(1, "cpu", 5), (2, "cpu", 5), (3, "cpu", 5)];
        let after = [(1, "cpu", 3), (2, "cpu", 9), (4, "cpu", 5)];
        assert_eq!(pairs(&before, &after), [3, 5]);
    }

    #[test]
    fn what_moved_is_paired_and_what_was_tried_is_not() {
        assert_eq!(pairs(&[(1, "cpu", 20)], &[(1, "cuda:0", 20)]), [20]);
        let half = [(1, "cpu", 10), (1, "cuda:0", 10)];
        assert_eq!(pairs(&[(1, "cpu", 20)], &half), [10, 10]);
        let tried = [(1, "cpu", 199), (1, "cuda:0", 1)];
        assert_eq!(pairs(&[(1, "cpu", 200)], &tried), [199]);
    }

    #[test]
    fn very_many_amounts_are_taken_by_powers_of_two() {
        let many: Vec<(u64, &str, usize)> = (512..1_024).map(|work| (work, "cpu", 1)).collect();
        assert_eq!(pairs(&many, &many), [512]);
    }
}

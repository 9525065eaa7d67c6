//! All paths that visit no site twice, one at a time.
//!
//! Their number can be astronomical, so they are enumerated lazily, depth first, in
//! the order of neighbours. A length limit prunes by the distance that remains
//! without blocked sites, and a budget bounds the steps tried.

use std::collections::HashSet;
use std::hash::BuildHasherDefault;

use super::site_table::SiteHasher;
use crate::error::Error;
use crate::lattice::{Lattice, Neighbours, Site};

/// The limits of the enumeration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SimplePathsLimits {
    /// The largest number of steps of a path; `None` for no limit.
    pub longest: Option<u64>,
    /// The largest number of steps tried in total; `None` for no limit.
    pub budget: Option<u64>,
}

/// The reason why the enumeration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum EndReason {
    /// All paths within the length were returned.
    Exhausted,
    /// The budget was spent; there may be more paths.
    BudgetSpent,
}

/// An iterator over simple paths from one site to another.
#[derive(Clone, Debug)]
pub struct SimplePaths<'a> {
    lattice: &'a Lattice,
    end: Site,
    longest: u64,
    budget: u64,
    tried: u64,
    path: Vec<Site>,
    on_path: HashSet<Site, BuildHasherDefault<SiteHasher>>,
    /// The neighbours of each vertex of the path that were not tried yet.
    branches: Vec<Neighbours<'a>>,
    /// The path has one site, which is start and end.
    trivial: bool,
    ended: Option<EndReason>,
}

impl Lattice {
    /// Every path from `start` to `end` that visits no site twice, in the order of
    /// neighbours. From a site to itself there is one, of no step.
    ///
    /// ```
    /// use heddle_lattice::{Lattice, path::{EndReason, SimplePathsLimits}};
    ///
    /// let lattice = Lattice::cubic(2, 3)?;
    /// let mut paths = lattice.simple_paths(0, 8, SimplePathsLimits::default())?;
    /// assert_eq!(paths.by_ref().count(), 12);
    /// assert_eq!(paths.ended(), Some(EndReason::Exhausted));
    /// # Ok::<(), heddle_lattice::Error>(())
    /// ```
    pub fn simple_paths(
        &self,
        start: Site,
        end: Site,
        limits: SimplePathsLimits,
    ) -> Result<SimplePaths<'_>, Error> {
        self.check_free(start)?;
        self.check_free(end)?;
        Ok(SimplePaths {
            lattice: self,
            end,
            longest: limits.longest.unwrap_or(u64::MAX),
            budget: limits.budget.unwrap_or(u64::MAX),
            tried: 0,
            path: vec![start],
            on_path: std::iter::once(start).collect(),
            branches: vec![self.neighbours(start)],
            trivial: start == end,
            ended: None,
        })
    }
}

impl SimplePaths<'_> {
    /// Why the enumeration ended; `None` while there may be more paths.
    #[must_use]
    pub fn ended(&self) -> Option<EndReason> {
        self.ended
    }

    /// The number of steps tried so far.
    #[must_use]
    pub fn tried(&self) -> u64 {
        self.tried
    }

    /// Whether a path of `steps` steps to `site` can still reach the end within the
    /// limit.
    fn in_reach(&self, site: Site, steps: u64) -> bool {
        let remaining: u64 = self
            .lattice
            .strided_axes()
            .iter()
            .map(|strided_axis| strided_axis.steps(site, self.end))
            .sum();
        steps.saturating_add(remaining) <= self.longest
    }
}

impl Iterator for SimplePaths<'_> {
    type Item = Vec<Site>;

    fn next(&mut self) -> Option<Vec<Site>> {
        if self.ended.is_some() {
            return None;
        }
        if self.trivial {
            self.ended = Some(EndReason::Exhausted);
            return Some(self.path.clone());
        }
        while let Some(branch) = self.branches.last_mut() {
            let Some(step) = branch.next() else {
                self.branches.pop();
                if let Some(left) = self.path.pop() {
                    self.on_path.remove(&left);
                }
                continue;
            };
            if self.tried == self.budget {
                self.ended = Some(EndReason::BudgetSpent);
                return None;
            }
            self.tried += 1;
            let steps = self.path.len() as u64;
            if self.on_path.contains(&step.site) || !self.in_reach(step.site, steps) {
                continue;
            }
            if step.site == self.end {
                let mut found = self.path.clone();
                found.push(step.site);
                return Some(found);
            }
            self.path.push(step.site);
            self.on_path.insert(step.site);
            self.branches.push(self.lattice.neighbours(step.site));
        }
        self.ended = Some(EndReason::Exhausted);
        None
    }
}

//! Catalytic paths: a search in borrowed memory that holds other data.
//!
//! Catalytic computing studies a small memory beside a large one that is already
//! full. The large one may be used, but must be restored exactly, whatever it
//! contained, as a catalyst leaves a reaction. This can compute more than the small
//! memory alone. Here the borrowed words are registers, two per site. A layer of
//! the program adds to each site's register a weight times the sum of its
//! neighbours'; subtraction undoes a layer. The program runs once on the data as
//! found and once with 1 added at the start. The unknown data adds the same to both
//! runs, so they differ at a site after t layers only if there is a walk of t steps
//! to it, and the first t at which the end differs is the shortest length. The path
//! is followed backwards, each time to a neighbour that differs one layer earlier.
//! Both runs could agree by chance, for a path of L steps with probability L /
//! 2^64; the path is checked before it is returned.
//!
//! **Cost.** 16 borrowed bytes per site whatever the path's length, and ordinary
//! memory of O(dimensions) besides the path itself. Time is O(length^2 * sites *
//! dimensions), against sites * dimensions for a breadth-first search that stores
//! visited sites. If no path exists, length is the number of free sites, so set
//! [`CatalyticSettings::longest`].
//!
//! The borrowed memory is restored bit for bit when the search succeeds, fails, is
//! cancelled or unwinds from a panic of its callback. An abort runs no destructors
//! and leaves it changed.

mod field;
mod program;

use std::ops::ControlFlow;
use std::time::Instant;

use smallvec::SmallVec;

pub use program::CatalyticProgress;
use program::{Cancelled, ProgressCallback, ReversibleProgram, mix};

use crate::error::Error;
use crate::lattice::{Lattice, Site};
use crate::path::{Path, PathMethod};

const OPERATION_NAME: &str = "a catalytic search";

/// The number of seeds tried: each fails only by chance.
const SEEDS: u64 = 4;

/// The settings of a catalytic search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CatalyticSettings {
    /// The seed of the weights.
    pub seed: u64,
    /// The largest number of steps of a path; `None` for no limit.
    pub longest: Option<u64>,
    /// The number of sites between two calls of the callback.
    pub report_every_sites: u64,
}

impl Default for CatalyticSettings {
    fn default() -> Self {
        Self {
            seed: 0x0048_6564_646C_6521,
            longest: None,
            report_every_sites: 4096,
        }
    }
}

/// A path and the resources its search used.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CatalyticPath {
    /// The path.
    pub path: Path,
    /// The size of the borrowed memory, which was restored.
    pub borrowed_bytes: u64,
    /// The size of ordinary memory used, without the path.
    pub ordinary_bytes: u64,
    /// The number of layers run, forwards and backwards.
    pub layers: u64,
}

impl Lattice {
    /// The number of words a catalytic search borrows.
    #[must_use]
    pub fn catalytic_words(&self) -> u64 {
        2 * self.sites()
    }

    /// A shortest path by number of steps, found in borrowed memory. See
    /// [`crate::catalytic`].
    ///
    /// ```
    /// use heddle_lattice::Lattice;
    ///
    /// let lattice = Lattice::cubic(2, 3)?.with_blocked([4])?;
    /// let mut borrowed: Vec<u64> = (1..=18).map(|n| n * n * n).collect();
    /// let found = lattice.catalytic_path(3, 5, &mut borrowed)?;
    /// assert_eq!(found.path.steps(), 4);
    /// assert!(borrowed.into_iter().eq((1..=18).map(|n| n * n * n)));
    /// # Ok::<(), heddle_lattice::Error>(())
    /// ```
    pub fn catalytic_path(
        &self,
        start: Site,
        end: Site,
        borrowed: &mut [u64],
    ) -> Result<CatalyticPath, Error> {
        self.catalytic_path_by(start, end, borrowed, CatalyticSettings::default(), |_| {
            ControlFlow::Continue(())
        })
    }

    /// The same with settings, and a callback that can cancel it.
    pub fn catalytic_path_by(
        &self,
        start: Site,
        end: Site,
        borrowed: &mut [u64],
        settings: CatalyticSettings,
        mut on_progress: impl FnMut(CatalyticProgress) -> ControlFlow<()>,
    ) -> Result<CatalyticPath, Error> {
        let started = Instant::now();
        self.check_free(start)?;
        self.check_free(end)?;
        if !self.weights().is_unit() {
            return Err(Error::Weighted {
                what: OPERATION_NAME,
            });
        }
        if (borrowed.len() as u64) < self.catalytic_words() {
            return Err(Error::BorrowedTooSmall {
                sites: self.sites(),
                needed_bytes: 8 * self.catalytic_words(),
                found_bytes: 8 * borrowed.len() as u64,
            });
        }
        let mut layers = 0;
        for attempt in 0..SEEDS {
            let seed = mix(settings.seed.wrapping_add(attempt));
            let program =
                ReversibleProgram::new(self, borrowed, start, seed, settings.report_every_sites);
            let mut search = CatalyticSearch {
                lattice: self,
                program,
                start,
                end,
                before: SmallVec::new(),
            };
            let vertices = search.find(settings.longest, &mut on_progress)?;
            let ordinary_bytes = search.ordinary_bytes();
            layers += search.program.layers_run();
            drop(search);
            let path = Path {
                cost: vertices.len().saturating_sub(1) as f64,
                vertices,
                method: PathMethod::Catalytic,
                expanded: layers * self.free_sites(),
                elapsed: started.elapsed(),
            };
            let ends = (path.vertices.first(), path.vertices.last());
            if ends == (Some(&start), Some(&end)) && path.is_of(self) {
                return Ok(CatalyticPath {
                    path,
                    borrowed_bytes: 8 * self.catalytic_words(),
                    ordinary_bytes,
                    layers,
                });
            }
        }
        Err(Error::Unverified { seeds: SEEDS })
    }

    /// Whether all walks between two sites have the same parity: no periodic axis
    /// is odd.
    fn has_parity(&self) -> bool {
        self.strided_axes().iter().all(|strided_axis| {
            !strided_axis.axis.wraps() || strided_axis.axis.size().is_multiple_of(2)
        })
    }
}

struct CatalyticSearch<'a> {
    lattice: &'a Lattice,
    program: ReversibleProgram<'a>,
    start: Site,
    end: Site,
    /// The registers of one site's neighbours, before the start was changed.
    before: SmallVec<[u64; 16]>,
}

impl CatalyticSearch<'_> {
    /// The vertices of a path; incomplete if the two runs agreed by chance.
    fn find(
        &mut self,
        longest: Option<u64>,
        on_progress: ProgressCallback<'_>,
    ) -> Result<Vec<Site>, Error> {
        let cancelled = |Cancelled| Error::Cancelled {
            what: OPERATION_NAME,
        };
        let Some(length) = self.length(longest, on_progress).map_err(cancelled)? else {
            return Err(self.none(longest));
        };
        self.trace_back(length, on_progress).map_err(cancelled)
    }

    /// The smallest number of layers after which the runs differ at the end.
    fn length(
        &mut self,
        longest: Option<u64>,
        on_progress: ProgressCallback<'_>,
    ) -> Result<Option<u64>, Cancelled> {
        // No path is shorter than without blocked sites.
        let strided_axes = self.lattice.strided_axes();
        let mut length = strided_axes
            .iter()
            .map(|strided_axis| strided_axis.steps(self.start, self.end))
            .sum();
        let step = if self.lattice.has_parity() { 2 } else { 1 };
        let most = self.lattice.free_sites() - 1;
        let most = longest.map_or(most, |longest| longest.min(most));
        while length <= most {
            self.program.run_to_layer(length, on_progress)?;
            let before = self.program.register(self.end);
            self.program.toggle(on_progress)?;
            if self.program.register(self.end) != before {
                return Ok(Some(length));
            }
            length += step;
        }
        Ok(None)
    }

    fn trace_back(
        &mut self,
        length: u64,
        on_progress: ProgressCallback<'_>,
    ) -> Result<Vec<Site>, Cancelled> {
        let mut vertices = Vec::with_capacity(length as usize + 1);
        let mut site = self.end;
        vertices.push(site);
        for layer in (0..length).rev() {
            self.program.run_to_layer(layer, on_progress)?;
            self.before.clear();
            for step in self.lattice.neighbours(site) {
                self.before.push(self.program.register(step.site));
            }
            self.program.toggle(on_progress)?;
            let differs = self
                .lattice
                .neighbours(site)
                .zip(&self.before)
                .find(|(step, before)| self.program.register(step.site) != **before);
            let Some((step, _)) = differs else {
                break;
            };
            site = step.site;
            vertices.push(site);
        }
        vertices.reverse();
        Ok(vertices)
    }

    fn none(&self, longest: Option<u64>) -> Error {
        let certain = self.lattice.free_sites() - 1;
        match (longest, self.lattice.no_path(self.start, self.end)) {
            (Some(longest), Error::NoPath { from, to }) if longest < certain => {
                Error::NoShortPath { from, to, longest }
            }
            (_, error) => error,
        }
    }

    fn ordinary_bytes(&self) -> u64 {
        let spilled = if self.before.spilled() {
            self.before.capacity() * size_of::<u64>()
        } else {
            0
        };
        (size_of::<Self>() + spilled + self.program.spilled_bytes()) as u64
    }
}

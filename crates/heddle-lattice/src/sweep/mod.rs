//! All-sources sweeps: the reach and distances, in steps, of each of many sources.
//!
//! Breadth-first searches from up to 512 sources advance together, one bit per
//! source and site, so that a step of all of them is one `or` of words per
//! neighbour. The result per source is the number of sites it reaches, the sum of
//! their distances and the largest, from which closeness, diameter and mean
//! distance follow. The distances themselves are never stored.

// A kernel is compiled once per instruction set by inlining it into a function that
// enables the set; code that is not inlined stays scalar.
#![allow(clippy::inline_always)]

mod column_counter;
mod conformance;
mod cpu;
mod gpu;
mod probe;

use heddle_runtime::device::{DeviceId, ExecutionContext, ExecutionTarget};
use heddle_runtime::units::Bytes;
use heddle_runtime::{
    Agreement, Array, DType, Description, Kind, Operation, ResultLocation, Runtime, WorkUnit,
};

pub use conformance::cases;
pub use probe::probes;

use crate::admission::collected;
use crate::error::Error;
use crate::graph::Numbering;
use crate::lattice::{Lattice, Site};

/// The operation kind of a sweep from many sources. Its work is sources times
/// sites.
pub static SWEEP: Kind = Kind::new("lattice-sweep", WorkUnit::Items);

/// The reach of each source of a sweep, in the order of the sources.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReachTotals {
    /// The number of sites reached, without the source itself.
    pub reached: Vec<u64>,
    /// The sum of their distances, in steps.
    pub total: Vec<u64>,
    /// The largest of their distances.
    pub eccentricity: Vec<u32>,
}

impl ReachTotals {
    /// The initial reach of `sources` sources, which is empty.
    pub(crate) fn of(sources: usize) -> Self {
        Self {
            reached: vec![0; sources],
            total: vec![0; sources],
            eccentricity: vec![0; sources],
        }
    }
}

/// Breadth-first searches from many sources at once.
#[derive(Debug)]
pub struct Sweep<'a> {
    lattice: &'a Lattice,
    numbering: Numbering,
    /// Sites, each below 2^30.
    sources: Array<u32>,
    /// The layout on a GPU: see [`gpu`].
    plan: gpu::SweepLayout,
}

impl<'a> Sweep<'a> {
    /// A sweep from these sites, which must be free. Weights are ignored.
    pub fn new(
        lattice: &'a Lattice,
        sources: impl IntoIterator<Item = Site>,
    ) -> Result<Self, Error> {
        let numbering = Numbering::of(lattice, "a sweep")?;
        let sources = sources
            .into_iter()
            .map(|site| lattice.check_free(site).map(|()| site as u32));
        let sources = collected("a list of sources", sources)?;
        Ok(Self {
            lattice,
            numbering,
            plan: gpu::SweepLayout::of(lattice, sources.len()),
            sources: Array::from(sources),
        })
    }

    /// A sweep from every free site, in ascending order, which is that of vertices.
    pub fn from_all(lattice: &'a Lattice) -> Result<Self, Error> {
        let numbering = Numbering::of(lattice, "a sweep")?;
        let sites = (0..numbering.len()).filter_map(|vertex| numbering.site(vertex));
        Self::new(lattice, sites)
    }

    /// Sources times sites.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.sources.len() as u64 * self.lattice.sites()
    }
}

impl Operation for Sweep<'_> {
    type Output = ReachTotals;

    fn describe(&self) -> Description {
        let description = Description::new(&SWEEP, DType::U32, self.work())
            .reads(&self.sources)
            .writes(Bytes(20 * self.sources.len() as u64))
            .leaves(ResultLocation::Host);
        self.plan.describe(description)
    }

    fn runs_on(&self, device: DeviceId) -> bool {
        device.is_host() || device.has_kernels()
    }

    fn run(
        &mut self,
        context: &ExecutionContext<'_>,
    ) -> Result<ReachTotals, heddle_runtime::Error> {
        match context.target() {
            ExecutionTarget::Host(pool) => self.run_on_cpu(pool, context.host(&self.sources)?),
            ExecutionTarget::Accelerator(accelerator) => self.run_on_gpu(context, accelerator),
        }
    }

    fn compare(&self, first: &ReachTotals, second: &ReachTotals) -> Agreement {
        if first == second {
            return Agreement::Same;
        }
        let source = (0..self.sources.len()).find(|&source| {
            first.reached.get(source) != second.reached.get(source)
                || first.total.get(source) != second.total.get(source)
                || first.eccentricity.get(source) != second.eccentricity.get(source)
        });
        let of = |reach: &ReachTotals| {
            source.and_then(|source| Some((*reach.reached.get(source)?, *reach.total.get(source)?)))
        };
        Agreement::Different(format!(
            "source {source:?} reaches (sites, sum of distances) {:?} and {:?}",
            of(first),
            of(second)
        ))
    }
}

/// A sweep from every free site, on the device with the earliest predicted finish.
pub fn sweep_all(runtime: &Runtime, lattice: &Lattice) -> Result<ReachTotals, Error> {
    Ok(runtime.run(Sweep::from_all(lattice)?)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice::Axis;

    fn runtime() -> Runtime {
        Runtime::builder().without_model_cache().build().unwrap()
    }

    #[test]
    fn sums_along_a_line() {
        let line = Lattice::cubic(1, 5).unwrap();
        let reach = sweep_all(&runtime(), &line).unwrap();
        assert_eq!(reach.reached, [4; 5]);
        assert_eq!(reach.total, [10, 7, 6, 7, 10]);
        assert_eq!(reach.eccentricity, [4, 3, 2, 3, 4]);
    }

    #[test]
    fn sums_are_those_of_the_formula() {
        // More sources than fit one batch, and not a multiple of it.
        let axes = [Axis::open(7), Axis::periodic(10), Axis::open(19)];
        let lattice = Lattice::new(axes).unwrap();
        let reach = sweep_all(&runtime(), &lattice).unwrap();
        for source in (0..lattice.sites()).step_by(37) {
            let steps = |to| lattice.steps_between(source, to).unwrap();
            let total: u64 = (0..lattice.sites()).map(steps).sum();
            let most = (0..lattice.sites()).map(steps).max().unwrap();
            assert_eq!(reach.total[source as usize], total);
            assert_eq!(u64::from(reach.eccentricity[source as usize]), most);
        }
    }

    #[test]
    fn unreachable_components_are_not_counted() {
        let lattice = Lattice::cubic(1, 6).unwrap().with_blocked([2]).unwrap();
        let reach = sweep_all(&runtime(), &lattice).unwrap();
        assert_eq!(reach.reached, [1, 1, 2, 2, 2]);
        assert_eq!(reach.total, [1, 1, 3, 2, 3]);
        assert!(matches!(
            Sweep::new(&lattice, [2]),
            Err(Error::Blocked { site: 2, .. })
        ));
        let nothing = runtime().run(Sweep::new(&lattice, []).unwrap()).unwrap();
        assert_eq!(nothing, ReachTotals::default());
    }
}

//! Building the graph, as an operation.

use std::sync::Mutex;

use heddle_runtime::cpu::CpuPool;
use heddle_runtime::device::{DeviceId, ExecutionContext, ExecutionTarget};
use heddle_runtime::memory::admit_host;
use heddle_runtime::units::Bytes;
use heddle_runtime::{Agreement, DType, Description, Kind, Operation, ResultLocation, WorkUnit};

use super::{Graph, Numbering, SiteCursor};
use crate::error::Error;
use crate::lattice::Lattice;

/// The operation kind of an explicit graph.
pub static BUILD: Kind = Kind::new("lattice-build", WorkUnit::Items);

/// The number of sites in one unit of a thread's work.
const PART: u64 = 1 << 14;

/// Builds the graph of a lattice. Work is counted in sites.
pub struct Build<'a> {
    pub(super) lattice: &'a Lattice,
    pub(super) numbering: Numbering,
}

impl<'a> Build<'a> {
    /// Fails for a lattice with too many sites to number.
    pub fn new(lattice: &'a Lattice) -> Result<Self, Error> {
        let numbering = Numbering::of(lattice, "an explicit graph")?;
        Ok(Self::over(lattice, numbering))
    }

    /// The same for a numbering that exists already.
    pub(crate) fn over(lattice: &'a Lattice, numbering: Numbering) -> Self {
        Self { lattice, numbering }
    }
}

/// The rows of some consecutive sites.
struct GraphRows {
    degrees: Vec<u8>,
    targets: Vec<u32>,
    costs: Vec<f64>,
}

impl Operation for Build<'_> {
    type Output = Graph;

    fn describe(&self) -> Description {
        let sites = self.lattice.sites();
        let entries = 2 * self.lattice.dimensions() as u64 * sites;
        let each = if self.lattice.weights().is_unit() {
            4
        } else {
            4 + 8
        };
        let mut description = Description::new(&BUILD, DType::U32, sites)
            .writes(Bytes(8 * sites + each * entries))
            .leaves(ResultLocation::Host);
        // Degrees, starts and blocked bits, on a GPU.
        description.scratch = Bytes(9 * sites + 64);
        description
    }

    /// A GPU counts entries in 32 bits and does not compute costs.
    fn runs_on(&self, device: DeviceId) -> bool {
        let entries = 2 * self.lattice.dimensions() as u64 * self.lattice.sites();
        let is_plain = self.lattice.weights().is_unit() && entries < 1 << 32;
        device.is_host() || (device.has_kernels() && is_plain)
    }

    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<Graph, heddle_runtime::Error> {
        match context.target() {
            ExecutionTarget::Host(pool) => self.on(pool),
            ExecutionTarget::Accelerator(accelerator) => self.run_on_gpu(context, accelerator),
        }
    }

    fn compare(&self, first: &Graph, second: &Graph) -> Agreement {
        if first.offsets == second.offsets
            && first.targets == second.targets
            && first.costs == second.costs
        {
            return Agreement::Same;
        }
        Agreement::Different("the rows of the two graphs differ".to_owned())
    }
}

impl Build<'_> {
    /// Builds the graph on the threads of `pool`.
    pub(crate) fn on(&self, pool: &CpuPool) -> Result<Graph, heddle_runtime::Error> {
        let sites = self.lattice.sites();
        admit_host(BUILD.name(), self.host_bytes())?;
        let parts: Vec<Mutex<Option<GraphRows>>> = (0..sites.div_ceil(PART))
            .map(|_| Mutex::new(None))
            .collect();
        // About forty bytes are read per site.
        pool.each(
            Bytes(40 * sites),
            parts.iter().enumerate(),
            |(part, slot)| {
                let first = part as u64 * PART;
                let end = (first + PART).min(sites);
                let rows = self.rows(first, end);
                if let Ok(mut slot) = slot.lock() {
                    *slot = Some(rows);
                }
            },
        );
        let rows = parts
            .into_iter()
            .filter_map(|slot| slot.into_inner().unwrap_or_default())
            .collect();
        Ok(self.merged(rows))
    }

    /// The most bytes on the host while the graph is built: rows in parts and as a whole, and the
    /// offsets and numbering of vertices.
    pub(super) fn host_bytes(&self) -> Bytes {
        let lattice = self.lattice;
        let each = if lattice.weights().is_unit() {
            4
        } else {
            4 + 8
        };
        let entries = 2 * lattice.dimensions() as u64 * lattice.sites();
        Bytes(2 * each * entries + (8 + 1) * lattice.sites() + self.numbering.bytes())
    }

    fn rows(&self, first: u64, end: u64) -> GraphRows {
        let (blocked, weights) = (self.lattice.blocked(), self.lattice.weights());
        let most = 2 * self.lattice.dimensions() * (end - first) as usize;
        let mut rows = GraphRows {
            degrees: Vec::with_capacity((end - first) as usize),
            targets: Vec::with_capacity(most),
            costs: Vec::with_capacity(if weights.is_unit() { 0 } else { most }),
        };
        let mut site_cursor = SiteCursor::at(self.lattice, first);
        for site in first..end {
            if !blocked.contains(site) {
                let before = rows.targets.len();
                site_cursor.for_each_neighbour(|to, axis| {
                    if !blocked.contains(to) {
                        rows.targets.push(self.numbering.rank(to));
                        if !weights.is_unit() {
                            rows.costs.push(weights.of(axis, site, to));
                        }
                    }
                });
                // At most two for each of 64 axes.
                rows.degrees.push((rows.targets.len() - before) as u8);
            }
            site_cursor.advance();
        }
        rows
    }

    fn merged(&self, parts: Vec<GraphRows>) -> Graph {
        let mut offsets = Vec::with_capacity(self.numbering.len() + 1);
        let mut end = 0;
        offsets.push(end);
        let entries = |of: fn(&GraphRows) -> usize| parts.iter().map(of).sum();
        let mut targets = Vec::with_capacity(entries(|rows| rows.targets.len()));
        let mut costs = Vec::with_capacity(entries(|rows| rows.costs.len()));
        for part in parts {
            for &degree in &part.degrees {
                end += u64::from(degree);
                offsets.push(end);
            }
            targets.extend_from_slice(&part.targets);
            costs.extend_from_slice(&part.costs);
        }
        Graph {
            numbering: self.numbering.clone(),
            offsets,
            targets,
            costs: (!self.lattice.weights().is_unit()).then_some(costs),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice::{Axis, Weights};

    #[test]
    fn rows_equal_lattice_neighbours() {
        let pool = CpuPool::new(Some(2));
        let axes = [Axis::open(41), Axis::periodic(3), Axis::open(300)];
        let lattice = Lattice::new(axes)
            .unwrap()
            .with_blocked((0..36_900).step_by(7))
            .unwrap()
            .with_weights(Weights::Axes([1.0, 2.0, 0.5].into()))
            .unwrap();
        let graph = Build::new(&lattice).unwrap().on(&pool).unwrap();
        assert_eq!(graph.vertices() as u64, lattice.free_sites());
        let mut entries = 0;
        for vertex in 0..graph.vertices() {
            let site = graph.numbering().site(vertex).unwrap();
            let named: Vec<_> = lattice
                .neighbours(site)
                .map(|step| {
                    let to = graph.numbering().vertex(step.site).unwrap() as u32;
                    (to, lattice.weights().of(step.axis, site, step.site))
                })
                .collect();
            entries += named.len() as u64;
            assert_eq!(graph.steps(vertex).collect::<Vec<_>>(), named);
        }
        assert_eq!(graph.edges(), entries / 2);
    }

    #[test]
    fn a_dense_matrix_has_a_size_limit() {
        let builder = heddle_runtime::Runtime::builder();
        let runtime = builder.without_model_cache().build().unwrap();
        let lattice = Lattice::cubic(2, 3).unwrap().with_blocked([4]).unwrap();
        let graph = Graph::build(&runtime, &lattice).unwrap();
        assert!(matches!(
            graph.dense(7),
            Err(Error::DenseTooLarge {
                vertices: 8,
                most: 7
            })
        ));
        let dense = graph.dense(8).unwrap();
        let ones = dense.as_slice().unwrap().iter().filter(|&&cost| cost > 0.0);
        assert_eq!(ones.count(), 16);
    }

    #[test]
    fn no_free_site_gives_an_empty_graph() {
        let builder = heddle_runtime::Runtime::builder();
        let runtime = builder.without_model_cache().build().unwrap();
        let lattice = Lattice::cubic(1, 3).unwrap().with_blocked(0..3).unwrap();
        let graph = Graph::build(&runtime, &lattice).unwrap();
        assert_eq!((graph.vertices(), graph.edges()), (0, 0));
        assert!(graph.dense(0).unwrap().is_empty());
    }
}

//! One shortest path in each of many lattices, as one operation.

use heddle_runtime::device::ExecutionContext;
use heddle_runtime::units::Bytes;
use heddle_runtime::{Agreement, DType, Description, Kind, Operation, WorkUnit};

use crate::error::Error;
use crate::lattice::{Lattice, Site};
use crate::path::Path;

/// Shortest paths, one in each lattice of a batch.
pub static PATHS: Kind = Kind::new("lattice-paths", WorkUnit::Items);

/// The number of searches in one unit of a thread's work: most take microseconds.
const PART: usize = 8;

/// Finds a path in each lattice, with the searches distributed over the threads.
#[derive(Clone, Copy, Debug)]
pub struct Paths<'a> {
    lattices: &'a [Lattice],
    ends: &'a [(Site, Site)],
}

impl<'a> Paths<'a> {
    /// Takes one pair of ends per lattice.
    pub(super) fn new(lattices: &'a [Lattice], ends: &'a [(Site, Site)]) -> Self {
        Self { lattices, ends }
    }
}

impl Operation for Paths<'_> {
    type Output = Vec<Result<Path, Error>>;

    fn describe(&self) -> Description {
        Description::new(&PATHS, DType::F64, self.lattices.len() as u64)
    }

    fn run(
        &mut self,
        context: &ExecutionContext<'_>,
    ) -> Result<Self::Output, heddle_runtime::Error> {
        let pool = context.pool(PATHS.name())?;
        let mut paths: Vec<Option<Result<Path, Error>>> = Vec::new();
        paths.resize_with(self.lattices.len(), || None);
        let queries = self.lattices.chunks(PART).zip(self.ends.chunks(PART));
        let parts = queries.zip(paths.chunks_mut(PART));
        // A search visits every site at most, and mostly far fewer.
        let sites: u64 = self.lattices.iter().map(Lattice::sites).sum();
        pool.each(Bytes(sites), parts, |((lattices, ends), slots)| {
            let queries = lattices.iter().zip(ends);
            for ((lattice, &(start, end)), slot) in queries.zip(slots) {
                *slot = Some(lattice.shortest_path(start, end));
            }
        });
        // Every slot is filled: `each` returns when all parts are done.
        Ok(paths.into_iter().flatten().collect())
    }

    fn compare(&self, first: &Self::Output, second: &Self::Output) -> Agreement {
        let vertices = |paths: &Self::Output, index: usize| {
            paths[index].as_ref().ok().map(|path| path.vertices.clone())
        };
        match (0..self.lattices.len()).find(|&at| vertices(first, at) != vertices(second, at)) {
            None => Agreement::Same,
            Some(at) => Agreement::Different(format!("the paths of lattice {at} differ")),
        }
    }
}

//! The connected components of a lattice.

use heddle_runtime::{Kind, Runtime, WorkUnit};

use crate::admission::admit;
use crate::cpu_task::{self, TaskAmount};
use crate::error::Error;
use crate::graph::{Numbering, SiteCursor};
use crate::lattice::{Lattice, Site};

/// The operation kind of connected components.
pub static COMPONENTS: Kind = Kind::new("lattice-components", WorkUnit::Items);

/// The component of each vertex.
#[derive(Clone, Debug)]
pub struct Components {
    /// The component of each vertex; components are numbered by their first vertex.
    pub labels: Vec<u32>,
    /// The number of vertices of each component.
    pub sizes: Vec<u64>,
    numbering: Numbering,
}

impl Components {
    /// The number of components.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Whether every site is blocked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    /// The component of a site; `None` if it is blocked or does not exist.
    #[must_use]
    pub fn of(&self, site: Site) -> Option<u32> {
        self.labels.get(self.numbering.vertex(site)?).copied()
    }
}

/// Finds the components by joining every site with its forward neighbours.
pub fn components(runtime: &Runtime, lattice: &Lattice) -> Result<Components, Error> {
    let numbering = Numbering::of(lattice, "components")?;
    if lattice.is_regular() {
        admit(COMPONENTS.name(), lattice.sites(), 4)?;
        return Ok(Components {
            labels: vec![0; numbering.len()],
            sizes: vec![lattice.sites()],
            numbering,
        });
    }
    let amount = TaskAmount {
        work: lattice.sites(),
        // Of each site its parent and name, of each vertex its label, the size of its component
        // in a list that doubles, and its number.
        bytes: 8 * lattice.sites() + (4 + 2 * 8) * lattice.free_sites() + numbering.bytes(),
    };
    cpu_task::run(runtime, &COMPONENTS, amount, |_| {
        joined(lattice, numbering.clone())
    })
}

fn joined(lattice: &Lattice, numbering: Numbering) -> Components {
    let blocked = lattice.blocked();
    // Indexed by site: ranks would have to be computed for every neighbour.
    let mut parents: Vec<u32> = (0..lattice.sites() as u32).collect();
    let mut site_cursor = SiteCursor::at(lattice, 0);
    for site in 0..lattice.sites() {
        if !blocked.contains(site) {
            // Later neighbours join this site when they are visited.
            let mut own = site as u32;
            site_cursor.for_each_neighbour(|to, _| {
                if to < site && !blocked.contains(to) {
                    let other = root(&mut parents, to as u32);
                    parents[own.max(other) as usize] = own.min(other);
                    own = own.min(other);
                }
            });
        }
        site_cursor.advance();
    }
    // A root is the first site of its component, so it comes before the others.
    let mut sizes = Vec::new();
    let mut labels = Vec::with_capacity(numbering.len());
    let mut names = vec![0_u32; parents.len()];
    for vertex in 0..numbering.len() {
        let Some(site) = numbering.site(vertex) else {
            break;
        };
        let root = root(&mut parents, site as u32) as usize;
        if root as u64 == site {
            names[root] = sizes.len() as u32;
            sizes.push(0);
        }
        labels.push(names[root]);
        sizes[names[root] as usize] += 1;
    }
    Components {
        labels,
        sizes,
        numbering,
    }
}

/// The smallest site known to be in the same component, with path halving.
fn root(parents: &mut [u32], mut site: u32) -> u32 {
    while parents[site as usize] != site {
        let up = parents[parents[site as usize] as usize];
        parents[site as usize] = up;
        site = up;
    }
    site
}

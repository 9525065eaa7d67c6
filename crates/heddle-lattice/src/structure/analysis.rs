//! The analysis of a lattice: all figures at once.

use heddle_runtime::Runtime;
use serde::Serialize;

use super::figure::Figure;
use super::{Metrics, closed, components, metrics};
use crate::centrality::figures;
use crate::error::Error;
use crate::graph::{Graph, MAX_VISITED};
use crate::lattice::{Axis, Lattice, Weights};
use crate::sweep::sweep_all;

/// The limits of computations for figures without a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest number of sites to visit.
    pub most_sites: u64,
    /// The largest number of vertex pairs whose distance is computed. Where every
    /// step costs 1 some 10^9 take a second.
    pub most_pairs: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            most_sites: 1 << 26,
            most_pairs: 10_000_000_000,
        }
    }
}

/// The figures of a whole lattice. Distances add up step costs; pairs without a
/// path are left out, as in python-igraph.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Analysis {
    /// The number of axes.
    pub dimensions: usize,
    /// The size and boundary of each axis.
    pub axes: Vec<Axis>,
    /// The number of sites, blocked ones included.
    pub sites: u64,
    /// The number of free sites.
    pub vertices: u64,
    /// The number of steps between free sites.
    pub edges: Figure<u64>,
    /// Whether every free site has a path to every other.
    pub connected: Figure<bool>,
    /// The number of connected components.
    pub components: Figure<u64>,
    /// The largest distance.
    pub diameter: Figure<f64>,
    /// The smallest eccentricity of a vertex.
    pub radius: Figure<f64>,
    /// The mean number of neighbours of a vertex.
    pub mean_degree: Figure<f64>,
    /// The share of closed triples among all connected triples of vertices.
    pub clustering: Figure<f64>,
    /// The number of edges as a share of all possible ones.
    pub density: Figure<f64>,
    /// The mean distance of two vertices.
    pub mean_distance: Figure<f64>,
    /// The memory of the description, compared with an explicit graph.
    pub memory: Metrics,
}

/// Computes all figures: by formulas where the lattice is regular, by algorithms
/// within `limits` where it is not.
pub fn analyze(runtime: &Runtime, lattice: &Lattice, limits: &Limits) -> Result<Analysis, Error> {
    let counts = Counts::of(lattice, limits);
    let vertices = lattice.free_sites();
    let components = parts(runtime, lattice, limits)?;
    let distances = Distances::of(runtime, lattice, limits)?;
    let pairs = vertices as f64 * (vertices as f64 - 1.0);
    let of_two = |figure: Figure<f64>| match vertices {
        0 | 1 => Figure::absent("there are fewer than two vertices"),
        _ => figure,
    };
    let some = |figure: Figure<f64>| match vertices {
        0 => Figure::absent("every site is blocked"),
        _ => figure,
    };
    Ok(Analysis {
        dimensions: lattice.dimensions(),
        axes: lattice.axes().collect(),
        sites: lattice.sites(),
        vertices,
        connected: components.map(|&parts| parts <= 1),
        components,
        diameter: some(distances.diameter),
        radius: some(distances.radius),
        mean_degree: some(
            counts
                .edges
                .map(|&edges| 2.0 * edges as f64 / vertices as f64),
        ),
        density: of_two(counts.edges.map(|&edges| 2.0 * edges as f64 / pairs)),
        clustering: counts.clustering(),
        mean_distance: of_two(distances.mean),
        edges: counts.edges,
        memory: metrics(lattice),
    })
}

fn too_many_sites(lattice: &Lattice, most: u64) -> Option<String> {
    let sites = lattice.sites();
    let most = most.min(MAX_VISITED);
    (sites > most).then(|| {
        format!(
            "sites are blocked, so {sites} would have to be visited; `most_sites` allows {most}"
        )
    })
}

fn parts(runtime: &Runtime, lattice: &Lattice, limits: &Limits) -> Result<Figure<u64>, Error> {
    if lattice.is_regular() {
        return Ok(Figure::closed(1));
    }
    if let Some(reason) = too_many_sites(lattice, limits.most_sites) {
        return Ok(Figure::absent(reason));
    }
    let components = components(runtime, lattice)?;
    Ok(Figure::computed(components.len() as u64))
}

/// The figures that need only the neighbours of each site.
struct Counts {
    edges: Figure<u64>,
    triangles: Figure<u64>,
    corners: Figure<u128>,
}

impl Counts {
    fn of(lattice: &Lattice, limits: &Limits) -> Self {
        if lattice.is_regular() {
            return Self {
                edges: Figure::closed(closed::edges(lattice)),
                triangles: Figure::closed(closed::triangles(lattice)),
                corners: Figure::closed(closed::corners(lattice)),
            };
        }
        // Only blocked sites and their neighbours differ from the formulas.
        let edges = Figure::computed(closed::edges(lattice) - lost_edges(lattice));
        if let Some(reason) = too_many_sites(lattice, limits.most_sites) {
            return Self {
                edges,
                triangles: Figure::absent(reason.clone()),
                corners: Figure::absent(reason),
            };
        }
        let mut corners = 0;
        for site in 0..lattice.sites() {
            let degree = lattice.neighbours(site).count() as u128;
            corners += degree * degree.saturating_sub(1) / 2;
        }
        Self {
            edges,
            triangles: Figure::computed(free_triangles(lattice)),
            corners: Figure::computed(corners),
        }
    }

    fn clustering(&self) -> Figure<f64> {
        match (&self.triangles, &self.corners) {
            (Figure::Absent { reason }, _) | (_, Figure::Absent { reason }) => {
                Figure::absent(reason.clone())
            }
            (_, Figure::Known { value: 0, .. }) => Figure::absent("no vertex has two neighbours"),
            (Figure::Known { value, method }, Figure::Known { value: corners, .. }) => {
                Figure::Known {
                    value: 3.0 * *value as f64 / *corners as f64,
                    method: *method,
                }
            }
        }
    }
}

/// The number of steps to a blocked site, each counted once.
fn lost_edges(lattice: &Lattice) -> u64 {
    let blocked = lattice.blocked();
    let mut lost = 0;
    for site in blocked.iter() {
        crate::graph::Odometer::at(lattice, site).around(|to, _| {
            lost += u64::from(!blocked.contains(to) || to < site);
        });
    }
    lost
}

/// The number of axis lines of three sites that close to a triangle, with all three
/// free.
fn free_triangles(lattice: &Lattice) -> u64 {
    let blocked = lattice.blocked();
    let mut count = 0;
    for rail in lattice.rails() {
        if !rail.axis.wraps() || rail.axis.size() != 3 {
            continue;
        }
        let first = (0..lattice.sites()).filter(|&site| rail.coordinate(site) == 0);
        let free = |site: u64| (0..3).all(|step| !blocked.contains(site + step * rail.stride));
        count += first.filter(|&site| free(site)).count() as u64;
    }
    count
}

/// The figures that need the distances of all pairs.
struct Distances {
    diameter: Figure<f64>,
    radius: Figure<f64>,
    mean: Figure<f64>,
}

impl Distances {
    fn of(runtime: &Runtime, lattice: &Lattice, limits: &Limits) -> Result<Self, Error> {
        if lattice.is_regular() && !matches!(lattice.weights(), Weights::Sites(_)) {
            return Ok(Self {
                diameter: Figure::closed(closed::diameter(lattice)),
                radius: Figure::closed(closed::radius(lattice)),
                mean: Figure::closed(closed::mean_distance(lattice)),
            });
        }
        let vertices = lattice.free_sites();
        let pairs = vertices.saturating_mul(vertices);
        if pairs > limits.most_pairs || lattice.sites() > MAX_VISITED {
            let reason = format!(
                "no formula holds, so the distances of {pairs} pairs would have to be found; \
                 `most_pairs` allows {}",
                limits.most_pairs
            );
            let absent = || Figure::absent(reason.clone());
            return Ok(Self {
                diameter: absent(),
                radius: absent(),
                mean: absent(),
            });
        }
        let mut sum = Sum::default();
        if lattice.weights().is_unit() {
            let reach = sweep_all(runtime, lattice)?;
            for (source, &most) in reach.eccentricity.iter().enumerate() {
                sum.add(
                    reach.reached[source],
                    reach.total[source] as f64,
                    most.into(),
                );
            }
        } else {
            let graph = Graph::build(runtime, lattice)?;
            for figures in figures(runtime, &graph)? {
                sum.add(figures.reached, figures.total, figures.eccentricity);
            }
        }
        Ok(sum.distances())
    }
}

#[derive(Default)]
struct Sum {
    pairs: u64,
    total: f64,
    greatest: f64,
    least: Option<f64>,
}

impl Sum {
    fn add(&mut self, reached: u64, total: f64, eccentricity: f64) {
        self.pairs += reached;
        self.total += total;
        self.greatest = self.greatest.max(eccentricity);
        self.least = Some(
            self.least
                .map_or(eccentricity, |least| least.min(eccentricity)),
        );
    }

    fn distances(&self) -> Distances {
        Distances {
            diameter: Figure::computed(self.greatest),
            radius: Figure::computed(self.least.unwrap_or(0.0)),
            mean: if self.pairs == 0 {
                Figure::absent("no path connects two vertices")
            } else {
                Figure::computed(self.total / self.pairs as f64)
            },
        }
    }
}

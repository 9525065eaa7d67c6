//! The analysis of a lattice: all figures at once.

use heddle_runtime::Runtime;
use serde::Serialize;

use super::property::Property;
use super::{MemoryFootprint, closed_form, components, memory_footprint};
use crate::centrality::distance_sums;
use crate::error::Error;
use crate::graph::{Graph, MAX_VISITED};
use crate::lattice::{Axis, Lattice, Weights};
use crate::sweep::sweep_all;

/// The limits of computations for figures without a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AnalysisLimits {
    /// The largest number of sites to visit.
    pub max_sites: u64,
    /// The largest number of vertex pairs whose distance is computed. Where every
    /// step costs 1 some 10^9 take a second.
    pub max_pairs: u64,
}

impl Default for AnalysisLimits {
    fn default() -> Self {
        Self {
            max_sites: 1 << 26,
            max_pairs: 10_000_000_000,
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
    pub edges: Property<u64>,
    /// Whether every free site has a path to every other.
    pub connected: Property<bool>,
    /// The number of connected components.
    pub components: Property<u64>,
    /// The largest distance.
    pub diameter: Property<f64>,
    /// The smallest eccentricity of a vertex.
    pub radius: Property<f64>,
    /// The mean number of neighbours of a vertex.
    pub mean_degree: Property<f64>,
    /// The share of closed triples among all connected triples of vertices.
    pub clustering: Property<f64>,
    /// The number of edges as a share of all possible ones.
    pub density: Property<f64>,
    /// The mean distance of two vertices.
    pub mean_distance: Property<f64>,
    /// The memory of the description, compared with an explicit graph.
    pub memory: MemoryFootprint,
}

/// Computes all figures: by formulas where the lattice is regular, by algorithms
/// within `limits` where it is not.
pub fn analyze(
    runtime: &Runtime,
    lattice: &Lattice,
    limits: &AnalysisLimits,
) -> Result<Analysis, Error> {
    // First, because it fails soon where there is no memory.
    let components = component_count(runtime, lattice, limits)?;
    let counts = NeighbourCounts::of(lattice, limits);
    let vertices = lattice.free_sites();
    let distances = DistanceProperties::of(runtime, lattice, limits)?;
    let pairs = vertices as f64 * (vertices as f64 - 1.0);
    let of_two = |property: Property<f64>| match vertices {
        0 | 1 => Property::unavailable("there are fewer than two vertices"),
        _ => property,
    };
    let some = |property: Property<f64>| match vertices {
        0 => Property::unavailable("every site is blocked"),
        _ => property,
    };
    Ok(Analysis {
        dimensions: lattice.dimensions(),
        axes: lattice.axes().collect(),
        sites: lattice.sites(),
        vertices,
        connected: components.map(|&component_count| component_count <= 1),
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
        memory: memory_footprint(lattice),
    })
}

fn too_many_sites(lattice: &Lattice, most: u64) -> Option<String> {
    let sites = lattice.sites();
    let most = most.min(MAX_VISITED);
    (sites > most).then(|| {
        format!("sites are blocked, so {sites} would have to be visited; `max_sites` allows {most}")
    })
}

fn component_count(
    runtime: &Runtime,
    lattice: &Lattice,
    limits: &AnalysisLimits,
) -> Result<Property<u64>, Error> {
    if lattice.is_regular() {
        return Ok(Property::closed_form(1));
    }
    if let Some(reason) = too_many_sites(lattice, limits.max_sites) {
        return Ok(Property::unavailable(reason));
    }
    let components = components(runtime, lattice)?;
    Ok(Property::computed(components.len() as u64))
}

/// The figures that need only the neighbours of each site.
struct NeighbourCounts {
    edges: Property<u64>,
    triangles: Property<u64>,
    corners: Property<u128>,
}

impl NeighbourCounts {
    fn of(lattice: &Lattice, limits: &AnalysisLimits) -> Self {
        if lattice.is_regular() {
            return Self {
                edges: Property::closed_form(closed_form::edges(lattice)),
                triangles: Property::closed_form(closed_form::triangles(lattice)),
                corners: Property::closed_form(closed_form::corners(lattice)),
            };
        }
        // Only blocked sites and their neighbours differ from the formulas.
        let edges = Property::computed(closed_form::edges(lattice) - lost_edges(lattice));
        if let Some(reason) = too_many_sites(lattice, limits.max_sites) {
            return Self {
                edges,
                triangles: Property::unavailable(reason.clone()),
                corners: Property::unavailable(reason),
            };
        }
        let mut corners = 0;
        for site in 0..lattice.sites() {
            let degree = lattice.neighbours(site).count() as u128;
            corners += degree * degree.saturating_sub(1) / 2;
        }
        Self {
            edges,
            triangles: Property::computed(triangles_among_free(lattice)),
            corners: Property::computed(corners),
        }
    }

    fn clustering(&self) -> Property<f64> {
        match (&self.triangles, &self.corners) {
            (Property::Unavailable { reason }, _) | (_, Property::Unavailable { reason }) => {
                Property::unavailable(reason.clone())
            }
            (_, Property::Known { value: 0, .. }) => {
                Property::unavailable("no vertex has two neighbours")
            }
            (Property::Known { value, method }, Property::Known { value: corners, .. }) => {
                Property::Known {
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
        crate::graph::SiteCursor::at(lattice, site).for_each_neighbour(|to, _| {
            lost += u64::from(!blocked.contains(to) || to < site);
        });
    }
    lost
}

/// The number of axis lines of three sites that close to a triangle, with all three
/// free.
fn triangles_among_free(lattice: &Lattice) -> u64 {
    let blocked = lattice.blocked();
    let mut count = 0;
    for strided_axis in lattice.strided_axes() {
        if !strided_axis.axis.wraps() || strided_axis.axis.size() != 3 {
            continue;
        }
        let first = (0..lattice.sites()).filter(|&site| strided_axis.coordinate(site) == 0);
        let free =
            |site: u64| (0..3).all(|step| !blocked.contains(site + step * strided_axis.stride));
        count += first.filter(|&site| free(site)).count() as u64;
    }
    count
}

/// The figures that need the distances of all pairs.
struct DistanceProperties {
    diameter: Property<f64>,
    radius: Property<f64>,
    mean: Property<f64>,
}

impl DistanceProperties {
    fn of(runtime: &Runtime, lattice: &Lattice, limits: &AnalysisLimits) -> Result<Self, Error> {
        if lattice.is_regular() && !matches!(lattice.weights(), Weights::Sites(_)) {
            return Ok(Self {
                diameter: Property::closed_form(closed_form::diameter(lattice)),
                radius: Property::closed_form(closed_form::radius(lattice)),
                mean: Property::closed_form(closed_form::mean_distance(lattice)),
            });
        }
        let vertices = lattice.free_sites();
        let pairs = vertices.saturating_mul(vertices);
        if pairs > limits.max_pairs || lattice.sites() > MAX_VISITED {
            let reason = format!(
                "no formula holds, so the distances of {pairs} pairs would have to be found; \
                 `max_pairs` allows {}",
                limits.max_pairs
            );
            let unavailable = || Property::unavailable(reason.clone());
            return Ok(Self {
                diameter: unavailable(),
                radius: unavailable(),
                mean: unavailable(),
            });
        }
        let mut sum = DistanceSum::default();
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
            for distance_sums in distance_sums(runtime, &graph)? {
                sum.add(
                    distance_sums.reached,
                    distance_sums.total,
                    distance_sums.eccentricity,
                );
            }
        }
        Ok(sum.distances())
    }
}

#[derive(Default)]
struct DistanceSum {
    pairs: u64,
    total: f64,
    greatest: f64,
    least: Option<f64>,
}

impl DistanceSum {
    fn add(&mut self, reached: u64, total: f64, eccentricity: f64) {
        self.pairs += reached;
        self.total += total;
        self.greatest = self.greatest.max(eccentricity);
        self.least = Some(
            self.least
                .map_or(eccentricity, |least| least.min(eccentricity)),
        );
    }

    fn distances(&self) -> DistanceProperties {
        DistanceProperties {
            diameter: Property::computed(self.greatest),
            radius: Property::computed(self.least.unwrap_or(0.0)),
            mean: if self.pairs == 0 {
                Property::unavailable("no path connects two vertices")
            } else {
                Property::computed(self.total / self.pairs as f64)
            },
        }
    }
}

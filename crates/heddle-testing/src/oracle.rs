//! Random lattices, and plain reference searches over `Lattice::neighbours`.

use std::collections::VecDeque;

use heddle_lattice::{Axis, Lattice, Site, Weights};
use proptest::prelude::*;

use crate::random::word_of;

/// Axes with at most a thousand sites together.
pub fn axes() -> impl Strategy<Value = Vec<Axis>> {
    axes_up_to([40, 18, 7, 5, 4, 3])
}

/// Lattices so small that all their simple paths can be listed.
pub fn tiny() -> impl Strategy<Value = Lattice> {
    with_blocked(axes_up_to([12, 3, 2, 2, 1, 1]))
}

/// Axes of at most this many sites, by the number of dimensions.
fn axes_up_to(longest: [u64; 6]) -> impl Strategy<Value = Vec<Axis>> {
    (1_usize..=6)
        .prop_flat_map(move |dimensions| {
            let longest = longest[dimensions - 1];
            prop::collection::vec((1..=longest, any::<bool>()), dimensions)
        })
        .prop_map(|axes| {
            axes.into_iter()
                .map(|(size, periodic)| {
                    if periodic {
                        Axis::periodic(size)
                    } else {
                        Axis::open(size)
                    }
                })
                .collect()
        })
}

/// A lattice with up to half of its sites blocked, or none.
pub fn lattice() -> impl Strategy<Value = Lattice> {
    with_blocked(axes())
}

fn with_blocked(axes: impl Strategy<Value = Vec<Axis>>) -> impl Strategy<Value = Lattice> {
    (axes, 0_u64..6, any::<u64>()).prop_map(|(axes, tenths, seed)| {
        let lattice = Lattice::new(axes).unwrap();
        let sites = lattice.sites();
        lattice
            .with_blocked((0..sites).filter(|&site| word_of(site ^ seed) % 10 < tenths))
            .unwrap()
    })
}

/// A lattice with weights: none, per axis or per site.
pub fn weighted() -> impl Strategy<Value = Lattice> {
    with_weights(lattice())
}

/// Adds weights to a lattice: none, per axis or per site.
pub fn with_weights(lattice: impl Strategy<Value = Lattice>) -> impl Strategy<Value = Lattice> {
    (lattice, 0..3, any::<u64>()).prop_map(|(lattice, kind, seed)| {
        let weight = |position: u64| 0.25 + (word_of(position ^ seed) % 1000) as f64 / 250.0;
        let weights = match kind {
            0 => Weights::Unit,
            1 => Weights::Axes((0..lattice.dimensions() as u64).map(weight).collect()),
            _ => Weights::Sites((0..lattice.sites()).map(weight).collect()),
        };
        lattice.with_weights(weights).unwrap()
    })
}

/// Returns some free site, if there is one.
pub fn free_site(lattice: &Lattice, choice: u64) -> Option<Site> {
    let from = choice % lattice.sites();
    (from..lattice.sites())
        .chain(0..from)
        .find(|&site| lattice.check_free(site).is_ok())
}

/// Returns the number of steps to each site, by plain breadth-first search.
pub fn breadth_first(lattice: &Lattice, sources: &[Site]) -> Vec<Option<u64>> {
    let mut steps = vec![None; lattice.sites() as usize];
    let mut queue = VecDeque::new();
    for &source in sources {
        steps[source as usize] = Some(0);
        queue.push_back(source);
    }
    while let Some(site) = queue.pop_front() {
        let here = steps[site as usize].unwrap();
        for step in lattice.neighbours(site) {
            if steps[step.site as usize].is_none() {
                steps[step.site as usize] = Some(here + 1);
                queue.push_back(step.site);
            }
        }
    }
    steps
}

/// Returns the cost of each site, by relaxing every step until nothing changes.
pub fn bellman_ford(lattice: &Lattice, sources: &[Site]) -> Vec<f64> {
    let mut costs = vec![f64::INFINITY; lattice.sites() as usize];
    for &source in sources {
        costs[source as usize] = 0.0;
    }
    let mut changed = true;
    while changed {
        changed = false;
        for site in 0..lattice.sites() {
            for step in lattice.neighbours(site) {
                let by = costs[site as usize] + lattice.weights().of(step.axis, site, step.site);
                if by < costs[step.site as usize] {
                    costs[step.site as usize] = by;
                    changed = true;
                }
            }
        }
    }
    costs
}

pub fn close(first: f64, second: f64) -> bool {
    first.total_cmp(&second).is_eq()
        || (first - second).abs() <= 1e-9 * first.abs().max(second.abs())
}

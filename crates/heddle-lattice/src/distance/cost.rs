//! Sweeps by cost.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::UNREACHABLE_COST;
use crate::lattice::{Lattice, Site, Stepper, axis_of};

/// The sweep with one queue per axis. Sites are taken in ascending order of cost,
/// and a step along an axis always adds the same, so each queue receives costs in
/// ascending order: the cheapest site is at the front of one of the queues.
pub(super) fn by_axis(lattice: &Lattice, sources: &[Site], weights: &[f64]) -> Vec<f64> {
    let stepper = Stepper::of(lattice);
    let mut costs = vec![UNREACHABLE_COST; lattice.sites() as usize];
    let mut queues: Vec<VecDeque<(f64, Site)>> = vec![VecDeque::new(); weights.len()];
    let expand = |site: Site, cost: f64, costs: &mut [f64], queues: &mut [VecDeque<_>]| {
        stepper.around(site, |stepped, direction, _, _| {
            let by = cost + weights[axis_of(direction)];
            if by < costs[stepped as usize] && !lattice.blocked().contains(stepped) {
                costs[stepped as usize] = by;
                queues[axis_of(direction)].push_back((by, stepped));
            }
        });
    };
    for &source in sources {
        costs[source as usize] = 0.0;
    }
    for &source in sources {
        expand(source, 0.0, &mut costs, &mut queues);
    }
    while let Some(axis) = cheapest(&queues) {
        if let Some((cost, site)) = queues[axis].pop_front()
            && cost <= costs[site as usize]
        {
            expand(site, cost, &mut costs, &mut queues);
        }
    }
    costs
}

fn cheapest(queues: &[VecDeque<(f64, Site)>]) -> Option<usize> {
    queues
        .iter()
        .enumerate()
        .filter_map(|(axis, queue)| queue.front().map(|&(cost, _)| (cost, axis)))
        .min_by(|first, second| first.0.total_cmp(&second.0))
        .map(|(_, axis)| axis)
}

/// Dijkstra's sweep. Positive floats are ordered as their bits are, and costs are
/// positive, so the heap holds bits.
pub(super) fn by_heap(lattice: &Lattice, sources: &[Site]) -> Vec<f64> {
    let stepper = Stepper::of(lattice);
    let mut costs = vec![UNREACHABLE_COST; lattice.sites() as usize];
    let mut heap = BinaryHeap::new();
    for &source in sources {
        costs[source as usize] = 0.0;
        heap.push(Reverse((0.0_f64.to_bits(), source)));
    }
    while let Some(Reverse((bits, site))) = heap.pop() {
        let cost = f64::from_bits(bits);
        if cost > costs[site as usize] {
            continue;
        }
        stepper.around(site, |stepped, direction, _, _| {
            if lattice.blocked().contains(stepped) {
                return;
            }
            let by = cost + lattice.weights().of(axis_of(direction), site, stepped);
            if by < costs[stepped as usize] {
                costs[stepped as usize] = by;
                heap.push(Reverse((by.to_bits(), stepped)));
            }
        });
    }
    costs
}

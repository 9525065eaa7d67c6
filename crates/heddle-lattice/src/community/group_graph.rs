//! A graph whose vertices are groups of another graph.

use heddle_runtime::ops::SplitMix64;

use super::shuffled_vertices;
use crate::graph::Graph;

/// The least gain of a move, relative to a single step, so that rounding does not
/// move a vertex back and forth.
const MIN_GAIN: f64 = 1e-9;

/// Weighted rows, with the inner steps of a group kept separately.
pub(super) struct GroupGraph {
    offsets: Vec<usize>,
    targets: Vec<u32>,
    weights: Vec<f64>,
    /// The number of step ends of each vertex, inside it and out of it.
    strengths: Vec<f64>,
    /// The number of ends of all steps.
    ends: f64,
}

impl GroupGraph {
    pub(super) fn of(graph: &Graph) -> Self {
        let strengths = (0..graph.vertices())
            .map(|vertex| graph.neighbours(vertex).len() as f64)
            .collect();
        Self {
            offsets: graph
                .offsets()
                .iter()
                .map(|&offset| offset as usize)
                .collect(),
            targets: graph.targets().to_vec(),
            weights: vec![1.0; graph.targets().len()],
            strengths,
            ends: graph.targets().len() as f64,
        }
    }

    pub(super) fn vertices(&self) -> usize {
        self.strengths.len()
    }

    fn steps(&self, vertex: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        let range = self.offsets[vertex]..self.offsets[vertex + 1];
        let weights = self.weights[range.clone()].iter();
        self.targets[range].iter().copied().zip(weights.copied())
    }

    /// Puts every vertex in a group of its own, then moves vertices to the
    /// neighbouring group with the largest gain until no move gains. Returns the
    /// groups and whether any vertex was moved.
    pub(super) fn grouped(&self, random: &mut SplitMix64) -> (Vec<u32>, bool) {
        let count = self.vertices();
        let mut groups: Vec<u32> = (0..count as u32).collect();
        let mut totals = self.strengths.clone();
        let mut group_weights = GroupWeights::new(count);
        let order = shuffled_vertices(random, count);
        let mut any_moved = false;
        loop {
            let mut moved = false;
            for &vertex in &order {
                let own = groups[vertex as usize];
                let strength = self.strengths[vertex as usize];
                group_weights.gather(
                    self.steps(vertex as usize)
                        .map(|(to, weight)| (groups[to as usize], weight)),
                );
                totals[own as usize] -= strength;
                let gain = |group: u32| {
                    group_weights.weight(group) - strength * totals[group as usize] / self.ends
                };
                let mut best = (own, gain(own) + MIN_GAIN);
                for &group in &group_weights.met {
                    let gain = gain(group);
                    if gain > best.1 {
                        best = (group, gain);
                    }
                }
                totals[best.0 as usize] += strength;
                groups[vertex as usize] = best.0;
                moved |= best.0 != own;
            }
            any_moved |= moved;
            if !moved {
                return (groups, any_moved);
            }
        }
    }

    /// The graph of `count` groups, numbered from 0.
    pub(super) fn contracted(&self, groups: &[u32], count: usize) -> Self {
        let mut strengths = vec![0.0; count];
        let mut starts = vec![0_usize; count + 1];
        for (&group, strength) in groups.iter().zip(&self.strengths) {
            strengths[group as usize] += strength;
            starts[group as usize + 1] += 1;
        }
        for group in 0..count {
            starts[group + 1] += starts[group];
        }
        let mut members = vec![0_u32; groups.len()];
        let mut next = starts.clone();
        for (vertex, &group) in groups.iter().enumerate() {
            members[next[group as usize]] = vertex as u32;
            next[group as usize] += 1;
        }
        let mut contracted = Self {
            offsets: vec![0],
            targets: Vec::new(),
            weights: Vec::new(),
            strengths,
            ends: self.ends,
        };
        let mut group_weights = GroupWeights::new(count);
        for group in 0..count {
            let members = &members[starts[group]..starts[group + 1]];
            group_weights.gather(members.iter().flat_map(|&member| {
                self.steps(member as usize)
                    .map(|(to, weight)| (groups[to as usize], weight))
            }));
            for &to in &group_weights.met {
                // Steps inside move with the group and never decide a move.
                if to as usize != group {
                    contracted.targets.push(to);
                    contracted.weights.push(group_weights.weight(to));
                }
            }
            contracted.offsets.push(contracted.targets.len());
        }
        contracted
    }
}

/// The weights of one vertex's steps, by the group they lead to.
struct GroupWeights {
    weights: Vec<f64>,
    met: Vec<u32>,
}

impl GroupWeights {
    fn new(groups: usize) -> Self {
        Self {
            weights: vec![0.0; groups],
            met: Vec::new(),
        }
    }

    fn gather(&mut self, steps: impl Iterator<Item = (u32, f64)>) {
        for group in self.met.drain(..) {
            self.weights[group as usize] = 0.0;
        }
        for (group, weight) in steps {
            let sum = &mut self.weights[group as usize];
            // Weights are positive, so a sum of 0 was not met before.
            if *sum == 0.0 {
                self.met.push(group);
            }
            *sum += weight;
        }
    }

    fn weight(&self, group: u32) -> f64 {
        self.weights[group as usize]
    }
}

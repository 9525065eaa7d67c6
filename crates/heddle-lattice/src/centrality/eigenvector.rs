//! Eigenvector centrality: a product of sines, or the Lanczos recurrence.
//!
//! The recurrence runs twice, once to find the coefficients of its vectors and once
//! to combine them, so that only three vectors are stored whatever the number of
//! steps.

use std::f64::consts::PI;

use heddle_runtime::{Kind, Runtime, WorkUnit};

use super::{ComputationMethod, Scores, per_axis, tridiagonal};
use crate::cpu_task::{self, TaskAmount};
use crate::error::Error;
use crate::graph::{Graph, Numbering};
use crate::lattice::Lattice;

/// The operation kind of eigenvector centrality.
pub static EIGENVECTOR: Kind = Kind::new("lattice-eigenvector", WorkUnit::Items);

/// The target residual, relative to the eigenvalue. The error of the vector is that
/// divided by the gap to the next eigenvalue.
const RESIDUAL: f64 = 1e-14;
/// The number of steps between two checks of the residual.
const STEPS: usize = 16;
/// The largest number of steps.
const MAX_STEPS: usize = 2000;
/// The number of restarts of the recurrence from the best vector so far.
const RESTARTS: usize = 3;

/// The vectors that exist at once: the best so far, the next, and three in each of the two runs of
/// the recurrence.
const VECTORS: u64 = 8;

/// The eigenvector of the adjacency's largest eigenvalue, scaled to a largest entry
/// of 1.
///
/// Where several eigenvectors share that eigenvalue, as with equal components, the
/// result is the one nearest to the degrees.
pub fn eigenvector(runtime: &Runtime, lattice: &Lattice) -> Result<Scores, Error> {
    let numbering = Numbering::of(lattice, "eigenvector centrality")?;
    if lattice.is_regular() {
        let values = per_axis::product(lattice, |strided_axis, at| {
            if strided_axis.axis.wraps() {
                return 1.0;
            }
            let size = strided_axis.axis.size();
            let sine = |at: u64| (PI * (at + 1) as f64 / (size + 1) as f64).sin();
            // From the nearer end, so that mirror images are equal to the last
            // digit.
            sine(at.min(size - 1 - at)) / sine((size - 1) / 2)
        })?;
        return Ok(Scores::new(
            values,
            ComputationMethod::ClosedForm,
            numbering,
        ));
    }
    let graph = Graph::build(runtime, lattice)?;
    let amount = TaskAmount {
        work: graph.targets().len() as u64,
        bytes: VECTORS * 8 * graph.vertices() as u64,
    };
    let values = cpu_task::run(runtime, &EIGENVECTOR, amount, |_| leading(&graph))?;
    Ok(Scores::new(values, ComputationMethod::Computed, numbering))
}

fn leading(graph: &Graph) -> Vec<f64> {
    let vertices = graph.vertices();
    if graph.targets().is_empty() {
        // No vertex has a neighbour, so all are equally central.
        return vec![1.0; vertices];
    }
    let mut vector: Vec<f64> = (0..vertices)
        .map(|vertex| graph.neighbours(vertex).len() as f64)
        .collect();
    for _ in 0..RESTARTS {
        let (better, residual) = improved(graph, &vector);
        vector = better;
        if residual <= RESIDUAL {
            break;
        }
    }
    // The leading vector of a connected graph has one sign; entries of components
    // without a share in it are rounding errors of either sign.
    let most = vector.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    vector.iter().map(|x| x.abs() / most).collect()
}

/// The result of the recurrence from `start`, and its residual.
fn improved(graph: &Graph, start: &[f64]) -> (Vec<f64>, f64) {
    let mut lanczos = Lanczos::new(graph, start);
    let (mut diagonal, mut beside) = (Vec::new(), Vec::new());
    let mut residual = f64::INFINITY;
    let mut mix = Vec::new();
    while diagonal.len() < MAX_STEPS {
        let (along, next) = lanczos.step();
        diagonal.push(along);
        let ends = next <= f64::EPSILON * (1.0 + along.abs());
        if ends || diagonal.len() % STEPS == 0 {
            let (value, vector) = tridiagonal::greatest(&diagonal, &beside);
            let before = residual;
            residual = next * vector.last().map_or(0.0, |x| x.abs()) / value;
            mix = vector;
            if ends || residual <= RESIDUAL || (residual <= 1e-11 && residual > before / 2.0) {
                break;
            }
        }
        beside.push(next);
    }
    let mut lanczos = Lanczos::new(graph, start);
    let mut vector = vec![0.0; start.len()];
    for share in mix {
        for (sum, x) in vector.iter_mut().zip(&lanczos.now) {
            *sum += share * x;
        }
        lanczos.step();
    }
    (vector, residual)
}

/// Orthogonal vectors, each computed from the two before it.
struct Lanczos<'a> {
    graph: &'a Graph,
    before: Vec<f64>,
    now: Vec<f64>,
    next: Vec<f64>,
    /// The norm of `now` before it was normalised.
    norm: f64,
}

impl<'a> Lanczos<'a> {
    fn new(graph: &'a Graph, start: &[f64]) -> Self {
        let norm = start.iter().map(|x| x * x).sum::<f64>().sqrt();
        Self {
            graph,
            before: vec![0.0; start.len()],
            now: start.iter().map(|x| x / norm).collect(),
            next: vec![0.0; start.len()],
            norm: 0.0,
        }
    }

    /// Advances to the next vector and returns the coefficients of this one and of
    /// the next in the product.
    fn step(&mut self) -> (f64, f64) {
        let mut along = 0.0;
        for (vertex, next) in self.next.iter_mut().enumerate() {
            let for_each_neighbour: f64 = self
                .graph
                .neighbours(vertex)
                .iter()
                .map(|&from| self.now[from as usize])
                .sum();
            *next = for_each_neighbour - self.norm * self.before[vertex];
            along += *next * self.now[vertex];
        }
        let mut square = 0.0;
        for (next, now) in self.next.iter_mut().zip(&self.now) {
            *next -= along * now;
            square += *next * *next;
        }
        self.norm = square.sqrt();
        // At the end of the recurrence the next vector is zero.
        let scale = if self.norm > 0.0 {
            1.0 / self.norm
        } else {
            0.0
        };
        for next in &mut self.next {
            *next *= scale;
        }
        std::mem::swap(&mut self.before, &mut self.now);
        std::mem::swap(&mut self.now, &mut self.next);
        (along, self.norm)
    }
}

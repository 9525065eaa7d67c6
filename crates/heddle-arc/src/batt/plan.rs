//! The plan of a merged file: one output for each entry, with and without a candidate.

use super::Batt;
use crate::limits::MAX_PLAN_CALLS;
use crate::plan::{CallGraph, CallGraphBuilder, Head, Node, Plan, ProgramOutput, Term};
use crate::program::{Callee, Form, Input};
use crate::reading::Reading;
use std::collections::HashMap;
use std::sync::Arc;
use thiserror::Error;

/// The entries of a merged file need too many calls, each counted for every entry that needs it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "{file}: its entries need more than {MAX_PLAN_CALLS} calls, the limit of a merged file; merge \
     fewer programs into one file"
)]
#[non_exhaustive]
pub struct PlanTooLarge {
    /// The file.
    pub file: Arc<str>,
}

/// A merged file ready to run.
///
/// The file runs twice for every pair, with C = None and with C = the output. Both runs are in
/// one plan, so that what does not depend on C is computed once.
#[derive(Clone, Debug)]
pub struct BattPlan {
    pub(super) batt: Batt,
    pub(super) plan: Plan,
    /// For each run, the output of every entry.
    pub(super) entries: [Vec<u32>; 2],
    /// For each run, further outputs: lines without a `try` that no entry needs and that make
    /// the run fail if they fail.
    pub(super) checks: [Vec<u32>; 2],
}

impl BattPlan {
    /// The plan of a merged file.
    pub fn new(batt: Batt) -> Result<BattPlan, PlanTooLarge> {
        let mut outputs = OutputBuilder::of(&batt);
        let too_large = || PlanTooLarge {
            file: Arc::clone(&batt.file),
        };
        let mut entries = [Vec::new(), Vec::new()];
        let mut checks = [Vec::new(), Vec::new()];
        for run in [0, 1] {
            let mut covered = vec![false; outputs.graph.nodes.len()];
            for entry in &batt.entries {
                let node = outputs.nodes[run][entry.value as usize];
                let output = outputs.output(node, &mut covered).ok_or_else(too_large)?;
                entries[run].push(output);
            }
            // A primitive never fails here, so only calls of something else are checked.
            for (index, line) in batt.lines.iter().enumerate().rev() {
                let node = outputs.nodes[run][index];
                let can_fail = !line.guarded && !matches!(line.call.callee, Callee::Prim(_));
                if can_fail && !covered[node as usize] {
                    let output = outputs.output(node, &mut covered).ok_or_else(too_large)?;
                    checks[run].push(output);
                }
            }
        }
        Ok(BattPlan {
            plan: Plan::of(outputs.graph),
            batt,
            entries,
            checks,
        })
    }

    /// The merged file.
    #[must_use]
    pub fn batt(&self) -> &Batt {
        &self.batt
    }

    /// The plan; its programs are the distinct entries.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }
}

/// The graph of a merged file and its outputs.
struct OutputBuilder {
    graph: CallGraph,
    /// For each run, the node of every line.
    nodes: [Vec<u32>; 2],
    /// The line in the file of every node.
    lines: Vec<u32>,
    outputs: HashMap<u32, u32>,
    name: Arc<str>,
    file: Arc<str>,
    reading: Reading,
    /// The number of calls that outputs may still need.
    left: usize,
}

impl OutputBuilder {
    fn of(batt: &Batt) -> Self {
        let mut builder = CallGraphBuilder::default();
        let mut nodes = [Vec::new(), Vec::new()];
        let mut lines = Vec::new();
        for line in &batt.lines {
            let reading = if line.guarded {
                Reading::Guarded(batt.cells)
            } else {
                Reading::Soft(batt.cells)
            };
            for (run, nodes) in nodes.iter_mut().enumerate() {
                let mut node = Node::of(&line.call, nodes, reading);
                if run == 0 {
                    take_no_candidate(&mut node);
                }
                nodes.push(builder.node(node));
                lines.resize(builder.graph.nodes.len(), line.line);
            }
        }
        OutputBuilder {
            graph: builder.graph,
            nodes,
            lines,
            outputs: HashMap::new(),
            name: "entry".into(),
            file: Arc::clone(&batt.file),
            reading: Reading::Guarded(batt.cells),
            left: MAX_PLAN_CALLS,
        }
    }

    /// The output of a node; `None` if it needs too many calls. What it needs is covered.
    fn output(&mut self, node: u32, covered: &mut [bool]) -> Option<u32> {
        let next = self.graph.outputs.len() as u32;
        let number = *self.outputs.entry(node).or_insert(next);
        if number == next {
            self.graph.outputs.push(ProgramOutput {
                name: Arc::clone(&self.name),
                form: Form::Examples,
                reading: self.reading,
                result: node,
                lines: Vec::new(),
                file: Arc::clone(&self.file),
            });
            let lines = self.graph.lines_of(next as usize, &self.lines, self.left)?;
            self.left -= lines.len();
            self.graph.outputs[next as usize].lines = lines;
        }
        for (node, _) in &self.graph.outputs[number as usize].lines {
            covered[*node as usize] = true;
        }
        Some(number)
    }
}

/// Replaces the candidate by None.
fn take_no_candidate(node: &mut Node) {
    let candidate = Term::Input(Input::Candidate);
    for term in &mut node.arguments {
        if *term == candidate {
            *term = Term::None;
        }
    }
    if node.head == Head::Value(candidate) {
        node.head = Head::Value(Term::None);
    }
}

//! Batch patterns: lines of a plan that do similar work on the same value.
//!
//! The patterns show which lines of a merged plan an engine could run together.

use super::graph::{CallGraph, Head, Term};
use crate::prim::Prim;
use crate::program::Input;
use std::collections::{BTreeMap, HashMap};

/// The kind of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum PatternKind {
    /// One function mapped over all example pairs of the task.
    OverSamples,
    /// `objects` with several modes on one grid.
    ObjectModes,
    /// Selections of several colours or sizes from one container.
    Selections,
    /// A sequence of transforms, each of the previous grid.
    TransformRun,
    /// One function mapped over several containers.
    SameMap,
}

impl PatternKind {
    /// Every kind, in the order of the summary.
    pub const ALL: [PatternKind; 5] = [
        PatternKind::OverSamples,
        PatternKind::ObjectModes,
        PatternKind::Selections,
        PatternKind::TransformRun,
        PatternKind::SameMap,
    ];

    /// Its name in plan texts.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            PatternKind::OverSamples => "over-samples",
            PatternKind::ObjectModes => "object-modes",
            PatternKind::Selections => "selections",
            PatternKind::TransformRun => "transform-run",
            PatternKind::SameMap => "same-map",
        }
    }
}

/// Lines that form a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pattern {
    /// The kind.
    pub kind: PatternKind,
    /// The nodes in ascending order, at least two (one for `OverSamples`).
    pub nodes: Vec<u32>,
}

/// The patterns in a graph, ordered by kind and then by first line.
#[must_use]
pub fn patterns(graph: &CallGraph) -> Vec<Pattern> {
    let mut found = Vec::new();
    over_samples(graph, &mut found);
    grouped(
        graph,
        PatternKind::ObjectModes,
        &mut found,
        |head, args| match head {
            Prim::Objects | Prim::OG => Some((Prim::Objects, args[0])),
            _ => None,
        },
    );
    grouped(
        graph,
        PatternKind::Selections,
        &mut found,
        |head, args| match head {
            Prim::Ofcolor | Prim::Colorfilter | Prim::Sizefilter | Prim::Colorcount => {
                Some((head, args[0]))
            }
            _ => None,
        },
    );
    transform_runs(graph, &mut found);
    grouped(
        graph,
        PatternKind::SameMap,
        &mut found,
        |head, args| match head {
            Prim::Apply | Prim::Mapply => Some((head, args[0])),
            Prim::Sfilter | Prim::Mfilter | Prim::Argmax | Prim::Argmin => Some((head, args[1])),
            _ => None,
        },
    );
    found
}

/// The nodes that call a primitive, with their arguments.
fn calls(graph: &CallGraph) -> impl Iterator<Item = (u32, Prim, &[Term])> {
    let nodes = graph.nodes.iter().enumerate();
    nodes.filter_map(|(number, node)| match node.head {
        Head::Prim(prim) => Some((number as u32, prim, &*node.arguments)),
        Head::Node(_) | Head::Value(_) => None,
    })
}

fn grouped(
    graph: &CallGraph,
    kind: PatternKind,
    found: &mut Vec<Pattern>,
    group: impl Fn(Prim, &[Term]) -> Option<(Prim, Term)>,
) {
    let mut groups: BTreeMap<(Prim, Term), Vec<u32>> = BTreeMap::new();
    for (number, prim, arguments) in calls(graph) {
        if let Some(key) = group(prim, arguments) {
            groups.entry(key).or_default().push(number);
        }
    }
    let mut groups: Vec<Vec<u32>> = groups.into_values().filter(|g| g.len() > 1).collect();
    groups.sort();
    found.extend(groups.into_iter().map(|nodes| Pattern { kind, nodes }));
}

/// Finds maps over `S` and over the results of such maps.
fn over_samples(graph: &CallGraph, found: &mut Vec<Pattern>) {
    let mut per_sample = vec![false; graph.nodes.len()];
    let mut groups: BTreeMap<Term, Vec<u32>> = BTreeMap::new();
    for (number, prim, arguments) in calls(graph) {
        let container = match prim {
            Prim::Apply | Prim::Mapply | Prim::Papply | Prim::Mpapply => arguments[1],
            _ => continue,
        };
        let samples = match container {
            Term::Input(Input::Examples) => true,
            Term::Node(node) => per_sample[node as usize],
            _ => false,
        };
        if samples {
            per_sample[number as usize] = matches!(prim, Prim::Apply | Prim::Papply);
            groups.entry(arguments[0]).or_default().push(number);
        }
    }
    let mut groups: Vec<Vec<u32>> = groups.into_values().collect();
    groups.sort();
    let kind = PatternKind::OverSamples;
    found.extend(groups.into_iter().map(|nodes| Pattern { kind, nodes }));
}

fn is_transform(prim: Prim) -> bool {
    matches!(
        prim,
        Prim::Rot90
            | Prim::Rot180
            | Prim::Rot270
            | Prim::Hmirror
            | Prim::Vmirror
            | Prim::Dmirror
            | Prim::Cmirror
            | Prim::Trim
            | Prim::Tophalf
            | Prim::Bottomhalf
            | Prim::Lefthalf
            | Prim::Righthalf
            | Prim::Compress
            | Prim::MirRotT
    )
}

/// Finds sequences of transforms. A transform that several others continue belongs to the run
/// of the first of them; the other runs begin with it. So all runs together are at most twice
/// as long as the graph.
fn transform_runs(graph: &CallGraph, found: &mut Vec<Pattern>) {
    let mut runs: Vec<Vec<u32>> = Vec::new();
    let mut transforms = vec![false; graph.nodes.len()];
    // The run that ends with a transform.
    let mut ends: HashMap<u32, usize> = HashMap::new();
    for (number, prim, arguments) in calls(graph) {
        if !is_transform(prim) {
            continue;
        }
        transforms[number as usize] = true;
        let before = match arguments[0] {
            Term::Node(before) if transforms[before as usize] => Some(before),
            _ => None,
        };
        let continued = before.and_then(|before| ends.remove(&before));
        let run = continued.unwrap_or_else(|| {
            runs.push(before.into_iter().collect());
            runs.len() - 1
        });
        runs[run].push(number);
        ends.insert(number, run);
    }
    runs.retain(|run| run.len() > 1);
    runs.sort();
    let kind = PatternKind::TransformRun;
    found.extend(runs.into_iter().map(|nodes| Pattern { kind, nodes }));
}

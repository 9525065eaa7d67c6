//! Batch patterns: lines of a plan that do similar work on the same value.
//!
//! The patterns show which lines of a merged plan an engine could run together.

use super::graph::{Graph, Head, Term};
use crate::prim::Prim;
use crate::program::Input;
use std::collections::BTreeMap;

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
pub fn patterns(graph: &Graph) -> Vec<Pattern> {
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
fn calls(graph: &Graph) -> impl Iterator<Item = (u32, Prim, &[Term])> {
    let nodes = graph.nodes.iter().enumerate();
    nodes.filter_map(|(number, node)| match node.head {
        Head::Prim(prim) => Some((number as u32, prim, &*node.arguments)),
        Head::Node(_) | Head::Value(_) => None,
    })
}

fn grouped(
    graph: &Graph,
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
fn over_samples(graph: &Graph, found: &mut Vec<Pattern>) {
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

fn transform_runs(graph: &Graph, found: &mut Vec<Pattern>) {
    // The sequence that each transform ends; a longer sequence replaces its prefix.
    let mut runs: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (number, prim, arguments) in calls(graph) {
        if !is_transform(prim) {
            continue;
        }
        let mut run = match arguments[0] {
            Term::Node(before) => runs.get(&before).cloned().unwrap_or_default(),
            _ => Vec::new(),
        };
        run.push(number);
        runs.insert(number, run);
    }
    let continued: Vec<u32> = runs
        .values()
        .filter(|run| run.len() > 1)
        .map(|run| run[run.len() - 2])
        .collect();
    let mut runs: Vec<Vec<u32>> = runs
        .into_iter()
        .filter(|(end, run)| run.len() > 1 && !continued.contains(end))
        .map(|(_, run)| run)
        .collect();
    runs.sort();
    let kind = PatternKind::TransformRun;
    found.extend(runs.into_iter().map(|nodes| Pattern { kind, nodes }));
}

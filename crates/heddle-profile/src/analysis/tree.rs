//! The call tree: which spans ran inside which.
//!
//! The tree is a list with every node after its parent and before its next sibling,
//! so a tree a thousand levels deep needs no recursion to build or print.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::Serialize;

use crate::name::Name;
use crate::recording::Recording;

/// Spans of one operation on one device at one place in the tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TreeNode {
    /// The operation.
    pub operation: Name,
    /// The device.
    pub device: Name,
    /// The number of its ancestors.
    pub depth: usize,
    /// Its parent, which is an earlier node.
    pub parent: Option<usize>,
    /// The number of spans.
    pub count: u64,
    /// The sum of their total times.
    pub total_ns: u64,
    /// The sum of their self times.
    pub self_ns: u64,
}

/// The spans of a run by their ancestors.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Tree {
    /// In depth-first order; siblings by time, then by name.
    pub nodes: Vec<TreeNode>,
}

impl Recording {
    /// The tree of all threads together.
    #[must_use]
    pub fn tree(&self) -> Tree {
        let mut nodes: Vec<TreeNode> = Vec::new();
        let mut known: BTreeMap<(Option<usize>, &Name, &Name), usize> = BTreeMap::new();
        let mut node_of_row: Vec<usize> = Vec::with_capacity(self.spans.len());
        for span in &self.spans {
            let parent = span
                .parent
                .and_then(|row| node_of_row.get(row as usize).copied());
            let node = *known
                .entry((parent, &span.operation, &span.device))
                .or_insert_with(|| {
                    nodes.push(TreeNode {
                        operation: span.operation.clone(),
                        device: span.device.clone(),
                        depth: parent.map_or(0, |parent| nodes[parent].depth + 1),
                        parent,
                        count: 0,
                        total_ns: 0,
                        self_ns: 0,
                    });
                    nodes.len() - 1
                });
            node_of_row.push(node);
            let node = &mut nodes[node];
            node.count += 1;
            node.total_ns = node.total_ns.saturating_add(span.total_ns);
            node.self_ns = node.self_ns.saturating_add(span.self_ns);
        }
        Tree {
            nodes: depth_first(&nodes),
        }
    }
}

/// The nodes with children after their parents, siblings by time and name.
fn depth_first(nodes: &[TreeNode]) -> Vec<TreeNode> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    let mut waiting = Vec::new();
    for (index, node) in nodes.iter().enumerate() {
        match node.parent {
            Some(parent) => children[parent].push(index),
            None => waiting.push((index, None)),
        }
    }
    let order = |index: usize| {
        let node = &nodes[index];
        (Reverse(node.total_ns), &node.operation, &node.device)
    };
    // The stack is popped from its end.
    waiting.sort_by_key(|&(index, _)| Reverse(order(index)));
    let mut sorted = Vec::with_capacity(nodes.len());
    while let Some((index, parent)) = waiting.pop() {
        let place = sorted.len();
        sorted.push(TreeNode {
            parent,
            ..nodes[index].clone()
        });
        let inside = &mut children[index];
        inside.sort_by_key(|&child| Reverse(order(child)));
        waiting.extend(inside.drain(..).map(|child| (child, Some(place))));
    }
    sorted
}

impl Tree {
    /// The names from the root to a node, both included.
    #[must_use]
    pub fn path(&self, node: usize) -> Vec<&Name> {
        let mut names: Vec<&Name> = std::iter::successors(Some(node), |&node| {
            self.nodes.get(node).and_then(|node| node.parent)
        })
        .filter_map(|node| self.nodes.get(node))
        .map(|node| &node.operation)
        .collect();
        names.reverse();
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::{RecordedSpan, compute_self_times};

    fn recording(rows: &[(&str, Option<u32>, u64, u64)]) -> Recording {
        let mut spans: Vec<RecordedSpan> = rows
            .iter()
            .map(|&(operation, parent, start_ns, total_ns)| RecordedSpan {
                operation: operation.into(),
                parent,
                start_ns,
                total_ns,
                ..RecordedSpan::default()
            })
            .collect();
        compute_self_times(&mut spans);
        Recording {
            spans,
            ..Recording::default()
        }
    }

    #[test]
    fn the_same_inside_the_same_is_one_node() {
        let tree = recording(&[
            ("frame", None, 0, 10),
            ("xor", Some(0), 1, 2),
            ("sum", Some(0), 4, 5),
            ("frame", None, 20, 10),
            ("xor", Some(3), 21, 2),
            ("xor", None, 40, 1),
        ])
        .tree();
        let rows: Vec<(&str, usize, u64, u64, u64)> = tree
            .nodes
            .iter()
            .map(|node| {
                (
                    node.operation.as_str(),
                    node.depth,
                    node.count,
                    node.total_ns,
                    node.self_ns,
                )
            })
            .collect();
        assert_eq!(
            rows,
            [
                ("frame", 0, 2, 20, 11),
                ("sum", 1, 1, 5, 5),
                ("xor", 1, 2, 4, 4),
                ("xor", 0, 1, 1, 1),
            ]
        );
        assert_eq!(tree.path(2), ["frame", "xor"]);
        assert_eq!(tree.nodes[2].parent, Some(0));
    }

    #[test]
    fn self_times_add_up_to_the_roots() {
        let rows: Vec<(&str, Option<u32>, u64, u64)> = (0..5_000)
            .map(|depth: u32| {
                (
                    "deeper",
                    depth.checked_sub(1),
                    u64::from(depth),
                    20_000 - 2 * u64::from(depth),
                )
            })
            .collect();
        let tree = recording(&rows).tree();
        assert_eq!(tree.nodes.len(), 5_000);
        assert_eq!(tree.nodes[4_999].depth, 4_999);
        let own: u64 = tree.nodes.iter().map(|node| node.self_ns).sum();
        assert_eq!(own, 20_000);
    }
}

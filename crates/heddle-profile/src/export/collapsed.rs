//! Collapsed stacks: `frame;search;xor 1234`, one line for each node of the tree
//! with its self time in nanoseconds.
//!
//! The format has no escapes: a line break ends a stack, `;` ends a frame. Such
//! characters in a name are replaced.

use std::cmp::Reverse;
use std::io;
use std::path::Path;

use crate::analysis::Tree;
use crate::atomic_file::write_whole;
use crate::error::ProfileError;
use crate::recording::{Recording, WrittenFile};

impl Recording {
    /// The collapsed stacks, sorted, in the format of flame graph programs.
    #[must_use]
    pub fn collapsed_stacks(&self) -> Vec<String> {
        let tree = self.tree();
        let mut lines: Vec<String> = stacks(&tree).map(|(line, _, _)| line).collect();
        lines.sort_unstable();
        lines
    }

    /// The `most` collapsed stacks with the most time, sorted, and the number of
    /// spans in the others.
    #[must_use]
    pub fn heaviest_stacks(&self, most: usize) -> (Vec<String>, u64) {
        let tree = self.tree();
        let mut lines: Vec<(String, u64, u64)> = stacks(&tree).collect();
        lines.sort_by_key(|(_, ns, _)| Reverse(*ns));
        let left_out = lines.iter().skip(most).map(|(_, _, count)| count).sum();
        let heaviest = lines.into_iter().take(most);
        let mut heaviest: Vec<String> = heaviest.map(|(line, _, _)| line).collect();
        heaviest.sort_unstable();
        (heaviest, left_out)
    }

    /// Writes the collapsed stacks within `cap_bytes`; if there are more, those
    /// with the most time.
    pub fn write_collapsed(
        &self,
        path: impl AsRef<Path>,
        cap_bytes: u64,
    ) -> Result<WrittenFile, ProfileError> {
        let tree = self.tree();
        let mut lines: Vec<(String, u64, u64)> = stacks(&tree).collect();
        lines.sort_by_key(|(_, ns, _)| Reverse(*ns));
        let mut remaining = cap_bytes;
        let fitting = lines
            .iter()
            .position(|(line, _, _)| {
                let bytes = line.len() as u64 + 1;
                let fits = bytes <= remaining;
                remaining = remaining.saturating_sub(bytes);
                !fits
            })
            .unwrap_or(lines.len());
        let left_out = lines[fitting..].iter().map(|(_, _, count)| count).sum();
        lines.truncate(fitting);
        let spans = lines.iter().map(|(_, _, count)| count).sum();
        lines.sort_unstable();
        let bytes = write_whole(path, |file| -> io::Result<()> {
            lines
                .iter()
                .try_for_each(|(line, _, _)| writeln!(file, "{line}"))
        })?;
        Ok(WrittenFile {
            bytes,
            spans,
            left_out,
        })
    }
}

/// One line for each node with self time, with that time and its spans.
fn stacks(tree: &Tree) -> impl Iterator<Item = (String, u64, u64)> {
    // A node's path is its parent's path and its own name; parents come first.
    let mut paths: Vec<String> = Vec::new();
    tree.nodes.iter().filter_map(move |node| {
        // The paths of a finished branch are no longer needed.
        paths.truncate(node.depth);
        let mut path = paths.last().map_or_else(String::new, |around| {
            let mut path = around.clone();
            path.push(';');
            path
        });
        path.push_str(&frame(&node.operation));
        let line = (node.self_ns > 0).then(|| format!("{path} {}", node.self_ns));
        paths.push(path);
        line.map(|line| (line, node.self_ns, node.count))
    })
}

/// A name as a frame.
///
/// Besides what the format itself forbids, programs that read it take a number
/// after the last space for a second count, and a line that begins with `#` for a
/// comment.
fn frame(name: &str) -> String {
    let name = name.trim();
    if name.is_empty() {
        return "(no name)".to_owned();
    }
    let number_at = name
        .rfind(' ')
        .filter(|&at| name[at + 1..].parse::<f64>().is_ok());
    let mut text = String::with_capacity(name.len());
    for (at, character) in name.char_indices() {
        match character {
            ';' => text.push(':'),
            '#' if at == 0 => text.push_str("\\#"),
            ' ' if number_at == Some(at) => text.push('\u{a0}'),
            control if control.is_control() => text.extend(control.escape_default()),
            other => text.push(other),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::{RecordedSpan, compute_self_times};

    #[test]
    fn a_line_is_a_path_and_its_own_time() {
        let span = |operation: &str, parent, start_ns, total_ns| RecordedSpan {
            operation: operation.into(),
            parent,
            start_ns,
            total_ns,
            ..RecordedSpan::default()
        };
        let mut spans = vec![
            span("a;b\n\"c\" 🧵", None, 0, 10),
            span("", Some(0), 1, 4),
            span("# leaf 2", Some(1), 1, 4),
        ];
        compute_self_times(&mut spans);
        let recording = Recording {
            spans,
            ..Recording::default()
        };
        assert_eq!(
            recording.collapsed_stacks(),
            [
                "a:b\\n\"c\" 🧵 6",
                "a:b\\n\"c\" 🧵;(no name);\\# leaf\u{a0}2 4",
            ]
        );
        let (heaviest, left_out) = recording.heaviest_stacks(1);
        assert_eq!((heaviest.len(), left_out), (1, 1));
        assert!(heaviest[0].ends_with(" 6"));
        let folder = tempfile::tempdir().unwrap();
        let written = recording
            .write_collapsed(folder.path().join("stacks"), 20)
            .unwrap();
        assert_eq!((written.spans, written.left_out), (1, 1));
        assert!(written.bytes <= 20);
    }
}

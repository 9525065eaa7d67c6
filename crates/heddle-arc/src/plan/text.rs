//! Plans as text.
//!
//! A plan is written in the syntax of programs: `t1 = …` lines, then one line for each
//! program with its parameters and its result, and a summary of batch patterns in
//! comments. Reading the text gives the same graph.
//!
//! ```text
//! # heddle plan 1: 2 programs, 5 calls, 4 distinct
//! def plan(S, I, C):
//!     t1 = objects(I, T, F, T)  # object-modes 1
//!     t2 = objects(I, T, T, T)  # object-modes 1
//!     t3 = argmax(t1, size)
//!     t4 = argmax(t2, size)
//!     solve_a = program(I, t3)
//!     solve_b = program(I, t4)
//!     return solve_a, solve_b
//! # object-modes: 1 group, 2 lines
//! ```

use super::PLAN_FORM;
use super::graph::{Graph, GraphBuilder, Head, Node, ProgramOutput, Term};
use super::pattern::{PatternKind, patterns};
use crate::constant::spelling;
use crate::program::{Form, Input, SourceError, load};
use crate::reading::Reading;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;
use thiserror::Error;

/// The beginning of every plan text, before its counts.
const HEADER: &str = "# heddle plan 1";

/// An error in the text of a plan.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PlanTextError {
    /// The first line is not the header of a plan.
    #[error("{file}: not a plan; its first line must begin with `{HEADER}`")]
    Header {
        /// The file.
        file: String,
    },
    /// A line is not a valid call.
    #[error(transparent)]
    Line(SourceError),
    /// A line that declares a program is not valid.
    #[error(
        "{file}:{line}: `{found}` is no program of a plan; \
         write NAME = program(I, tN) or NAME = program(S, I, C, tN)"
    )]
    Program {
        /// The file.
        file: String,
        /// Counted from 1.
        line: usize,
        /// The line as found.
        found: String,
    },
}

/// Writes a graph as text.
#[must_use]
pub fn write(graph: &Graph) -> String {
    let mut marks: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    let mut summary: BTreeMap<PatternKind, (usize, usize)> = BTreeMap::new();
    for pattern in patterns(graph) {
        let (groups, lines) = summary.entry(pattern.kind).or_default();
        *groups += 1;
        *lines += pattern.nodes.len();
        for node in pattern.nodes {
            let mark = format!("{} {groups}", pattern.kind.name());
            marks.entry(node).or_default().push(mark);
        }
    }
    let mut text = format!(
        "{HEADER}: {}, {}, {} distinct\ndef plan(S, I, C):\n",
        counted(graph.outputs.len(), "program"),
        counted(graph.calls(), "call"),
        graph.nodes.len(),
    );
    for (number, node) in graph.nodes.iter().enumerate() {
        let callee = match node.head {
            Head::Prim(prim) => prim.name().to_owned(),
            Head::Node(node) => name(node),
            Head::Value(term) => spelled(term),
        };
        let arguments: Vec<String> = node.arguments.iter().map(|term| spelled(*term)).collect();
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "    {} = {callee}({})",
            name(number as u32),
            arguments.join(", ")
        );
        if let Some(marks) = marks.get(&(number as u32)) {
            let _ = write!(text, "  # {}", marks.join(", "));
        }
        text.push('\n');
    }
    for output in &graph.outputs {
        let takes = match output.form {
            Form::Input => "I",
            Form::Examples => "S, I, C",
        };
        let _ = writeln!(
            text,
            "    {} = program({takes}, {})",
            output.name,
            name(output.result)
        );
    }
    let names: Vec<&str> = graph.outputs.iter().map(|output| &*output.name).collect();
    let _ = writeln!(text, "    return {}", names.join(", "));
    for (kind, (groups, lines)) in summary {
        let _ = writeln!(
            text,
            "# {}: {}, {}",
            kind.name(),
            counted(groups, "group"),
            counted(lines, "line")
        );
    }
    text
}

/// Reads a graph from text written by [`write()`].
pub fn read(text: &str, file: &str) -> Result<Graph, PlanTextError> {
    if !text.starts_with(HEADER) {
        return Err(PlanTextError::Header {
            file: file.to_owned(),
        });
    }
    // The calls are read as a program; the other lines are read here. Lines are blanked,
    // not removed, so that line numbers in messages stay right.
    let mut calls = String::new();
    let mut programs = Vec::new();
    let mut last = None;
    for (at, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        if trimmed.starts_with('#') || trimmed.starts_with("return ") || trimmed == "return" {
        } else if let Some((name, rest)) = trimmed.split_once(" = program(") {
            programs.push((at + 1, name, rest));
        } else {
            if let Some((variable, _)) = trimmed.split_once(" = ") {
                last = Some(variable);
            }
            calls.push_str(line);
        }
        calls.push('\n');
    }
    let Some(last) = last else {
        return Ok(Graph::default());
    };
    let _ = writeln!(calls, "    return {last}");
    let loaded = load(&calls, file);
    if let Some(error) = loaded.errors.into_iter().next() {
        return Err(PlanTextError::Line(error));
    }
    let Some(program) = loaded.programs.into_iter().find(|p| p.form == PLAN_FORM) else {
        return Err(PlanTextError::Header {
            file: file.to_owned(),
        });
    };
    let mut merging = GraphBuilder::default();
    let mut numbers = Vec::with_capacity(program.calls.len());
    let mut variables: BTreeMap<&str, u32> = BTreeMap::new();
    for call in &program.calls {
        let number = merging.node(Node::of(call, &numbers, program.reading));
        numbers.push(number);
        variables.insert(&call.variable, number);
    }
    let mut graph = merging.graph;
    let line_numbers: BTreeMap<u32, u32> = numbers
        .iter()
        .zip(&program.line_numbers)
        .map(|(node, line)| (*node, *line))
        .collect();
    for (line, name, rest) in programs {
        let output = output(name, rest, &variables).ok_or_else(|| PlanTextError::Program {
            file: file.to_owned(),
            line,
            found: format!("{name} = program({rest}"),
        })?;
        let output = ProgramOutput {
            file: file.into(),
            ..output
        };
        graph.outputs.push(output);
        let number = graph.outputs.len() - 1;
        let lines = graph.lines_of(number, &line_numbers);
        graph.outputs[number].lines = lines;
    }
    Ok(graph)
}

/// Reads `I, tN)` or `S, I, C, tN)`, with or without a comment after it.
fn output(name: &str, rest: &str, variables: &BTreeMap<&str, u32>) -> Option<ProgramOutput> {
    let (inside, after) = rest.split_once(')')?;
    let after = after.trim();
    if !after.is_empty() && !after.starts_with('#') {
        return None;
    }
    let parts: Vec<&str> = inside.split(',').map(str::trim).collect();
    let (form, result) = match parts[..] {
        ["I", result] => (Form::Input, result),
        ["S", "I", "C", result] => (Form::Examples, result),
        _ => return None,
    };
    Some(ProgramOutput {
        name: Arc::from(name),
        form,
        reading: Reading::Classic,
        result: *variables.get(result)?,
        lines: Vec::new(),
        file: Arc::from(""),
    })
}

impl Graph {
    /// The nodes that an output needs, with their line numbers.
    fn lines_of(&self, output: usize, line_numbers: &BTreeMap<u32, u32>) -> Vec<(u32, u32)> {
        let result = self.outputs[output].result;
        let mut wanted = vec![false; result as usize + 1];
        wanted[result as usize] = true;
        for node in (0..=result).rev() {
            if wanted[node as usize] {
                for need in self.needs(node) {
                    wanted[need as usize] = true;
                }
            }
        }
        (0..=result)
            .filter(|node| wanted[*node as usize])
            .map(|node| (node, line_numbers.get(&node).copied().unwrap_or(0)))
            .collect()
    }
}

fn name(node: u32) -> String {
    format!("t{}", node + 1)
}

fn spelled(term: Term) -> String {
    match term {
        Term::Input(Input::Grid) => "I".to_owned(),
        Term::Input(input) => input.name().to_owned(),
        Term::Constant(value) => spelling(value).to_string(),
        Term::Prim(prim) => prim.name().to_owned(),
        Term::Node(node) => name(node),
    }
}

fn counted(count: usize, value_kind: &str) -> String {
    format!("{count} {value_kind}{}", if count == 1 { "" } else { "s" })
}

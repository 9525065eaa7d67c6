//! Plans as text.
//!
//! A plan is written in the syntax of programs: `t1 = …` lines, then one line for each
//! program with its parameters and its result, and a summary of batch patterns in
//! comments. Reading the text gives the same graph. A text whose counts are not those of its
//! lines was cut or changed, and is refused.
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
use super::graph::{CallGraph, CallGraphBuilder, Head, Node, ProgramOutput, Term};
use super::pattern::{Pattern, PatternKind, patterns};
use crate::constant::spelling;
use crate::limits::MAX_PLAN_CALLS;
use crate::program::{Form, Input, Program, SourceError, load};
use crate::reading::Reading;
use std::collections::{BTreeMap, BinaryHeap};
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
    /// A count is missing, or is not that of the lines.
    #[error(
        "{file}:{line}: {found}; the plan was cut or changed: merge its programs again with \
         `heddle arc merge`"
    )]
    Counts {
        /// The file.
        file: String,
        /// Counted from 1.
        line: usize,
        /// What was stated and what was found.
        found: String,
    },
    /// The programs of the plan have more calls than are read.
    #[error(
        "{file}:1: {asked} calls; the limit of a plan that is read is {limit}: \
         merge fewer programs into one plan"
    )]
    TooLarge {
        /// The file.
        file: String,
        /// The calls of its programs.
        asked: usize,
        /// The most calls of a plan.
        limit: usize,
    },
}

/// The counts in the first line.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Counts {
    programs: usize,
    calls: usize,
    distinct: usize,
}

impl Counts {
    fn of(graph: &CallGraph) -> Self {
        Counts {
            programs: graph.outputs.len(),
            calls: graph.calls(),
            distinct: graph.nodes.len(),
        }
    }

    fn header(self) -> String {
        format!(
            "{HEADER}: {}, {}, {} distinct",
            counted(self.programs, "program"),
            counted(self.calls, "call"),
            self.distinct,
        )
    }

    /// The counts of a first line in the form of [`Counts::header`].
    fn read(line: &str) -> Option<Self> {
        let mut numbers = line.strip_prefix(HEADER)?.strip_prefix(": ")?.split(", ");
        let mut number = || numbers.next()?.split(' ').next()?.parse().ok();
        let counts = Counts {
            programs: number()?,
            calls: number()?,
            distinct: number()?,
        };
        (counts.header() == line).then_some(counts)
    }
}

/// The lines that summarise patterns, one for each kind found.
fn summary(patterns: &[Pattern]) -> Vec<(PatternKind, String)> {
    let mut counts: BTreeMap<PatternKind, (usize, usize)> = BTreeMap::new();
    for pattern in patterns {
        let (groups, lines) = counts.entry(pattern.kind).or_default();
        *groups += 1;
        *lines += pattern.nodes.len();
    }
    let line = |(kind, (groups, lines)): (PatternKind, (usize, usize))| {
        let (groups, lines) = (counted(groups, "group"), counted(lines, "line"));
        (kind, format!("# {}: {groups}, {lines}", kind.name()))
    };
    counts.into_iter().map(line).collect()
}

/// The marks of lines: node, kind of pattern and number of its group, ascending by node.
fn marks(patterns: &[Pattern]) -> Vec<(u32, PatternKind, usize)> {
    let mut marks = Vec::new();
    let (mut group, mut kind) = (0, None);
    for pattern in patterns {
        // Patterns are ordered by kind.
        group = if kind == Some(pattern.kind) {
            group + 1
        } else {
            1
        };
        kind = Some(pattern.kind);
        marks.extend(
            pattern
                .nodes
                .iter()
                .map(|node| (*node, pattern.kind, group)),
        );
    }
    marks.sort();
    marks
}

/// Writes a graph as text.
#[must_use]
pub fn write(graph: &CallGraph) -> String {
    let patterns = patterns(graph);
    let marks = marks(&patterns);
    let mut marks = marks.iter().peekable();
    let mut text = format!("{}\ndef plan(S, I, C):\n", Counts::of(graph).header());
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
        let mut separator = "  # ";
        while let Some((_, kind, group)) = marks.next_if(|(node, ..)| *node == number as u32) {
            let _ = write!(text, "{separator}{} {group}", kind.name());
            separator = ", ";
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
    let _ = writeln!(text, "    {}", return_line(graph));
    for (_, line) in summary(&patterns) {
        let _ = writeln!(text, "{line}");
    }
    text
}

fn return_line(graph: &CallGraph) -> String {
    let names: Vec<&str> = graph.outputs.iter().map(|output| &*output.name).collect();
    format!("return {}", names.join(", "))
}

/// Reads a graph from text written by [`write()`].
pub fn read(text: &str, file: &str) -> Result<CallGraph, PlanTextError> {
    if !text.starts_with(HEADER) {
        return Err(PlanTextError::Header {
            file: file.to_owned(),
        });
    }
    // The calls are read as a program; the other lines are read here. Lines are blanked,
    // not removed, so that line numbers in messages stay right.
    let mut calls = String::new();
    let mut programs = Vec::new();
    let mut stated = StatedLines::default();
    let mut last = None;
    for (at, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        if trimmed.starts_with('#') || trimmed.starts_with("return ") || trimmed == "return" {
            stated.add(at + 1, trimmed);
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
    let program;
    let mut graph = CallGraph::default();
    let mut variables: BTreeMap<&str, u32> = BTreeMap::new();
    let mut line_numbers: Vec<u32> = Vec::new();
    let mut found_calls = 0;
    if let Some(last) = last {
        let _ = writeln!(calls, "    return {last}");
        program = planned(&calls, file)?;
        let mut merging = CallGraphBuilder::default();
        let mut numbers = Vec::with_capacity(program.calls.len());
        for (call, line) in program.calls.iter().zip(&program.line_numbers) {
            let number = merging.node(Node::of(call, &numbers, program.reading));
            numbers.push(number);
            variables.insert(&call.variable, number);
            // Of equal calls, the last line counts.
            line_numbers.resize(merging.graph.nodes.len(), 0);
            line_numbers[number as usize] = *line;
        }
        found_calls = numbers.len();
        graph = merging.graph;
    }
    let counts = |line, found| PlanTextError::Counts {
        file: file.to_owned(),
        line,
        found,
    };
    for (line, name, rest) in programs {
        let output = output(name, rest, &variables).ok_or_else(|| PlanTextError::Program {
            file: file.to_owned(),
            line,
            found: format!("{name} = program({rest}"),
        })?;
        graph.outputs.push(ProgramOutput {
            file: file.into(),
            ..output
        });
    }
    let header = text
        .lines()
        .next()
        .and_then(|line| Counts::read(line.trim_end()));
    let header =
        header.ok_or_else(|| counts(1, "the counts of its lines are missing".to_owned()))?;
    if header.distinct != found_calls || found_calls != graph.nodes.len() {
        let (stated, equal) = (header.distinct, found_calls - graph.nodes.len());
        return Err(counts(
            1,
            format!(
                "{stated} distinct calls are stated, {found_calls} found, {equal} of them equal to others"
            ),
        ));
    }
    if header.programs != graph.outputs.len() {
        let (stated, found) = (header.programs, graph.outputs.len());
        return Err(counts(
            1,
            format!("{stated} programs are stated, {found} found"),
        ));
    }
    if header.calls > MAX_PLAN_CALLS {
        return Err(PlanTextError::TooLarge {
            file: file.to_owned(),
            asked: header.calls,
            limit: MAX_PLAN_CALLS,
        });
    }
    // A program that makes a call twice needs one line for both, so there may be fewer.
    let mut left = header.calls;
    for number in 0..graph.outputs.len() {
        let more = || format!("{} calls are stated, the programs need more", header.calls);
        let lines = graph.lines_of(number, &line_numbers, left);
        graph.outputs[number].lines = lines.ok_or_else(|| counts(1, more()))?;
        left -= graph.outputs[number].lines.len();
    }
    stated
        .check(&graph)
        .map_err(|(line, found)| counts(line, found))?;
    Ok(graph)
}

/// Reads the calls of a plan.
fn planned(calls: &str, file: &str) -> Result<Program, PlanTextError> {
    let loaded = load(calls, file);
    if let Some(error) = loaded.errors.into_iter().next() {
        return Err(PlanTextError::Line(error));
    }
    let program = loaded.programs.into_iter().find(|p| p.form == PLAN_FORM);
    program.ok_or_else(|| PlanTextError::Header {
        file: file.to_owned(),
    })
}

/// The lines at the end of a plan that repeat what its other lines are.
#[derive(Default)]
struct StatedLines<'a> {
    returned: Option<(usize, &'a str)>,
    summary: Vec<(usize, PatternKind, &'a str)>,
    last: usize,
}

impl<'a> StatedLines<'a> {
    /// Adds a line that is `return` or a comment.
    fn add(&mut self, number: usize, line: &'a str) {
        self.last = number;
        let Some(comment) = line.strip_prefix("# ") else {
            if !line.starts_with('#') {
                self.returned = Some((number, line));
            }
            return;
        };
        let name = comment.split(':').next();
        let kind = PatternKind::ALL
            .into_iter()
            .find(|kind| Some(kind.name()) == name);
        if let Some(kind) = kind {
            self.summary.push((number, kind, line));
        }
    }

    /// The first line that is missing or not that of the graph.
    fn check(&self, graph: &CallGraph) -> Result<(), (usize, String)> {
        let Some((line, returned)) = self.returned else {
            return Err((self.last, "there is no line `return …`".to_owned()));
        };
        if returned != return_line(graph).trim_end() {
            let problem = "`return` does not name the programs above in their order";
            return Err((line, problem.to_owned()));
        }
        let expected = summary(&patterns(graph));
        for (line, kind, found) in &self.summary {
            let wanted = expected.iter().find(|(expected, _)| expected == kind);
            if wanted.is_none_or(|(_, wanted)| wanted != found) {
                let wanted = wanted.map_or("no such pattern", |(_, wanted)| &wanted[2..]);
                return Err((
                    *line,
                    format!("`{}` is stated, {wanted} found", &found[2..]),
                ));
            }
        }
        let is_missing = |kind| self.summary.iter().all(|(_, stated, _)| *stated != kind);
        match expected.iter().find(|(kind, _)| is_missing(*kind)) {
            Some((_, line)) => Err((self.last, format!("the line `{line}` is missing"))),
            None => Ok(()),
        }
    }
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

impl CallGraph {
    /// The nodes that an output needs, ascending, with their line numbers; `None` if it needs
    /// more than `most`.
    pub(crate) fn lines_of(
        &self,
        output: usize,
        line_numbers: &[u32],
        most: usize,
    ) -> Option<Vec<(u32, u32)>> {
        let mut lines: Vec<(u32, u32)> = Vec::new();
        // A node comes after those it needs, so the largest waiting number is that of a node
        // that no node still to come needs.
        let mut waiting = BinaryHeap::from([self.outputs[output].result]);
        while let Some(node) = waiting.pop() {
            if lines.last().is_some_and(|(last, _)| *last == node) {
                continue;
            }
            if lines.len() == most {
                return None;
            }
            lines.push((node, line_numbers[node as usize]));
            waiting.extend(self.needs(node));
        }
        lines.reverse();
        Some(lines)
    }
}

fn name(node: u32) -> String {
    format!("t{}", node + 1)
}

fn spelled(term: Term) -> String {
    match term {
        Term::Input(input) => input.name().to_owned(),
        Term::None => Input::Candidate.name().to_owned(),
        Term::Constant(value) => spelling(value).to_string(),
        Term::Prim(prim) => prim.name().to_owned(),
        Term::Node(node) => name(node),
    }
}

fn counted(count: usize, value_kind: &str) -> String {
    format!("{count} {value_kind}{}", if count == 1 { "" } else { "s" })
}

//! Programs merged: every distinct call once.
//!
//! Two calls are the same when callee and arguments are, regardless of program and
//! variable. Constants are compared by value, so `FIVE` and `F5` are the same.

use super::value_form::{ValueForm, normalise};
use crate::constant::{Constant, spelling};
use crate::prim::Prim;
use crate::program::{Call, CallArgument, Callee, Form, Input, Program};
use crate::reading::Reading;
use std::collections::HashMap;
use std::sync::Arc;

/// An argument of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Term {
    /// A parameter of the programs.
    Input(Input),
    /// A constant.
    Constant(Constant),
    /// A primitive passed as a function.
    Prim(Prim),
    /// The candidate of a run of a merged file without one.
    None,
    /// The result of an earlier node.
    Node(u32),
}

/// The callee of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Head {
    /// A primitive.
    Prim(Prim),
    /// The function that an earlier node returned.
    Node(u32),
    /// A parameter or a constant, which is no function: the call fails.
    Value(Term),
}

/// One distinct call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// The callee.
    pub head: Head,
    /// The arguments.
    pub arguments: Vec<Term>,
    /// How the call is understood.
    pub reading: Reading,
}

impl Node {
    /// The node of a program's call; `numbers` are the nodes of its earlier calls.
    pub(crate) fn of(call: &Call, numbers: &[u32], reading: Reading) -> Self {
        Node {
            reading,
            head: match call.callee {
                Callee::Prim(prim) => Head::Prim(prim),
                Callee::Call(call) => Head::Node(numbers[call as usize]),
                Callee::Input(input) => Head::Value(Term::Input(input)),
                Callee::Constant(value) => Head::Value(Term::Constant(value)),
            },
            arguments: call
                .arguments
                .iter()
                .map(|argument| match argument {
                    CallArgument::Input(input) => Term::Input(*input),
                    CallArgument::Constant(_, value) => Term::Constant(*value),
                    CallArgument::Prim(prim) => Term::Prim(*prim),
                    CallArgument::Call(call) => Term::Node(numbers[*call as usize]),
                })
                .collect(),
        }
    }
}

/// One program of the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramOutput {
    /// The program's name.
    pub name: Arc<str>,
    /// The parameters it takes.
    pub form: Form,
    /// How its calls are understood. Where its dialect and the classic language agree on a call,
    /// the node has the classic reading.
    pub reading: Reading,
    /// The node whose value it returns.
    pub result: u32,
    /// Its nodes in the order of its text, each with its line number.
    pub lines: Vec<(u32, u32)>,
    /// The file it was read from.
    pub file: Arc<str>,
}

/// Merged programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallGraph {
    /// Distinct calls, each after those it depends on.
    pub nodes: Vec<Node>,
    /// One for each program.
    pub outputs: Vec<ProgramOutput>,
}

impl CallGraph {
    /// Merges programs. Lines that no result depends on are left out.
    #[must_use]
    pub fn merge(programs: &[Program]) -> CallGraph {
        let mut merging = CallGraphBuilder::default();
        for program in programs {
            merging.add(program);
        }
        merging.graph
    }

    /// The number of calls before merging, without lines that no result depends on.
    #[must_use]
    pub fn calls(&self) -> usize {
        self.outputs.iter().map(|output| output.lines.len()).sum()
    }

    /// The nodes a node depends on directly.
    pub fn needs(&self, node: u32) -> impl Iterator<Item = u32> {
        let node = &self.nodes[node as usize];
        let head = match node.head {
            Head::Node(head) => Some(head),
            Head::Prim(_) | Head::Value(_) => None,
        };
        let arguments = node.arguments.iter().filter_map(|term| match term {
            Term::Node(node) => Some(*node),
            _ => None,
        });
        head.into_iter().chain(arguments)
    }

    /// One program of the graph, as a program of its own.
    #[must_use]
    pub fn slice(&self, output: usize) -> Program {
        let output = &self.outputs[output];
        let mut wanted = vec![false; output.result as usize + 1];
        wanted[output.result as usize] = true;
        for node in (0..=output.result).rev() {
            if wanted[node as usize] {
                for need in self.needs(node) {
                    wanted[need as usize] = true;
                }
            }
        }
        let lines: HashMap<u32, u32> = output.lines.iter().copied().collect();
        let mut numbers: HashMap<u32, u32> = HashMap::new();
        let mut program = Program {
            name: Arc::clone(&output.name),
            form: output.form,
            reading: output.reading,
            calls: Vec::new(),
            result: 0,
            file: Arc::clone(&output.file),
            line_numbers: Vec::new(),
        };
        // In the order of the program's text where it is known.
        let text_order = output.lines.iter().map(|(node, _)| *node);
        let any_order = 0..=output.result;
        for node in text_order.chain(any_order) {
            if !wanted[node as usize] || numbers.contains_key(&node) {
                continue;
            }
            let number = program.calls.len() as u32;
            numbers.insert(node, number);
            program
                .calls
                .push(self.call(node, output.result, number, &numbers));
            program
                .line_numbers
                .push(lines.get(&node).copied().unwrap_or(0));
        }
        program.result = numbers[&output.result];
        program
    }

    fn call(&self, node: u32, result: u32, number: u32, numbers: &HashMap<u32, u32>) -> Call {
        let variable = if node == result {
            "O".into()
        } else {
            format!("x{}", number + 1).into()
        };
        let node = &self.nodes[node as usize];
        Call {
            variable,
            callee: match node.head {
                Head::Prim(prim) | Head::Value(Term::Prim(prim)) => Callee::Prim(prim),
                Head::Node(node) | Head::Value(Term::Node(node)) => Callee::Call(numbers[&node]),
                Head::Value(Term::Input(input)) => Callee::Input(input),
                Head::Value(Term::None) => Callee::Input(Input::Candidate),
                Head::Value(Term::Constant(value)) => Callee::Constant(value),
            },
            arguments: node
                .arguments
                .iter()
                .map(|term| match *term {
                    Term::Input(input) => CallArgument::Input(input),
                    Term::None => CallArgument::Input(Input::Candidate),
                    Term::Constant(value) => CallArgument::Constant(spelling(value), value),
                    Term::Prim(prim) => CallArgument::Prim(prim),
                    Term::Node(node) => CallArgument::Call(numbers[&node]),
                })
                .collect(),
        }
    }
}

/// A graph under construction.
#[derive(Default)]
pub(crate) struct CallGraphBuilder {
    pub graph: CallGraph,
    known: HashMap<Node, u32>,
    /// What is known of the value of each node.
    forms: Vec<ValueForm>,
}

impl CallGraphBuilder {
    /// The number of a node, which is added if it is new.
    pub(crate) fn node(&mut self, mut node: Node) -> u32 {
        if let (Head::Prim(Prim::GetNthByKeyT | Prim::GetNthByKeyF), [_, _]) =
            (node.head, &*node.arguments)
        {
            node.arguments.push(Term::Prim(Prim::Identity));
        }
        let form = normalise(&mut node, &self.forms);
        if let Some(number) = self.known.get(&node) {
            return *number;
        }
        let number = self.graph.nodes.len() as u32;
        self.graph.nodes.push(node.clone());
        self.forms.push(form);
        self.known.insert(node, number);
        number
    }

    fn add(&mut self, program: &Program) {
        let needed = needed_calls(program);
        let mut numbers = vec![0; program.calls.len()];
        let mut lines = Vec::new();
        for (index, call) in program.calls.iter().enumerate() {
            if !needed[index] {
                continue;
            }
            numbers[index] = self.node(Node::of(call, &numbers, program.reading));
            lines.push((numbers[index], program.line_numbers[index]));
        }
        self.graph.outputs.push(ProgramOutput {
            name: Arc::clone(&program.name),
            form: program.form,
            reading: program.reading,
            result: numbers[program.result as usize],
            lines,
            file: Arc::clone(&program.file),
        });
    }
}

/// For each call of a program, whether the result depends on it.
fn needed_calls(program: &Program) -> Vec<bool> {
    let mut needed = vec![false; program.calls.len()];
    needed[program.result as usize] = true;
    for index in (0..program.calls.len()).rev() {
        if !needed[index] {
            continue;
        }
        let call = &program.calls[index];
        if let Callee::Call(callee) = call.callee {
            needed[callee as usize] = true;
        }
        for argument in &call.arguments {
            if let CallArgument::Call(call) = argument {
                needed[*call as usize] = true;
            }
        }
    }
    needed
}

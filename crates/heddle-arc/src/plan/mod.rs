//! Plans: programs merged for execution.
//!
//! Making a [`Plan`] merges programs (every distinct call once), specialises them (known
//! functions become lists of calls), renumbers steps (equal steps once) and lists the steps
//! of each program. Engines run plans. A plan keeps its [`CallGraph`], which can be written as
//! text, sliced and searched for [`patterns()`].

mod function;
mod graph;
mod pattern;
mod text;
mod value_form;

pub(crate) use graph::CallGraphBuilder;
pub use graph::{CallGraph, Head, Node, ProgramOutput, Term};
pub use pattern::{Pattern, PatternKind, patterns};
pub use text::{PlanTextError, read, write};

use crate::code::{Code, FlatCode, Step, StepOperand, StepOperation};
use crate::constant::Constant;
use crate::prefetch::fetch;
use crate::prim::Prim;
use crate::program::{Form, Input, Program};
use crate::reading::Reading;
use crate::value::Value;
use function::{BodyBuilder, LoweredTerm, StepBuilder};
use std::collections::{BinaryHeap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of plans made by this process.
static PLANS: AtomicU64 = AtomicU64::new(0);

/// One program of a plan.
#[derive(Clone, Debug)]
pub(crate) struct PlannedProgram {
    pub name: Arc<str>,
    pub result: StepOperand,
    /// The steps it needs, in ascending order.
    pub steps: Vec<PlannedStep>,
    /// The steps among them that other programs need too.
    pub shared: Vec<PlannedStep>,
}

/// One step of a program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlannedStep {
    /// Its number in the plan.
    pub number: u32,
    /// The slot of its result: shared steps come first, then each program numbers its own
    /// steps.
    pub slot: u32,
    /// The program's line that calls it.
    pub line: u32,
}

/// Programs ready to run.
#[derive(Clone, Debug)]
pub struct Plan {
    graph: CallGraph,
    /// Unique among the plans of the process. Copies have the same number, because what a
    /// worker has learnt about a plan holds for its copies.
    pub(crate) number: u64,
    pub(crate) code: Code,
    /// The steps; operands are the slots of other steps.
    pub(crate) steps: Vec<Step>,
    pub(crate) programs: Vec<PlannedProgram>,
    /// The number of steps that several programs need.
    pub(crate) shared_steps: usize,
    /// The largest number of steps of one program that no other program needs.
    pub(crate) max_own_steps: usize,
    /// The inputs beyond the grid that any program reads.
    pub(crate) takes: RequiredInputs,
}

/// The inputs beyond the grid that a plan reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RequiredInputs {
    pub examples: bool,
    pub candidate: bool,
}

impl Plan {
    /// A plan of programs.
    #[must_use]
    pub fn new(programs: &[Program]) -> Plan {
        Plan::of(CallGraph::merge(programs))
    }

    /// A plan of merged programs.
    #[must_use]
    pub fn of(graph: CallGraph) -> Plan {
        let mut lowering = BodyBuilder::default();
        let mut block = StepBuilder::default();
        let mut meanings: Vec<LoweredTerm> = Vec::with_capacity(graph.nodes.len());
        let mut used_steps: Vec<Vec<u32>> = Vec::with_capacity(graph.nodes.len());
        for node in &graph.nodes {
            let arguments: Vec<LoweredTerm> = node
                .arguments
                .iter()
                .map(|term| lowered(*term, &meanings, node.reading))
                .collect();
            block.used_steps.clear();
            block.reading = node.reading;
            let function = match node.head {
                Head::Prim(prim) => LoweredTerm::prim(prim),
                Head::Node(head) => meanings[head as usize].clone(),
                Head::Value(term) => lowered(term, &meanings, node.reading),
            };
            let result = lowering.apply(&mut block, &function, arguments);
            meanings.push(result);
            used_steps.push(block.used_steps.clone());
        }
        let mut programs = Vec::with_capacity(graph.outputs.len());
        for output in &graph.outputs {
            block.used_steps.clear();
            let result = lowering.value(&mut block, &meanings[output.result as usize]);
            let mut lines: HashMap<u32, u32> = HashMap::new();
            for (node, line) in &output.lines {
                for step in &used_steps[*node as usize] {
                    lines.entry(*step).or_insert(*line);
                }
            }
            let last_line = output.lines.last().map_or(0, |(_, line)| *line);
            let steps = needed_steps(&block.steps, result)
                .into_iter()
                .map(|number| PlannedStep {
                    number,
                    slot: 0,
                    line: lines.get(&number).copied().unwrap_or(last_line),
                })
                .collect();
            programs.push(PlannedProgram {
                name: Arc::clone(&output.name),
                result,
                steps,
                shared: Vec::new(),
            });
        }
        let mut steps = block.steps;
        let (shared_steps, max_own_steps) = assign_slots(&mut programs, &mut steps);
        let mut code = lowering.code;
        code.flat_code = FlatCode::new(&steps, &code.bodies);
        Plan {
            takes: takes(&graph),
            graph,
            number: PLANS.fetch_add(1, Ordering::Relaxed),
            code,
            steps,
            programs,
            shared_steps,
            max_own_steps,
        }
    }

    /// Prefetches the memory of a plan with one program. A plan of several programs may not
    /// run all of its steps.
    pub(crate) fn fetch(&self) {
        if let [only] = &*self.programs {
            self.code.flat_code.fetch();
            fetch(&only.steps, |step| step.number);
        }
    }

    /// The merged programs it is made from.
    #[must_use]
    pub fn graph(&self) -> &CallGraph {
        &self.graph
    }

    /// The number of programs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.programs.len()
    }

    /// Whether it has no programs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.programs.is_empty()
    }

    /// The name of a program.
    #[must_use]
    pub fn name(&self, program: usize) -> &str {
        &self.programs[program].name
    }

    /// The number of calls and steps before and after merging.
    #[must_use]
    pub fn sharing(&self) -> Sharing {
        Sharing {
            calls: self.graph.calls(),
            distinct_calls: self.graph.nodes.len(),
            steps: self.programs.iter().map(|p| p.steps.len()).sum(),
            distinct_steps: self.steps.len(),
            bodies: self.code.bodies.len(),
        }
    }

    /// The primitive that a step calls, if any.
    pub(crate) fn primitive_of(&self, step: u32) -> Option<Prim> {
        match self.code.flat_code.step(step).operation {
            StepOperation::Primitive(prim) => Some(prim),
            StepOperation::Call | StepOperation::Close(_) => None,
        }
    }
}

/// The number of calls and steps before and after merging.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sharing {
    /// Calls before merging, without dead lines.
    pub calls: usize,
    /// Calls after merging.
    pub distinct_calls: usize,
    /// Steps before merging.
    pub steps: usize,
    /// Steps after merging.
    pub distinct_steps: usize,
    /// Functions that became bodies.
    pub bodies: usize,
}

fn lowered(term: Term, nodes: &[LoweredTerm], reading: Reading) -> LoweredTerm {
    match term {
        Term::Input(input) => LoweredTerm::Value(StepOperand::Parameter(parameter(input, reading))),
        Term::Constant(Constant::Bool(value)) => {
            LoweredTerm::Value(StepOperand::Fixed(Value::Bool(value)))
        }
        Term::Constant(Constant::Int(value)) => {
            LoweredTerm::Value(StepOperand::Fixed(Value::Int(value)))
        }
        // The components of pair constants are far below 32 bits.
        Term::Constant(Constant::Pair(i, j)) => {
            LoweredTerm::Value(StepOperand::Fixed(Value::Pair(i as i32, j as i32)))
        }
        Term::None => LoweredTerm::Value(StepOperand::Fixed(Value::None)),
        Term::Prim(prim) => LoweredTerm::prim(prim),
        Term::Node(node) => nodes[node as usize].clone(),
    }
}

fn parameter(input: Input, reading: Reading) -> u8 {
    match input {
        Input::Grid => 0,
        Input::Examples => 1,
        Input::Candidate => 2 + u8::from(reading.is_typed()),
    }
}

fn takes(graph: &CallGraph) -> RequiredInputs {
    let head = |head: &Head| match head {
        Head::Value(term) => Some(*term),
        _ => None,
    };
    let terms = || {
        let nodes = graph.nodes.iter();
        nodes.flat_map(move |node| node.arguments.iter().copied().chain(head(&node.head)))
    };
    RequiredInputs {
        examples: terms().any(|term| term == Term::Input(Input::Examples)),
        candidate: terms().any(|term| term == Term::Input(Input::Candidate)),
    }
}

/// The steps a result depends on, in ascending order.
fn needed_steps(steps: &[Step], result: StepOperand) -> Vec<u32> {
    let StepOperand::Local(last) = result else {
        return Vec::new();
    };
    let mut needed = Vec::new();
    // Arguments come before the steps that take them, so the largest waiting number is that
    // of a step that no step still to come takes.
    let mut waiting = BinaryHeap::from([last]);
    while let Some(step) = waiting.pop() {
        if needed.last() == Some(&step) {
            continue;
        }
        needed.push(step);
        let arguments = steps[step as usize].arguments.iter();
        waiting.extend(arguments.filter_map(|argument| match argument {
            StepOperand::Local(slot) => Some(*slot),
            _ => None,
        }));
    }
    needed.reverse();
    needed
}

/// Assigns a slot to every step and replaces operands by slots. Returns the number of
/// shared steps and the largest number of steps of one program that no other needs.
fn assign_slots(programs: &mut [PlannedProgram], steps: &mut [Step]) -> (usize, usize) {
    let mut users = vec![0_u32; steps.len()];
    for program in &*programs {
        for step in &program.steps {
            users[step.number as usize] += 1;
        }
    }
    let mut slots = vec![0_u32; steps.len()];
    let mut shared = 0;
    for (slot, users) in slots.iter_mut().zip(&users) {
        if *users > 1 {
            *slot = shared;
            shared += 1;
        }
    }
    let mut most = shared;
    for program in &mut *programs {
        let mut next = shared;
        for step in &mut program.steps {
            let number = step.number as usize;
            if users[number] == 1 {
                slots[number] = next;
                next += 1;
            }
            step.slot = slots[number];
        }
        most = most.max(next);
        let kept = program.steps.iter().filter(|step| step.slot < shared);
        program.shared = kept.copied().collect();
    }
    let replaced = |argument: &mut StepOperand| {
        if let StepOperand::Local(step) = argument {
            *step = slots[*step as usize];
        }
    };
    for step in steps {
        step.arguments.iter_mut().for_each(replaced);
    }
    for program in programs {
        replaced(&mut program.result);
    }
    (shared as usize, (most - shared) as usize)
}

/// The form that a plan's text declares: all parameters.
pub(crate) const PLAN_FORM: Form = Form::Examples;

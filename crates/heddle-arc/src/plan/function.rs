//! Functions known when the plan is made.
//!
//! A program that composes, forks or binds functions it names makes a function whose parts
//! are all known: calling it is a list of calls. This module keeps such functions as
//! symbols and expands them to steps. A function known only at run time (an element of a
//! set, a power with a computed exponent) stays a value and is called as one.

use crate::code::{Body, Code, Step, StepOperand, StepOperation};
use crate::plain::arity_when_bound;
use crate::prim::Prim;
use crate::reading::Reading;
use crate::value::Value;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

/// The most calls a function expands to; each `compose(f, f)` doubles the number.
const MAX_CALLS: u32 = 256;
/// The highest power that is expanded.
const MAX_POWER: i64 = 16;

/// A term of a program during lowering.
#[derive(Clone, Debug)]
pub(super) enum LoweredTerm {
    /// A value, known when the block runs.
    Value(StepOperand),
    /// A function whose parts are all known.
    StaticFunction(Rc<StaticFunction>),
}

#[derive(Clone, Debug)]
pub(super) struct StaticFunction {
    shape: FunctionShape,
    /// The number of calls it expands to.
    weight: u32,
}

#[derive(Clone, Debug)]
enum FunctionShape {
    Prim(Prim),
    /// A function known only at run time.
    Dynamic(StepOperand),
    /// Outermost first.
    Pipe(Vec<Rc<StaticFunction>>),
    Fork(Rc<StaticFunction>, Rc<StaticFunction>, Rc<StaticFunction>),
    Matcher(Rc<StaticFunction>, LoweredTerm),
    Bound {
        function: Rc<StaticFunction>,
        fixed: LoweredTerm,
        first: bool,
    },
}

impl StaticFunction {
    fn new(shape: FunctionShape) -> Rc<StaticFunction> {
        let weight = match &shape {
            FunctionShape::Prim(_) | FunctionShape::Dynamic(_) => 1,
            FunctionShape::Pipe(parts) => parts
                .iter()
                .fold(0, |sum, part| part.weight.saturating_add(sum)),
            FunctionShape::Fork(outer, a, b) => outer
                .weight
                .saturating_add(a.weight)
                .saturating_add(b.weight),
            FunctionShape::Matcher(function, target) => function
                .weight
                .saturating_add(target.weight())
                .saturating_add(1),
            FunctionShape::Bound {
                function, fixed, ..
            } => function.weight.saturating_add(fixed.weight()),
        };
        Rc::new(StaticFunction { shape, weight })
    }

    /// The number of arguments it takes, if known.
    fn arity(&self) -> Option<usize> {
        match &self.shape {
            FunctionShape::Prim(prim) => Some(prim.arity()),
            FunctionShape::Dynamic(_) => None,
            FunctionShape::Bound { function, .. } => function.arity().map(arity_when_bound),
            _ => Some(1),
        }
    }
}

impl LoweredTerm {
    fn weight(&self) -> u32 {
        match self {
            LoweredTerm::Value(_) => 0,
            LoweredTerm::StaticFunction(function) => function.weight,
        }
    }

    /// The term for a primitive passed as an argument.
    pub(super) fn prim(prim: Prim) -> LoweredTerm {
        LoweredTerm::StaticFunction(StaticFunction::new(FunctionShape::Prim(prim)))
    }

    fn function(&self) -> Rc<StaticFunction> {
        match self {
            LoweredTerm::StaticFunction(function) => Rc::clone(function),
            LoweredTerm::Value(argument) => StaticFunction::new(FunctionShape::Dynamic(*argument)),
        }
    }
}

/// Steps under construction; equal steps are written once.
#[derive(Debug, Default)]
pub(super) struct StepBuilder {
    pub steps: Vec<Step>,
    /// The reading of the steps to come.
    pub reading: Reading,
    known: HashMap<(StepOperation, Reading, Vec<ArgumentKey>), u32>,
    /// Every step emitted since this was last cleared, new or not.
    pub used_steps: Vec<u32>,
}

/// An argument as a hash key.
type ArgumentKey = (u8, i64, i64);

fn key(argument: StepOperand) -> ArgumentKey {
    match argument {
        StepOperand::Parameter(index) => (0, i64::from(index), 0),
        StepOperand::Local(index) => (1, i64::from(index), 0),
        StepOperand::Captured(index) => (2, i64::from(index), 0),
        StepOperand::Fixed(value) => match value {
            Value::Bool(value) => (3, i64::from(value), 0),
            Value::Int(value) => (4, value, 0),
            Value::Pair(i, j) => (5, i64::from(i), i64::from(j)),
            Value::Prim(prim) => (6, prim as i64, 0),
            // Code contains no other values.
            _ => (7, 0, 0),
        },
    }
}

impl StepBuilder {
    fn emit(&mut self, operation: StepOperation, arguments: Vec<StepOperand>) -> StepOperand {
        let keys: Vec<ArgumentKey> = arguments.iter().map(|argument| key(*argument)).collect();
        let next = self.steps.len() as u32;
        let reading = match operation {
            // A function is the same under every reading.
            StepOperation::Close(_) => Reading::Classic,
            _ => self.reading,
        };
        let entry = self.known.entry((operation, reading, keys));
        let number = *entry.or_insert(next);
        if number == next {
            self.steps.push(Step {
                operation,
                reading,
                arguments,
            });
        }
        self.used_steps.push(number);
        StepOperand::Local(number)
    }
}

/// Function bodies under construction; equal bodies are kept once.
#[derive(Debug, Default)]
pub(super) struct BodyBuilder {
    pub code: Code,
    known: HashMap<String, u32>,
}

impl BodyBuilder {
    /// Lowers a call of a function with these arguments.
    pub(super) fn apply(
        &mut self,
        block: &mut StepBuilder,
        function: &LoweredTerm,
        arguments: Vec<LoweredTerm>,
    ) -> LoweredTerm {
        self.call(block, &function.function(), arguments)
    }

    fn call(
        &mut self,
        block: &mut StepBuilder,
        function: &Rc<StaticFunction>,
        arguments: Vec<LoweredTerm>,
    ) -> LoweredTerm {
        let is_prim = matches!(function.shape, FunctionShape::Prim(_));
        let whole = block.reading.guards_lines() && !is_prim;
        if whole || function.arity() != Some(arguments.len()) {
            // The arity is unknown, the call fails, or what it returns where it fails depends on
            // the whole of it: left to run time.
            let mut operands =
                vec![self.value(block, &LoweredTerm::StaticFunction(Rc::clone(function)))];
            for argument in &arguments {
                operands.push(self.value(block, argument));
            }
            return LoweredTerm::Value(block.emit(StepOperation::Call, operands));
        }
        match &function.shape {
            FunctionShape::Prim(prim) => self.primitive(block, *prim, &arguments),
            FunctionShape::Dynamic(_) => LoweredTerm::StaticFunction(Rc::clone(function)),
            FunctionShape::Pipe(parts) => {
                let mut arguments = arguments;
                for part in parts.iter().rev() {
                    arguments = vec![self.call(block, part, arguments)];
                }
                arguments.swap_remove(0)
            }
            FunctionShape::Fork(outer, a, b) => {
                let first = self.call(block, a, arguments.clone());
                let second = self.call(block, b, arguments);
                self.call(block, outer, vec![first, second])
            }
            FunctionShape::Matcher(function, target) => {
                let value = self.call(block, function, arguments);
                self.primitive(block, Prim::Equality, &[value, target.clone()])
            }
            FunctionShape::Bound {
                function,
                fixed,
                first,
            } => {
                let mut all = arguments;
                let index = if *first { 0 } else { all.len() };
                all.insert(index, fixed.clone());
                self.call(block, function, all)
            }
        }
    }

    /// Lowers a call of a primitive; builders build their function here.
    pub(super) fn primitive(
        &mut self,
        block: &mut StepBuilder,
        prim: Prim,
        arguments: &[LoweredTerm],
    ) -> LoweredTerm {
        if prim == Prim::Identity {
            return arguments[0].clone();
        }
        if prim.builds_a_function()
            && let Some(built) = build(prim, arguments)
        {
            return built;
        }
        let operands = arguments
            .iter()
            .map(|argument| self.value(block, argument))
            .collect();
        LoweredTerm::Value(block.emit(StepOperation::Primitive(prim), operands))
    }

    /// A term as a value: functions become closures.
    pub(super) fn value(&mut self, block: &mut StepBuilder, lowered: &LoweredTerm) -> StepOperand {
        match lowered {
            LoweredTerm::Value(argument) => *argument,
            LoweredTerm::StaticFunction(function) => match &function.shape {
                FunctionShape::Prim(prim) => StepOperand::Fixed(Value::Prim(*prim)),
                FunctionShape::Dynamic(argument) => *argument,
                _ => self.close(block, function),
            },
        }
    }

    /// Writes a function as a body and closes it over the values it takes from `block`.
    fn close(&mut self, block: &mut StepBuilder, function: &Rc<StaticFunction>) -> StepOperand {
        let mut captures = CaptureList::default();
        let inside = captures.function(function);
        // Only a dynamic function has no known arity, and it needs no body.
        let arity = function.arity().unwrap_or(1);
        let parameters = (0..arity as u8)
            .map(|index| LoweredTerm::Value(StepOperand::Parameter(index)))
            .collect();
        let mut body = StepBuilder::default();
        let result = self.call(&mut body, &inside, parameters);
        let result = self.value(&mut body, &result);
        let id = self.body(arity as u8, body.steps, result);
        block.emit(StepOperation::Close(id), captures.outside)
    }

    fn body(&mut self, arity: u8, steps: Vec<Step>, result: StepOperand) -> u32 {
        use std::fmt::Write;
        let mut text = format!("{arity} {result:?}");
        for step in &steps {
            // Inner bodies are identified by fingerprint, not by number.
            let operation = match step.operation {
                StepOperation::Close(id) => {
                    format!("close {}", self.code.bodies[id as usize].fingerprint)
                }
                other => format!("{other:?}"),
            };
            // Writing to a string cannot fail.
            let _ = write!(text, "; {operation} {:?}", step.arguments);
        }
        if let Some(id) = self.known.get(&text) {
            return *id;
        }
        let id = self.code.bodies.len() as u32;
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        self.code.bodies.push(Body {
            arity,
            steps,
            result,
            fingerprint: hasher.finish() as i64,
        });
        self.known.insert(text, id);
        id
    }
}

/// The function a builder makes of known parts; `None` where it must be made, or must
/// fail, at run time.
fn build(prim: Prim, parts: &[LoweredTerm]) -> Option<LoweredTerm> {
    let function = |index: usize| parts[index].function();
    let shape = match prim {
        Prim::Compose | Prim::Chain => {
            FunctionShape::Pipe((0..parts.len()).map(function).collect())
        }
        Prim::Fork => FunctionShape::Fork(function(0), function(1), function(2)),
        Prim::Matcher => FunctionShape::Matcher(function(0), parts[1].clone()),
        Prim::Lbind | Prim::Rbind => {
            let function = function(0);
            function.arity()?;
            FunctionShape::Bound {
                function,
                fixed: parts[1].clone(),
                first: prim == Prim::Lbind,
            }
        }
        _ => match parts[1] {
            LoweredTerm::Value(StepOperand::Fixed(Value::Int(1))) => return Some(parts[0].clone()),
            LoweredTerm::Value(StepOperand::Fixed(Value::Int(n @ 2..=MAX_POWER))) => {
                FunctionShape::Pipe(vec![function(0); n as usize])
            }
            _ => return None,
        },
    };
    let built = StaticFunction::new(shape);
    (built.weight <= MAX_CALLS).then_some(LoweredTerm::StaticFunction(built))
}

/// The values a body takes from the block around it.
#[derive(Default)]
struct CaptureList {
    outside: Vec<StepOperand>,
    known: HashMap<ArgumentKey, u16>,
}

impl CaptureList {
    fn argument(&mut self, argument: StepOperand) -> StepOperand {
        if matches!(argument, StepOperand::Fixed(_)) {
            return argument;
        }
        let next = self.outside.len() as u16;
        let index = *self.known.entry(key(argument)).or_insert(next);
        if index == next {
            self.outside.push(argument);
        }
        StepOperand::Captured(index)
    }

    fn lowered(&mut self, lowered: &LoweredTerm) -> LoweredTerm {
        match lowered {
            LoweredTerm::Value(argument) => LoweredTerm::Value(self.argument(*argument)),
            LoweredTerm::StaticFunction(function) => {
                LoweredTerm::StaticFunction(self.function(function))
            }
        }
    }

    /// The function as seen from inside its body.
    fn function(&mut self, function: &Rc<StaticFunction>) -> Rc<StaticFunction> {
        StaticFunction::new(match &function.shape {
            FunctionShape::Prim(prim) => FunctionShape::Prim(*prim),
            FunctionShape::Dynamic(argument) => FunctionShape::Dynamic(self.argument(*argument)),
            FunctionShape::Pipe(parts) => {
                FunctionShape::Pipe(parts.iter().map(|part| self.function(part)).collect())
            }
            FunctionShape::Fork(outer, a, b) => {
                FunctionShape::Fork(self.function(outer), self.function(a), self.function(b))
            }
            FunctionShape::Matcher(function, target) => {
                FunctionShape::Matcher(self.function(function), self.lowered(target))
            }
            FunctionShape::Bound {
                function,
                fixed,
                first,
            } => FunctionShape::Bound {
                function: self.function(function),
                fixed: self.lowered(fixed),
                first: *first,
            },
        })
    }
}

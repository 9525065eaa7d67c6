//! Random programs, line by line.

use super::constants::{ConstantClass, any};
use super::functions::{ResultKind, function};
use super::rewrite::tidied;
use super::type_match::{all_fit, fits, is_known};
use crate::constant::Constant;
use crate::prim::{Prim, PrimFamily};
use crate::program::{Call, CallArgument, Callee, Form, Input, Program};
use crate::reading::Reading;
use crate::rng::Rng;
use crate::types::{Type, infer};

/// The length and form of generated programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramShape {
    /// The number of lines attempted, before unused lines are removed.
    pub lines: usize,
    /// The form of the programs.
    pub form: Form,
}

impl Default for ProgramShape {
    fn default() -> Self {
        ProgramShape {
            lines: 10,
            form: Form::Input,
        }
    }
}

/// Attempts before a line is given up; most fail because no value fits.
const ATTEMPTS_PER_LINE: usize = 40;

/// A random program; it is well typed and returns a grid.
#[must_use]
pub fn generate(name: &str, shape: ProgramShape, rng: &mut Rng) -> Program {
    let mut builder = ProgramBuilder::new(name, shape.form);
    for _ in 0..shape.lines {
        for _ in 0..ATTEMPTS_PER_LINE {
            let before = builder.program.calls.len();
            if builder.line(rng).is_some() {
                break;
            }
            builder.cut(before);
        }
    }
    builder.finish(rng)
}

/// A program under construction.
pub(super) struct ProgramBuilder {
    program: Program,
    types: Vec<Type>,
}

impl ProgramBuilder {
    fn new(name: &str, form: Form) -> Self {
        ProgramBuilder {
            program: Program {
                name: name.into(),
                form,
                reading: Reading::Classic,
                calls: Vec::new(),
                result: 0,
                file: "generated".into(),
                line_numbers: Vec::new(),
            },
            types: Vec::new(),
        }
    }

    /// Removes all lines after the first `lines`.
    fn cut(&mut self, lines: usize) {
        self.program.calls.truncate(lines);
        self.program.line_numbers.truncate(lines);
        self.types.truncate(lines);
    }

    /// Adds a call, unless its types show that it fails.
    fn push(&mut self, prim: Prim, arguments: Vec<CallArgument>) -> Option<Type> {
        let number = self.program.calls.len();
        self.program.calls.push(Call {
            variable: format!("x{}", number + 1).into(),
            callee: Callee::Prim(prim),
            arguments,
        });
        self.program.line_numbers.push(number as u32 + 2);
        let inferred = infer(&self.program);
        match inferred.types.last() {
            Some(result) if inferred.warnings.is_empty() => {
                self.types.push(result.clone());
                Some(result.clone())
            }
            _ => {
                self.program.calls.pop();
                self.program.line_numbers.pop();
                None
            }
        }
    }

    /// Adds a line whose result is a function.
    pub(super) fn function(
        &mut self,
        prim: Prim,
        arguments: Vec<CallArgument>,
    ) -> Option<CallArgument> {
        self.push(prim, arguments)?;
        Some(CallArgument::Call(self.program.calls.len() as u32 - 1))
    }

    /// The type of an operand.
    pub(super) fn type_of(&self, operand: &CallArgument) -> Type {
        match operand {
            CallArgument::Input(Input::Grid | Input::Candidate) => Type::Grid,
            CallArgument::Input(Input::Examples) => Type::tuple(Type::both(Type::Grid, Type::Grid)),
            CallArgument::Call(call) => self.types[*call as usize].clone(),
            CallArgument::Constant(_, Constant::Bool(_)) => Type::Bool,
            CallArgument::Constant(_, Constant::Int(_)) => Type::Int,
            CallArgument::Constant(_, Constant::Pair(..)) => Type::Pair,
            CallArgument::Prim(_) => Type::Any,
        }
    }

    /// The inputs and lines to choose from. Lines that are not used yet are listed four times,
    /// because lines that stay unused are removed in the end.
    fn values(&self) -> Vec<CallArgument> {
        let inputs: &[Input] = match self.program.form {
            Form::Input => &[Input::Grid],
            Form::Examples => &[Input::Grid, Input::Examples],
        };
        let mut values: Vec<CallArgument> =
            inputs.iter().map(|i| CallArgument::Input(*i)).collect();
        for line in 0..self.program.calls.len() as u32 {
            let value = CallArgument::Call(line);
            let mut arguments = self.program.calls.iter().flat_map(|call| &call.arguments);
            let times = if arguments.any(|used| *used == value) {
                1
            } else {
                4
            };
            values.extend(std::iter::repeat_n(value, times));
        }
        values
    }

    /// A random operand for a parameter of a primitive.
    pub(super) fn operand(
        &self,
        rng: &mut Rng,
        prim: Prim,
        parameter: &str,
    ) -> Option<CallArgument> {
        let class = match parameter {
            "Bool" => Some(ConstantClass::Truth),
            "Int" if prim == Prim::OG => Some(ConstantClass::Numbered('R')),
            "Int" if prim == Prim::MirRotT => Some(ConstantClass::Numbered('A')),
            "Int" => Some(ConstantClass::Number),
            "Num" | "n" if rng.one_in(2) => Some(ConstantClass::Number),
            "Pair" | "Num" | "n" => Some(ConstantClass::Pair),
            _ => None,
        };
        let fitting: Vec<CallArgument> = self
            .values()
            .into_iter()
            .filter(|value| fits(prim, parameter, &self.type_of(value)))
            .collect();
        match class {
            Some(class) if fitting.is_empty() || rng.one_in(2) => any(class, rng),
            _ => rng.pick(&fitting).cloned(),
        }
    }

    /// Adds one line, and the lines of functions it needs.
    fn line(&mut self, rng: &mut Rng) -> Option<()> {
        let prim = *rng.pick(Prim::ALL)?;
        if prim.family() == PrimFamily::HigherOrder && ResultKind::by(prim).is_none() {
            return None;
        }
        let arguments = if let Some(wanted) = ResultKind::by(prim) {
            self.with_function(rng, prim, wanted)?
        } else {
            let mut arguments = Vec::with_capacity(prim.arity());
            for parameter in prim.parameters() {
                arguments.push(self.operand(rng, prim, parameter)?);
            }
            let values: Vec<Type> = arguments.iter().map(|a| self.type_of(a)).collect();
            if !all_fit(prim, &values) {
                return None;
            }
            arguments
        };
        let result = self.push(prim, arguments)?;
        is_known(&result).then_some(())
    }

    /// Arguments of a primitive that takes a container and a function of its elements.
    fn with_function(
        &mut self,
        rng: &mut Rng,
        prim: Prim,
        wanted: ResultKind,
    ) -> Option<Vec<CallArgument>> {
        let parameters = prim.parameters();
        let place = parameters.iter().position(|p| !p.starts_with("Fn["))?;
        let container = self.operand(rng, prim, parameters[place])?;
        let element = self.type_of(&container).element();
        if !is_known(&element) {
            return None;
        }
        let function = function(self, rng, &element, wanted)?;
        Some(if place == 0 {
            vec![container, function]
        } else {
            vec![function, container]
        })
    }

    /// The finished program; it returns the grid that depends on the most lines.
    fn finish(mut self, rng: &mut Rng) -> Program {
        // Patches are painted, so that the lines behind them are used.
        let patches: Vec<CallArgument> = (0..self.types.len() as u32)
            .filter(|line| matches!(self.types[*line as usize], Type::Object | Type::Indices))
            .map(CallArgument::Call)
            .collect();
        for patch in patches {
            if let Some(colour) = any(ConstantClass::Number, rng) {
                let grid = CallArgument::Input(Input::Grid);
                self.push(Prim::Fill, vec![grid, colour, patch]);
            }
        }
        // Turning the input is always possible.
        self.push(Prim::Rot90, vec![CallArgument::Input(Input::Grid)]);
        let mut longest: Option<Program> = None;
        for line in (0..self.types.len()).filter(|line| self.types[*line] == Type::Grid) {
            self.program.result = line as u32;
            let tidy = tidied(&self.program);
            let known = longest.as_ref().map_or(0, |known| known.calls.len());
            if tidy.calls.len() > known {
                longest = Some(tidy);
            }
        }
        longest.unwrap_or_else(|| tidied(&self.program))
    }
}

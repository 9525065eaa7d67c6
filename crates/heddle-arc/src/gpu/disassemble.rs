//! Bytecode as text.
//!
//! ```text
//! solve_a(I): 4 steps, 2 registers
//!     r0 = objects(I, T, F, T)  : Set[Object]
//!     r1 = close 0 [I]  : Fn
//!         body 0(a) [^0]: 2 steps
//!             r0 = colorcount(^0, 3)  : Int
//!             ...
//! ```
//!
//! `rN` is a register, `^N` a value a body closes over. After the colon is the type of the
//! result, if type inference knows it.

use super::image::value_of;
use super::lower::{
    BODY_HEAD, Bytecode, CALL, CAPTURED, CLOSE, CONSTANT, PROGRAM_HEAD, REGISTER, SOURCE_SHIFT,
};
use crate::prim::Prim;
use crate::reading::Reading;
use crate::types::{FunctionType, Type, result_of};
use crate::value::Value;
use std::collections::HashMap;
use std::fmt::Write;
use std::rc::Rc;

/// Parameters of a program.
const INPUTS: [&str; 4] = ["I", "S", "C", "D"];
/// Parameters of a body.
const PARAMETERS: [&str; 4] = ["a", "b", "c", "d"];

/// The text of a program of some bytecode, with the bodies it calls.
#[must_use]
pub fn disassemble(code: &Bytecode, program: usize, name: &str) -> String {
    let Some(at) = code.program(program) else {
        return format!("{name}: has no bytecode\n");
    };
    let at = at as usize;
    let mut reader = BytecodeReader {
        words: code.words(),
        table: 0,
        constants: 0,
        text: String::new(),
        told: Vec::new(),
    };
    reader.table = reader.word(at + 3) as usize;
    reader.constants = reader.word(at + 4) as usize;
    let (steps, registers) = (reader.word(at), reader.word(at + 5));
    let takes = if reader.word(at + 2) & 1 == 1 {
        "S, I, C"
    } else {
        "I"
    };
    // Writing to a string cannot fail.
    let _ = writeln!(
        reader.text,
        "{name}({takes}): {steps} steps, {registers} registers"
    );
    let examples = Type::tuple(Type::both(Type::Grid, Type::Grid));
    let mut scope = Scope {
        parameters: &INPUTS,
        parameter_types: vec![Type::Grid, examples, Type::Grid],
        captured: Vec::new(),
        registers: HashMap::new(),
        below: u32::MAX,
        indent: 1,
    };
    reader.steps(at + PROGRAM_HEAD, steps, &mut scope);
    let (result, _) = reader.argument(reader.word(at + 1), &scope);
    let _ = writeln!(reader.text, "    return {result}");
    reader.text
}

/// What names mean where a step stands.
struct Scope {
    parameters: &'static [&'static str; 4],
    parameter_types: Vec<Type>,
    captured: Vec<Type>,
    registers: HashMap<u32, Type>,
    /// Bodies it may close have smaller numbers.
    below: u32,
    indent: usize,
}

struct BytecodeReader<'a> {
    words: &'a [u32],
    table: usize,
    constants: usize,
    text: String,
    /// Bodies that were written out already.
    told: Vec<u32>,
}

impl BytecodeReader<'_> {
    fn word(&self, at: usize) -> u32 {
        self.words.get(at).copied().unwrap_or(0)
    }

    fn steps(&mut self, mut at: usize, count: u32, scope: &mut Scope) {
        for _ in 0..count {
            if at >= self.words.len() {
                return;
            }
            at = self.step(at, scope);
        }
    }

    /// Writes a step; where the next begins.
    fn step(&mut self, at: usize, scope: &mut Scope) -> usize {
        let head = self.word(at);
        let (operation, count, register) = (head & 0xff, head >> 8 & 0xff, head >> 16);
        let mut first = at + 1;
        if operation == CLOSE {
            first += 1;
        }
        let (mut names, mut types) = (Vec::new(), Vec::new());
        for place in 0..count as usize {
            let (name, kind) = self.argument(self.word(first + place), scope);
            names.push(name);
            types.push(kind);
        }
        let next = first + count as usize;
        let (call, result) = match (operation, Prim::ALL.get(operation as usize)) {
            (CLOSE, _) => {
                let body = self.word(at + 1);
                let function = Type::Function(Rc::new(FunctionType::Unknown));
                (format!("close {body} [{}]", names.join(", ")), function)
            }
            (CALL, _) => {
                let function = names.first().cloned().unwrap_or_default();
                let given = names.get(1..).unwrap_or_default();
                (format!("{function}({})", given.join(", ")), Type::Any)
            }
            (_, Some(prim)) => {
                let result = result_of(*prim, &types, Reading::Classic);
                (format!("{prim}({})", names.join(", ")), result)
            }
            _ => (format!("no operation {operation}"), Type::Any),
        };
        let indent = "    ".repeat(scope.indent);
        let _ = write!(self.text, "{indent}r{register} = {call}");
        if result != Type::Any {
            let _ = write!(self.text, "  : {result}");
        }
        self.text.push('\n');
        if operation == CLOSE {
            self.body(self.word(at + 1), types, scope);
        }
        scope.registers.insert(register, result);
        next
    }

    fn body(&mut self, number: u32, captured: Vec<Type>, outside: &Scope) {
        if number >= outside.below || self.told.contains(&number) {
            return;
        }
        self.told.push(number);
        let at = self.word(self.table + number as usize) as usize;
        let (arity, steps) = (self.word(at) as usize, self.word(at + 1));
        let parameters = PARAMETERS.get(..arity).unwrap_or(&PARAMETERS);
        let closed: Vec<String> = (0..captured.len())
            .map(|place| format!("^{place}"))
            .collect();
        let indent = "    ".repeat(outside.indent + 1);
        let _ = writeln!(
            self.text,
            "{indent}body {number}({}) [{}]: {steps} steps",
            parameters.join(", "),
            closed.join(", ")
        );
        let mut scope = Scope {
            parameters: &PARAMETERS,
            parameter_types: Vec::new(),
            captured,
            registers: HashMap::new(),
            below: number,
            indent: outside.indent + 2,
        };
        self.steps(at + BODY_HEAD, steps, &mut scope);
        let (result, _) = self.argument(self.word(at + 2), &scope);
        let _ = writeln!(self.text, "{indent}    return {result}");
    }

    /// The name and the type of an argument.
    fn argument(&self, word: u32, scope: &Scope) -> (String, Type) {
        let place = word & !CONSTANT;
        match word >> SOURCE_SHIFT << SOURCE_SHIFT {
            REGISTER => {
                let kind = scope.registers.get(&place).cloned();
                (format!("r{place}"), kind.unwrap_or(Type::Any))
            }
            CAPTURED => {
                let kind = scope.captured.get(place as usize).cloned();
                (format!("^{place}"), kind.unwrap_or(Type::Any))
            }
            CONSTANT => {
                let at = self.constants + 4 * place as usize;
                let words = [0, 1, 2, 3].map(|word| self.word(at + word));
                constant(value_of(words))
            }
            _ => {
                let name = scope.parameters.get(place as usize).unwrap_or(&"?");
                let kind = scope.parameter_types.get(place as usize).cloned();
                ((*name).to_owned(), kind.unwrap_or(Type::Any))
            }
        }
    }
}

fn constant(value: Option<Value>) -> (String, Type) {
    match value {
        Some(Value::Bool(truth)) => (if truth { "T" } else { "F" }.to_owned(), Type::Bool),
        Some(Value::Int(number)) => (number.to_string(), Type::Int),
        Some(Value::Pair(i, j)) => (format!("({i}, {j})"), Type::Pair),
        Some(Value::Prim(prim)) => (
            prim.name().to_owned(),
            Type::Function(Rc::new(FunctionType::Prim(prim))),
        ),
        _ => ("?".to_owned(), Type::Any),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;
    use crate::program::load;

    #[test]
    fn a_program_is_written_with_its_bodies() {
        let text = "def solve_a(I):
    x1 = objects(I, T, F, T)
    x2 = lbind(colorcount, I)
    x3 = compose(x2, color)
    x4 = argmax(x1, x3)
    O = subgrid(x4, I)
    return O";
        let plan = Plan::new(&load(text, "ours.py").programs);
        let found = disassemble(&Bytecode::of(&plan), 0, "solve_a");
        let expected = "\
solve_a(I): 4 steps, 3 registers
    r0 = objects(I, T, F, T)  : Set[Object]
    r1 = close 0 [I]  : Fn
        body 0(a) [^0]: 2 steps
            r0 = color(a)  : Int
            r1 = colorcount(^0, r0)  : Int
            return r1
    r2 = argmax(r0, r1)  : Object
    r1 = subgrid(r2, I)  : Grid
    return r1
";
        assert_eq!(found, expected);
    }
}

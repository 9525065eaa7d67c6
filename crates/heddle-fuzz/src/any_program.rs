//! Programs made from bytes: any calls, or those of a well-typed program with some changed.

use arbitrary::{Result, Unstructured};
use heddle_arc::constant;
use heddle_arc::engine::Grid;
use heddle_arc::prim::Prim;
use heddle_arc::program::{Call, CallArgument, Callee, Form, Input, Program};
use heddle_arc::rng::Rng;
use heddle_arc::search::{ProgramShape, generate};

use crate::differential::{self, Inputs};

/// The most programs of one case.
const MOST_PROGRAMS: u8 = 3;
/// The most calls added or changed.
const MOST_CALLS: u8 = 14;
/// The largest side of an input grid.
const LARGEST_SIDE: u8 = 12;

/// Programs and inputs. Bytes that end early are read as zeros.
pub(crate) fn case(bytes: &[u8]) -> (Vec<Program>, Inputs) {
    let mut choices = Unstructured::new(bytes);
    // Reading choices fails only where no choice is left, which the ranges here exclude.
    read(&mut choices).unwrap_or_else(|_| (Vec::new(), differential::inputs(0)))
}

fn read(choices: &mut Unstructured<'_>) -> Result<(Vec<Program>, Inputs)> {
    let mut inputs = differential::inputs(usize::from(choices.arbitrary::<u8>()?));
    if choices.ratio(1, 3)? {
        inputs.input = grid(choices)?;
    }
    let count = choices.int_in_range(1..=MOST_PROGRAMS)?;
    let programs = (0..count).map(|number| program(choices, number));
    Ok((programs.collect::<Result<_>>()?, inputs))
}

fn grid(choices: &mut Unstructured<'_>) -> Result<Grid> {
    let height = choices.int_in_range(1..=LARGEST_SIDE)?;
    let width = choices.int_in_range(1..=LARGEST_SIDE)?;
    let mut cell = || choices.int_in_range(0..=9_i8);
    let rows = (0..height).map(|_| (0..width).map(|_| cell()).collect::<Result<Vec<i8>>>());
    let rows = rows.collect::<Result<Vec<_>>>()?;
    Ok(Grid::new(&rows).expect("the rows are equally long"))
}

fn program(choices: &mut Unstructured<'_>, number: u8) -> Result<Program> {
    let form = *choices.choose(&[Form::Input, Form::Examples])?;
    let name = format!("solve_{number}");
    let mut program = if choices.ratio(2, 3)? {
        let seed = u64::from(choices.arbitrary::<u32>()?);
        let lines = choices.int_in_range(1..=10)?;
        generate(&name, ProgramShape { lines, form }, &mut Rng::new(seed))
    } else {
        Program {
            name: name.as_str().into(),
            form,
            reading: heddle_arc::reading::Reading::Classic,
            calls: Vec::new(),
            result: 0,
            file: "fuzz.py".into(),
            line_numbers: Vec::new(),
        }
    };
    for _ in 0..choices.int_in_range(0..=MOST_CALLS)? {
        let place = if program.calls.is_empty() || choices.ratio(1, 2)? {
            program.calls.len()
        } else {
            choices.choose_index(program.calls.len())?
        };
        let call = call(choices, place, form)?;
        if let Some(changed) = program.calls.get_mut(place) {
            *changed = call;
        } else {
            program.calls.push(call);
            program.line_numbers.push(place as u32 + 2);
            program.result = place as u32;
        }
    }
    if program.calls.is_empty() {
        program.calls.push(call(choices, 0, form)?);
        program.line_numbers.push(2);
    }
    Ok(program)
}

/// A call at this place of a program; it may use the calls before.
fn call(choices: &mut Unstructured<'_>, place: usize, form: Form) -> Result<Call> {
    let (callee, arity) = if place > 0 && choices.ratio(1, 6)? {
        let earlier = choices.choose_index(place)?;
        (Callee::Call(earlier as u32), choices.int_in_range(1..=4)?)
    } else {
        let prim = *choices.choose(Prim::ALL)?;
        (Callee::Prim(prim), prim.arity())
    };
    let arguments = (0..arity).map(|_| operand(choices, place, form));
    Ok(Call {
        variable: format!("v{place}").into(),
        callee,
        arguments: arguments.collect::<Result<_>>()?,
    })
}

fn operand(choices: &mut Unstructured<'_>, place: usize, form: Form) -> Result<CallArgument> {
    Ok(match choices.int_in_range(0..=7_u8)? {
        0 => CallArgument::Input(Input::Grid),
        1 if form == Form::Examples => {
            CallArgument::Input(*choices.choose(&[Input::Examples, Input::Candidate])?)
        }
        2..=4 if place > 0 => CallArgument::Call(choices.choose_index(place)? as u32),
        5 => CallArgument::Prim(*choices.choose(Prim::ALL)?),
        _ => {
            let names: Vec<String> = constant::names().collect();
            let name = choices.choose(&names)?;
            let value = constant::constant(name).expect("a constant has its name");
            CallArgument::Constant(name.as_str().into(), value)
        }
    })
}

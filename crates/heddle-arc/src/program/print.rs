//! Programs printed as text.

use super::{CallArgument, Callee, Form, Program};
use crate::constant::spelling;
use std::fmt;

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parameters = match self.form {
            Form::Input => "I",
            Form::Examples => "S, I, C",
        };
        writeln!(f, "def {}({parameters}):", self.name)?;
        let variable = |call: u32| &*self.calls[call as usize].variable;
        for call in &self.calls {
            write!(f, "    {} = ", call.variable)?;
            match call.callee {
                Callee::Prim(prim) => f.write_str(prim.name()),
                Callee::Call(call) => f.write_str(variable(call)),
                Callee::Input(input) => f.write_str(input.name()),
                Callee::Constant(value) => f.write_str(&spelling(value)),
            }?;
            f.write_str("(")?;
            for (place, argument) in call.arguments.iter().enumerate() {
                if place > 0 {
                    f.write_str(", ")?;
                }
                f.write_str(match argument {
                    CallArgument::Input(input) => input.name(),
                    CallArgument::Call(call) => variable(*call),
                    CallArgument::Constant(name, _) => name,
                    CallArgument::Prim(prim) => prim.name(),
                })?;
            }
            writeln!(f, ")")?;
        }
        writeln!(f, "    return {}", variable(self.result))
    }
}

//! Names in programs: their meanings, and suggestions for unknown names.

use super::{CallArgument, Callee, Form, Input};
use crate::constant::{self, constant};
use crate::prim::Prim;
use std::collections::HashMap;
use std::sync::Arc;

/// The least similarity of a known name that is suggested.
const LIKENESS: f64 = 0.75;

/// The longest name, in bytes, that is compared with the known ones.
const MAX_COMPARED_BYTES: usize = 100;

/// The names that a line can use.
pub(super) struct NameScope {
    pub form: Form,
    variables: HashMap<Arc<str>, u32>,
}

/// A problem and a hint.
pub(super) type ResolveError = (String, String);

impl NameScope {
    pub(super) fn new(form: Form) -> Self {
        NameScope {
            form,
            variables: HashMap::new(),
        }
    }

    fn input(&self, name: &str) -> Option<Input> {
        let known = match self.form {
            Form::Input => &[Input::Grid][..],
            Form::Examples => &[Input::Grid, Input::Examples, Input::Candidate],
        };
        known.iter().copied().find(|input| input.name() == name)
    }

    /// Assigns a variable to the call with that number.
    pub(super) fn assign(&mut self, name: &str, call: u32) -> Result<Arc<str>, ResolveError> {
        let taken = if self.variables.contains_key(name) {
            "is assigned twice"
        } else if self.input(name).is_some() {
            "is a parameter of the program"
        } else if Prim::named(name).is_some() {
            "is a primitive"
        } else if constant(name).is_some() {
            "is a constant"
        } else {
            let name: Arc<str> = name.into();
            self.variables.insert(Arc::clone(&name), call);
            return Ok(name);
        };
        Err((
            format!("`{name}` {taken}"),
            "give this line a variable of its own, such as x1".to_owned(),
        ))
    }

    pub(super) fn operand(&self, name: &str) -> Result<CallArgument, ResolveError> {
        if let Some(call) = self.variables.get(name) {
            return Ok(CallArgument::Call(*call));
        }
        if let Some(input) = self.input(name) {
            return Ok(CallArgument::Input(input));
        }
        if let Some(prim) = Prim::named(name) {
            return Ok(CallArgument::Prim(prim));
        }
        if let Some(value) = constant(name) {
            return Ok(CallArgument::Constant(name.into(), value));
        }
        Err(self.unknown(name))
    }

    pub(super) fn callee(&self, name: &str) -> Result<Callee, ResolveError> {
        match self.operand(name)? {
            CallArgument::Prim(prim) => Ok(Callee::Prim(prim)),
            CallArgument::Call(call) => Ok(Callee::Call(call)),
            CallArgument::Input(_) | CallArgument::Constant(..) => Err((
                format!("`{name}` is not a function"),
                "call a primitive, or a variable that holds a function".to_owned(),
            )),
        }
    }

    pub(super) fn variable(&self, name: &str) -> Option<u32> {
        self.variables.get(name).copied()
    }

    fn unknown(&self, name: &str) -> ResolveError {
        let problem = format!("`{name}` is not known");
        if self.form == Form::Input && (name == "S" || name == "C") {
            let hint = "take the examples as parameters: def solve_NAME(S, I, C):";
            return (problem, hint.to_owned());
        }
        let known = (self.variables.keys().map(std::string::ToString::to_string))
            .chain(Prim::ALL.iter().map(|prim| prim.name().to_owned()))
            .chain(constant::names());
        let mut nearest: Option<(f64, String)> = None;
        // Comparing takes time in proportion to both lengths.
        let is_compared = |text: &str| text.len() <= MAX_COMPARED_BYTES;
        for candidate in known.filter(|known| is_compared(known) && is_compared(name)) {
            let likeness = strsim::jaro_winkler(name, &candidate);
            // Between equally similar names the alphabetically first is taken, so the
            // map's order has no effect.
            let better = nearest.as_ref().is_none_or(|(best, held)| {
                likeness > *best || (likeness >= *best && candidate < *held)
            });
            if likeness >= LIKENESS && better {
                nearest = Some((likeness, candidate));
            }
        }
        let hint = match nearest {
            Some((_, candidate)) => format!("did you mean `{candidate}`?"),
            None => "use a primitive, a constant or a variable assigned above".to_owned(),
        };
        (problem, hint)
    }
}

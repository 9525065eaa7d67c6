//! Names in programs: their meanings, and suggestions for unknown names.

use super::{CallArgument, Callee, Form, Input};
use crate::constant;
use crate::prim::Prim;
use crate::reading::Reading;
use std::collections::HashMap;
use std::sync::Arc;

/// The least similarity of a known name that is suggested.
const LIKENESS: f64 = 0.75;

/// The longest name, in bytes, that is compared with the known ones.
const MAX_COMPARED_BYTES: usize = 100;

/// The most variables that an unknown name is compared with. A merged file has very many.
const MAX_COMPARED_VARIABLES: usize = 1024;

/// The names that only the typed dialect has.
fn typed_names() -> impl Iterator<Item = String> {
    let names = Prim::typed_names().chain(constant::typed_names());
    names.map(str::to_owned)
}

/// The names that a line can use.
pub(crate) struct NameScope {
    pub form: Form,
    pub reading: Reading,
    variables: HashMap<Arc<str>, u32>,
}

/// A problem and a hint.
pub(crate) type ResolveError = (String, String);

impl NameScope {
    pub(crate) fn new(form: Form, reading: Reading) -> Self {
        NameScope {
            form,
            reading,
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
    pub(crate) fn assign(&mut self, name: &str, call: u32) -> Result<Arc<str>, ResolveError> {
        let taken = if self.variables.contains_key(name) {
            "is assigned twice"
        } else if self.input(name).is_some() {
            "is a parameter of the program"
        } else if Prim::read(name, self.reading).is_some() {
            "is a primitive"
        } else if constant::read(name, self.reading).is_some() {
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

    pub(crate) fn operand(&self, name: &str) -> Result<CallArgument, ResolveError> {
        if let Some(call) = self.variables.get(name) {
            return Ok(CallArgument::Call(*call));
        }
        if let Some(input) = self.input(name) {
            return Ok(CallArgument::Input(input));
        }
        if let Some(prim) = Prim::read(name, self.reading) {
            return Ok(CallArgument::Prim(prim));
        }
        if let Some(value) = constant::read(name, self.reading) {
            return Ok(CallArgument::Constant(name.into(), value));
        }
        Err(self.unknown(name))
    }

    pub(crate) fn callee(&self, name: &str) -> Result<Callee, ResolveError> {
        match self.operand(name)? {
            CallArgument::Prim(prim) => Ok(Callee::Prim(prim)),
            CallArgument::Call(call) => Ok(Callee::Call(call)),
            CallArgument::Input(input) if self.reading.is_soft() => Ok(Callee::Input(input)),
            CallArgument::Constant(_, value) if self.reading.is_soft() => {
                Ok(Callee::Constant(value))
            }
            CallArgument::Input(_) | CallArgument::Constant(..) => Err((
                format!("`{name}` is not a function"),
                "call a primitive, or a variable that holds a function".to_owned(),
            )),
        }
    }

    pub(crate) fn variable(&self, name: &str) -> Option<u32> {
        self.variables.get(name).copied()
    }

    fn unknown(&self, name: &str) -> ResolveError {
        let problem = format!("`{name}` is not known");
        if self.form == Form::Input && (name == "S" || name == "C") {
            let hint = "take the examples as parameters: def solve_NAME(S, I, C):";
            return (problem, hint.to_owned());
        }
        let known = (self.variables.keys().map(std::string::ToString::to_string))
            .filter(|_| self.variables.len() <= MAX_COMPARED_VARIABLES)
            .chain(Prim::ALL.iter().map(|prim| prim.name().to_owned()))
            .chain(constant::names())
            .chain(
                self.reading
                    .is_typed()
                    .then(typed_names)
                    .into_iter()
                    .flatten(),
            );
        let mut nearest: Option<((f64, f64), String)> = None;
        // Comparing takes time in proportion to both lengths.
        let is_compared = |text: &str| text.len() <= MAX_COMPARED_BYTES;
        for candidate in known.filter(|known| is_compared(known) && is_compared(name)) {
            let likeness = (
                strsim::jaro_winkler(name, &candidate),
                strsim::normalized_levenshtein(name, &candidate),
            );
            // Between equally similar names the alphabetically first is taken, so the
            // map's order has no effect.
            let better = nearest.as_ref().is_none_or(|(best, held)| {
                likeness > *best || (likeness >= *best && candidate < *held)
            });
            if likeness.0 >= LIKENESS && better {
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

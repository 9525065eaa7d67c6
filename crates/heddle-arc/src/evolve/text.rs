//! Programs as a store keeps them: lines that each hold one call, named by the digest of the
//! nested expression that they unfold.

use crate::batt::typed_names::{CallName, named_calls};
use crate::program::{Program, SourceError};
use std::fmt::Write;
use std::sync::Arc;

/// The first lines of a stored program.
const HEADER: &str = "from dsl import *\nfrom constants import *\nimport safe_dsl\n\n";

/// The most bytes of a stored file; the system that this layout is from deletes longer ones.
pub(super) const MAX_TEXT: usize = 10_000;

/// The most bytes of a nested expression. A program of thirty lines can have one of gigabytes.
const MAX_NESTED: usize = 1 << 20;

/// A program in the form of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StoredText {
    /// The MD5 digest of the program as one nested expression, in hexadecimal.
    pub digest: Arc<str>,
    /// The file.
    pub text: String,
}

/// Writes a program in the typed dialect, equal calls once. `None` if it is too long for a store.
pub(super) fn stored_text(program: &Program) -> Result<Option<StoredText>, SourceError> {
    let calls = named_calls(program)?;
    let mut unfolding = Unfolding {
        calls: &calls,
        nested: vec![None; calls.len()],
        lines: Vec::new(),
    };
    let Some(result) = unfolding.call(program.result as usize) else {
        return Ok(None);
    };
    let digest = format!("{:x}", md5::compute(result.nested.as_bytes()));
    let mut text = format!("{HEADER}def solve(S, I, C):\n");
    let last = unfolding.lines.pop().unwrap_or_default();
    for (number, line) in unfolding.lines.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "    x{} = {line}", number + 1);
    }
    let _ = write!(text, "    O = {last}\n    return O\n");
    Ok((text.len() <= MAX_TEXT).then(|| StoredText {
        digest: digest.into(),
        text,
    }))
}

/// A call that has a line: its nested expression and its variable.
#[derive(Clone)]
struct UnfoldedCall {
    nested: Arc<str>,
    variable: Arc<str>,
}

/// The lines of a program, in the order in which its nested expression is evaluated.
struct Unfolding<'a> {
    calls: &'a [Vec<CallName>],
    nested: Vec<Option<UnfoldedCall>>,
    lines: Vec<String>,
}

impl Unfolding<'_> {
    /// Adds the lines that a call needs, then its own; `None` if its expression is too long.
    fn call(&mut self, index: usize) -> Option<UnfoldedCall> {
        if let Some(known) = &self.nested[index] {
            return Some(known.clone());
        }
        let mut nested = Vec::new();
        let mut names = Vec::new();
        let mut length = 0;
        for name in &self.calls[index] {
            let part = match name {
                CallName::Call(call) => self.call(*call as usize)?,
                CallName::Grid => UnfoldedCall::input("I"),
                CallName::Other(name) => UnfoldedCall::input(name),
            };
            length += part.nested.len() + 2;
            if length > MAX_NESTED {
                return None;
            }
            nested.push(part.nested);
            names.push(part.variable);
        }
        let written = |names: &[Arc<str>]| format!("{}({})", names[0], names[1..].join(", "));
        // Lines that make the same call have the same expression.
        let line = written(&names);
        let place = self.lines.iter().position(|known| *known == line);
        let number = place.unwrap_or(self.lines.len()) + 1;
        if place.is_none() {
            self.lines.push(line);
        }
        let unfolded = UnfoldedCall {
            nested: written(&nested).into(),
            variable: format!("x{number}").into(),
        };
        self.nested[index] = Some(unfolded.clone());
        Some(unfolded)
    }
}

impl UnfoldedCall {
    fn input(name: &str) -> Self {
        UnfoldedCall {
            nested: name.into(),
            variable: name.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::load_as;
    use crate::reading::{Cells, Reading};

    fn stored(body: &str) -> Option<StoredText> {
        let text = format!("def solve_a(S, I, C):\n{body}    return O\n");
        let mut loaded = load_as(&text, "ours.py", Reading::Soft(Cells::Triple));
        assert_eq!(loaded.errors, []);
        stored_text(&loaded.programs.remove(0)).unwrap()
    }

    #[test]
    fn programs_of_one_expression_are_one_file() {
        let a = "    x1 = rbind(o_g, R5)\n    x2 = x1(I)\n    x3 = size_t(I)\n    x4 = x1(I)\n    \
                 x5 = combine(x4, x2)\n    O = get_nth_f(x5, F0)\n";
        let b = "    x7 = rbind(o_g, R5)\n    y = x7(I)\n    z = combine(y, y)\n    \
                 O = get_nth_f(z, F0)\n";
        let stored_a = stored(a).unwrap();
        assert_eq!(Some(&stored_a), stored(b).as_ref());
        let nested = "get_nth_f(combine(rbind(o_g, R5)(I), rbind(o_g, R5)(I)), F0)";
        assert_eq!(&*stored_a.digest, format!("{:x}", md5::compute(nested)));
        let lines = "def solve(S, I, C):\n    x1 = rbind(o_g, R5)\n    x2 = x1(I)\n    \
                     x3 = combine(x2, x2)\n    O = get_nth_f(x3, F0)\n    return O\n";
        assert_eq!(stored_a.text, format!("{HEADER}{lines}"));
    }

    #[test]
    fn programs_that_are_too_long_have_no_text() {
        let mut doubling = "    x0 = astuple(I, I)\n".to_owned();
        for line in 1..40 {
            writeln!(doubling, "    x{line} = astuple(x{0}, x{0})", line - 1).unwrap();
        }
        assert_eq!(stored(&format!("{doubling}    O = first(x39)\n")), None);
        let mut long = "    x0 = vmirror_t(I)\n".to_owned();
        for line in 1..400 {
            writeln!(long, "    x{line} = hmirror_t(x{})", line - 1).unwrap();
        }
        assert_eq!(stored(&format!("{long}    O = first(x399)\n")), None);
    }
}

//! The dialect of a file of programs.

use super::line::{Token, TokenKind, code_lines, tokens};
use crate::constant;
use crate::prim::Prim;
use crate::reading::{Cells, Reading};
use std::collections::HashSet;
use std::str::FromStr;
use std::sync::LazyLock;

/// The dialect that files of programs are read in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dialect {
    /// That of each file, by what it imports, defines and uses.
    #[default]
    Auto,
    /// The typed dialect.
    Typed,
    /// The classic language.
    Classic,
}

impl FromStr for Dialect {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Dialect::Auto),
            "typed" => Ok(Dialect::Typed),
            "classic" => Ok(Dialect::Classic),
            _ => Err("a dialect is auto, typed or classic".to_owned()),
        }
    }
}

impl FromStr for Cells {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "triple" => Ok(Cells::Triple),
            "classic" => Ok(Cells::Classic),
            _ => Err("cells are triple or classic".to_owned()),
        }
    }
}

/// The names of primitives and constants that only the typed dialect has.
static TYPED_NAMES: LazyLock<HashSet<&str>> =
    LazyLock::new(|| Prim::typed_names().chain(constant::typed_names()).collect());

impl Dialect {
    /// How the programs of a file with this text are understood.
    #[must_use]
    pub fn reading(self, text: &str, cells: Cells) -> Reading {
        match self {
            Dialect::Typed => Reading::Strict(cells),
            Dialect::Auto if is_typed(text) => Reading::Strict(cells),
            Dialect::Auto | Dialect::Classic => Reading::Classic,
        }
    }
}

/// Whether a text defines, imports or uses what only files of the typed dialect have. A variable
/// that a program assigns is its own, whatever its name.
fn is_typed(text: &str) -> bool {
    let mut own: HashSet<&str> = HashSet::new();
    code_lines(text).any(|(_, line)| {
        let line = tokens(line);
        let mut names = line.iter().filter(|token| token.kind == TokenKind::Name);
        match names.next().map(|first| first.text) {
            Some("def") => {
                own.clear();
                let name = names.next().map_or("", |name| name.text);
                name == "batt" || name.starts_with("differ")
            }
            Some("from" | "import") => names.any(|name| ["safe_dsl", "pile"].contains(&name.text)),
            _ => {
                let place = line.iter().position(|token| token.text == "=");
                let (variables, call) = line.split_at(place.unwrap_or(line.len()));
                let is_name = |name: &&Token<'_>| TYPED_NAMES.contains(name.text);
                let mut typed = call.iter().filter(is_name);
                let found = typed.any(|name| !own.contains(name.text));
                own.extend(variables.iter().filter(is_name).map(|name| name.text));
                found
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_typed_by_what_it_imports_defines_and_uses() {
        let typed = [
            "def batt(task_id, S, I, C, log_path):",
            "def differ_a(S, I, C):",
            "from safe_dsl import _get_safe_default",
            "import pile",
            "    x1 = size_f(x0)",
            "    x1 = argmax(x0, width_t)",
            "    x1 = fill(I, CYAN, x0)",
        ];
        for line in typed {
            let text = format!("from dsl import *\n{line}\n");
            let strict = Reading::Strict(Cells::Triple);
            assert_eq!(
                Dialect::Auto.reading(&text, Cells::Triple),
                strict,
                "{line}"
            );
            let classic = Dialect::Classic.reading(&text, Cells::Triple);
            assert_eq!(classic, Reading::Classic);
        }
        let text = "from dsl import *\n# size_f\ndef solve_a(S, I, C):\n    O = get_nth_f(I, F0)\n";
        assert_eq!(Dialect::Auto.reading(text, Cells::Triple), Reading::Classic);
        for own in [
            "    \"\"\"Uses size_f\n    x = size_f(y)\n    \"\"\"\n    O = size(I)",
            "    corner = ulcorner(I)\n    RED = TWO\n    x = fill(I, RED, corner)\n    O = corner(x)",
            "    O = identity('size_f')",
        ] {
            let text = format!("def solve_a(S, I, C):\n{own}\n    return O\n");
            let reading = Dialect::Auto.reading(&text, Cells::Triple);
            assert_eq!(reading, Reading::Classic, "{own}");
        }
        // What one program assigns is no variable of the next.
        let text = "def solve_a(I):\n    corner = size(I)\n    O = rot90(I)\n    return O\n\
                    def solve_b(I):\n    O = corner(I, F0)\n    return O\n";
        let strict = Reading::Strict(Cells::Triple);
        assert_eq!(Dialect::Auto.reading(text, Cells::Triple), strict);
        let asked = Dialect::Typed.reading(text, Cells::Classic);
        assert_eq!(asked, Reading::Strict(Cells::Classic));
    }
}

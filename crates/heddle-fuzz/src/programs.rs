//! Texts of programs: reading, merging, evaluation.
//!
//! An error names a place in the text; a program that was read is printed and read again
//! unchanged; an evaluation keeps its budget and has the reference's result.

use heddle_arc::program::load;
use heddle_arc::solvers::FILES;
use heddle_arc::tasks;

use crate::differential;

/// The most programs of a text that are evaluated.
const MOST_EVALUATED: usize = 8;

pub fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let loaded = load(&text, "fuzz.py");
    let lines = text.lines().count() as u32 + 1;
    for error in &loaded.errors {
        assert!((1..=lines).contains(&error.line), "{error}");
        assert!(error.column >= 1, "{error}");
    }
    for program in &loaded.programs {
        let again = load(&program.to_string(), "again.py");
        assert_eq!(again.programs, std::slice::from_ref(program));
    }
    let evaluated = loaded.programs.len().min(MOST_EVALUATED);
    differential::check(&loaded.programs[..evaluated], bytes.len());
}

/// Every program of the repository.
pub(crate) fn texts() -> Vec<String> {
    FILES
        .iter()
        .map(|(_, text)| *text)
        .chain([tasks::PROGRAMS])
        .flat_map(|text| load(text, "seeds.py").programs)
        .map(|program| program.to_string())
        .collect()
}

pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = texts().into_iter().map(String::into_bytes).collect();
    seeds.extend(
        [
            "\u{feff}import x\nfrom y import *\n\"\"\"text\ntext\"\"\"\ndef solve(I):\n\treturn I",
            "def solve_a(S, I, C):\r\n    x1 = lbind(apply, first)  # comment\r\n    \
             O = x1(S)\r\n    return O\r\n",
            "def solve_a(I):\n    x = identity(I)\n    x = first(x)\n    return x\n\
             def solve_a(I):\n    O = power(identity, 0)\n    O = O(O)\n    return O",
        ]
        .map(|text| text.as_bytes().to_vec()),
    );
    seeds
}

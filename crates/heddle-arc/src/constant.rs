//! The named constants of the language.

use crate::plain::Plain;
use crate::reading::Reading;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// The value of a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Constant {
    /// A truth value.
    Bool(bool),
    /// A number.
    Int(i64),
    /// A location or direction, row first.
    Pair(i64, i64),
}

impl Constant {
    /// Returns the constant as an owned value.
    #[must_use]
    pub fn to_plain(self) -> Plain {
        match self {
            Constant::Bool(value) => Plain::Bool(value),
            Constant::Int(value) => Plain::Int(value),
            Constant::Pair(i, j) => Plain::pair(i, j),
        }
    }
}

/// Constants with individual names. The numbered ones follow a rule.
const NAMED: &[(&str, Constant)] = &[
    ("F", Constant::Bool(false)),
    ("T", Constant::Bool(true)),
    ("ZERO", Constant::Int(0)),
    ("ONE", Constant::Int(1)),
    ("TWO", Constant::Int(2)),
    ("THREE", Constant::Int(3)),
    ("FOUR", Constant::Int(4)),
    ("FIVE", Constant::Int(5)),
    ("SIX", Constant::Int(6)),
    ("SEVEN", Constant::Int(7)),
    ("EIGHT", Constant::Int(8)),
    ("NINE", Constant::Int(9)),
    ("TEN", Constant::Int(10)),
    ("NEG_ONE", Constant::Int(-1)),
    ("NEG_TWO", Constant::Int(-2)),
    ("DOWN", Constant::Pair(1, 0)),
    ("RIGHT", Constant::Pair(0, 1)),
    ("UP", Constant::Pair(-1, 0)),
    ("LEFT", Constant::Pair(0, -1)),
    ("ORIGIN", Constant::Pair(0, 0)),
    ("UNITY", Constant::Pair(1, 1)),
    ("NEG_UNITY", Constant::Pair(-1, -1)),
    ("UP_RIGHT", Constant::Pair(-1, 1)),
    ("DOWN_LEFT", Constant::Pair(1, -1)),
    ("ZERO_BY_TWO", Constant::Pair(0, 2)),
    ("TWO_BY_ZERO", Constant::Pair(2, 0)),
    ("TWO_BY_TWO", Constant::Pair(2, 2)),
    ("THREE_BY_THREE", Constant::Pair(3, 3)),
];

/// Constants that only the typed dialect has, besides `A8`, `A9`, `R8` and `R9`.
const TYPED: &[(&str, i64)] = &[
    ("NEG_THREE", -3),
    ("NEG_FOUR", -4),
    ("NEG_FIVE", -5),
    ("NEG_SIX", -6),
    ("NEG_SEVEN", -7),
    ("NEG_EIGHT", -8),
    ("NEG_NINE", -9),
    ("NEG_TEN", -10),
    ("HUNDRED", 100),
    ("THOUSAND", 1000),
    ("BLACK", 0),
    ("BLUE", 1),
    ("RED", 2),
    ("GREEN", 3),
    ("YELLOW", 4),
    ("GRAY", 5),
    ("MAGENTA", 6),
    ("ORANGE", 7),
    ("CYAN", 8),
    ("BURGUNDY", 9),
    ("SM2", 2),
    ("SM3", 3),
    ("SD2", -2),
    ("SD3", -3),
    ("A8", 8),
    ("A9", 9),
    ("R8", 8),
    ("R9", 9),
];

/// Returns the value of a constant name in programs of a reading.
#[must_use]
pub fn read(name: &str, reading: Reading) -> Option<Constant> {
    let typed = || TYPED.iter().find(|(known, _)| *known == name);
    match constant(name) {
        None if reading.is_typed() => typed().map(|(_, value)| Constant::Int(*value)),
        known => known,
    }
}

/// Returns every constant name that only the typed dialect has.
pub fn typed_names() -> impl Iterator<Item = &'static str> {
    TYPED.iter().map(|(name, _)| *name)
}

/// Returns the value of a constant name of the classic language: one of the table above, `F0`..`F9`, `L1`..`L10`
/// (negative), `R0`..`R7` or `A0`..`A7`.
#[must_use]
pub fn constant(name: &str) -> Option<Constant> {
    if let Some((_, value)) = NAMED.iter().find(|(known, _)| *known == name) {
        return Some(*value);
    }
    let (letter, digits) = name.split_at_checked(1)?;
    let number: i64 = digits.parse().ok()?;
    // `F07` and `F+7` parse as numbers too, but are not names of the language.
    if number.to_string() != digits {
        return None;
    }
    match (letter, number) {
        ("F", 0..=9) | ("R" | "A", 0..=7) => Some(Constant::Int(number)),
        ("L", 1..=10) => Some(Constant::Int(-number)),
        _ => None,
    }
}

/// Returns the first name with a value, which merged programs write it with.
pub(crate) fn spelling(value: Constant) -> Arc<str> {
    // Plans of many calls look up as many names.
    static SPELLINGS: OnceLock<HashMap<Constant, Arc<str>>> = OnceLock::new();
    let spellings = SPELLINGS.get_or_init(|| {
        let classic = names().filter_map(|name| Some((constant(&name)?, name.into())));
        let typed = TYPED
            .iter()
            .map(|(name, number)| (Constant::Int(*number), (*name).into()));
        let mut spellings = HashMap::new();
        for (value, name) in classic.chain(typed) {
            spellings.entry(value).or_insert(name);
        }
        spellings
    });
    spellings.get(&value).map_or_else(|| "".into(), Arc::clone)
}

/// Returns every constant name of the language, for hints and program generation.
pub fn names() -> impl Iterator<Item = String> {
    let numbered = |letter: char, range: std::ops::RangeInclusive<u8>| {
        range.map(move |number| format!("{letter}{number}"))
    };
    NAMED
        .iter()
        .map(|(name, _)| (*name).to_owned())
        .chain(numbered('F', 0..=9))
        .chain(numbered('L', 1..=10))
        .chain(numbered('R', 0..=7))
        .chain(numbered('A', 0..=7))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_name_has_a_value() {
        assert_eq!(names().count(), 28 + 36);
        for name in names() {
            assert!(constant(&name).is_some(), "{name}");
        }
    }

    #[test]
    fn unknown_names_have_no_value() {
        for name in ["F10", "L0", "R8", "F07", "f1", "ELEVEN", "", "Ü1"] {
            assert_eq!(constant(name), None, "{name}");
        }
        assert_eq!(constant("L10"), Some(Constant::Int(-10)));
    }
}

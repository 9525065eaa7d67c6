//! Classes of constants.

use crate::constant::{self, Constant};
use crate::program::CallArgument;
use crate::reading::Reading;
use crate::rng::Rng;

/// The class of a constant, determined by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConstantClass {
    /// `T`, `F`.
    Truth,
    /// `ZERO`..`TEN`.
    Number,
    /// `NEG_ONE`, `NEG_TWO`.
    Negative,
    /// `UP`, `ORIGIN`, `TWO_BY_TWO`…
    Pair,
    /// `BLACK`..`BURGUNDY`, in the typed dialect.
    Colour,
    /// `F0`..`F9`, `L1`..`L10`, `R0`..`R7`, `A0`..`A7`, and `SM2`..`SD3` by their first letter.
    Numbered(char),
}

/// The names of the typed dialect's colours.
const COLOURS: [&str; 10] = [
    "BLACK", "BLUE", "RED", "GREEN", "YELLOW", "GRAY", "MAGENTA", "ORANGE", "CYAN", "BURGUNDY",
];

/// The names of constants that programs of a reading can use.
fn names(reading: Reading) -> impl Iterator<Item = String> {
    let typed = constant::typed_names().filter(move |_| reading.is_typed());
    constant::names().chain(typed.map(str::to_owned))
}

pub(super) fn class(name: &str, reading: Reading) -> Option<ConstantClass> {
    Some(match constant::read(name, reading)? {
        Constant::Bool(_) => ConstantClass::Truth,
        Constant::Pair(..) => ConstantClass::Pair,
        Constant::Int(_) if COLOURS.contains(&name) => ConstantClass::Colour,
        Constant::Int(_) => match name.chars().next()? {
            letter if name.ends_with(|c: char| c.is_ascii_digit()) => {
                ConstantClass::Numbered(letter)
            }
            'N' if name.starts_with("NEG_") => ConstantClass::Negative,
            _ => ConstantClass::Number,
        },
    })
}

fn operand(name: &str, reading: Reading) -> Option<CallArgument> {
    let value = constant::read(name, reading)?;
    Some(CallArgument::Constant(name.into(), value))
}

/// A random constant of the same class, other than this one.
pub(super) fn another(name: &str, reading: Reading, rng: &mut Rng) -> Option<CallArgument> {
    let wanted = class(name, reading)?;
    let value = constant::read(name, reading);
    let others: Vec<String> = names(reading)
        .filter(|other| class(other, reading) == Some(wanted))
        .filter(|other| constant::read(other, reading) != value)
        .collect();
    operand(rng.pick(&others)?, reading)
}

/// A random constant of a class of the classic language.
pub(super) fn any(wanted: ConstantClass, rng: &mut Rng) -> Option<CallArgument> {
    let reading = Reading::Classic;
    let all: Vec<String> = names(reading)
        .filter(|name| class(name, reading) == Some(wanted))
        .collect();
    operand(rng.pick(&all)?, reading)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::Cells;

    #[test]
    fn every_constant_has_a_class_and_stays_in_it() {
        let mut rng = Rng::new(1);
        for reading in [Reading::Classic, Reading::Soft(Cells::Triple)] {
            for name in names(reading) {
                let own = class(&name, reading).unwrap();
                for _ in 0..10 {
                    let Some(CallArgument::Constant(other, value)) =
                        another(&name, reading, &mut rng)
                    else {
                        panic!("{name} has no other");
                    };
                    assert_eq!(class(&other, reading), Some(own), "{name} became {other}");
                    assert_ne!(Some(value), constant::read(&name, reading));
                }
            }
        }
    }
}

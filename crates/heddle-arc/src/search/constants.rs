//! Classes of constants.

use crate::constant::{Constant, constant, names};
use crate::program::CallArgument;
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
    /// `F0`..`F9`, `L1`..`L10`, `R0`..`R7`, `A0`..`A7`.
    Numbered(char),
}

pub(super) fn class(name: &str) -> Option<ConstantClass> {
    Some(match constant(name)? {
        Constant::Bool(_) => ConstantClass::Truth,
        Constant::Pair(..) => ConstantClass::Pair,
        Constant::Int(_) => match name.chars().next()? {
            letter if name[1..].chars().all(|c| c.is_ascii_digit()) => {
                ConstantClass::Numbered(letter)
            }
            'N' if name.starts_with("NEG_") => ConstantClass::Negative,
            _ => ConstantClass::Number,
        },
    })
}

fn operand(name: &str) -> Option<CallArgument> {
    Some(CallArgument::Constant(name.into(), constant(name)?))
}

/// A random constant of the same class, other than this one.
pub(super) fn another(name: &str, rng: &mut Rng) -> Option<CallArgument> {
    let wanted = class(name)?;
    let value = constant(name);
    let others: Vec<String> = names()
        .filter(|other| class(other) == Some(wanted) && constant(other) != value)
        .collect();
    operand(rng.pick(&others)?)
}

/// A random constant of a class.
pub(super) fn any(wanted: ConstantClass, rng: &mut Rng) -> Option<CallArgument> {
    let all: Vec<String> = names().filter(|name| class(name) == Some(wanted)).collect();
    operand(rng.pick(&all)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_constant_has_a_class_and_stays_in_it() {
        let mut rng = Rng::new(1);
        for name in names() {
            let own = class(&name).unwrap();
            for _ in 0..10 {
                let Some(CallArgument::Constant(other, value)) = another(&name, &mut rng) else {
                    panic!("{name} has no other");
                };
                assert_eq!(class(&other), Some(own), "{name} became {other}");
                assert_ne!(Some(value), constant(&name));
            }
        }
    }
}

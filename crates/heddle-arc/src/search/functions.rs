//! Functions to map, filter and choose with.

use super::constants::{Class, any};
use super::fit::{all_fit, is_known};
use super::generate::Draft;
use crate::dice::Dice;
use crate::prim::Prim;
use crate::program::Operand;
use crate::types::{Type, result_of};

/// What a function must result in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// A truth value, for a filter.
    Truth,
    /// Something that can be compared, for a choice.
    Key,
    /// A set or tuple, to be merged.
    Container,
    /// Anything known.
    Anything,
}

impl Wanted {
    /// What the function of a primitive is for, by its signature.
    pub(super) fn by(prim: Prim) -> Option<Wanted> {
        Some(match prim {
            Prim::Sfilter | Prim::Mfilter | Prim::Extract => Wanted::Truth,
            Prim::Order | Prim::Argmax | Prim::Argmin | Prim::Valmax | Prim::Valmin => Wanted::Key,
            Prim::Mapply => Wanted::Container,
            Prim::Apply => Wanted::Anything,
            _ => return None,
        })
    }

    fn takes(self, result: &Type) -> bool {
        is_known(result)
            && match self {
                Wanted::Truth => *result == Type::Bool,
                Wanted::Key => matches!(result, Type::Int | Type::Pair),
                Wanted::Container => {
                    matches!(
                        result,
                        Type::Object | Type::Indices | Type::Set(_) | Type::Tuple(_)
                    )
                }
                Wanted::Anything => true,
            }
    }
}

/// Primitives of one argument that take such a value, with what they result in.
fn of_one(value: &Type) -> Vec<(Prim, Type)> {
    let one = std::slice::from_ref(value);
    let suited =
        |prim: &&Prim| prim.arity() == 1 && !prim.builds_a_function() && all_fit(**prim, one);
    Prim::ALL
        .iter()
        .filter(suited)
        .map(|prim| (*prim, result_of(*prim, one)))
        .filter(|(_, result)| is_known(result))
        .collect()
}

/// A function of such elements; lines it needs are added to the draft.
pub(super) fn function(
    draft: &mut Draft,
    dice: &mut Dice,
    element: &Type,
    wanted: Wanted,
) -> Option<Operand> {
    match dice.below(4) {
        0 | 1 => {
            let suited: Vec<Prim> = of_one(element)
                .into_iter()
                .filter(|(_, result)| wanted.takes(result))
                .map(|(prim, _)| prim)
                .collect();
            Some(Operand::Prim(*dice.pick(&suited)?))
        }
        2 => composed(draft, dice, element, wanted),
        _ if wanted == Wanted::Truth => matched(draft, dice, element),
        _ => bound(draft, dice, element, wanted),
    }
}

/// `compose(outer, inner)`.
fn composed(draft: &mut Draft, dice: &mut Dice, element: &Type, wanted: Wanted) -> Option<Operand> {
    let (inner, between) = dice.pick(&of_one(element))?.clone();
    let outer: Vec<Prim> = of_one(&between)
        .into_iter()
        .filter(|(_, result)| wanted.takes(result))
        .map(|(prim, _)| prim)
        .collect();
    let outer = *dice.pick(&outer)?;
    draft.function(
        Prim::Compose,
        vec![Operand::Prim(outer), Operand::Prim(inner)],
    )
}

/// `matcher(function, constant)`.
fn matched(draft: &mut Draft, dice: &mut Dice, element: &Type) -> Option<Operand> {
    let numbers: Vec<Prim> = of_one(element)
        .into_iter()
        .filter(|(_, result)| *result == Type::Int)
        .map(|(prim, _)| prim)
        .collect();
    let prim = *dice.pick(&numbers)?;
    let target = any(Class::Number, dice)?;
    draft.function(Prim::Matcher, vec![Operand::Prim(prim), target])
}

/// `lbind(prim, value)` or `rbind(prim, value)`.
fn bound(draft: &mut Draft, dice: &mut Dice, element: &Type, wanted: Wanted) -> Option<Operand> {
    let of_two: Vec<Prim> = Prim::ALL
        .iter()
        .copied()
        .filter(|prim| prim.arity() == 2 && Wanted::by(*prim).is_none())
        .filter(|prim| !prim.builds_a_function())
        .collect();
    let prim = *dice.pick(&of_two)?;
    let binds_first = dice.one_in(2);
    let place = usize::from(!binds_first);
    let parameter = prim.parameters()[place];
    let value = draft.operand(dice, prim, parameter)?;
    let bound = draft.type_of(&value);
    let values = if binds_first {
        [bound, element.clone()]
    } else {
        [element.clone(), bound]
    };
    if !all_fit(prim, &values) || !wanted.takes(&result_of(prim, &values)) {
        return None;
    }
    let binder = if binds_first {
        Prim::Lbind
    } else {
        Prim::Rbind
    };
    draft.function(binder, vec![Operand::Prim(prim), value])
}

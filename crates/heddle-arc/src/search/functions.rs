//! Functions for mapping, filtering and choosing.

use super::constants::{ConstantClass, any};
use super::generate::ProgramBuilder;
use super::type_match::{all_fit, is_known};
use crate::prim::Prim;
use crate::program::CallArgument;
use crate::reading::Reading;
use crate::rng::Rng;
use crate::types::{Type, result_of};

/// The kind of result a function must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ResultKind {
    /// A truth value, for a filter.
    Truth,
    /// A value that can be compared, for a choice.
    Key,
    /// A set or tuple, for merging.
    Container,
    /// Any known type.
    Anything,
}

impl ResultKind {
    /// The kind of result that the function argument of a primitive must have.
    pub(super) fn by(prim: Prim) -> Option<ResultKind> {
        Some(match prim {
            Prim::Sfilter | Prim::Mfilter | Prim::Extract => ResultKind::Truth,
            Prim::Order | Prim::Argmax | Prim::Argmin | Prim::Valmax | Prim::Valmin => {
                ResultKind::Key
            }
            Prim::Mapply => ResultKind::Container,
            Prim::Apply => ResultKind::Anything,
            _ => return None,
        })
    }

    fn takes(self, result: &Type) -> bool {
        is_known(result)
            && match self {
                ResultKind::Truth => *result == Type::Bool,
                ResultKind::Key => matches!(result, Type::Int | Type::Pair),
                ResultKind::Container => {
                    matches!(
                        result,
                        Type::Object | Type::Indices | Type::Set(_) | Type::Tuple(_)
                    )
                }
                ResultKind::Anything => true,
            }
    }
}

/// The primitives of one argument that take this type, with their result types.
fn of_one(value: &Type) -> Vec<(Prim, Type)> {
    let one = std::slice::from_ref(value);
    let suited =
        |prim: &&Prim| prim.arity() == 1 && !prim.builds_a_function() && all_fit(**prim, one);
    Prim::ALL
        .iter()
        .filter(suited)
        .map(|prim| (*prim, result_of(*prim, one, Reading::Classic)))
        .filter(|(_, result)| is_known(result))
        .collect()
}

/// A function of such elements; lines it needs are added to the program.
pub(super) fn function(
    builder: &mut ProgramBuilder,
    rng: &mut Rng,
    element: &Type,
    wanted: ResultKind,
) -> Option<CallArgument> {
    match rng.below(4) {
        0 | 1 => {
            let suited: Vec<Prim> = of_one(element)
                .into_iter()
                .filter(|(_, result)| wanted.takes(result))
                .map(|(prim, _)| prim)
                .collect();
            Some(CallArgument::Prim(*rng.pick(&suited)?))
        }
        2 => composed(builder, rng, element, wanted),
        _ if wanted == ResultKind::Truth => matched(builder, rng, element),
        _ => bound(builder, rng, element, wanted),
    }
}

/// A line `compose(outer, inner)`.
fn composed(
    builder: &mut ProgramBuilder,
    rng: &mut Rng,
    element: &Type,
    wanted: ResultKind,
) -> Option<CallArgument> {
    let (inner, between) = rng.pick(&of_one(element))?.clone();
    let outer: Vec<Prim> = of_one(&between)
        .into_iter()
        .filter(|(_, result)| wanted.takes(result))
        .map(|(prim, _)| prim)
        .collect();
    let outer = *rng.pick(&outer)?;
    builder.function(
        Prim::Compose,
        vec![CallArgument::Prim(outer), CallArgument::Prim(inner)],
    )
}

/// A line `matcher(function, constant)`.
fn matched(builder: &mut ProgramBuilder, rng: &mut Rng, element: &Type) -> Option<CallArgument> {
    let numbers: Vec<Prim> = of_one(element)
        .into_iter()
        .filter(|(_, result)| *result == Type::Int)
        .map(|(prim, _)| prim)
        .collect();
    let prim = *rng.pick(&numbers)?;
    let target = any(ConstantClass::Number, rng)?;
    builder.function(Prim::Matcher, vec![CallArgument::Prim(prim), target])
}

/// A line `lbind(prim, value)` or `rbind(prim, value)`.
fn bound(
    builder: &mut ProgramBuilder,
    rng: &mut Rng,
    element: &Type,
    wanted: ResultKind,
) -> Option<CallArgument> {
    let of_two: Vec<Prim> = Prim::ALL
        .iter()
        .copied()
        .filter(|prim| prim.arity() == 2 && ResultKind::by(*prim).is_none())
        .filter(|prim| !prim.builds_a_function())
        .collect();
    let prim = *rng.pick(&of_two)?;
    let binds_first = rng.one_in(2);
    let place = usize::from(!binds_first);
    let parameter = prim.parameters()[place];
    let value = builder.operand(rng, prim, parameter)?;
    let bound = builder.type_of(&value);
    let values = if binds_first {
        [bound, element.clone()]
    } else {
        [element.clone(), bound]
    };
    if !all_fit(prim, &values) || !wanted.takes(&result_of(prim, &values, Reading::Classic)) {
        return None;
    }
    let binder = if binds_first {
        Prim::Lbind
    } else {
        Prim::Rbind
    };
    builder.function(binder, vec![CallArgument::Prim(prim), value])
}

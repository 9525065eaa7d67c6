//! Which types suit which parameters. The rules are stricter than the language, which
//! accepts every value that works.

use crate::prim::{Prim, PrimFamily};
use crate::types::Type;
use std::collections::BTreeMap;

fn is_patch(value: &Type) -> bool {
    matches!(value, Type::Object | Type::Indices)
}

fn is_set(value: &Type) -> bool {
    is_patch(value) || matches!(value, Type::Set(_))
}

fn is_tuple(value: &Type) -> bool {
    matches!(value, Type::Grid | Type::Tuple(_))
}

/// Whether no part of a type is unknown or a function.
pub(super) fn is_known(value: &Type) -> bool {
    match value {
        Type::Any | Type::Function(_) => false,
        Type::Tuple(element) | Type::Set(element) => is_known(element),
        Type::Both(a, b) => is_known(a) && is_known(b),
        _ => true,
    }
}

/// Whether a type suits a parameter of a primitive, written as in its signature. Function
/// parameters are handled elsewhere.
pub(super) fn fits(prim: Prim, parameter: &str, value: &Type) -> bool {
    let container = is_set(value) || is_tuple(value);
    let element = || value.element();
    match parameter {
        "Bool" => *value == Type::Bool,
        "Int" => *value == Type::Int,
        "Num" | "n" => matches!(value, Type::Int | Type::Pair),
        "Pair" => *value == Type::Pair,
        "Grid" => *value == Type::Grid,
        "Object" => *value == Type::Object,
        "Indices" => *value == Type::Indices,
        "Patch" => is_patch(value),
        "Piece" => is_patch(value) || *value == Type::Grid,
        "Elem" => matches!(value, Type::Grid | Type::Object),
        "Cont[Object]" => container && element() == Type::Object,
        "K[Cont[a]]" => {
            let inner = element();
            container && *value != Type::Grid && (is_set(&inner) || is_tuple(&inner))
        }
        "a" => match (prim, prim.family()) {
            (Prim::Shift | Prim::Normalize, _) => is_patch(value),
            (_, PrimFamily::Geometry) => matches!(value, Type::Grid | Type::Object),
            (Prim::Greater, _) => matches!(value, Type::Int | Type::Pair),
            _ => is_known(value),
        },
        "b" | "Any" => is_known(value),
        _ if parameter.starts_with("Tuple[") => is_tuple(value) && is_known(value),
        _ if parameter.starts_with("Set[") => is_set(value) && is_known(value),
        _ if parameter.starts_with("Cont[") || parameter.starts_with("K[") => {
            container && is_known(value)
        }
        _ => false,
    }
}

/// Whether a type is the one written, as in signatures of the typed dialect. A letter stands for
/// one known type.
fn is_of<'a>(written: &'a str, value: &Type, letters: &mut BTreeMap<&'a str, Type>) -> bool {
    let inside = |head: &str| written.strip_prefix(head)?.strip_suffix(']');
    let is_container = is_set(value) || is_tuple(value);
    if let Some(parts) = inside("Both[") {
        // No signature has a nested first part.
        let parts = parts.split_once(", ");
        return match (value, parts) {
            (Type::Both(a, b), Some((x, y))) => is_of(x, a, letters) && is_of(y, b, letters),
            _ => false,
        };
    }
    for (head, fits) in [
        ("Tuple[", is_tuple(value)),
        ("Set[", is_set(value)),
        ("Cont[", is_container),
        ("K[", is_container),
    ] {
        if let Some(element) = inside(head) {
            return fits && is_of(element, &value.element(), letters);
        }
    }
    match written {
        "Bool" => *value == Type::Bool,
        "Int" => *value == Type::Int,
        "Pair" => *value == Type::Pair,
        "Cell" => *value == Type::Cell,
        "Grid" => *value == Type::Grid,
        "Object" => *value == Type::Object,
        "Indices" => *value == Type::Indices,
        "Patch" => is_patch(value),
        _ if written.len() == 1 && is_known(value) => {
            letters.entry(written).or_insert_with(|| value.clone()) == value
        }
        // Functions are handled elsewhere.
        _ => false,
    }
}

/// Whether all arguments of a call suit it. A type variable that occurs twice in the
/// signature stands for one type.
pub(super) fn all_fit(prim: Prim, values: &[Type]) -> bool {
    let parameters = prim.parameters();
    if prim.family() == PrimFamily::Typed {
        let mut letters = BTreeMap::new();
        let mut places = parameters.iter().zip(values);
        return parameters.len() == values.len()
            && places.all(|(parameter, value)| is_of(parameter, value, &mut letters));
    }
    let one_by_one = parameters.len() == values.len()
        && parameters
            .iter()
            .zip(values)
            .all(|(parameter, value)| fits(prim, parameter, value));
    one_by_one
        && match (prim, values) {
            (Prim::Equality | Prim::Greater, [x, y]) | (Prim::Branch, [_, x, y]) => x == y,
            (Prim::Contained | Prim::Insert | Prim::Remove, [x, container])
            | (Prim::Other, [container, x]) => container.element() == *x,
            (
                Prim::Combine | Prim::Difference | Prim::Intersection | Prim::DifferenceTuple,
                [x, y],
            ) => x.element() == y.element(),
            _ => true,
        }
}

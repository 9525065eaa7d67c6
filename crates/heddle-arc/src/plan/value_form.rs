//! Calls that mean the same in every reading.
//!
//! Where the forms of its arguments prove that a call of the typed dialect never fails and gives
//! what the classic primitive gives, its node gets the classic reading and primitive: typed and
//! classic programs share it, and GPUs run it. The forms are those of values that come of inputs
//! and constants by such calls.

use super::graph::{Head, Node, Term};
use crate::constant::Constant;
use crate::prim::Prim;
use crate::program::Input;
use crate::reading::Reading;

/// What is known of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueForm {
    Unknown,
    /// A number or truth value.
    Number,
    Pair,
    /// A grid with cells.
    Grid,
    /// A grid, with or without cells.
    Rows,
    /// A set of locations.
    Locations,
}

fn form(term: Term, nodes: &[ValueForm]) -> ValueForm {
    match term {
        Term::Input(Input::Grid) => ValueForm::Grid,
        Term::Constant(Constant::Pair(..)) => ValueForm::Pair,
        Term::Constant(_) => ValueForm::Number,
        Term::Node(node) => nodes[node as usize],
        // The candidate can be missing, and a function is called in the reading of its caller.
        _ => ValueForm::Unknown,
    }
}

/// Makes a node classic if that means the same. Returns the form of its value.
pub(super) fn normalise(node: &mut Node, nodes: &[ValueForm]) -> ValueForm {
    let Head::Prim(prim) = node.head else {
        return ValueForm::Unknown;
    };
    let mut forms = [ValueForm::Unknown; 4];
    for (place, term) in forms.iter_mut().zip(&node.arguments) {
        *place = form(*term, nodes);
    }
    let count = node.arguments.len().min(forms.len());
    let Some((prim, result)) = same(prim, &forms[..count], &node.arguments) else {
        return ValueForm::Unknown;
    };
    node.head = Head::Prim(prim);
    node.reading = Reading::Classic;
    result
}

/// The classic primitive of a call that means the same in every reading, and the form it gives.
fn same(prim: Prim, forms: &[ValueForm], terms: &[Term]) -> Option<(Prim, ValueForm)> {
    let base = match prim {
        Prim::HeightT => Prim::Height,
        _ => prim.view().map_or(prim, |view| view.base),
    };
    let result = match (base, forms) {
        (Prim::Identity, [form]) if *form != ValueForm::Unknown => *form,
        (
            Prim::Rot90
            | Prim::Rot180
            | Prim::Rot270
            | Prim::Hmirror
            | Prim::Vmirror
            | Prim::Dmirror
            | Prim::Cmirror,
            [form @ (ValueForm::Grid | ValueForm::Rows)],
        ) => *form,
        (
            Prim::Trim
            | Prim::Tophalf
            | Prim::Bottomhalf
            | Prim::Lefthalf
            | Prim::Righthalf
            | Prim::Compress,
            [ValueForm::Grid],
        )
        | (Prim::Hupscale | Prim::Vupscale | Prim::Upscale, [ValueForm::Grid, ValueForm::Number])
        | (Prim::Canvas, [ValueForm::Number, ValueForm::Pair]) => ValueForm::Rows,
        (Prim::Hconcat, [ValueForm::Grid, ValueForm::Grid])
        | (Prim::Replace | Prim::Switch, [ValueForm::Grid, ValueForm::Number, ValueForm::Number])
        | (
            Prim::Fill | Prim::Underfill,
            [ValueForm::Grid, ValueForm::Number, ValueForm::Locations],
        )
        | (Prim::Cover, [ValueForm::Grid, ValueForm::Locations]) => ValueForm::Grid,
        (
            Prim::Mostcolor
            | Prim::Leastcolor
            | Prim::Numcolors
            | Prim::Height
            | Prim::Width
            | Prim::Portrait
            | Prim::Square,
            [ValueForm::Grid],
        )
        | (Prim::Colorcount, [ValueForm::Grid, ValueForm::Number])
        | (Prim::Equality | Prim::Greater, [ValueForm::Number, ValueForm::Number]) => {
            ValueForm::Number
        }
        (Prim::Shape, [ValueForm::Grid]) => ValueForm::Pair,
        (Prim::Ofcolor, [ValueForm::Grid, ValueForm::Number])
        | (Prim::Asindices, [ValueForm::Grid]) => ValueForm::Locations,
        (Prim::Vconcat, [ValueForm::Grid, ValueForm::Grid])
        | (
            Prim::Palette
            | Prim::PG
            | Prim::Asobject
            | Prim::Partition
            | Prim::Fgpartition
            | Prim::Frontiers,
            [ValueForm::Grid],
        )
        | (
            Prim::Objects,
            [
                ValueForm::Grid,
                ValueForm::Number,
                ValueForm::Number,
                ValueForm::Number,
            ],
        ) => ValueForm::Unknown,
        (Prim::OG, [ValueForm::Grid, _])
            if matches!(terms[1], Term::Constant(Constant::Int(0..8))) =>
        {
            ValueForm::Unknown
        }
        _ => return None,
    };
    // A view that computes by rows or with a body of its own is the base for grids alone.
    let is_patch = prim.view().is_some_and(|view| {
        use crate::prim::Takes::{Cells, Colours, Locations, Patch};
        matches!(view.takes, Cells | Colours | Locations | Patch) || view.base == prim
    });
    (!is_patch).then_some((base, result))
}

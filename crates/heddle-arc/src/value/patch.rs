//! Patches of any form, read by the rules of section 3.

use super::{Space, Value};
use crate::fault::{Fault, ValueKind};

/// A cell of a listed patch. Indices leave the colour at zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PatchCell {
    pub colour: i32,
    pub i: i32,
    pub j: i32,
}

/// The kind of a listed patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListedKind {
    Object,
    Indices,
}

/// A patch, by the fast paths that apply to it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Patch {
    /// No elements.
    Empty,
    /// A patch with a mask, with or without colours.
    Compact(super::Mask),
    /// Any other value that may be a patch: a tuple, or a set that is too wide.
    Irregular,
}

/// The bounds of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extremes {
    pub top: i64,
    pub left: i64,
    pub bottom: i64,
    pub right: i64,
}

impl Value {
    pub(crate) fn patch(self) -> Result<Patch, Fault> {
        if self.is_empty_container() {
            return Ok(Patch::Empty);
        }
        match self.mask() {
            Some(mask) => Ok(Patch::Compact(mask)),
            None if self.is_tuple() || self.is_set() => Ok(Patch::Irregular),
            None => Err(self.not(ValueKind::Patch)),
        }
    }
}

/// Lists elements until one is neither cell nor location. Returns their kind if all are of one.
fn listed(
    elements: impl Iterator<Item = Value>,
    patch_cells: &mut Vec<PatchCell>,
) -> Option<ListedKind> {
    let mut kind = None;
    for element in elements {
        let (patch_cell, this) = match element {
            Value::Pair(i, j) => (PatchCell { colour: 0, i, j }, ListedKind::Indices),
            Value::Cell { colour, i, j } => (PatchCell { colour, i, j }, ListedKind::Object),
            _ => return None,
        };
        if *kind.get_or_insert(this) != this {
            return None;
        }
        patch_cells.push(patch_cell);
    }
    kind
}

impl Space {
    /// Lists a patch into `patch_cells`, in iteration order. Returns `None` if it is no patch or
    /// its numbers do not fit.
    pub(crate) fn list(&mut self, patch: Value) -> Result<Option<ListedKind>, Fault> {
        let mut patch_cells = std::mem::take(&mut self.patch_cells);
        patch_cells.clear();
        let kind = match patch {
            Value::Tuple { at, len, .. } | Value::Set { at, len, .. } => {
                let elements = &self.values[at as usize..(at + len) as usize];
                listed(elements.iter().copied(), &mut patch_cells)
            }
            _ => listed(self.elements(patch)?, &mut patch_cells),
        };
        let count = patch_cells.len();
        self.patch_cells = patch_cells;
        self.meter.work(count as u64)?;
        Ok(kind)
    }

    /// Returns the bounds of a patch, or `None` where only the plain primitive applies.
    pub(crate) fn extremes(&mut self, patch: Value) -> Result<Option<Extremes>, Fault> {
        match patch.patch()? {
            Patch::Empty => Err(Fault::Empty(ValueKind::Patch)),
            Patch::Compact(mask) => Ok(Some(Extremes {
                top: mask.top(),
                left: mask.left(),
                bottom: mask.bottom(),
                right: mask.right(),
            })),
            Patch::Irregular => {
                if matches!(patch, Value::Layers { .. }) {
                    return Ok(self.layers_window(patch).map(|window| Extremes {
                        top: window.top,
                        left: window.left,
                        bottom: window.bottom,
                        right: window.right,
                    }));
                }
                if self.list(patch)?.is_none() {
                    return Ok(None);
                }
                Ok(self.listed_extremes())
            }
        }
    }

    /// Returns the bounds of the patch listed last.
    pub(crate) fn listed_extremes(&self) -> Option<Extremes> {
        let first = self.patch_cells.first()?;
        let mut extremes = Extremes {
            top: i64::from(first.i),
            left: i64::from(first.j),
            bottom: i64::from(first.i),
            right: i64::from(first.j),
        };
        for patch_cell in &self.patch_cells {
            extremes.top = extremes.top.min(i64::from(patch_cell.i));
            extremes.bottom = extremes.bottom.max(i64::from(patch_cell.i));
            extremes.left = extremes.left.min(i64::from(patch_cell.j));
            extremes.right = extremes.right.max(i64::from(patch_cell.j));
        }
        Some(extremes)
    }
}

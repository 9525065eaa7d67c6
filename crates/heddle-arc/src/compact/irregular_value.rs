//! Lightweight copies of grids and patches: rows of atoms and lists of locations.
//!
//! A copy as plain values takes one allocation for every row and two for every cell. These take one
//! for a row and one for a patch.

use super::ValueResult;
use crate::plain::rows::{Location, Rows};
use crate::value::{Extremes, Space, Value};
use std::cmp::Ordering;

/// A value without parts, with the language's equality and order.
#[derive(Clone, Copy)]
pub(super) struct Atom(pub(super) Value);

impl Atom {
    pub(super) fn new(value: Value) -> Option<Self> {
        matches!(value, Value::None | Value::Bool(_) | Value::Int(_)).then_some(Atom(value))
    }
}

impl Ord for Atom {
    fn cmp(&self, other: &Self) -> Ordering {
        // `None` is before all numbers.
        self.0.int().ok().cmp(&other.0.int().ok())
    }
}

impl PartialOrd for Atom {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Atom {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Atom {}

/// A patch.
#[derive(Clone)]
pub(super) enum IrregularPatch {
    Indices(Vec<Location>),
    Object(Vec<(Atom, Location)>),
}

impl IrregularPatch {
    /// Copies a value that is a patch, is not empty and has atoms for colours.
    pub(super) fn new(space: &Space, value: Value) -> Option<Self> {
        let elements = || space.elements(value).ok();
        if let Value::Pair(..) = elements()?.next()? {
            let locations: Option<_> = elements()?.map(location).collect();
            return locations.map(IrregularPatch::Indices);
        }
        let cell = |element| match element {
            Value::Cell { colour, i, j } => {
                let colour = Atom(Value::Int(i64::from(colour)));
                Some((colour, (i64::from(i), i64::from(j))))
            }
            Value::Tuple { at, len: 2, .. } => {
                let at = at as usize;
                let colour = Atom::new(space.values[at])?;
                Some((colour, location(space.values[at + 1])?))
            }
            _ => None,
        };
        let cells: Option<_> = elements()?.map(cell).collect();
        cells.map(IrregularPatch::Object)
    }

    /// Returns the locations, those of an object once each and ascending.
    pub(super) fn locations(&self) -> Vec<Location> {
        match self {
            IrregularPatch::Indices(locations) => locations.clone(),
            IrregularPatch::Object(cells) => {
                let mut locations: Vec<Location> = cells.iter().map(|(_, at)| *at).collect();
                locations.sort_unstable();
                locations.dedup();
                locations
            }
        }
    }

    pub(super) fn extremes(&self) -> Extremes {
        let first = Extremes {
            top: i64::MAX,
            left: i64::MAX,
            bottom: i64::MIN,
            right: i64::MIN,
        };
        let grow = |e: Extremes, (i, j): Location| Extremes {
            top: e.top.min(i),
            left: e.left.min(j),
            bottom: e.bottom.max(i),
            right: e.right.max(j),
        };
        match self {
            IrregularPatch::Indices(locations) => locations.iter().copied().fold(first, grow),
            IrregularPatch::Object(cells) => cells.iter().map(|(_, at)| *at).fold(first, grow),
        }
    }

    /// Returns the colours of an object.
    pub(super) fn colours(self) -> Option<Vec<Atom>> {
        match self {
            IrregularPatch::Indices(_) => None,
            IrregularPatch::Object(cells) => {
                Some(cells.into_iter().map(|(colour, _)| colour).collect())
            }
        }
    }

    /// Returns the locations with one colour.
    pub(super) fn coloured(self, colour: Atom) -> Self {
        let locations = self.locations().into_iter();
        IrregularPatch::Object(locations.map(|at| (colour, at)).collect())
    }

    /// Maps every location. Locations have 32 bits, so the arithmetic does not overflow.
    pub(super) fn moved(self, place: impl Fn(Location) -> Location) -> Self {
        match self {
            IrregularPatch::Indices(locations) => {
                IrregularPatch::Indices(locations.into_iter().map(place).collect())
            }
            IrregularPatch::Object(cells) => {
                let cells = cells.into_iter();
                IrregularPatch::Object(cells.map(|(colour, at)| (colour, place(at))).collect())
            }
        }
    }
}

/// Returns the rows of a grid that has at least one row and only atoms for cells.
pub(super) fn rows_of(space: &Space, value: Value) -> Option<Rows<Atom>> {
    let number = |cell: &i8| Atom(Value::Int(i64::from(*cell)));
    let row = |row: Value| match row {
        Value::Row { at, len } => {
            let cells = &space.cells[at as usize..(at + len) as usize];
            Some(cells.iter().map(number).collect())
        }
        Value::Pair(a, b) => {
            let atom = |n: i32| Atom(Value::Int(i64::from(n)));
            Some(vec![atom(a), atom(b)])
        }
        Value::Tuple { at, len, .. } => {
            let cells = &space.values[at as usize..(at + len) as usize];
            cells.iter().map(|cell| Atom::new(*cell)).collect()
        }
        _ => None,
    };
    match value {
        Value::Grid { .. } => {
            let grid = value.as_grid()?;
            let rows = (0..grid.height).map(|i| space.cells[grid.row(i)].iter());
            Some(rows.map(|row| row.map(number).collect()).collect())
        }
        Value::Tuple { at, len, .. } if len > 0 => {
            let rows = &space.values[at as usize..(at + len) as usize];
            rows.iter().map(|value| row(*value)).collect()
        }
        _ => None,
    }
}

/// Returns a pair as a location.
pub(super) fn location(value: Value) -> Option<Location> {
    match value {
        Value::Pair(i, j) => Some((i64::from(i), i64::from(j))),
        _ => None,
    }
}

/// A result on lightweight copies.
pub(super) enum IrregularValue {
    Atom(Atom),
    Grid(Rows<Atom>),
    /// A tuple of grids.
    Grids(Vec<Rows<Atom>>),
    /// A set of locations or cells, in any order and with repetitions.
    Patch(IrregularPatch),
    /// A set of patches.
    Patches(Vec<IrregularPatch>),
}

impl IrregularValue {
    /// Returns the compact value, charged as if it was made of a plain one.
    pub(super) fn build(self, space: &mut Space) -> ValueResult {
        let base = space.stack.len();
        let built = self.build_on_stack(space, base);
        space.stack.truncate(base);
        built
    }

    fn build_on_stack(self, space: &mut Space, base: usize) -> ValueResult {
        match self {
            IrregularValue::Atom(Atom(value)) => Ok(value),
            IrregularValue::Grid(rows) => grid_from(space, rows),
            IrregularValue::Grids(grids) => {
                for rows in grids {
                    let grid = grid_from(space, rows)?;
                    space.stack.push(grid);
                }
                space.tuple_from(base)
            }
            IrregularValue::Patch(patch) => set_from(space, patch),
            IrregularValue::Patches(patches) => {
                for patch in patches {
                    let set = set_from(space, patch)?;
                    space.stack.push(set);
                }
                space.set_from(base)
            }
        }
    }
}

fn grid_from(space: &mut Space, rows: Rows<Atom>) -> ValueResult {
    let base = space.stack.len();
    for row in rows {
        let start = space.stack.len();
        space.stack.extend(row.into_iter().map(|Atom(value)| value));
        let row = space.tuple_from(start)?;
        space.stack.push(row);
    }
    space.tuple_from(base)
}

fn set_from(space: &mut Space, patch: IrregularPatch) -> ValueResult {
    let base = space.stack.len();
    match patch {
        IrregularPatch::Indices(mut locations) => {
            locations.sort_unstable();
            locations.dedup();
            for (i, j) in locations {
                // A location is a tuple of two.
                space.meter.work(2)?;
                let location = space.pair(i, j)?;
                space.stack.push(location);
            }
        }
        IrregularPatch::Object(mut cells) => {
            // A stable sort keeps the first of equal elements.
            cells.sort();
            cells.dedup();
            for (Atom(colour), (i, j)) in cells {
                let start = space.stack.len();
                space.stack.push(colour);
                space.meter.work(2)?;
                let location = space.pair(i, j)?;
                space.stack.push(location);
                let cell = space.tuple_from(start)?;
                space.stack.push(cell);
            }
        }
    }
    space.set_from(base)
}

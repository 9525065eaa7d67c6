//! The memory values live in while an evaluation runs.

use super::{Mask, Value};
use crate::compact::distances::DistanceMap;
use crate::fault::{Fault, Limit};
use crate::meter::{Budget, Meter};
use crate::prim::Prim;
use std::time::Duration;

/// One word of a mask.
pub(crate) type Bits = u128;

/// Where a space stood; what came later can be cut off.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpaceMark {
    cells: usize,
    rows: usize,
    values: usize,
    bytes: u64,
}

/// A grid's cells, their height and width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GridRef {
    pub at: usize,
    pub height: usize,
    pub width: usize,
}

impl GridRef {
    pub(crate) fn area(self) -> usize {
        self.height * self.width
    }

    pub(crate) fn row(self, i: usize) -> std::ops::Range<usize> {
        let start = self.at + i * self.width;
        start..start + self.width
    }
}

/// Three vectors that values point into, a stack, and the meter.
///
/// Everything grows to what the largest evaluation needed and stays: in the
/// steady state nothing is allocated.
#[derive(Debug)]
pub struct Space {
    pub(crate) cells: Vec<i8>,
    pub(crate) rows: Vec<Bits>,
    pub(crate) values: Vec<Value>,
    /// Elements on their way into or out of containers.
    pub(crate) stack: Vec<Value>,
    /// Results of the steps of running function bodies.
    pub(crate) frame: Vec<Value>,
    pub(crate) meter: Meter,
    /// The innermost primitive the current step went wrong in.
    pub(crate) failed_primitive: Option<Prim>,
    /// Room for a patch listed cell by cell.
    pub(crate) patch_cells: Vec<super::PatchCell>,
    /// Room for connected components.
    pub(crate) runs: Vec<crate::compact::components::CellRun>,
    /// The many-coloured object last cut into words of one colour and row, by
    /// the places of its mask and colours; shifting it does not change them.
    pub(crate) split_of: Option<(u32, u32)>,
    /// Those words.
    pub(crate) split: Vec<(i8, u8, Bits)>,
    /// Their colours.
    pub(crate) split_palette: super::Colours,
    /// Room for colour planes of a grid.
    pub(crate) planes: Vec<Bits>,
    /// Room for objects and their first cells while they are put in order.
    pub(crate) keyed: Vec<((i8, i16, i32), Value)>,
    /// Room for marking locations while they are put in order.
    pub(crate) bitmap: Vec<u64>,
    /// How far cells are from a patch.
    pub(crate) distances: DistanceMap,
}

impl Space {
    /// An empty space under a budget.
    #[must_use]
    pub fn new(budget: Budget) -> Self {
        Space {
            cells: Vec::new(),
            rows: Vec::new(),
            values: Vec::new(),
            stack: Vec::new(),
            frame: Vec::new(),
            meter: Meter::new(budget),
            failed_primitive: None,
            patch_cells: Vec::new(),
            runs: Vec::new(),
            split_of: None,
            split: Vec::new(),
            split_palette: super::Colours::default(),
            planes: Vec::new(),
            keyed: Vec::new(),
            bitmap: Vec::new(),
            distances: DistanceMap::default(),
        }
    }

    /// Forgets every value and keeps the memory.
    pub fn clear(&mut self) {
        self.cells.clear();
        self.rows.clear();
        self.values.clear();
        self.stack.clear();
        self.frame.clear();
        self.split_of = None;
        self.distances.forget_from(0);
        self.meter.restart();
    }

    /// Bytes of memory held, used or not.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        self.cells.capacity()
            + self.rows.capacity() * size_of::<Bits>()
            + (self.values.capacity() + self.stack.capacity()) * size_of::<Value>()
    }

    /// Bytes of values in use.
    pub(crate) fn used_bytes(&self) -> usize {
        self.cells.len()
            + self.rows.len() * size_of::<Bits>()
            + self.values.len() * size_of::<Value>()
    }

    /// Makes ready for a step of an evaluation that has taken so much time: the meter at
    /// zero, the stack empty.
    pub(crate) fn begin_step(&mut self, spent: Duration) {
        self.stack.clear();
        self.frame.clear();
        self.failed_primitive = None;
        self.meter.restart_after(spent);
    }

    pub(crate) fn mark(&self) -> SpaceMark {
        SpaceMark {
            cells: self.cells.len(),
            rows: self.rows.len(),
            values: self.values.len(),
            bytes: self.meter.bytes(),
        }
    }

    /// Cuts off everything made since `mark`. No value made since may be used.
    pub(crate) fn cut(&mut self, mark: SpaceMark) {
        self.cells.truncate(mark.cells);
        self.rows.truncate(mark.rows);
        self.values.truncate(mark.values);
        self.meter.give_back_to(mark.bytes);
        self.distances.forget_from(mark.rows);
        if let Some((rows, cells)) = self.split_of
            && (rows as usize >= mark.rows || cells as usize >= mark.cells)
        {
            self.split_of = None;
        }
    }

    /// Zeroed cells at the end; their place.
    pub(crate) fn new_cells(&mut self, count: usize) -> Result<usize, Fault> {
        let at = self.reserve_cells(count)?;
        self.cells.resize(at + count, 0);
        Ok(at)
    }

    /// Room for cells about to be written; where the first will lie.
    pub(crate) fn reserve_cells(&mut self, count: usize) -> Result<usize, Fault> {
        self.charge_cells(count)?;
        let at = self.cells.len();
        within_handles(at + count)?;
        Ok(at)
    }

    /// Zeroed mask rows at the end; their place.
    pub(crate) fn new_rows(&mut self, count: usize) -> Result<usize, Fault> {
        let at = self.reserve_rows(count)?;
        if count == 1 {
            self.rows.push(0);
        } else {
            self.rows.resize(at + count, 0);
        }
        Ok(at)
    }

    /// Charges for mask rows that are not written.
    pub(crate) fn charge_rows(&mut self, count: usize) -> Result<(), Fault> {
        self.meter.take((count * size_of::<Bits>()) as u64)
    }

    /// Charges for cells that are not written.
    pub(crate) fn charge_cells(&mut self, count: usize) -> Result<(), Fault> {
        self.meter.take(count as u64)
    }

    /// Charges for values that are not written.
    pub(crate) fn charge_values(&mut self, count: usize) -> Result<(), Fault> {
        self.meter.take((count * size_of::<Value>()) as u64)
    }

    /// Room for mask rows about to be written; where the first will lie.
    pub(crate) fn reserve_rows(&mut self, count: usize) -> Result<usize, Fault> {
        self.charge_rows(count)?;
        let at = self.rows.len();
        within_handles(at + count)?;
        Ok(at)
    }

    /// Room for values about to be pushed; where the first will lie.
    pub(crate) fn new_values(&mut self, count: usize) -> Result<usize, Fault> {
        self.charge_values(count)?;
        let at = self.values.len();
        within_handles(at + count)?;
        Ok(at)
    }

    /// A grid of cells already in place.
    pub(crate) fn grid_at(at: usize, height: usize, width: usize) -> Value {
        Value::Grid {
            at: at as u32,
            height: height as u16,
            width: width as u16,
        }
    }

    /// A new zeroed grid; `None` if it has no cells or is too large for the form.
    pub(crate) fn new_grid(
        &mut self,
        height: usize,
        width: usize,
    ) -> Result<Option<GridRef>, Fault> {
        let fits = |side: usize| side > 0 && u16::try_from(side).is_ok();
        if !fits(height) || !fits(width) {
            return Ok(None);
        }
        let at = self.new_cells(height * width)?;
        Ok(Some(GridRef { at, height, width }))
    }

    /// The words of a mask.
    pub(crate) fn words(&self, mask: Mask) -> &[Bits] {
        let start = mask.rows as usize;
        &self.rows[start..start + usize::from(mask.height)]
    }

    /// How many locations a mask holds.
    pub(crate) fn count(&self, mask: Mask) -> usize {
        let words = self.words(mask).iter();
        if mask.width <= 64 {
            let words = words.map(|word| *word as u64);
            return count_narrow(words, u32::from(mask.width)) as usize;
        }
        words.map(|word| word.count_ones() as usize).sum()
    }
}

impl Value {
    pub(crate) fn as_grid(self) -> Option<GridRef> {
        match self {
            Value::Grid { at, height, width } => Some(GridRef {
                at: at as usize,
                height: usize::from(height),
                width: usize::from(width),
            }),
            _ => None,
        }
    }
}

impl From<GridRef> for Value {
    fn from(grid: GridRef) -> Value {
        Space::grid_at(grid.at, grid.height, grid.width)
    }
}

/// How many bits are set in words of at most `width` bits, 1 to 64. Counting is a dozen
/// instructions without hardware for it, so that as many words as fit are counted at
/// once.
#[inline]
pub(crate) fn count_narrow(words: impl Iterator<Item = u64>, width: u32) -> u32 {
    let (mut together, mut taken, mut count) = (0, 0, 0);
    for word in words {
        together |= word << taken;
        taken += width;
        if taken + width > 64 {
            count += together.count_ones();
            (together, taken) = (0, 0);
        }
    }
    count + together.count_ones()
}

/// Handles hold 32-bit places.
fn within_handles(end: usize) -> Result<(), Fault> {
    if end > u32::MAX as usize {
        return Err(Fault::Budget(Limit::Bytes));
    }
    Ok(())
}

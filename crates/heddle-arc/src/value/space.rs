//! The memory of values during an evaluation.

use super::{Mask, Value};
use crate::compact::distances::DistanceMap;
use crate::fault::{BudgetLimit, Fault};
use crate::meter::{Budget, Meter};
use crate::prim::Prim;
use crate::reading::Reading;
use std::time::Duration;

/// One word of a mask.
pub(crate) type Bits = u128;

/// The lengths of a space at one moment, to truncate it to later.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpaceMark {
    cells: usize,
    rows: usize,
    values: usize,
    bytes: u64,
}

/// The index of a grid's cells, its height and width.
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

/// Three vectors that values index into, a stack, and the meter.
///
/// All memory grows to the size the largest evaluation needs and is kept, so that nothing is
/// allocated in the steady state.
#[derive(Debug)]
pub struct Space {
    pub(crate) cells: Vec<i8>,
    pub(crate) rows: Vec<Bits>,
    pub(crate) values: Vec<Value>,
    /// Elements of a container that is being read or built.
    pub(crate) stack: Vec<Value>,
    /// Results of the steps of running function bodies.
    pub(crate) frame: Vec<Value>,
    pub(crate) meter: Meter,
    /// How calls are understood.
    pub(crate) reading: Reading,
    /// The innermost primitive that failed in the current step.
    pub(crate) failed_primitive: Option<Prim>,
    /// Scratch memory: a patch listed cell by cell.
    pub(crate) patch_cells: Vec<super::PatchCell>,
    /// Scratch memory: the runs of connected components.
    pub(crate) runs: Vec<crate::compact::objects::CellRun>,
    /// The many-coloured object last split into words of one colour and row, by the indices of its
    /// mask and colours, which shifting does not change.
    pub(crate) split_of: Option<(u32, u32)>,
    /// The words of that object.
    pub(crate) split: Vec<(i8, u8, Bits)>,
    /// The colours of that object.
    pub(crate) split_palette: super::Colours,
    /// Scratch memory: the colour planes of a grid.
    pub(crate) planes: Vec<Bits>,
    /// Scratch memory: objects and their first cells during sorting.
    pub(crate) keyed: Vec<((i8, i16, i32), Value)>,
    /// Scratch memory: a bitmap to sort locations with.
    pub(crate) bitmap: Vec<u64>,
    /// The distances of cells from a patch.
    pub(crate) distances: DistanceMap,
}

impl Space {
    /// Returns an empty space with a budget.
    #[must_use]
    pub fn new(budget: Budget) -> Self {
        Space {
            cells: Vec::new(),
            rows: Vec::new(),
            values: Vec::new(),
            stack: Vec::new(),
            frame: Vec::new(),
            meter: Meter::new(budget),
            reading: Reading::Classic,
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

    /// Drops every value and keeps the memory.
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

    /// Returns the allocated bytes, used or not.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        self.cells.capacity()
            + self.rows.capacity() * size_of::<Bits>()
            + (self.values.capacity() + self.stack.capacity()) * size_of::<Value>()
    }

    /// Returns the bytes of values in use.
    pub(crate) fn used_bytes(&self) -> usize {
        self.cells.len()
            + self.rows.len() * size_of::<Bits>()
            + self.values.len() * size_of::<Value>()
    }

    /// Prepares a step of an evaluation that has already spent `spent`: resets the meter and
    /// empties the stack.
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

    /// Drops everything made since `mark`. Values made since become invalid.
    pub(crate) fn cut(&mut self, mark: SpaceMark) {
        self.cells.truncate(mark.cells);
        self.rows.truncate(mark.rows);
        self.values.truncate(mark.values);
        self.meter.release_to(mark.bytes);
        self.distances.forget_from(mark.rows);
        if let Some((rows, cells)) = self.split_of
            && (rows as usize >= mark.rows || cells as usize >= mark.cells)
        {
            self.split_of = None;
        }
    }

    /// Appends zeroed cells and returns the index of the first.
    pub(crate) fn new_cells(&mut self, count: usize) -> Result<usize, Fault> {
        let at = self.reserve_cells(count)?;
        self.cells.resize(at + count, 0);
        Ok(at)
    }

    /// Charges for cells the caller will write and returns the index of the first.
    pub(crate) fn reserve_cells(&mut self, count: usize) -> Result<usize, Fault> {
        self.charge_cells(count)?;
        let at = self.cells.len();
        within_handles(at + count)?;
        Ok(at)
    }

    /// Appends zeroed mask rows and returns the index of the first.
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

    /// Charges for mask rows the caller will write and returns the index of the first.
    pub(crate) fn reserve_rows(&mut self, count: usize) -> Result<usize, Fault> {
        self.charge_rows(count)?;
        let at = self.rows.len();
        within_handles(at + count)?;
        Ok(at)
    }

    /// Charges for values the caller will push and returns the index of the first.
    pub(crate) fn new_values(&mut self, count: usize) -> Result<usize, Fault> {
        self.charge_values(count)?;
        let at = self.values.len();
        within_handles(at + count)?;
        Ok(at)
    }

    /// Returns the grid of existing cells.
    pub(crate) fn grid_at(at: usize, height: usize, width: usize) -> Value {
        Value::Grid {
            at: at as u32,
            height: height as u16,
            width: width as u16,
        }
    }

    /// Appends a zeroed grid, or returns `None` if it has no cells or is too large for the form.
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

    /// Returns the words of a mask.
    pub(crate) fn words(&self, mask: Mask) -> &[Bits] {
        let start = mask.rows as usize;
        &self.rows[start..start + usize::from(mask.height)]
    }

    /// Returns the number of locations of a mask.
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

/// Returns the number of set bits in words of at most `width` bits, 1 to 64. A population count
/// without hardware support takes a dozen instructions, so as many words as fit are counted
/// together.
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

/// Checks that an end index fits the 32 bits of a handle.
fn within_handles(end: usize) -> Result<(), Fault> {
    if end > u32::MAX as usize {
        return Err(Fault::Budget(BudgetLimit::Bytes));
    }
    Ok(())
}

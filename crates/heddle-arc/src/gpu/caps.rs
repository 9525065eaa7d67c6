//! The limits of a warp.

use heddle_runtime::units::Bytes;

/// Frames of running functions a warp keeps, and bytes of each.
const CONTROL_FRAMES: u64 = 64;
const CONTROL_FRAME_BYTES: u64 = 128;
/// What the parts of a warp's memory are multiples of.
const ALIGNMENT: u32 = 16;

/// The memory of a warp, in elements, and its limit of steps. Evaluations that need more
/// run on the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Caps {
    /// Cells of grids.
    pub cells: u32,
    /// Rows of masks.
    pub rows: u32,
    /// Elements of containers.
    pub values: u32,
    /// Elements of containers under construction.
    pub stack: u32,
    /// Registers, and results of steps of running functions.
    pub frame: u32,
    /// Bytes of temporary memory inside one primitive.
    pub spare: u32,
    /// Steps of one evaluation: a warp is slow, and the whole launch waits for a long
    /// evaluation.
    pub steps: u32,
}

impl Default for Caps {
    fn default() -> Self {
        Caps {
            cells: 131_072,
            rows: 16_384,
            values: 8_192,
            stack: 16_384,
            frame: 8_192,
            spare: 131_072,
            steps: 20_000,
        }
    }
}

impl Caps {
    /// As the kernel reads them.
    pub(super) fn words(self) -> [u32; 7] {
        let aligned = |count: u32| {
            // The largest multiple there is, where the next is beyond.
            count
                .checked_next_multiple_of(ALIGNMENT)
                .unwrap_or(u32::MAX / ALIGNMENT * ALIGNMENT)
        };
        [
            aligned(self.cells),
            aligned(self.rows),
            aligned(self.values),
            aligned(self.stack),
            aligned(self.frame),
            aligned(self.spare),
            self.steps,
        ]
    }

    /// The bytes of memory of one warp.
    #[must_use]
    pub fn scratch(self) -> Bytes {
        let [cells, rows, values, stack, frame, spare, _] = self.words().map(u64::from);
        let control = CONTROL_FRAMES * CONTROL_FRAME_BYTES;
        Bytes(16 * (rows + values + stack + frame) + control + cells + spare)
    }

    /// Every limit with its name. A field added to this type must be added here, or the code
    /// does not compile.
    pub fn named(&mut self) -> impl Iterator<Item = (&'static str, &mut u32)> {
        let Caps {
            cells,
            rows,
            values,
            stack,
            frame,
            spare,
            steps,
        } = self;
        [
            ("cells", cells),
            ("rows", rows),
            ("values", values),
            ("stack", stack),
            ("frame", frame),
            ("spare", spare),
            ("steps", steps),
        ]
        .into_iter()
    }
}

//! What a GPU flagged, once more on the processor.

use super::flag_monitor::Address;
use super::selected_evaluations::{GradedOfTile, SelectedEvaluations, SelectedOfTile, judging};
use crate::assess::Grade;
use crate::engine::{Grid, Tile};
use crate::operations::{EVALUATE_AGAIN, EvaluationSettings, TileExample};
use heddle_runtime::device::DeviceId;
use heddle_runtime::{Error, Runtime};

/// Flagged evaluations that one thread redoes together: few, because those with
/// many steps take a millisecond each, and others wait for the last.
const REDONE_TOGETHER: usize = 4;
/// Parts that each thread gets of them, at least, if there are as many.
const PARTS_EACH: usize = 4;

/// Does these evaluations again.
pub(super) fn cpu_fallback<'g>(
    runtime: &Runtime,
    tiles: &[Tile<'_>],
    settings: &EvaluationSettings<'_>,
    wanted: &(impl Fn(TileExample) -> &'g Grid + Sync),
    mut flagged: Vec<Address>,
) -> Result<(Vec<SelectedOfTile>, Vec<GradedOfTile<Grade>>), Error> {
    flagged.sort_unstable();
    let threads = runtime.device(DeviceId::CPU)?.properties().units;
    let together = (flagged.len() / (PARTS_EACH * threads)).clamp(1, REDONE_TOGETHER);
    let mut some: Vec<SelectedOfTile> = Vec::new();
    for of_tile in flagged.chunk_by(|one, next| one.tile == next.tile) {
        let pair = |address: &Address| (address.example, address.program);
        let pairs = |few: &[Address]| (few[0].tile, few.iter().map(pair).collect());
        some.extend(of_tile.chunks(together).map(pairs));
    }
    let repeated = SelectedEvaluations {
        kind: &EVALUATE_AGAIN,
        tiles,
        some: &some,
        settings,
        grade: &judging(wanted),
        wait: None,
    };
    let graded = runtime.run_on(DeviceId::CPU, repeated)?;
    Ok((some, graded))
}

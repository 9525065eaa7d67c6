//! What a GPU flagged, once more on the processor.

use super::lookout::Address;
use super::scattered::{Few, FewJudged, Scattered, judging};
use crate::assess::Judgement;
use crate::engine::{Grid, Tile};
use crate::road::{EVALUATE_AGAIN, Part, Settings};
use heddle_runtime::device::DeviceId;
use heddle_runtime::{Error, Runtime};

/// Flagged evaluations that one thread redoes together: few, because those with
/// many steps take a millisecond each, and others wait for the last.
const REDONE_TOGETHER: usize = 4;
/// Parts that each thread gets of them, at least, if there are as many.
const PARTS_EACH: usize = 4;

/// Does these evaluations again.
pub(super) fn redo<'g>(
    runtime: &Runtime,
    tiles: &[Tile<'_>],
    settings: &Settings<'_>,
    wanted: &(impl Fn(Part) -> &'g Grid + Sync),
    mut flagged: Vec<Address>,
) -> Result<(Vec<Few>, Vec<FewJudged<Judgement>>), Error> {
    flagged.sort_unstable();
    let threads = runtime.device(DeviceId::CPU)?.card().units;
    let together = (flagged.len() / (PARTS_EACH * threads)).clamp(1, REDONE_TOGETHER);
    let mut some: Vec<Few> = Vec::new();
    for of_tile in flagged.chunk_by(|one, next| one.tile == next.tile) {
        let pair = |address: &Address| (address.example, address.program);
        let pairs = |few: &[Address]| (few[0].tile, few.iter().map(pair).collect());
        some.extend(of_tile.chunks(together).map(pairs));
    }
    let again = Scattered {
        kind: &EVALUATE_AGAIN,
        tiles,
        some: &some,
        settings,
        judge: &judging(wanted),
        wait: None,
    };
    let judged = runtime.run_on(DeviceId::CPU, again)?;
    Ok((some, judged))
}

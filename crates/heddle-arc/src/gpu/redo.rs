//! What a GPU flagged, done again on the processor.

use super::judge::Found;
use crate::assess::Judgement;
use crate::engine::{Grid, Tile};
use crate::road::{Block, EVALUATE_AGAIN, Part, Settings};
use heddle_runtime::device::{DeviceId, Lane};
use heddle_runtime::units::Bytes;
use heddle_runtime::{DType, Description, Error, Operand, Operation, Residency, Runtime};

/// Flagged evaluations that one thread redoes together.
const REDONE_TOGETHER: usize = 64;

/// Evaluations a GPU flagged, on the processor.
struct Redo<'a, W> {
    tiles: &'a [Tile<'a>],
    /// Some of one tile each: the number of the example, then that of the program.
    some: &'a [(usize, Vec<(usize, usize)>)],
    settings: &'a Settings<'a>,
    wanted: &'a W,
}

impl<'g, W: Fn(Part) -> &'g Grid + Sync> Operation for Redo<'_, W> {
    type Output = Vec<Vec<(usize, usize, Judgement)>>;

    fn describe(&self) -> Description {
        let work: usize = self.some.iter().map(|(_, some)| some.len()).sum();
        Description::new(&EVALUATE_AGAIN, DType::U8, work as u64).reads(Operand {
            bytes: Bytes(work as u64),
            residency: Residency::Host,
        })
    }

    fn run(&mut self, lane: &Lane<'_>) -> Result<Self::Output, Error> {
        let pool = lane.pool(EVALUATE_AGAIN.name())?;
        let mut judged: Self::Output = Vec::new();
        judged.resize_with(self.some.len(), Vec::new);
        let Redo {
            tiles,
            settings,
            wanted,
            ..
        } = *self;
        let work = self.some.iter().zip(judged.iter_mut());
        pool.each(Bytes(u64::MAX), work, |((tile, some), judged)| {
            let Tile { plan, examples } = tiles[*tile];
            let mut worker = settings.crew.take();
            worker.run_some(
                plan,
                examples,
                &mut some.clone(),
                |example, program, verdict| {
                    let part = Part {
                        tile: *tile,
                        example,
                    };
                    judged.push((example, program, Judgement::of(&verdict, wanted(part))));
                },
            );
            settings.crew.give_back(worker);
        });
        Ok(judged)
    }
}

/// Fills the places a GPU left empty.
pub(super) fn redo<'b, 'g>(
    runtime: &Runtime,
    tiles: &[Tile<'_>],
    settings: &Settings<'_>,
    wanted: &(impl Fn(Part) -> &'g Grid + Sync),
    (blocks, mut found): (&'b [Block], Found),
) -> Result<(&'b [Block], Found), Error> {
    let mut some: Vec<(usize, Vec<(usize, usize)>)> = Vec::new();
    let mut homes: Vec<usize> = Vec::new();
    for (place, (block, rows)) in blocks.iter().zip(&found).enumerate() {
        let mut empty = Vec::new();
        for (example, row) in block.examples.clone().zip(rows.iter().flatten()) {
            let places = row.iter().enumerate();
            let holes = places.filter(|(_, judged)| judged.is_none());
            empty.extend(holes.map(|(program, _)| (example, program)));
        }
        for few in empty.chunks(REDONE_TOGETHER) {
            some.push((block.tile, few.to_vec()));
            homes.push(place);
        }
    }
    let again = Redo {
        tiles,
        some: &some,
        settings,
        wanted,
    };
    let redone = runtime.run_on(DeviceId::CPU, again)?;
    for (home, judged) in homes.into_iter().zip(redone) {
        let first = blocks[home].examples.start;
        let Some(rows) = &mut found[home] else {
            continue;
        };
        for (example, program, judgement) in judged {
            rows[example - first][program] = Some(judgement);
        }
    }
    Ok((blocks, found))
}

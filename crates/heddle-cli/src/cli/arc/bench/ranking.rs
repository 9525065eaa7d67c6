//! The slowest programs and the primitives that take most of the time.

use std::time::Instant;

use heddle::arc::engine::{PrimitiveTimes, Tile, Worker};
use heddle::arc::meter::Budget;
use serde::Serialize;

use super::{BenchLoad, Runner};
use crate::cli::Failure;

/// Number of programs and of primitives listed.
const LISTED: usize = 10;

#[derive(Debug, Serialize)]
pub(super) struct SlowProgram {
    pub(super) program: String,
    pub(super) microseconds: f64,
}

pub(super) fn slowest(
    runner: &Runner<'_>,
    load: &BenchLoad<'_>,
) -> Result<Vec<SlowProgram>, Failure> {
    let mut found = Vec::with_capacity(load.tiles.len());
    for (at, tile) in load.tiles.iter().enumerate() {
        let one = BenchLoad {
            tiles: vec![*tile],
            wanted: &load.wanted[at..=at],
        };
        let mut best = f64::INFINITY;
        for _ in 0..3 {
            let start = Instant::now();
            runner.once(&one)?;
            best = best.min(start.elapsed().as_secs_f64());
        }
        found.push(SlowProgram {
            program: tile.plan.name(0).to_owned(),
            microseconds: best * 1e6 / tile.evaluations().max(1) as f64,
        });
    }
    found.sort_by(|a, b| b.microseconds.total_cmp(&a.microseconds));
    found.truncate(LISTED);
    Ok(found)
}

#[derive(Debug, Serialize)]
pub(super) struct PrimitiveTime {
    pub(super) primitive: &'static str,
    /// Share of the time of all primitives.
    pub(super) share: f64,
    pub(super) calls: u64,
}

pub(super) fn hottest(tiles: &[Tile<'_>]) -> Vec<PrimitiveTime> {
    let mut worker = Worker::timed(Budget::default());
    for tile in tiles {
        tile.run(&mut worker, |_, _, _| {});
    }
    let spent = worker
        .times()
        .map(PrimitiveTimes::hottest)
        .unwrap_or_default();
    let all: f64 = spent.iter().map(|(_, _, time)| time.as_secs_f64()).sum();
    spent
        .iter()
        .take(LISTED)
        .map(|(prim, calls, time)| PrimitiveTime {
            primitive: prim.name(),
            share: time.as_secs_f64() / all.max(1e-12),
            calls: *calls,
        })
        .collect()
}

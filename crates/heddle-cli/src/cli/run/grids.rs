//! The ARC part of the workload: every built-in program on every built-in task.

use std::collections::BTreeSet;

use heddle::Error;
use heddle::arc::assess::Judgement;
use heddle::arc::data::Task;
use heddle::arc::engine::{Example, Grid, Tile, Verdict};
use heddle::arc::gpu::{Judge, LaunchSettings, Lot};
use heddle::arc::meter::Budget;
use heddle::arc::plan::Plan;
use heddle::arc::program::load;
use heddle::arc::road::{Block, Crew, Evaluate, Part, Settings};
use heddle::arc::tasks::{PROGRAMS, dataset};

use super::workload::Road;

/// How often the tasks are drawn, so that a round has some 25,000 evaluations: 17 ms on
/// two cores of an EPYC, a tenth of the round.
const DRAWS: u64 = 2;

/// Tasks, and all programs merged into one plan, so that steps they share run once.
pub(super) struct Grids {
    tasks: Vec<Task>,
    plan: Plan,
    crew: Crew,
    launch: LaunchSettings,
}

impl Grids {
    pub(super) fn new(seed: u64, launch: LaunchSettings) -> Self {
        Self {
            tasks: (0..DRAWS)
                .flat_map(|draw| dataset(seed.wrapping_add(draw)).tasks)
                .collect(),
            plan: Plan::new(&load(PROGRAMS, "programs.py").programs),
            crew: Crew::new(Budget::default()),
            launch,
        }
    }

    /// Evaluations in one round: one for each program and pair.
    pub(super) fn evaluations(&self) -> usize {
        let pairs = self.tasks.iter().map(|task| task.pairs().count());
        self.plan.len() * pairs.sum::<usize>()
    }

    /// Judges every program on every pair, all in one operation.
    pub(super) fn run(&self, road: &mut impl Road) -> Result<(), Error> {
        let examples: Vec<Vec<Example<'_>>> = self
            .tasks
            .iter()
            .map(|task| task.examples().collect())
            .collect();
        let outputs: Vec<Vec<&Grid>> = self
            .tasks
            .iter()
            .map(|task| task.pairs().map(|(_, output)| output).collect())
            .collect();
        let tiles: Vec<Tile<'_>> = examples
            .iter()
            .map(|examples| Tile {
                plan: &self.plan,
                examples,
            })
            .collect();
        let blocks: Vec<Block> = (0..)
            .zip(&examples)
            .map(|(tile, examples)| Block {
                tile,
                examples: 0..examples.len(),
            })
            .collect();
        let wanted = |part: Part| outputs[part.tile][part.example];
        let settings = Settings::of(&self.crew);
        // Nothing is lowered before a GPU is chosen.
        let lots = Lot::all(&tiles, road.runtime().pool());
        let mut judge = Judge::new(&tiles, &blocks, &settings, &wanted);
        if let [lot] = &lots[..] {
            judge = judge.on_gpu(lot, self.launch);
        }
        let findings = road.run(&mut judge)?;
        // What a GPU had no memory for is done again on the CPU.
        let again: BTreeSet<(usize, usize)> = judge
            .read(findings)
            .holes
            .iter()
            .map(|hole| (hole.block, hole.example))
            .collect();
        if again.is_empty() {
            return Ok(());
        }
        let again: Vec<Block> = again
            .into_iter()
            .map(|(tile, example)| Block {
                tile,
                examples: example..example + 1,
            })
            .collect();
        let judge = |part: Part, _: usize, verdict: Verdict<'_>| {
            Judgement::of(&verdict, outputs[part.tile][part.example])
        };
        road.run(Evaluate::new(&tiles, &again, &settings, &judge))?;
        Ok(())
    }
}

//! The kernel compares sets by inclusion, as the CPU does: the least and greatest of nested
//! sets, of disjoint sets, and by keys that are sets.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test says so by failing"
)]

use heddle_arc::engine::{Example, Grid, Tile, evaluate_with};
use heddle_arc::gpu::{Batch, Interpret, LaunchSettings};
use heddle_arc::meter::Budget;
use heddle_arc::operations::TileExample;
use heddle_arc::plan::Plan;
use heddle_arc::program::load;
use heddle_runtime::device::DeviceId;
use heddle_runtime::units::Bytes;
use heddle_testing::several_gpus::cpu_and_gpu;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Sets of locations and of cells, with one or many colours, nested or not.
const SETS: [&[&str]; 8] = [
    &["x9 = objects(I, T, F, F)"],
    &["x9 = objects(I, F, T, T)"],
    &["x9 = partition(I)"],
    &["x1 = objects(I, T, T, F)", "x9 = apply(backdrop, x1)"],
    &[
        "x1 = objects(I, T, T, F)",
        "x2 = lbind(recolor, ONE)",
        "x3 = compose(x2, backdrop)",
        "x9 = apply(x3, x1)",
    ],
    &["x1 = upscale(I, THREE)", "x9 = objects(x1, T, F, F)"],
    &[
        "x1 = objects(I, T, F, F)",
        "x2 = apply(toindices, x1)",
        "x3 = apply(backdrop, x1)",
        "x9 = combine(x2, x3)",
    ],
    &[
        "x1 = asobject(I)",
        "x2 = objects(I, F, F, T)",
        "x9 = insert(x1, x2)",
    ],
];

/// The calls on these sets.
const CALLS: [&str; 9] = [
    "minimum(x9)",
    "maximum(x9)",
    "argmax(x9, backdrop)",
    "argmin(x9, identity)",
    "valmax(x9, toindices)",
    "valmin(x9, size)",
    "order(x9, identity)",
    "order(x9, size)",
    "argmax(x9, height)",
];

fn grids() -> Vec<Grid> {
    let frames: Vec<[i8; 11]> = (0..11_i8)
        .map(|i| {
            std::array::from_fn(|j| {
                let ring = i.min(10 - i).min(j as i8).min(10 - j as i8);
                [5, 0, 3, 5, 2, 7][ring as usize]
            })
        })
        .collect();
    let apart = [[1_i8, 0, 2, 2], [0, 0, 2, 0], [3, 3, 0, 1], [3, 0, 1, 1]];
    let inside = [[4_i8, 4, 4, 0], [4, 6, 4, 0], [4, 4, 4, 6]];
    vec![
        Grid::new(&frames).unwrap(),
        Grid::new(&apart).unwrap(),
        Grid::new(&inside).unwrap(),
        Grid::new(&[[9_i8]]).unwrap(),
    ]
}

#[test]
fn kernel_set_comparison_equals_cpu() {
    let mut text = String::new();
    for (set, lines) in SETS.iter().enumerate() {
        for (number, call) in CALLS.iter().enumerate() {
            let lines = lines.join("\n    ");
            let _ = write!(
                text,
                "def solve_{set}_{number}(I):\n    {lines}\n    O = {call}\n    return O\n\n\n"
            );
        }
    }
    let loaded = load(&text, "sets.py");
    assert!(loaded.errors.is_empty(), "{:?}", loaded.errors);
    let plan = Plan::new(&loaded.programs);
    let grids = grids();
    let examples: Vec<Example<'_>> = grids.iter().map(Example::new).collect();
    let budget = Budget::default();
    let tile = Tile {
        plan: &plan,
        examples: &examples,
    };
    let batch = Batch::new(&[tile], budget, |_| None);
    let settings = LaunchSettings::default().with(|it| {
        it.warps = 8;
        it.dump = Bytes(1 << 20);
    });
    let interpret = Interpret::new(batch.job(), settings);
    let ran = cpu_and_gpu().run_on(DeviceId::simt(0), interpret).unwrap();
    let mut results = BTreeSet::new();
    let known = evaluate_with(&plan, &examples, budget, |_, _, evaluation| {
        evaluation.to_evaluation()
    });
    for (example, known) in known.iter().enumerate() {
        for (program, known) in known.iter().enumerate() {
            let part = TileExample { tile: 0, example };
            let own = batch.evaluation(&ran, &plan, part, program);
            let name = &loaded.programs[program].name;
            assert_eq!(own.as_ref(), Ok(known), "{name} on grid {example}");
            results.insert(format!("{known:?}"));
        }
    }
    assert!(results.len() > 80, "{} results", results.len());
}

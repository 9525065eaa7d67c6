//! Every call that is evaluated without plain copies, compared with the same call on plain copies.

use super::ragged;
use super::*;
use crate::meter::Budget;
use crate::plain::{Plain, set_of};
use std::collections::BTreeSet;

fn numbers(row: &[i64]) -> Plain {
    Plain::Tuple(row.iter().map(|n| Plain::Int(*n)).collect())
}

fn ragged() -> Plain {
    Plain::Tuple(vec![
        numbers(&[1, 2, 3, 1]),
        numbers(&[1, 3]),
        numbers(&[2, 2, 2, 3, 3, 3]),
        Plain::Tuple(vec![]),
    ])
}

fn odd() -> Plain {
    let mixed = [Plain::None, Plain::Int(400), Plain::Bool(true)];
    Plain::Tuple(vec![Plain::Tuple(mixed.to_vec()), numbers(&[1, 0, 1])])
}

fn square(top: i64, left: i64, side: i64) -> Plain {
    let rows = top..top + side;
    let places = rows.flat_map(|i| (left..left + side).map(move |j| (i, j)));
    set_of(places.map(|(i, j)| Plain::pair(i, j)))
}

/// Grids: ragged ones, one with cells that are no colours, and a tuple that is no grid.
fn grids() -> Vec<Plain> {
    vec![
        ragged(),
        odd(),
        Plain::Tuple(vec![numbers(&[1, 2]), numbers(&[3])]),
        Plain::grid([[3, 0, 3], [0, 3, 0], [0, 0, 0]]),
        Plain::Tuple(vec![Plain::pair(1, 2), set_of([Plain::Int(1)])]),
    ]
}

/// Patches: small ones, and ones too wide or too high for a mask, as sets and as tuples.
fn patches() -> Vec<Plain> {
    let mut patches = vec![
        square(0, 0, 1),
        square(-1, 1, 3),
        square(2, 4, 9),
        set_of([
            Plain::cell(Plain::None, 0, 1),
            Plain::cell(Plain::Int(1), 1, 0),
        ]),
        set_of([
            Plain::cell(Plain::Int(3), 4, 5),
            Plain::cell(Plain::Bool(true), 4, 6),
        ]),
        set_of([Plain::cell(Plain::Int(1), 0, 0), Plain::pair(3, 3)]),
    ];
    for places in [
        &[(0, -70), (3, 70)][..],
        &[(0, 0), (0, 300)],
        &[(-400, 2), (7, 2), (0, 1)],
        &[(5, 5), (5, 140), (300, 5)],
    ] {
        let locations = || places.iter().map(|(i, j)| Plain::pair(*i, *j));
        let coloured = |colour: fn(i64) -> i64| {
            let cells = places.iter();
            cells.map(move |(i, j)| Plain::cell(Plain::Int(colour(*i)), *i, *j))
        };
        // Cells of two colours, and two cells at one location.
        let (i, j) = places[0];
        let twice = [Plain::cell(Plain::Int(9), i, j)];
        patches.extend([
            Plain::Tuple(locations().collect()),
            Plain::Tuple(coloured(|_| 4).collect()),
            set_of(locations()),
            set_of(coloured(|i| i % 2).chain(twice)),
        ]);
    }
    patches
}

fn atoms() -> Vec<Plain> {
    let numbers = [-1, 0, 1, 2, 3, 1000].map(Plain::Int);
    let others = [
        Plain::None,
        Plain::Bool(true),
        Plain::pair(1, -2),
        Plain::pair(2, 2),
    ];
    numbers.into_iter().chain(others).collect()
}

/// Primitives with arguments, by the kinds of their parameters.
fn calls() -> Vec<(Prim, Vec<Plain>)> {
    use Prim::*;
    let (grids, patches, atoms) = (grids(), patches(), atoms());
    let either = [&grids[..], &patches[..]].concat();
    let mut calls = Vec::new();
    let mut of = |prims: &[Prim], parameters: &[&[Plain]]| {
        let mut all: Vec<Vec<Plain>> = vec![vec![]];
        for values in parameters {
            let longer = |args: &Vec<Plain>, value: &Plain| {
                [&args[..], std::slice::from_ref(value)].concat()
            };
            all = all
                .iter()
                .flat_map(|args| values.iter().map(move |value| longer(args, value)))
                .collect();
        }
        for prim in prims {
            calls.extend(all.iter().map(|args| (*prim, args.clone())));
        }
    };
    of(
        &[
            Rot90,
            Rot180,
            Rot270,
            Trim,
            Tophalf,
            Bottomhalf,
            Lefthalf,
            Righthalf,
            Compress,
            Hmirror,
            Vmirror,
            Dmirror,
            Cmirror,
            Mostcolor,
            Leastcolor,
            Numcolors,
            Asobject,
            Asindices,
            Partition,
            Fgpartition,
            Corners,
            Box,
            Inbox,
            Outbox,
            Backdrop,
            Delta,
        ],
        &[&either],
    );
    of(
        &[
            Hupscale, Vupscale, Upscale, Downscale, Hsplit, Vsplit, Ofcolor,
        ],
        &[&either, &atoms],
    );
    of(&[Hconcat], &[&grids, &grids]);
    of(&[Subgrid, Toobject], &[&patches, &grids]);
    of(
        &[Occurrences],
        &[&grids, &[set_of([]), Plain::Tuple(vec![])]],
    );
    of(
        &[Cover, Paint, Underpaint, Occurrences],
        &[&grids, &patches],
    );
    of(&[Recolor], &[&atoms, &either]);
    of(&[Crop, Replace, Switch], &[&grids, &atoms, &atoms]);
    of(&[Cellwise], &[&grids, &grids, &atoms]);
    of(&[Fill, Underfill], &[&grids, &atoms, &patches]);
    of(&[Move], &[&grids, &patches, &atoms]);
    calls
}

/// A function that evaluates some of the calls.
type EvaluateFn = fn(&mut Space, Prim, &[Value]) -> Option<ValueResult>;

/// The result or fault, and the meter's counts after a result.
type ResultAndMeter = (Result<Plain, Fault>, Option<[u64; 3]>);

fn result_and_meter(
    budget: Budget,
    (prim, args): &(Prim, Vec<Plain>),
    call: impl Fn(&mut Space, Prim, &[Value]) -> Option<ValueResult>,
) -> Option<ResultAndMeter> {
    let mut space = Space::new(Budget::default());
    let args: Result<Vec<Value>, Fault> = args.iter().map(|arg| space.import(arg)).collect();
    let mut space = Space {
        meter: crate::meter::Meter::new(budget),
        ..space
    };
    let evaluated = call(&mut space, *prim, &args.ok()?)?;
    let meter = &space.meter;
    // The charges after a fault are not specified.
    let spent = evaluated
        .is_ok()
        .then(|| [meter.steps(), meter.bytes(), meter.peak_bytes()]);
    Some((evaluated.and_then(|value| space.export(value)), spent))
}

#[test]
fn results_faults_and_costs_equal_plain_evaluation() {
    let default = Budget::default();
    let steps = (0..400)
        .step_by(57)
        .map(|steps| Budget { steps, ..default });
    let bytes = (0..20_000)
        .step_by(2_331)
        .map(|bytes| Budget { bytes, ..default });
    let budgets: Vec<Budget> = [default].into_iter().chain(steps).chain(bytes).collect();
    let (mut called, mut walked, mut copied) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for of in calls() {
        called.insert(of.0.name());
        for budget in &budgets {
            let copies = |space: &mut Space, prim: Prim, args: &[Value]| {
                Some(space.evaluate_on_copies(prim, args))
            };
            let walks: EvaluateFn = ragged::evaluated;
            for (way, handled) in [(walks, &mut walked), (evaluated, &mut copied)] {
                if let Some(ours) = result_and_meter(*budget, &of, way) {
                    if ours.0.is_ok() {
                        handled.insert(of.0.name());
                    }
                    assert_eq!(
                        Some(ours),
                        result_and_meter(*budget, &of, copies),
                        "{of:?} {budget:?}"
                    );
                }
            }
        }
    }
    let of_ragged = [
        Prim::Fill,
        Prim::Switch,
        Prim::Vsplit,
        Prim::Fgpartition,
        Prim::Asobject,
        Prim::Asindices,
        Prim::Box,
        Prim::Inbox,
        Prim::Outbox,
        Prim::Backdrop,
        Prim::Delta,
    ];
    assert_eq!(walked, of_ragged.map(Prim::name).into());
    assert!(called.difference(&walked).all(|prim| copied.contains(prim)));
}

#[test]
fn unsupported_calls_cost_nothing() {
    let mut space = Space::new(Budget::default());
    let object = set_of([Plain::cell(Plain::pair(1, 2), 0, 0)]);
    let object = space.import(&object).expect("it fits");
    let before = space.meter.steps();
    assert!(evaluated(&mut space, Prim::Hmirror, &[object]).is_none());
    assert_eq!(space.meter.steps(), before);
}

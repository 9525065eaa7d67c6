//! Compact values behave as plain values do, on random arguments.
//!
//! For every primitive, the test makes random arguments of the types it takes, and now and
//! then of other types. Some have forms that no fast path handles: ragged and empty grids,
//! colours beyond a byte, locations far apart, two colours on one location, tuples as
//! patches. Both evaluators must return the same result, or both must fail.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test says so by failing"
)]
#![allow(clippy::cast_possible_wrap, reason = "the numbers are small")]

use heddle_arc::evaluators::{CompactEvaluator, PlainEvaluator};
use heddle_arc::fault::Fault;
use heddle_arc::golden::Evaluator;
use heddle_arc::meter::Budget;
use heddle_arc::plain::Plain;
use heddle_arc::prim::Prim;
use heddle_testing::Random;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Makes random arguments; Proptest provides the seed.
struct Rng(Random);

impl Rng {
    fn below(&mut self, bound: u64) -> u64 {
        self.0.below(bound)
    }

    fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as u64) as i64
    }

    fn one_in(&mut self, chance: u64) -> bool {
        self.below(chance) == 0
    }

    fn number(&mut self) -> Plain {
        match self.below(12) {
            0 => Plain::Bool(self.one_in(2)),
            1 => Plain::Int(self.between(-200, 200)),
            2 => Plain::Int(self.between(i64::MIN / 4, i64::MAX / 4)),
            _ => Plain::Int(self.between(-3, 10)),
        }
    }

    fn colour(&mut self) -> Plain {
        match self.below(40) {
            0 => Plain::Int(-1),
            1 => Plain::Int(300),
            2 => Plain::Bool(true),
            _ => Plain::Int(self.between(0, 4)),
        }
    }

    fn pair(&mut self) -> Plain {
        match self.below(20) {
            0 => Plain::pair(self.between(-40_000, 40_000), self.between(-300, 300)),
            1 => Plain::pair(self.between(-1 << 40, 1 << 40), 1),
            _ => Plain::pair(self.between(-3, 9), self.between(-3, 9)),
        }
    }

    fn grid(&mut self) -> Plain {
        let few = self.one_in(3);
        let (height, width) = match self.below(20) {
            0 => (0, 0),
            1 => (self.between(1, 3), 0),
            2 => (self.between(1, 3), self.between(100, 150)),
            _ => (self.between(1, 7), self.between(1, 7)),
        };
        let odd = self.one_in(15);
        let ragged = self.one_in(25);
        let rows = (0..height).map(|row| {
            let width = if ragged && row > 0 {
                self.between(0, 5)
            } else {
                width
            };
            let cells = (0..width).map(|_| match (odd, few) {
                (true, _) => self.colour(),
                (_, true) => Plain::Int(self.between(0, 1)),
                _ => Plain::Int(self.between(0, 3)),
            });
            Plain::Tuple(cells.collect())
        });
        Plain::Tuple(rows.collect::<Vec<_>>())
    }

    fn location(&mut self, range: i64) -> Plain {
        Plain::pair(
            self.between(-range, range + 4),
            self.between(-range, range + 4),
        )
    }

    fn indices(&mut self) -> Plain {
        let range = match self.below(12) {
            0 => 90,
            1 => 400,
            2 => 40_000,
            _ => 2,
        };
        let count = self.below(9);
        Plain::Set((0..count).map(|_| self.location(range)).collect())
    }

    fn object(&mut self) -> Plain {
        let range = if self.one_in(12) { 90 } else { 2 };
        let one = self.one_in(2).then(|| self.colour());
        let count = self.below(9);
        let cells = (0..count).map(|_| {
            let colour = one.clone().unwrap_or_else(|| self.colour());
            Plain::Tuple(vec![colour, self.location(range)])
        });
        Plain::Set(cells.collect())
    }

    fn patch(&mut self) -> Plain {
        let set = if self.one_in(2) {
            self.indices()
        } else {
            self.object()
        };
        match (set, self.one_in(6)) {
            (Plain::Set(items), true) => {
                let mut list: Vec<Plain> = items.into_iter().collect();
                if let Some(first) = list.first().cloned() {
                    list.push(first);
                }
                Plain::Tuple(list)
            }
            (set, _) => set,
        }
    }

    fn element(&mut self, depth: u32) -> Plain {
        match self.below(if depth > 2 { 3 } else { 9 }) {
            0 | 1 => self.number(),
            2 => self.pair(),
            3 => Plain::Tuple(vec![self.colour(), self.pair()]),
            4 => self.grid(),
            5 => self.patch(),
            6 => self.container(depth + 1),
            7 => self.function(1),
            _ => Plain::None,
        }
    }

    fn container(&mut self, depth: u32) -> Plain {
        let count = self.below(6);
        // Mostly elements of one kind, as in programs.
        let kind = self.below(7);
        let items: Vec<Plain> = (0..count)
            .map(|_| match kind {
                0 => self.number(),
                1 => self.pair(),
                2 => self.object(),
                3 => self.indices(),
                4 => self.grid(),
                5 => Plain::Tuple(vec![self.pair(), self.pair()]),
                _ => self.element(depth + 1),
            })
            .collect();
        if self.one_in(2) {
            Plain::Tuple(items)
        } else {
            Plain::Set(items.into_iter().collect::<BTreeSet<_>>())
        }
    }

    fn function(&mut self, arity: usize) -> Plain {
        let choices: Vec<Prim> = Prim::ALL
            .iter()
            .copied()
            .filter(|prim| prim.arity() == arity)
            .collect();
        let prim = choices[self.below(choices.len() as u64) as usize];
        match (arity, self.below(8)) {
            (1, 0) => {
                let parts = vec![self.function(1), Plain::Prim(prim)];
                Plain::Built(Prim::Compose, parts)
            }
            (1, 1) => Plain::Built(
                Prim::Fork,
                vec![
                    self.function(2),
                    Plain::Prim(prim),
                    Plain::Prim(Prim::Identity),
                ],
            ),
            (1, 2) => Plain::Built(Prim::Rbind, vec![self.function(2), self.element(2)]),
            (1, 3) => Plain::Built(Prim::Matcher, vec![Plain::Prim(prim), self.number()]),
            (2, 0) => Plain::Built(Prim::Lbind, vec![self.function(3), self.element(2)]),
            _ => Plain::Prim(prim),
        }
    }

    /// A value for a parameter of this type, or now and then any value.
    fn argument(&mut self, parameter: &str) -> Plain {
        if self.one_in(25) {
            return self.element(0);
        }
        match parameter {
            "Int" => self.number(),
            "Bool" => Plain::Bool(self.one_in(2)),
            "Pair" => self.pair(),
            "Num" | "n" => {
                if self.one_in(2) {
                    self.number()
                } else {
                    self.pair()
                }
            }
            "Grid" => self.grid(),
            "Object" => self.object(),
            "Patch" | "Indices" => self.patch(),
            "Piece" | "Elem" => {
                if self.one_in(2) {
                    self.grid()
                } else {
                    self.patch()
                }
            }
            _ if parameter.starts_with("Fn[") => {
                let arity = 1 + parameter
                    .split("->")
                    .next()
                    .unwrap_or("")
                    .matches(',')
                    .count();
                self.function(arity)
            }
            _ if parameter.contains('[') => self.container(0),
            _ => match self.below(5) {
                0 => self.grid(),
                1 => self.patch(),
                2 => self.container(0),
                _ => self.element(0),
            },
        }
    }
}

fn budget() -> Budget {
    Budget::default().with(|it| {
        it.steps = 3_000_000;
        it.bytes = 8 << 20;
    })
}

proptest! {
    #![proptest_config(heddle_testing::depth::cases(400))]

    #[test]
    fn every_primitive_agrees(seed in 1_u64..u64::MAX) {
        let mut rng = Rng(Random::seeded(seed));
        let mut plain = PlainEvaluator { budget: budget() };
        let mut compact = CompactEvaluator::new(budget());
        for prim in Prim::ALL {
            let args: Vec<Plain> = prim
                .parameters()
                .into_iter()
                .map(|parameter| rng.argument(parameter))
                .collect();
            let apply = prim.builds_a_function().then(|| {
                let count = if rng.one_in(6) { 2 } else { 1 };
                (0..count).map(|_| rng.element(0)).collect::<Vec<Plain>>()
            });
            let expected = plain.evaluate(*prim, &args, apply.as_deref());
            let found = compact.evaluate(*prim, &args, apply.as_deref());
            // Budgets end evaluations at different points: plain values are far larger.
            if [&expected, &found].iter().any(|result| matches!(result, Err(Fault::Budget(_)))) {
                continue;
            }
            // A function as a result is compared by the parts it was built of.
            prop_assert_eq!(
                found.as_ref().ok(), expected.as_ref().ok(),
                "{}({:?}) then {:?}: compact {:?}, plain {:?}", prim, args, apply, found, expected
            );
        }
    }
}

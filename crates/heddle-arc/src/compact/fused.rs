//! Fused execution of two steps of a body, where only the second reads the result of the first.
//!
//! The intermediate value is never written. It is charged as if it was, at the same point, and the
//! second step is computed from the operands of the first.

use super::call::Eval;
use super::columns::ColumnSource;
use super::difference::{
    DifferenceForm, common, difference, intersection, shared_size, without_both,
};
use super::union::charge_union;
use super::{ValueResult, colours, construct, containers};
use crate::code::{FlatStep, Fused, StepOperand};
use crate::fault::Fault;
use crate::prim::Prim;
use crate::value::{Space, Value};

impl Fused {
    /// Charges for the intermediate value. Returns `false` and charges nothing if the value has to
    /// be computed.
    fn charge(self, space: &mut Space, [a, b]: [Value; 2], other: Value) -> Result<bool, Fault> {
        match self {
            Fused::ColourCount => {
                let Some((_, _, window)) = construct::inside(a, b) else {
                    return Ok(false);
                };
                space.charge_rows(window.height())?;
                space.charge_cells(window.height() * window.width())?;
                Ok(true)
            }
            Fused::SharedSize => {
                let Some((_, _, window)) = common(a, b) else {
                    return Ok(false);
                };
                space.charge_rows(window.height())?;
                Ok(true)
            }
            Fused::WithoutBoth | Fused::LeftByBoth => {
                let mask = |value: Value| matches!(value, Value::Mask(_));
                if other.mask().is_none() || mask(other) != mask(a) {
                    return Ok(false);
                }
                charge_union(space, a, b)
            }
        }
    }

    /// Runs the first step alone.
    fn first(self, space: &mut Space, [a, b]: [Value; 2]) -> ValueResult {
        match self {
            Fused::ColourCount => construct::toobject(space, a, b),
            Fused::SharedSize => intersection(space, a, b),
            Fused::WithoutBoth | Fused::LeftByBoth => containers::combine(space, a, b),
        }
    }

    /// Runs the second step. `between` is `None` if the intermediate value was only charged for.
    fn second(
        self,
        space: &mut Space,
        [a, b]: [Value; 2],
        between: Value,
        other: Value,
    ) -> ValueResult {
        let made = !matches!(between, Value::None);
        match self {
            Fused::ColourCount if made => colours::colorcount(space, between, other),
            Fused::ColourCount => colours::count_under(space, a, b, other),
            Fused::SharedSize if made => containers::size(space, between),
            Fused::SharedSize => Ok(Value::Int(shared_size(space, a, b))),
            Fused::WithoutBoth | Fused::LeftByBoth if made => difference(space, other, between),
            Fused::WithoutBoth => without_both(space, other, [a, b], DifferenceForm::Set),
            Fused::LeftByBoth => without_both(space, other, [a, b], DifferenceForm::NonEmpty),
        }
    }
}

impl Eval<'_> {
    /// Runs the first of two steps on one element.
    #[inline]
    fn begin_fused(&mut self, fused: Fused, given: [Value; 2], other: Value) -> ValueResult {
        let charged = match self.space.meter.work(1) {
            Ok(()) => fused.charge(self.space, given, other),
            Err(fault) => Err(fault),
        };
        let between = match charged {
            Ok(true) => return Ok(Value::None),
            Ok(false) => fused.first(self.space, given),
            Err(fault) => Err(fault),
        };
        self.with_primitive(fused.prims().0, between)
    }

    /// Runs the second of two steps on one element.
    #[inline]
    fn end_fused(
        &mut self,
        fused: Fused,
        given: [Value; 2],
        between: Value,
        other: Value,
    ) -> ValueResult {
        let charged = self.space.meter.work(1);
        let value = charged.and_then(|()| fused.second(self.space, given, between, other));
        self.with_primitive(fused.prims().1, value)
    }

    /// Runs two steps of a body with its arguments and captured values.
    pub(super) fn fused_steps(
        &mut self,
        fused: Fused,
        pair: [&FlatStep; 2],
        args: &[Value],
        captured: usize,
        base: usize,
    ) -> Result<(), Fault> {
        let fetch = |argument: StepOperand| self.fetch(argument, args, captured, base);
        let (operands, other) = self.code.flat_code.pair(fused, pair);
        let given = operands.map(fetch);
        let other = fetch(other);
        let between = self.begin_fused(fused, given, other)?;
        self.space.frame.push(between);
        let value = self.end_fused(fused, given, between, other)?;
        self.space.frame.push(value);
        Ok(())
    }

    /// Runs the second of two steps that count one colour of one grid under many patches.
    fn counts_on_plane(
        &mut self,
        patches: ColumnSource,
        between: usize,
        of: (Value, Value),
        count: usize,
    ) -> Result<(), Fault> {
        let mut plane = std::mem::take(&mut self.space.bitmap);
        let counted = self.count_each(patches, between, of, count, &mut plane);
        self.space.bitmap = plane;
        counted
    }

    /// The same with memory for the plane.
    fn count_each(
        &mut self,
        patches: ColumnSource,
        between: usize,
        (grid, colour): (Value, Value),
        count: usize,
        plane: &mut Vec<u64>,
    ) -> Result<(), Fault> {
        let out = self.new_column(count)?;
        let known = colours::plane_of(self.space, grid, colour, plane);
        for element in 0..count {
            let patch = self.element(patches, element);
            let made = self.space.frame[between + element];
            self.space.frame[out + element] = if known && matches!(made, Value::None) {
                let charged = self.space.meter.work(1);
                let value = charged
                    .and_then(|()| colours::count_on_plane(self.space, patch, grid, colour, plane));
                self.with_primitive(Prim::Colorcount, value)?
            } else {
                self.end_fused(Fused::ColourCount, [patch, grid], made, colour)?
            };
        }
        Ok(())
    }

    /// Runs two steps of a body over the elements of a chunk.
    pub(super) fn fused_columns(
        &mut self,
        fused: Fused,
        pair: [&FlatStep; 2],
        column: impl Fn(&Space, StepOperand) -> ColumnSource,
        count: usize,
    ) -> Result<(), Fault> {
        let ([a, b], other) = self.code.flat_code.pair(fused, pair);
        let [a, b, other] = [a, b, other].map(|operand| column(self.space, operand));
        let between = self.new_column(count)?;
        for element in 0..count {
            let given = [self.element(a, element), self.element(b, element)];
            let other = self.element(other, element);
            self.space.frame[between + element] = self.begin_fused(fused, given, other)?;
        }
        if let (Fused::ColourCount, ColumnSource::Same(grid), ColumnSource::Same(colour)) =
            (fused, b, other)
        {
            return self.counts_on_plane(a, between, (grid, colour), count);
        }
        let out = self.new_column(count)?;
        for element in 0..count {
            let given = [self.element(a, element), self.element(b, element)];
            let other = self.element(other, element);
            let made = self.space.frame[between + element];
            self.space.frame[out + element] = self.end_fused(fused, given, made, other)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meter::{Budget, Meter};
    use crate::plain::{Plain, set_of};
    use crate::rng::Rng;

    /// Locations or cells in a small box near the corner of the grid, sometimes none.
    fn patch(rng: &mut Rng, colours: usize) -> Plain {
        let (height, width) = (rng.between(1, 7), rng.between(1, 7));
        let (top, left) = (rng.below(12) as i64 - 4, rng.below(12) as i64 - 4);
        let thin = rng.between(1, 4);
        let mut items = Vec::new();
        for (i, j) in (0..height).flat_map(|i| (0..width).map(move |j| (i, j))) {
            let colour = Plain::Int(rng.below(colours.max(1)) as i64);
            let (i, j) = (top + i as i64, left + j as i64);
            if rng.one_in(thin) {
                items.push(if colours == 0 {
                    Plain::pair(i, j)
                } else {
                    Plain::cell(colour, i, j)
                });
            }
        }
        set_of(items)
    }

    fn grid(rng: &mut Rng) -> Plain {
        let (height, width) = (rng.between(1, 9), rng.between(1, 9));
        Plain::grid((0..height).map(|_| {
            let row = (0..width).map(|_| rng.below(3) as i64);
            row.collect::<Vec<i64>>()
        }))
    }

    /// The outcome and the cost of two steps, fused or one after the other.
    fn run(fused: Fused, at_once: bool, plain: &[Plain; 3], budget: Budget) -> (String, bool) {
        let mut space = Space::new(Budget::default());
        let [a, b, other] = [0, 1, 2].map(|place| space.import(&plain[place]).unwrap());
        space.meter = Meter::new(budget);
        let charged = match fused.charge(&mut space, [a, b], other) {
            charged if at_once => charged,
            _ => {
                space.meter = Meter::new(budget);
                Ok(false)
            }
        };
        let was_fused = charged == Ok(true);
        let between = match charged {
            Ok(true) => Ok(Value::None),
            Ok(false) => fused.first(&mut space, [a, b]),
            Err(fault) => Err(fault),
        };
        let result = between.and_then(|between| fused.second(&mut space, [a, b], between, other));
        let seen = result.map(|value| match fused {
            Fused::LeftByBoth => Plain::Bool(value.truth()),
            _ => space.export(value).unwrap(),
        });
        let meter = &space.meter;
        let cost = (meter.steps(), meter.bytes(), meter.peak_bytes());
        (format!("{seen:?} {cost:?}"), was_fused)
    }

    #[test]
    fn fused_steps_equal_separate_steps() {
        let kinds = [
            Fused::ColourCount,
            Fused::SharedSize,
            Fused::WithoutBoth,
            Fused::LeftByBoth,
        ];
        let mut at_once = [0; 4];
        for seed in 0..4_000 {
            let mut rng = Rng::new(seed);
            let kind = rng.below(4);
            let fused = kinds[kind];
            let colours = rng.below(4);
            let plain = if fused == Fused::ColourCount {
                let colour = Plain::Int([0, 1, 2, 5, 400][rng.below(5)]);
                [patch(&mut rng, colours), grid(&mut rng), colour]
            } else {
                let other = if rng.one_in(8) { 0 } else { colours };
                [other, colours, colours].map(|colours| patch(&mut rng, colours))
            };
            for steps in [2, 9, 20, 60, 100_000] {
                for bytes in [10, 100, 300, 100_000] {
                    let time = None;
                    let budget = Budget { steps, bytes, time };
                    let (wanted, _) = run(fused, false, &plain, budget);
                    let (found, was_fused) = run(fused, true, &plain, budget);
                    assert_eq!(found, wanted, "seed {seed}, {fused:?} of {plain:?}");
                    at_once[kind] += usize::from(was_fused);
                }
            }
        }
        assert!(at_once.iter().all(|count| *count > 1_000), "{at_once:?}");
    }

    #[test]
    fn colour_plane_counts_equal_direct_counts() {
        for seed in 0..2_000 {
            let mut rng = Rng::new(seed);
            let mut space = Space::new(Budget::default());
            let (patch, grid) = (patch(&mut rng, 0), grid(&mut rng));
            let patch = space.import(&patch).unwrap();
            let grid = space.import(&grid).unwrap();
            if construct::inside(patch, grid).is_none() {
                continue;
            }
            let colour = Value::Int(rng.below(3) as i64);
            let mut plane = Vec::new();
            assert!(colours::plane_of(&space, grid, colour, &mut plane));
            let known = colours::count_on_plane(&mut space, patch, grid, colour, &plane);
            let direct = colours::count_under(&mut space, patch, grid, colour);
            let count = |outcome: ValueResult| outcome.map(|value| value.int().unwrap());
            assert_eq!(count(known), count(direct), "seed {seed}");
        }
    }
}

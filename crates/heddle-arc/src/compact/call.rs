//! Calling primitives and callables on compact values.

use super::{
    ValueResult, allocation_free, arithmetic as a, colours, construct as o, containers as c,
    difference, extremes as e, geometry as g, higher as h, lines as l, objects as m, paint as p,
    patterns as r, query as q, scale, split as s,
};
use crate::code::{Code, FlatStep, StepOperand, StepOperation};
use crate::fault::{Fault, ValueKind};
use crate::plain::{Special, arity_when_bound, number as n};
use crate::prim::Prim;
use crate::value::{Space, Value};

/// The maximum number of arguments of a call: `objects` takes four.
const MAX_ARGUMENTS: usize = 4;

/// A running evaluation: the code it calls into and its memory.
pub(crate) struct Eval<'a> {
    pub code: &'a Code,
    pub space: &'a mut Space,
}

impl Eval<'_> {
    /// Returns the number of arguments a callable takes.
    fn arity(&self, function: Value) -> Result<usize, Fault> {
        match function {
            Value::Prim(prim) => Ok(prim.arity()),
            Value::Built {
                prim: Prim::Lbind | Prim::Rbind,
                at,
                ..
            } => {
                let inner = self.space.values[at as usize];
                Ok(arity_when_bound(self.arity(inner)?))
            }
            Value::Built { .. } => Ok(1),
            Value::Body { id, .. } => Ok(usize::from(self.code.flat_code.body(id).arity)),
            _ => Err(function.not(ValueKind::Function)),
        }
    }

    /// Calls a function value. If the result has no parts, the memory of the call is released at
    /// once, so a key or a condition leaves nothing behind.
    pub(crate) fn call(&mut self, function: Value, args: &[Value]) -> ValueResult {
        if let Value::Prim(prim) = function
            && prim.arity() == args.len()
        {
            if let [x, y] = *args
                && let Some(value) = allocation_free::two(prim, x, y)
            {
                self.space.meter.work(1)?;
                return Ok(value);
            }
            // A primitive alone cannot recurse, so depth is not counted here.
            let mark = self.space.mark();
            let value = self.primitive(prim, args)?;
            if value.is_free() {
                self.space.cut(mark);
            }
            return Ok(value);
        }
        let takes = self.arity(function)?;
        if takes != args.len() {
            if let Value::Prim(prim) = function
                && self.space.reading.is_typed()
            {
                return self.typed(prim, args);
            }
            return Err(Fault::Arity {
                takes: takes as u8,
                given: args.len() as u8,
            });
        }
        let mark = self.space.mark();
        self.space.meter.enter()?;
        let result = match function {
            Value::Built { prim, at, .. } => self.built(prim, at as usize, args),
            Value::Body { id, at, .. } => self.body(id, at as usize, args),
            _ => Err(function.not(ValueKind::Function)),
        };
        self.space.meter.leave();
        let value = result?;
        if value.is_free() {
            self.space.cut(mark);
        }
        Ok(value)
    }

    fn built(&mut self, prim: Prim, at: usize, args: &[Value]) -> ValueResult {
        self.space.meter.work(1)?;
        let part = |place: usize| self.space.values[at + place];
        match prim {
            Prim::Compose => {
                let (outer, inner) = (part(0), part(1));
                let value = self.call(inner, args)?;
                self.call(outer, &[value])
            }
            Prim::Chain => {
                let (outer, middle, inner) = (part(0), part(1), part(2));
                let value = self.call(inner, args)?;
                let value = self.call(middle, &[value])?;
                self.call(outer, &[value])
            }
            Prim::Matcher => {
                let (function, target) = (part(0), part(1));
                let value = self.call(function, args)?;
                let is_nan = matches!(value, Value::Special(Special::Nan));
                Ok(Value::Bool(!is_nan && self.space.equal(value, target)))
            }
            Prim::Fork => {
                let (outer, first, second) = (part(0), part(1), part(2));
                let a = self.call(first, args)?;
                let b = self.call(second, args)?;
                self.call(outer, &[a, b])
            }
            Prim::Lbind | Prim::Rbind => {
                let (function, fixed) = (part(0), part(1));
                let mut all = [Value::None; MAX_ARGUMENTS + 1];
                let count = args.len() + 1;
                // A bound function gets at most three arguments, see `arity`.
                if prim == Prim::Lbind {
                    all[0] = fixed;
                    all[1..count].copy_from_slice(args);
                } else {
                    all[..args.len()].copy_from_slice(args);
                    all[args.len()] = fixed;
                }
                self.call(function, &all[..count])
            }
            _ => {
                let (function, times) = (part(0), part(1).int()?);
                let mut value = args[0];
                for _ in 0..times {
                    self.space.meter.work(1)?;
                    value = self.call(function, &[value])?;
                }
                Ok(value)
            }
        }
    }

    /// Runs a function body of the plan on its arguments and captured values.
    fn body(&mut self, id: u32, at: usize, args: &[Value]) -> ValueResult {
        let flat_code = &self.code.flat_code;
        let body = flat_code.body(id);
        let steps = flat_code.steps_of(body);
        let base = self.space.frame.len();
        let captured = at + 1;
        let mut number = 0;
        while let Some(step) = steps.get(number) {
            if let Some(fused) = step.fused
                && !self.space.reading.is_typed()
            {
                let pair = [step, &steps[number + 1]];
                self.fused_steps(fused, pair, args, captured, base)?;
                number += 2;
                continue;
            }
            let value = self.step(step, args, captured, base)?;
            self.space.frame.push(value);
            number += 1;
        }
        let result = self.fetch(body.result, args, captured, base);
        self.space.frame.truncate(base);
        Ok(result)
    }

    pub(super) fn fetch(
        &self,
        argument: StepOperand,
        args: &[Value],
        captured: usize,
        base: usize,
    ) -> Value {
        match argument {
            StepOperand::Parameter(place) => args[usize::from(place)],
            StepOperand::Local(place) => self.space.frame[base + place as usize],
            StepOperand::Captured(place) => self.space.values[captured + usize::from(place)],
            StepOperand::Fixed(value) => value,
        }
    }

    /// Runs one step of a body.
    fn step(
        &mut self,
        step: &FlatStep,
        args: &[Value],
        captured: usize,
        base: usize,
    ) -> ValueResult {
        let operands = self.code.flat_code.operands(step);
        let fetch = |operand: StepOperand| self.fetch(operand, args, captured, base);
        match (step.operation, operands) {
            (StepOperation::Primitive(prim), &[x]) => {
                let values = [fetch(x)];
                return self.primitive(prim, &values);
            }
            (StepOperation::Primitive(prim), &[x, y]) => {
                let values = [fetch(x), fetch(y)];
                return self.primitive(prim, &values);
            }
            _ => {}
        }
        let mut values = [Value::None; MAX_ARGUMENTS + 1];
        match step.operation {
            StepOperation::Primitive(prim) => {
                for (value, operand) in values.iter_mut().zip(operands) {
                    *value = self.fetch(*operand, args, captured, base);
                }
                self.primitive(prim, &values[..operands.len()])
            }
            StepOperation::Call => {
                for (value, operand) in values.iter_mut().zip(operands) {
                    *value = self.fetch(*operand, args, captured, base);
                }
                self.call(values[0], &values[1..operands.len()])
            }
            StepOperation::Close(id) => {
                let start = self.space.stack.len();
                for operand in operands {
                    let value = self.fetch(*operand, args, captured, base);
                    self.space.stack.push(value);
                }
                let fingerprint = self.code.flat_code.body(id).fingerprint;
                self.space.closure_from(id, fingerprint, start)
            }
        }
    }

    /// Calls a primitive with as many arguments as it takes.
    #[inline(never)]
    pub(crate) fn primitive(&mut self, prim: Prim, args: &[Value]) -> ValueResult {
        if self.space.reading.is_typed() {
            return self.typed(prim, args);
        }
        if allocation_free::may_apply(prim) {
            let known = match *args {
                [x] => allocation_free::one(prim, x),
                [x, y] => allocation_free::two(prim, x, y),
                _ => None,
            };
            if let Some(value) = known {
                self.space.meter.work(1)?;
                return Ok(value);
            }
        }
        // This is `with_primitive` inlined, which avoids a copy of the result: a load that spans
        // several recent stores is slow.
        let result = self.dispatch(prim, args);
        if result.is_err() {
            self.space.failed_primitive.get_or_insert(prim);
        }
        result
    }

    /// Records the failed primitive, unless a call inside it has recorded its own.
    #[inline]
    pub(super) fn with_primitive(&mut self, prim: Prim, result: ValueResult) -> ValueResult {
        if result.is_err() {
            self.space.failed_primitive.get_or_insert(prim);
        }
        result
    }

    #[allow(clippy::too_many_lines, reason = "one arm for each primitive")]
    #[inline(never)]
    pub(super) fn dispatch(&mut self, prim: Prim, args: &[Value]) -> ValueResult {
        debug_assert_eq!(args.len(), prim.arity());
        self.space.meter.work(1)?;
        let space = &mut *self.space;
        let x = args[0];
        // Only primitives of more than one parameter use these.
        let y = args.get(1).copied().unwrap_or(x);
        let z = args.get(2).copied().unwrap_or(x);
        match prim {
            Prim::Add => a::lift(space, x, y, n::add),
            Prim::Subtract => a::lift(space, x, y, n::subtract),
            Prim::Multiply => a::lift(space, x, y, n::multiply),
            Prim::Divide => a::lift(space, x, y, n::divide),
            Prim::Invert => a::lift_one(space, x, n::invert),
            Prim::Double => a::lift_one(space, x, n::double),
            Prim::Halve => a::lift_one(space, x, n::halve),
            Prim::Increment => a::lift_one(space, x, n::increment),
            Prim::Decrement => a::lift_one(space, x, n::decrement),
            Prim::Crement => a::lift_one(space, x, n::changed_by_one),
            Prim::Sign => a::lift_one(space, x, n::sign),
            Prim::Even => x.int().map(|n| Value::Bool(n % 2 == 0)),
            Prim::Positive => x.int().map(|n| Value::Bool(n > 0)),
            Prim::Toivec => x.int().and_then(|i| space.pair(i, 0)),
            Prim::Tojvec => x.int().and_then(|j| space.pair(0, j)),
            Prim::Greater => space.greater(x, y).map(Value::Bool),
            Prim::Equality => Ok(Value::Bool(space.equal(x, y))),
            Prim::Flip => Ok(Value::Bool(!x.truth())),
            Prim::Both => Ok(if x.truth() { y } else { x }),
            Prim::Either => Ok(if x.truth() { x } else { y }),
            Prim::Branch => Ok(if x.truth() { y } else { z }),

            Prim::Identity => Ok(x),
            Prim::Contained => {
                if !y.is_tuple() && !y.is_set() {
                    return Err(y.not(ValueKind::Container));
                }
                c::holds(space, y, x).map(Value::Bool)
            }
            Prim::Combine => c::combine(space, x, y),
            Prim::Intersection => difference::intersection(space, x, y),
            Prim::Difference => difference::difference(space, x, y),
            Prim::Dedupe => c::dedupe(space, x),
            Prim::Order => c::order(self, x, y),
            Prim::Repeat => c::repeat(space, x, y),
            Prim::Size => c::size(space, x),
            Prim::Merge => c::merge(space, x),
            Prim::Maximum => e::extreme(space, x, true),
            Prim::Minimum => e::extreme(space, x, false),
            Prim::Valmax => e::val(self, x, y, true),
            Prim::Valmin => e::val(self, x, y, false),
            Prim::Argmax => e::arg(self, x, y, true),
            Prim::Argmin => e::arg(self, x, y, false),
            Prim::Mostcommon => e::common(space, x, true),
            Prim::Leastcommon => e::common(space, x, false),
            Prim::Initset => c::initset(space, x),
            Prim::Insert => c::insert(space, x, y),
            Prim::Remove => c::remove(space, x, y),
            Prim::Other => c::other(space, x, y),
            Prim::First => c::first(space, x),
            Prim::Last => c::last(space, x),
            Prim::Totuple => c::totuple(space, x),
            Prim::Interval => c::interval(space, x, y, z),
            Prim::Astuple => space.tuple_of_two(x, y),
            Prim::Product => c::product(space, x, y),
            Prim::Pair => c::pair(space, x, y),

            Prim::Sfilter => h::sfilter(self, x, y),
            Prim::Mfilter => h::mfilter(self, x, y),
            Prim::Extract => h::extract(self, x, y),
            Prim::Compose
            | Prim::Chain
            | Prim::Matcher
            | Prim::Fork
            | Prim::Lbind
            | Prim::Rbind
            | Prim::Power => h::build(self, prim, args),
            Prim::Apply => h::map(self, x, y),
            Prim::Rapply => h::rapply(self, x, y),
            Prim::Mapply => h::mapply(self, x, y),
            Prim::Papply => h::papply(self, x, y, z),
            Prim::Mpapply => h::mpapply(self, x, y, z),
            Prim::Prapply => h::prapply(self, x, y, z),
            Prim::Sizefilter => h::sizefilter(space, x, y),

            Prim::Rot90
            | Prim::Rot180
            | Prim::Rot270
            | Prim::Hmirror
            | Prim::Vmirror
            | Prim::Dmirror
            | Prim::Cmirror => g::symmetry(space, prim, x),
            Prim::Crop => g::crop(space, x, y, z),
            Prim::Subgrid => g::subgrid(space, x, y),
            Prim::Trim => g::trim(space, x),
            Prim::Tophalf | Prim::Bottomhalf | Prim::Lefthalf | Prim::Righthalf => {
                g::half(space, prim, x)
            }
            Prim::Hupscale | Prim::Vupscale | Prim::Upscale => scale::upscale(space, prim, x, y),
            Prim::Downscale => scale::downscale(space, x, y),
            Prim::Replace => scale::replace(space, x, y, z),
            Prim::Switch => scale::switch(space, x, y, z),
            Prim::Canvas => scale::canvas(space, x, y),

            Prim::Hconcat => s::hconcat(space, x, y),
            Prim::Vconcat => s::vconcat(space, x, y),
            Prim::Hsplit | Prim::Vsplit => s::pieces(space, prim, x, y),
            Prim::Cellwise => s::cellwise(space, x, y, z),

            Prim::Fill | Prim::Underfill => p::fill(space, prim, x, y, z),
            Prim::Paint | Prim::Underpaint => p::paint(space, prim, x, y),
            Prim::Cover => p::cover(space, x, y),
            Prim::Move => p::displace(space, x, y, z),

            Prim::Mostcolor => colours::mostcolor(space, x),
            Prim::Leastcolor => colours::leastcolor(space, x),
            Prim::Palette => colours::palette(space, x),
            Prim::Numcolors => colours::numcolors(space, x),
            Prim::Colorcount => colours::colorcount(space, x, y),
            Prim::Color => colours::color(space, x),
            Prim::Height => q::height(space, x),
            Prim::Width => q::by_shape(space, prim, x, |(_, width), _| Value::Int(width)),
            Prim::Shape => {
                q::by_shape(space, prim, x, |(height, width), _| q::place(height, width))
            }
            Prim::Portrait => q::by_shape(space, prim, x, |(height, width), _| {
                Value::Bool(height > width)
            }),
            Prim::Square => q::by_shape(space, prim, x, |(height, width), count| {
                Value::Bool(height == width && height * width == count)
            }),
            Prim::Vline => q::by_shape(space, prim, x, |(height, width), count| {
                Value::Bool(height == count && width == 1)
            }),
            Prim::Hline => q::by_shape(space, prim, x, |(height, width), count| {
                Value::Bool(width == count && height == 1)
            }),
            Prim::Uppermost => q::by_extremes(space, prim, x, |e| Value::Int(e.top)),
            Prim::Lowermost => q::by_extremes(space, prim, x, |e| Value::Int(e.bottom)),
            Prim::Leftmost => q::by_extremes(space, prim, x, |e| Value::Int(e.left)),
            Prim::Rightmost => q::by_extremes(space, prim, x, |e| Value::Int(e.right)),
            Prim::Ulcorner => q::by_extremes(space, prim, x, |e| q::place(e.top, e.left)),
            Prim::Urcorner => q::by_extremes(space, prim, x, |e| q::place(e.top, e.right)),
            Prim::Llcorner => q::by_extremes(space, prim, x, |e| q::place(e.bottom, e.left)),
            Prim::Lrcorner => q::by_extremes(space, prim, x, |e| q::place(e.bottom, e.right)),
            Prim::Center => q::center(space, x),
            Prim::Centerofmass => q::centerofmass(space, x),
            Prim::Hmatching | Prim::Vmatching => q::matching(space, prim, x, y),
            Prim::Manhattan => q::manhattan(space, x, y),
            Prim::Adjacent => q::adjacent(space, x, y),
            Prim::Bordering => q::bordering(space, x, y),
            Prim::Position => q::position(space, x, y),
            Prim::Gravitate => q::gravitate(space, x, y),
            Prim::Index => q::index(space, x, y),
            Prim::Asindices => q::asindices(space, x),
            Prim::Ofcolor => q::ofcolor(space, x, y),

            Prim::Objects => m::objects(
                space,
                prim,
                args,
                m::Connectivity {
                    univalued: y.truth(),
                    diagonal: z.truth(),
                    without_background: args[3].truth(),
                },
            ),
            Prim::Partition | Prim::Fgpartition => o::partition(space, prim, x),
            Prim::Colorfilter => o::colorfilter(space, x, y),
            Prim::Toindices => o::toindices(space, x),
            Prim::Recolor => o::recolor(space, x, y),
            Prim::Shift => o::shift(space, x, y),
            Prim::Normalize => o::normalize(space, x),
            Prim::Toobject => o::toobject(space, x, y),
            Prim::Asobject => o::asobject(space, x),
            Prim::Backdrop => o::backdrop(space, x),
            Prim::Delta => o::delta(space, x),

            Prim::Dneighbors | Prim::Ineighbors | Prim::Neighbors => l::around(space, prim, x),
            Prim::Connect => l::connect(space, x, y),
            Prim::Shoot => l::shoot(space, x, y),
            Prim::Vfrontier | Prim::Hfrontier => l::frontier(space, prim, x),
            Prim::Corners => l::corners(space, x),
            Prim::Box | Prim::Outbox | Prim::Inbox => l::frame(space, prim, x),
            Prim::Frontiers => l::frontiers(space, x),

            Prim::Occurrences => r::occurrences(space, x, y),
            Prim::Compress => r::compress(space, x),
            Prim::Hperiod | Prim::Vperiod => r::period(space, prim, x),

            Prim::Second => c::nth(space, x, 1),
            Prim::PG => colours::colours_ascending(space, x),
            Prim::OG => o::o_g(space, x, y),
            Prim::DifferenceTuple => {
                if !x.is_tuple() {
                    return Err(x.not(ValueKind::Tuple));
                }
                difference::difference(space, x, y)
            }
            Prim::GetNthT => {
                if !x.is_tuple() {
                    return Err(x.not(ValueKind::Tuple));
                }
                c::nth(space, x, y.int()?)
            }
            Prim::GetNthF => {
                if !x.is_set() {
                    return Err(x.not(ValueKind::Set));
                }
                c::nth(space, x, y.int()?)
            }
            Prim::MirRotT => scale::mir_rot(space, x, y),
            // The classic language has no other.
            _ => Err(Fault::Missing(ValueKind::Function)),
        }
    }
}

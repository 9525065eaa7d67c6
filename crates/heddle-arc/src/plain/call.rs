//! Calling primitives and callables on plain values.

use super::{
    Plain, PlainResult, arithmetic as a, construct as o, containers as c, geometry as g,
    higher as h, lines as l, paint as p, patterns as r, query as q, set_of, split as s,
};
use crate::fault::{Fault, ValueKind};
use crate::meter::Meter;
use crate::prim::Prim;
use a::number as n;

/// Calls a function value.
pub fn apply(function: &Plain, args: &[Plain], meter: &mut Meter) -> PlainResult {
    let takes = h::arity(function)?;
    if takes != args.len() {
        return Err(Fault::Arity {
            takes: takes as u8,
            given: args.len() as u8,
        });
    }
    meter.enter()?;
    let result = match function {
        Plain::Prim(prim) => call(*prim, args, meter),
        Plain::Built(builder, parts) => h::run_built(*builder, parts, args, meter),
        _ => Err(function.not(ValueKind::Function)),
    };
    meter.leave();
    result
}

/// Calls a primitive.
#[allow(clippy::too_many_lines, reason = "one arm for each primitive")]
pub fn call(prim: Prim, args: &[Plain], meter: &mut Meter) -> PlainResult {
    if args.len() != prim.arity() {
        return Err(Fault::Arity {
            takes: prim.arity() as u8,
            given: args.len() as u8,
        });
    }
    meter.work(1)?;
    let x = &args[0];
    // Only primitives of more than one parameter use these.
    let y = args.get(1).unwrap_or(x);
    let z = args.get(2).unwrap_or(x);
    match prim {
        Prim::Add => a::lift(x, y, n::add),
        Prim::Subtract => a::lift(x, y, n::subtract),
        Prim::Multiply => a::lift(x, y, n::multiply),
        Prim::Divide => a::lift(x, y, n::divide),
        Prim::Invert => a::lift_one(x, n::invert),
        Prim::Double => a::lift_one(x, n::double),
        Prim::Halve => a::lift_one(x, n::halve),
        Prim::Increment => a::lift_one(x, n::increment),
        Prim::Decrement => a::lift_one(x, n::decrement),
        Prim::Crement => a::lift_one(x, n::changed_by_one),
        Prim::Sign => a::lift_one(x, n::sign),
        Prim::Even => x.int().map(|n| Plain::Bool(n % 2 == 0)),
        Prim::Positive => x.int().map(|n| Plain::Bool(n > 0)),
        Prim::Toivec => x.int().map(|i| Plain::pair(i, 0)),
        Prim::Tojvec => x.int().map(|j| Plain::pair(0, j)),
        Prim::Greater => a::greater(x, y).map(Plain::Bool),
        Prim::Equality => Ok(Plain::Bool(x == y)),
        Prim::Flip => Ok(Plain::Bool(!x.truth())),
        Prim::Both => Ok(if x.truth() { y } else { x }.clone()),
        Prim::Either => Ok(if x.truth() { x } else { y }.clone()),
        Prim::Branch => Ok(if x.truth() { y } else { z }.clone()),

        Prim::Identity => Ok(x.clone()),
        Prim::Contained => c::contained(x, y),
        Prim::Combine => c::combine(x, y, meter),
        Prim::Intersection => c::intersection(x, y),
        Prim::Difference => c::difference(x, y),
        Prim::Dedupe => c::dedupe(x),
        Prim::Order => c::order(x, y, meter),
        Prim::Repeat => c::repeat(x, y, meter),
        Prim::Size => c::size(x),
        Prim::Merge => c::merge(x, meter),
        Prim::Maximum => c::extreme(x, true, meter),
        Prim::Minimum => c::extreme(x, false, meter),
        Prim::Valmax => c::val(x, y, true, meter),
        Prim::Valmin => c::val(x, y, false, meter),
        Prim::Argmax => c::arg(x, y, true, meter),
        Prim::Argmin => c::arg(x, y, false, meter),
        Prim::Mostcommon => c::common(x, true),
        Prim::Leastcommon => c::common(x, false),
        Prim::Initset => Ok(set_of([x.clone()])),
        Prim::Insert => c::insert(x, y),
        Prim::Remove => c::remove(x, y),
        Prim::Other => c::other(x, y),
        Prim::First => c::nth(x, 0),
        Prim::Last => c::nth(x, -1),
        Prim::Totuple => c::totuple(x),
        Prim::Interval => c::interval(x, y, z, meter),
        Prim::Astuple => Ok(Plain::Tuple(vec![x.clone(), y.clone()])),
        Prim::Product => c::product(x, y, meter),
        Prim::Pair => c::pair(x, y),

        Prim::Sfilter => h::sfilter(x, y, meter),
        Prim::Mfilter => {
            let kept = h::sfilter(x, y, meter)?;
            c::merge(&kept, meter)
        }
        Prim::Extract => h::extract(x, y, meter),
        Prim::Compose
        | Prim::Chain
        | Prim::Matcher
        | Prim::Fork
        | Prim::Lbind
        | Prim::Rbind
        | Prim::Power => h::build(prim, args),
        Prim::Apply => h::map(x, y, meter),
        Prim::Rapply => h::rapply(x, y, meter),
        Prim::Mapply => h::mapply(x, y, meter),
        Prim::Papply => h::papply(x, y, z, meter),
        Prim::Mpapply => {
            let results = h::papply(x, y, z, meter)?;
            c::merge(&results, meter)
        }
        Prim::Prapply => h::prapply(x, y, z, meter),
        Prim::Sizefilter => h::sizefilter(x, y),

        Prim::Rot90
        | Prim::Rot180
        | Prim::Rot270
        | Prim::Trim
        | Prim::Tophalf
        | Prim::Bottomhalf
        | Prim::Lefthalf
        | Prim::Righthalf
        | Prim::Compress => g::rearranged(prim, x),
        Prim::Hmirror => g::hmirror(x),
        Prim::Vmirror => g::vmirror(x),
        Prim::Dmirror => g::dmirror(x),
        Prim::Cmirror => g::cmirror(x),
        Prim::Crop => g::crop(x, y, z),
        Prim::Subgrid => g::subgrid(x, y),
        Prim::Hupscale => g::hupscale(x, y, meter),
        Prim::Vupscale => g::vupscale(x, y, meter),
        Prim::Upscale => g::upscale(x, y, meter),
        Prim::Downscale => g::downscale(x, y),
        Prim::Replace => g::replace(x, y, z),
        Prim::Switch => g::switch(x, y, z),
        Prim::Canvas => g::canvas(x, y, meter),

        Prim::Hconcat => s::hconcat(x, y, meter),
        Prim::Vconcat => s::vconcat(x, y, meter),
        Prim::Hsplit => s::pieces(x, y, true, meter),
        Prim::Vsplit => s::pieces(x, y, false, meter),
        Prim::Cellwise => s::cellwise(x, y, z),

        Prim::Fill => p::fill(x, y, z),
        Prim::Paint => p::paint(x, y),
        Prim::Underfill => p::underfill(x, y, z),
        Prim::Underpaint => p::underpaint(x, y),
        Prim::Cover => p::cover(x, y),
        Prim::Move => p::displace(x, y, z),

        Prim::Mostcolor => q::mostcolor(x, true),
        Prim::Leastcolor => q::mostcolor(x, false),
        Prim::Palette => q::palette(x),
        Prim::Numcolors => q::numcolors(x),
        Prim::Colorcount => q::colorcount(x, y),
        Prim::Color => q::color(x),
        Prim::Height => q::height(x).map(Plain::Int),
        Prim::Width => q::width(x).map(Plain::Int),
        Prim::Shape => q::shape(x),
        Prim::Portrait => q::portrait(x),
        Prim::Square => q::square(x),
        Prim::Vline => q::vline(x),
        Prim::Hline => q::hline(x),
        Prim::Uppermost => q::extreme(x, |e| e.top),
        Prim::Lowermost => q::extreme(x, |e| e.bottom),
        Prim::Leftmost => q::extreme(x, |e| e.left),
        Prim::Rightmost => q::extreme(x, |e| e.right),
        Prim::Ulcorner => q::corner(x, |e| (e.top, e.left)),
        Prim::Urcorner => q::corner(x, |e| (e.top, e.right)),
        Prim::Llcorner => q::corner(x, |e| (e.bottom, e.left)),
        Prim::Lrcorner => q::corner(x, |e| (e.bottom, e.right)),
        Prim::Center => q::center(x),
        Prim::Centerofmass => q::centerofmass(x),
        Prim::Hmatching => q::matching(x, y, |at| at.0).map(Plain::Bool),
        Prim::Vmatching => q::matching(x, y, |at| at.1).map(Plain::Bool),
        Prim::Manhattan => q::manhattan(x, y, meter).map(Plain::Int),
        Prim::Adjacent => q::manhattan(x, y, meter).map(|steps| Plain::Bool(steps == 1)),
        Prim::Bordering => q::bordering(x, y),
        Prim::Position => q::position(x, y),
        Prim::Gravitate => q::gravitate(x, y, meter),
        Prim::Index => q::index(x, y),
        Prim::Asindices => q::asindices(x, meter),
        Prim::Ofcolor => q::ofcolor(x, y),

        Prim::Objects => o::objects(x, y.truth(), z.truth(), args[3].truth()),
        Prim::Partition => o::partition(x, None),
        Prim::Fgpartition => o::fgpartition(x),
        Prim::Colorfilter => o::colorfilter(x, y),
        Prim::Toindices => o::toindices(x),
        Prim::Recolor => o::recolor(x, y),
        Prim::Shift => o::shift(x, y),
        Prim::Normalize => o::normalize(x),
        Prim::Toobject => o::toobject(x, y),
        Prim::Asobject => o::asobject(x),
        Prim::Backdrop => o::backdrop(x, meter),
        Prim::Delta => o::delta(x, meter),

        Prim::Dneighbors => l::around(x, true, false),
        Prim::Ineighbors => l::around(x, false, true),
        Prim::Neighbors => l::around(x, true, true),
        Prim::Connect => l::connect(x, y, meter),
        Prim::Shoot => l::shoot(x, y, meter),
        Prim::Vfrontier => l::vfrontier(x),
        Prim::Hfrontier => l::hfrontier(x),
        Prim::Corners => l::corners(x),
        Prim::Box => l::frame(x, meter),
        Prim::Outbox => l::grown_frame(x, 1, meter),
        Prim::Inbox => l::grown_frame(x, -1, meter),
        Prim::Frontiers => l::frontiers(x),

        Prim::Occurrences => r::occurrences(x, y, meter),
        Prim::Hperiod => r::period(x, false, meter),
        Prim::Vperiod => r::period(x, true, meter),

        Prim::Second => match x.items()?.get(1) {
            Some(item) => Ok((*item).clone()),
            None => Err(Fault::Missing(ValueKind::SecondElement)),
        },
        Prim::PG => r::colours_ascending(x),
        Prim::OG => o::o_g(x, y),
        Prim::DifferenceTuple => c::difference_tuple(x, y),
        Prim::GetNthT => {
            x.tuple()?;
            c::nth(x, y.int()?)
        }
        Prim::GetNthF => {
            x.set()?;
            c::nth(x, y.int()?)
        }
        Prim::MirRotT => g::mir_rot(x, y),
        // The classic language has no other.
        _ => Err(Fault::Missing(ValueKind::Function)),
    }
}

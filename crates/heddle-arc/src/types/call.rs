//! The result type of a call.

use super::{FunctionType, Type};
use crate::plain::arity_when_bound;
use crate::prim::{Prim, PrimFamily, Takes};
use crate::reading::Reading;
use std::rc::Rc;

/// Calls followed before a type becomes `Any`: a power of `initset` would nest types without end.
const MAX_CALLS: u32 = 200;

/// Inference of calls, with a limit on their number.
pub(super) struct CallInference {
    left: u32,
    sees_triples: bool,
}

impl CallInference {
    pub(super) fn new(reading: Reading) -> Self {
        CallInference {
            left: MAX_CALLS,
            sees_triples: reading.sees_triples(),
        }
    }

    /// Returns the result type of calling a value of type `function`.
    pub(super) fn call(&mut self, function: &Type, arguments: &[Type]) -> Type {
        let Type::Function(function) = function else {
            return Type::Any;
        };
        if self.left == 0 {
            return Type::Any;
        }
        self.left -= 1;
        match (&**function, arguments) {
            (FunctionType::Prim(prim), _) if prim.arity() == arguments.len() => {
                self.primitive(*prim, arguments)
            }
            (FunctionType::Built(prim, parts), _) => self.built(*prim, parts, arguments),
            _ => Type::Any,
        }
    }

    fn built(&mut self, prim: Prim, parts: &[Type], arguments: &[Type]) -> Type {
        match prim {
            Prim::Compose => {
                let inner = self.call(&parts[1], arguments);
                self.call(&parts[0], &[inner])
            }
            Prim::Chain => {
                let innermost = self.call(&parts[2], arguments);
                let inner = self.call(&parts[1], &[innermost]);
                self.call(&parts[0], &[inner])
            }
            Prim::Matcher => Type::Bool,
            Prim::Fork => {
                let a = self.call(&parts[1], arguments);
                let b = self.call(&parts[2], arguments);
                self.call(&parts[0], &[a, b])
            }
            Prim::Lbind | Prim::Rbind => {
                let mut all = arguments.to_vec();
                let place = if prim == Prim::Lbind { 0 } else { all.len() };
                all.insert(place, parts[1].clone());
                self.call(&parts[0], &all)
            }
            // A repeated application: only a type that maps to itself is known.
            _ => {
                let once = self.call(&parts[0], arguments);
                if arguments.first() == Some(&once) {
                    once
                } else {
                    Type::Any
                }
            }
        }
    }

    /// Returns the result type of a primitive.
    #[allow(clippy::too_many_lines, reason = "one arm for each rule")]
    pub(super) fn primitive(&mut self, prim: Prim, arguments: &[Type]) -> Type {
        let takes = prim.view().map_or(Takes::Any, |view| view.takes);
        let prim = prim.view().map_or(prim, |view| view.base);
        let takes_patch = matches!(takes, Takes::Patch | Takes::Locations | Takes::Cells);
        let patch =
            (takes_patch && arguments[0].is_tuple()).then(|| Type::set(arguments[0].element()));
        let x = patch.as_ref().unwrap_or(&arguments[0]);
        let y = arguments.get(1).unwrap_or(x);
        let z = arguments.get(2).unwrap_or(x);
        match prim {
            Prim::ApplyT => Type::tuple(self.call(x, &[y.element()])),
            Prim::MapplyT => Type::tuple(self.call(x, &[y.element()]).element()),
            Prim::RapplyT => Type::tuple(self.call(&x.element(), std::slice::from_ref(y))),
            Prim::SfilterT | Prim::SizefilterT | Prim::ColorfilterT | Prim::DedupePairTuple => {
                Type::tuple(x.element())
            }
            Prim::RemoveT => Type::tuple(y.element()),
            Prim::CombineT => Type::tuple(x.element().joined(&y.element())),
            Prim::CombineF => Type::set(x.element().joined(&y.element())),
            Prim::Celltuple => Type::tuple(Type::both(y.element(), Type::Pair)),
            Prim::MirRotF if x.is_tuple() => Type::set(x.element()),
            Prim::ObjectsT | Prim::OGT => Type::tuple(Type::tuple(Type::Cell)),
            Prim::CIz | Prim::CZo => Type::tuple(self.call(y, &[Type::Grid]).element()),
            Prim::CIzN | Prim::CZoN => {
                let changed = Type::tuple(self.call(y, &[Type::Grid]).element());
                self.call(z, &[changed])
            }
            Prim::First
            | Prim::Second
            | Prim::Last
            | Prim::FirstT
            | Prim::FirstF
            | Prim::LastT
            | Prim::LastF
            | Prim::GetNthT
            | Prim::GetNthF
                if self.sees_triples && *x == Type::Cell =>
            {
                Type::Int
            }
            Prim::Add | Prim::Subtract | Prim::Multiply | Prim::Divide => {
                match (x.is_number(), y.is_number()) {
                    (true, true) => Type::Int,
                    _ if x.is_tuple() || y.is_tuple() => Type::Pair,
                    _ => Type::Any,
                }
            }
            Prim::Invert
            | Prim::Double
            | Prim::Halve
            | Prim::Increment
            | Prim::Decrement
            | Prim::Crement
            | Prim::Sign => match x {
                Type::Int | Type::Bool => Type::Int,
                _ if x.is_tuple() => Type::Pair,
                _ => Type::Any,
            },
            Prim::Both | Prim::Either => x.joined(y),
            Prim::Branch => y.joined(z),
            Prim::Identity
            | Prim::MirRotF
            | Prim::Hmirror
            | Prim::Vmirror
            | Prim::Dmirror
            | Prim::Cmirror
            | Prim::Upscale
            | Prim::Normalize => x.clone(),
            Prim::Shift if x.is_set() => x.clone(),
            Prim::Combine => x.like(x.element().joined(&y.element())),
            Prim::Intersection
            | Prim::Difference
            | Prim::Dedupe
            | Prim::Sfilter
            | Prim::DifferenceTuple => match x {
                // Fewer than two elements are no longer a pair.
                _ if x.is_tuple() => Type::tuple(x.element()),
                other => other.clone(),
            },
            Prim::Remove if y.is_tuple() => Type::tuple(y.element()),
            Prim::Remove => y.clone(),
            Prim::Order | Prim::Totuple => Type::tuple(x.element()),
            Prim::Repeat => Type::tuple(x.clone()),
            Prim::Merge | Prim::Mfilter => x.like(x.element().element()),
            Prim::First | Prim::FirstT | Prim::FirstF => match x {
                Type::Both(a, _) => (**a).clone(),
                Type::Cell => Type::Int,
                other => other.element(),
            },
            Prim::Last | Prim::LastT | Prim::LastF | Prim::Second => match x {
                Type::Both(_, b) => (**b).clone(),
                Type::Cell => Type::Pair,
                other => other.element(),
            },
            Prim::Maximum
            | Prim::Minimum
            | Prim::Argmax
            | Prim::Argmin
            | Prim::Mostcommon
            | Prim::Leastcommon
            | Prim::Other
            | Prim::Extract
            | Prim::GetNthT
            | Prim::GetNthF
            | Prim::OtherT
            | Prim::OtherF
            | Prim::MostcommonF
            | Prim::LeastcommonF
            | Prim::GetRank
            | Prim::GetArgRank
            | Prim::GetArgRankT
            | Prim::GetArgRankF
            | Prim::GetCommonRank
            | Prim::GetCommonRankF
            | Prim::GetNthByKeyT
            | Prim::GetNthByKeyF => x.element(),
            Prim::Valmax | Prim::Valmin | Prim::GetValRank => self.call(y, &[x.element()]),
            Prim::Initset => Type::set(x.clone()),
            Prim::Insert => Type::set(x.joined(&y.element())),
            Prim::Interval | Prim::PG | Prim::PO => Type::tuple(Type::Int),
            Prim::Astuple => Type::both(x.clone(), y.clone()),
            Prim::Product => Type::set(Type::both(x.element(), y.element())),
            Prim::Pair => Type::tuple(Type::both(x.element(), y.element())),
            Prim::Apply => {
                let result = self.call(x, &[y.element()]);
                y.like(result)
            }
            Prim::Mapply => {
                let result = self.call(x, &[y.element()]);
                y.like(result.element())
            }
            Prim::Rapply => {
                let result = self.call(&x.element(), std::slice::from_ref(y));
                x.like(result)
            }
            Prim::Papply => Type::tuple(self.call(x, &[y.element(), z.element()])),
            Prim::Mpapply => Type::tuple(self.call(x, &[y.element(), z.element()]).element()),
            Prim::Prapply => Type::set(self.call(x, &[y.element(), z.element()])),
            Prim::Sizefilter | Prim::Shift | Prim::SfilterF | Prim::MfilterT => {
                Type::set(x.element())
            }
            Prim::Hsplit | Prim::Vsplit => Type::tuple(Type::Grid),
            Prim::Palette => Type::set(Type::Int),
            Prim::Objects
            | Prim::OG
            | Prim::Partition
            | Prim::Fgpartition
            | Prim::Colorfilter
            | Prim::Frontiers => Type::set(Type::Object),
            Prim::Recolor | Prim::Toobject | Prim::Asobject => Type::Object,
            _ if prim.builds_a_function() => {
                Type::Function(Rc::new(FunctionType::Built(prim, arguments.to_vec())))
            }
            _ => plain_result(prim),
        }
    }
}

/// Returns the result type of a primitive that is called with as many arguments as it takes.
#[must_use]
pub(crate) fn result_of(prim: Prim, arguments: &[Type], reading: Reading) -> Type {
    if arguments.len() != prim.arity() {
        return Type::Any;
    }
    CallInference::new(reading).primitive(prim, arguments)
}

/// Returns the result type of a primitive whose signature ends in a plain name.
fn plain_result(prim: Prim) -> Type {
    match prim.result() {
        "Bool" => Type::Bool,
        "Int" => Type::Int,
        "Pair" => Type::Pair,
        "Grid" => Type::Grid,
        "Cell" => Type::Cell,
        "Object" => Type::Object,
        "Indices" => Type::Indices,
        _ => Type::Any,
    }
}

/// Returns the number of arguments a function takes, if it is known.
pub(super) fn arity(function: &Type) -> Option<usize> {
    let Type::Function(function) = function else {
        return None;
    };
    match &**function {
        FunctionType::Prim(prim) => Some(prim.arity()),
        FunctionType::Built(Prim::Lbind | Prim::Rbind, parts) => {
            arity(&parts[0]).map(arity_when_bound)
        }
        FunctionType::Built(Prim::Power, _) | FunctionType::Unknown => None,
        FunctionType::Built(..) => Some(1),
    }
}

/// Whether an argument of a type can be valid for a parameter of a primitive, the parameter written
/// as in its signature.
pub(super) fn may_fit(prim: Prim, parameter: &str, argument: &Type) -> bool {
    if *argument == Type::Any {
        return true;
    }
    let container = argument.is_tuple() || argument.is_set();
    match parameter {
        "Bool" => true,
        "Int" if prim.family() == PrimFamily::Arithmetic => argument.is_number(),
        "Int" => !container && !argument.is_function(),
        "Num" | "n" => argument.is_number() || argument.is_tuple(),
        "Pair" | "Grid" => argument.is_tuple(),
        "Object" | "Indices" | "Patch" | "Piece" | "Elem" => container,
        _ if parameter.starts_with("Fn[") => argument.is_function(),
        _ if parameter.starts_with("Set[") => argument.is_set(),
        _ if parameter.contains('[') => container,
        _ => true,
    }
}

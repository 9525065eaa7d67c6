//! Types of program lines.
//!
//! Programs are straight-line code, so types flow one way: from the inputs and constants to the
//! result. A function is followed symbolically (by the primitive and parts it was built of), and
//! its result type is found by calling it on types. Inference never rejects a program, because the
//! language has no types of its own. A line that always fails gets a warning.

mod call;
mod infer;

pub(crate) use call::result_of;
pub(crate) use infer::operand;
pub use infer::{Inference, infer};

use crate::prim::Prim;
use std::fmt;
use std::rc::Rc;

/// A type: what is known of a value before it is computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// Nothing is known.
    Any,
    /// A truth value.
    Bool,
    /// A number.
    Int,
    /// Two numbers.
    Pair,
    /// A colour and a location.
    Cell,
    /// Rows of colours.
    Grid,
    /// A set of cells.
    Object,
    /// A set of locations.
    Indices,
    /// A tuple of any length with elements of one type.
    Tuple(Rc<Type>),
    /// A set with elements of one type.
    Set(Rc<Type>),
    /// A tuple of two.
    Both(Rc<Type>, Rc<Type>),
    /// A function, as far as known.
    Function(Rc<FunctionType>),
}

/// A function, by its construction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FunctionType {
    /// A primitive.
    Prim(Prim),
    /// The callable that a builder makes of these.
    Built(Prim, Vec<Type>),
    /// Known only at run time.
    Unknown,
}

impl Type {
    /// Returns the most specific type of a tuple: rows of numbers are a grid.
    #[must_use]
    pub fn tuple(element: Type) -> Type {
        match element {
            Type::Tuple(inner) if *inner == Type::Int => Type::Grid,
            other => Type::Tuple(Rc::new(other)),
        }
    }

    /// Returns the most specific type of a set: cells are an object, locations are indices.
    #[must_use]
    pub fn set(element: Type) -> Type {
        match element {
            Type::Cell => Type::Object,
            Type::Pair => Type::Indices,
            other => Type::Set(Rc::new(other)),
        }
    }

    /// Returns the most specific type of a tuple of two.
    #[must_use]
    pub fn both(a: Type, b: Type) -> Type {
        match (a.is_number(), &b) {
            (true, _) if b.is_number() => Type::Pair,
            (true, Type::Pair) => Type::Cell,
            _ => Type::Both(Rc::new(a), Rc::new(b)),
        }
    }

    fn is_number(&self) -> bool {
        matches!(self, Type::Int | Type::Bool)
    }

    fn is_tuple(&self) -> bool {
        matches!(
            self,
            Type::Pair | Type::Cell | Type::Grid | Type::Tuple(_) | Type::Both(..)
        )
    }

    fn is_set(&self) -> bool {
        matches!(self, Type::Object | Type::Indices | Type::Set(_))
    }

    fn is_function(&self) -> bool {
        matches!(self, Type::Function(_))
    }

    /// Returns the type of the elements.
    #[must_use]
    pub fn element(&self) -> Type {
        match self {
            Type::Pair => Type::Int,
            Type::Grid => Type::Tuple(Rc::new(Type::Int)),
            Type::Object => Type::Cell,
            Type::Indices => Type::Pair,
            Type::Tuple(element) | Type::Set(element) => (**element).clone(),
            Type::Both(a, b) => a.joined(b),
            _ => Type::Any,
        }
    }

    /// Returns the type of a value that has one type or the other.
    #[must_use]
    pub fn joined(&self, other: &Type) -> Type {
        match (self, other) {
            (a, b) if a == b => a.clone(),
            (a, b) if a.is_number() && b.is_number() => Type::Int,
            (a, b) if a.is_set() && b.is_set() => Type::set(a.element().joined(&b.element())),
            (Type::Both(a, b), Type::Both(c, d)) => Type::both(a.joined(c), b.joined(d)),
            (a, b) if a.is_tuple() && b.is_tuple() => Type::tuple(a.element().joined(&b.element())),
            _ => Type::Any,
        }
    }

    /// Returns the type of a container of the same kind with elements of type `element`.
    fn like(&self, element: Type) -> Type {
        if self.is_set() {
            Type::set(element)
        } else if self.is_tuple() {
            Type::tuple(element)
        } else {
            Type::Any
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Any => f.write_str("Any"),
            Type::Bool => f.write_str("Bool"),
            Type::Int => f.write_str("Int"),
            Type::Pair => f.write_str("Pair"),
            Type::Cell => f.write_str("Cell"),
            Type::Grid => f.write_str("Grid"),
            Type::Object => f.write_str("Object"),
            Type::Indices => f.write_str("Indices"),
            Type::Tuple(element) => write!(f, "Tuple[{element}]"),
            Type::Set(element) => write!(f, "Set[{element}]"),
            Type::Both(a, b) => write!(f, "({a}, {b})"),
            Type::Function(function) => match &**function {
                FunctionType::Prim(prim) => write!(f, "Fn[{prim}]"),
                FunctionType::Built(..) | FunctionType::Unknown => f.write_str("Fn"),
            },
        }
    }
}

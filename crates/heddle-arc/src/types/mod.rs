//! Types of program lines.
//!
//! Programs are straight lines, so types flow one way: from the inputs and
//! constants down to the result. A function is followed symbolically (what it
//! was composed or bound of) and its result type is found by calling it on
//! types. Inference never rejects a program, because the language has no types
//! of its own; where a line is bound to fail it says so, as a doubt.

mod call;
mod infer;

pub(crate) use call::result_of;
pub use infer::{Inference, infer};

use crate::prim::Prim;
use std::fmt;
use std::rc::Rc;

/// What is known of a value before it exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// Nothing.
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
    /// A function, as far as it is known.
    Function(Rc<FunctionType>),
}

/// A function, by what it was made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FunctionType {
    /// A primitive.
    Prim(Prim),
    /// What a builder made of these.
    Built(Prim, Vec<Type>),
    /// Only known when it runs.
    Unknown,
}

impl Type {
    /// A tuple in its shortest form: rows of numbers are a grid.
    #[must_use]
    pub fn tuple(element: Type) -> Type {
        match element {
            Type::Tuple(inner) if *inner == Type::Int => Type::Grid,
            other => Type::Tuple(Rc::new(other)),
        }
    }

    /// A set in its shortest form: cells are an object, locations indices.
    #[must_use]
    pub fn set(element: Type) -> Type {
        match element {
            Type::Cell => Type::Object,
            Type::Pair => Type::Indices,
            other => Type::Set(Rc::new(other)),
        }
    }

    /// A tuple of two in its shortest form.
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

    /// The type of its elements.
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

    /// What is known of a value that is one or the other.
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

    /// A container of the kind of this one with elements of that type.
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

//! The reasons why an evaluation is undefined.
//!
//! A fault is small and `Copy`. In a search most evaluations end in one, so it owns no text and
//! needs no allocation.

use thiserror::Error;

/// A limit that an evaluation exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BudgetLimit {
    /// More steps than the budget allows.
    Steps,
    /// More bytes of values than the budget allows.
    Bytes,
    /// Longer than the budget's wall time.
    Time,
    /// Functions or values nested too deeply.
    Depth,
}

impl std::fmt::Display for BudgetLimit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            BudgetLimit::Steps => "steps",
            BudgetLimit::Bytes => "bytes",
            BudgetLimit::Time => "time",
            BudgetLimit::Depth => "nesting",
        })
    }
}

macro_rules! value_kinds {
    ($($value_kind:ident $text:literal)*) => {
        /// The subject of a fault. It takes one byte, so that a fault fits beside a value and a
        /// result is no larger than the value alone.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "each is the words it prints")]
        pub enum ValueKind { $($value_kind,)* }

        impl ValueKind {
            /// Every kind, by number.
            pub(crate) const ALL: &'static [ValueKind] = &[$(ValueKind::$value_kind,)*];
        }

        impl std::fmt::Display for ValueKind {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self { $(ValueKind::$value_kind => $text,)* })
            }
        }
    };
}

value_kinds! {
    Bool "a Bool"
    Cell "a cell"
    CellInRaggedGrid "cell in a ragged grid"
    CellOrLocation "a cell or location"
    CellThatIsNoColour "a cell that is no colour"
    CellToCompareWith "cell to compare with"
    Container "a container"
    Element "the element"
    ElementAtThatPlace "element at that place"
    ElementConditionHoldsFor "element the condition holds for"
    Function "a function"
    Grid "a grid"
    Int "an Int"
    ModeBeyond07 "a mode beyond 0..7"
    None "None"
    Object "an object"
    OtherElement "other element"
    Pair "a pair"
    Patch "a patch"
    PowerBelowOne "a power below one"
    SecondElement "second element"
    Set "a set"
    StepOfZero "a step of zero"
    SymmetryBeyond07 "a symmetry beyond 0..7"
    Tuple "a tuple"
    ValueWithoutFunctions "a value without functions"
}

/// What went wrong inside a primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Fault {
    /// A value of the wrong kind.
    #[error("needs {expected}, found {found}")]
    Kind {
        /// The kind the primitive requires.
        expected: ValueKind,
        /// The kind of the argument.
        found: ValueKind,
    },
    /// An element was requested from an empty container or grid.
    #[error("{0} is empty")]
    Empty(ValueKind),
    /// No element matches, or a cell is missing.
    #[error("found no {0}")]
    Missing(ValueKind),
    /// An argument outside the range the primitive is defined on.
    #[error("{0} is out of range")]
    Range(ValueKind),
    /// A number beyond 64 bits, or a location beyond 32.
    #[error("a number grew too large")]
    Overflow,
    /// A division by zero.
    #[error("division by zero")]
    DivideByZero,
    /// Two values that have no defined order.
    #[error("cannot compare {0} with {1}")]
    Incomparable(ValueKind, ValueKind),
    /// A function called with the wrong number of arguments.
    #[error("a function of arity {takes} called with {given} arguments")]
    Arity {
        /// The number of parameters.
        takes: u8,
        /// The number of arguments.
        given: u8,
    },
    /// The evaluation exceeded its budget.
    #[error("budget ({0})")]
    Budget(BudgetLimit),
}

impl Fault {
    /// Whether it comes of a limit, not of the program. No reading replaces it by a value.
    pub(crate) fn is_budget(self) -> bool {
        matches!(self, Fault::Budget(_))
    }
}

//! Readings: the dialect in which the calls of a program are understood.
//!
//! The typed dialect has names of its own and other results for some calls of shared names;
//! `docs/dialects.md` has both. A reading belongs to a program. It is a state of the running
//! evaluation, not of a value: a function called under a reading is evaluated under it.

/// How a typed program sees the parts of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cells {
    /// `(i, j, colour)`, as the typed dialect has them.
    #[default]
    Triple,
    /// `(colour, (i, j))`, as the classic language has them.
    Classic,
}

/// How the calls of a program are understood.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reading {
    /// The classic language.
    #[default]
    Classic,
    /// The typed dialect; a call that fails ends the program.
    Strict(Cells),
    /// The typed dialect; a primitive that fails returns its default.
    Soft(Cells),
    /// As `Soft`, and a line whose callee is not a primitive returns `()` where it fails.
    Guarded(Cells),
}

impl Reading {
    /// Whether it is one of the typed dialect.
    #[inline]
    #[must_use]
    pub fn is_typed(self) -> bool {
        self != Reading::Classic
    }

    /// Whether a primitive that fails returns its default, and numbers can be special.
    #[inline]
    #[must_use]
    pub fn is_soft(self) -> bool {
        matches!(self, Reading::Soft(_) | Reading::Guarded(_))
    }

    /// Whether a line that fails returns `()`.
    #[must_use]
    pub fn guards_lines(self) -> bool {
        matches!(self, Reading::Guarded(_))
    }

    /// How a typed program sees cells.
    #[must_use]
    pub fn cells(self) -> Option<Cells> {
        match self {
            Reading::Classic => None,
            Reading::Strict(cells) | Reading::Soft(cells) | Reading::Guarded(cells) => Some(cells),
        }
    }

    /// Whether programs see a cell as `(i, j, colour)`.
    #[inline]
    #[must_use]
    pub fn sees_triples(self) -> bool {
        self.cells() == Some(Cells::Triple)
    }
}

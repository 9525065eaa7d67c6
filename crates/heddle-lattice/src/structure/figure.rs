//! A figure and the method that gave it.

use std::fmt;

use serde::{Serialize, Serializer, ser::SerializeStruct};

use crate::centrality::Method;

/// One figure of an analysis.
#[derive(Clone, Debug, PartialEq)]
pub enum Figure<T> {
    /// A known figure.
    Known {
        /// Its value.
        value: T,
        /// The method that gave it.
        method: Method,
    },
    /// A figure that was not computed.
    Absent {
        /// The reason, and what to do about it if possible.
        reason: String,
    },
}

impl<T> Figure<T> {
    pub(crate) const fn closed(value: T) -> Self {
        Self::Known {
            value,
            method: Method::ClosedForm,
        }
    }

    pub(crate) const fn computed(value: T) -> Self {
        Self::Known {
            value,
            method: Method::Computed,
        }
    }

    pub(crate) fn absent(reason: impl Into<String>) -> Self {
        Self::Absent {
            reason: reason.into(),
        }
    }

    /// The value, if it is known.
    pub const fn value(&self) -> Option<&T> {
        match self {
            Self::Known { value, .. } => Some(value),
            Self::Absent { .. } => None,
        }
    }

    /// The method, if the figure is known.
    #[must_use]
    pub const fn method(&self) -> Option<Method> {
        match self {
            Self::Known { method, .. } => Some(*method),
            Self::Absent { .. } => None,
        }
    }

    /// A figure computed from this one alone.
    #[must_use]
    pub fn map<U>(&self, make: impl FnOnce(&T) -> U) -> Figure<U> {
        match self {
            Self::Known { value, method } => Figure::Known {
                value: make(value),
                method: *method,
            },
            Self::Absent { reason } => Figure::absent(reason.clone()),
        }
    }
}

impl<T: fmt::Display> fmt::Display for Figure<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known { value, .. } => value.fmt(f),
            Self::Absent { reason } => write!(f, "not computed: {reason}"),
        }
    }
}

impl<T: Serialize> Serialize for Figure<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Figure", 2)?;
        match self {
            Self::Known { value, method } => {
                object.serialize_field("value", value)?;
                object.serialize_field("by", method)?;
            }
            Self::Absent { reason } => {
                object.serialize_field("value", &None::<T>)?;
                object.serialize_field("why_not", reason)?;
            }
        }
        object.end()
    }
}

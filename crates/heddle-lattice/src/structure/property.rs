//! A figure and the method that gave it.

use std::fmt;

use serde::{Serialize, Serializer, ser::SerializeStruct};

use crate::centrality::ComputationMethod;

/// One figure of an analysis.
#[derive(Clone, Debug, PartialEq)]
pub enum Property<T> {
    /// A known figure.
    Known {
        /// Its value.
        value: T,
        /// The method that gave it.
        method: ComputationMethod,
    },
    /// A figure that was not computed.
    Unavailable {
        /// The reason, and what to do about it if possible.
        reason: String,
    },
}

impl<T> Property<T> {
    pub(crate) const fn closed_form(value: T) -> Self {
        Self::Known {
            value,
            method: ComputationMethod::ClosedForm,
        }
    }

    pub(crate) const fn computed(value: T) -> Self {
        Self::Known {
            value,
            method: ComputationMethod::Computed,
        }
    }

    pub(crate) fn unavailable(reason: impl Into<String>) -> Self {
        Self::Unavailable {
            reason: reason.into(),
        }
    }

    /// The value, if it is known.
    pub const fn value(&self) -> Option<&T> {
        match self {
            Self::Known { value, .. } => Some(value),
            Self::Unavailable { .. } => None,
        }
    }

    /// The method, if the figure is known.
    #[must_use]
    pub const fn method(&self) -> Option<ComputationMethod> {
        match self {
            Self::Known { method, .. } => Some(*method),
            Self::Unavailable { .. } => None,
        }
    }

    /// A figure computed from this one alone.
    #[must_use]
    pub fn map<U>(&self, make: impl FnOnce(&T) -> U) -> Property<U> {
        match self {
            Self::Known { value, method } => Property::Known {
                value: make(value),
                method: *method,
            },
            Self::Unavailable { reason } => Property::unavailable(reason.clone()),
        }
    }
}

impl<T: fmt::Display> fmt::Display for Property<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known { value, .. } => value.fmt(f),
            Self::Unavailable { reason } => write!(f, "not computed: {reason}"),
        }
    }
}

impl<T: Serialize> Serialize for Property<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Figure", 2)?;
        match self {
            Self::Known { value, method } => {
                object.serialize_field("value", value)?;
                object.serialize_field("by", method)?;
            }
            Self::Unavailable { reason } => {
                object.serialize_field("value", &None::<T>)?;
                object.serialize_field("why_not", reason)?;
            }
        }
        object.end()
    }
}

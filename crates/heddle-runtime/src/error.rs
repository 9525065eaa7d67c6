//! The errors of the runtime, in one enum.
//!
//! Each variant states what was requested, what was found and, where possible, what to do.
//! [`Error::hint`] returns the last part alone, for a command line that prints it on its own
//! line.

use std::path::PathBuf;
use std::{fmt, io};

use crate::device::{DeviceFamily, DeviceId};
use crate::dtype::DType;
use crate::memory::Shortage;
use crate::shape::Shape;

/// A failure of the runtime or of an operation on it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A shape has more elements than the address range of memory.
    #[error("a shape of {extents:?} has more elements than memory can address")]
    ShapeTooLarge {
        /// The extents requested.
        extents: Vec<usize>,
    },
    /// Two operands have incompatible shapes.
    #[error("{operation} needs {expected}, but got {left} and {right}")]
    ShapeMismatch {
        /// The operation.
        operation: &'static str,
        /// What it needs, in words.
        expected: &'static str,
        /// The first operand's shape.
        left: Box<Shape>,
        /// The second operand's shape.
        right: Box<Shape>,
    },
    /// The operation does not support the shape of an operand.
    #[error("{operation} needs {expected}, but got {found}")]
    ShapeUnsuited {
        /// The operation.
        operation: &'static str,
        /// What it needs, in words.
        expected: &'static str,
        /// The operand's shape.
        found: Box<Shape>,
    },
    /// The number of values given does not fill the shape.
    #[error("a shape of {shape} holds {} elements, but {found} values were given", .shape.elements())]
    LengthMismatch {
        /// The shape requested.
        shape: Box<Shape>,
        /// The number of values given.
        found: usize,
    },
    /// The operation has no result for an empty array.
    #[error("{operation} of an empty array has no value")]
    EmptyArray {
        /// The operation.
        operation: &'static str,
    },
    /// A key is empty, so it cannot be repeated.
    #[error("xor needs a key of at least one element, but the key is empty")]
    EmptyKey,
    /// A parameter is outside the range the operation accepts.
    #[error("{operation}: {parameter} must be {expected}, but is {found}")]
    BadParameter {
        /// The operation.
        operation: &'static str,
        /// The parameter's name.
        parameter: &'static str,
        /// The accepted values.
        expected: &'static str,
        /// The value given.
        found: String,
    },
    /// An integer was divided by zero.
    #[error("div of {dtype}: the divisor is zero at element {index}; integers have no infinity")]
    DivisionByZero {
        /// The element type.
        dtype: DType,
        /// The index of the first zero.
        index: usize,
    },
    /// A device name cannot be parsed.
    #[error("{found:?} is not a device name")]
    BadDeviceName {
        /// The name given.
        found: String,
    },
    /// The device does not exist on this machine.
    #[error("device {asked} is not available; this machine has {available}")]
    NoSuchDevice {
        /// The device requested.
        asked: DeviceId,
        /// The available devices, comma separated.
        available: String,
    },
    /// No device may run this operation under the current rules.
    #[error("no device may run {operation}: {why}")]
    NoCandidate {
        /// The operation.
        operation: &'static str,
        /// Which rule excluded which device.
        why: String,
    },
    /// The operation has no implementation for this device.
    #[error("{operation} has no implementation for {device}")]
    NotImplementedOn {
        /// The operation.
        operation: &'static str,
        /// The device it was sent to.
        device: DeviceId,
    },
    /// The memory that an operation needs does not fit on any device it may use.
    #[error(
        "{operation} needs {} on {}, where {}", .shortage.asked, .shortage.device, .shortage.found()
    )]
    OutOfMemory {
        /// The operation.
        operation: &'static str,
        /// What was requested, what was found, and which sites hold the rest.
        shortage: Box<Shortage>,
    },
    /// Two devices returned different results in verify mode.
    #[error("{operation} differs between {first} and {second}: {difference}")]
    Disagreement {
        /// The operation.
        operation: &'static str,
        /// The device whose result would have been returned.
        first: DeviceId,
        /// The device it was checked against.
        second: DeviceId,
        /// Where the results differ and by how much, with both values.
        difference: String,
    },
    /// A device failed.
    #[error("{device}: {message}")]
    Device {
        /// The device.
        device: DeviceId,
        /// The device's message.
        message: String,
        /// The driver's error, which the message describes, if it is one of the driver.
        source: Option<Box<dyn std::error::Error + Send + Sync>>,
    },
    /// A device is lost: it dropped off the bus or its context cannot be recovered. Every later
    /// call to it fails the same way, and arrays that only it held are lost.
    #[error("{device} is lost: {message}")]
    DeviceLost {
        /// The device.
        device: DeviceId,
        /// The device's message.
        message: String,
    },
    /// An array's only copy was on a lost device.
    #[error("an array of {dtype}, {shape}, had its only copy on {device}, which is lost")]
    ArrayLost {
        /// The device.
        device: DeviceId,
        /// The array's element type.
        dtype: DType,
        /// The array's shape.
        shape: Box<Shape>,
    },
    /// Caller-supplied work panicked.
    #[error("{what} panicked: {message}")]
    Panicked {
        /// What ran.
        what: &'static str,
        /// The panic message.
        message: String,
    },
    /// A queue was closed and takes no more operations.
    #[error("the batch queue is closed and takes no more operations")]
    QueueClosed,
    /// A queue of another process: its thread does not survive a fork.
    #[error(
        "the batch queue belongs to the process {owner}, not to its forked child; create one here"
    )]
    QueueOfParent {
        /// The process that created the queue.
        owner: u32,
    },
    /// A queue is full.
    #[error("the batch queue holds {capacity} operations, as many as it may")]
    QueueFull {
        /// The number of operations it may hold.
        capacity: usize,
    },
    /// The configuration is invalid.
    #[error("{origin}: {message}")]
    Config {
        /// The file or environment variable at fault.
        origin: String,
        /// What is wrong with it.
        message: String,
        /// What to write instead, if known.
        hint: Option<String>,
    },
    /// A file could not be read or written.
    #[error("cannot {action} {}", .path.display())]
    File {
        /// The action: "read", "write", …
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
}

impl Error {
    /// The failure of a device that no driver reported.
    pub fn device(device: DeviceId, message: impl Into<String>) -> Self {
        Self::Device {
            device,
            message: message.into(),
            source: None,
        }
    }

    /// Returns what to do about the error, where something can be done.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::BadDeviceName { .. } => {
                let known: Vec<String> = DeviceFamily::all()
                    .map(|family| format!("`{}`", DeviceId::new(family, 0)))
                    .collect();
                Some(format!("write {} or `auto`", known.join(", ")))
            }
            Self::NoSuchDevice { .. } => Some("`heddle devices` lists them".to_owned()),
            Self::OutOfMemory { shortage, .. } => Some(shortage.advice()),
            Self::NoCandidate { .. } => {
                Some("loosen `route.allow`, `route.deny` or HEDDLE_DEVICE".to_owned())
            }
            Self::ArrayLost { .. } => Some(
                "compute it again: arrays read with `as_slice` keep a copy on the host".to_owned(),
            ),
            Self::Disagreement { .. } => Some(
                "one of the devices is wrong: run the operation on each with `Runtime::run_on`"
                    .to_owned(),
            ),
            Self::QueueFull { .. } => Some(
                "wait for results, or use `submit`, which waits until the queue has space"
                    .to_owned(),
            ),
            Self::Config { hint, .. } => hint.clone(),
            _ => None,
        }
    }
}

/// An error and what caused it, on one line: `cannot read heddle.toml: permission denied`. A cause
/// that is described already is not repeated.
pub fn with_causes<'a>(error: &'a (dyn std::error::Error + 'static)) -> impl fmt::Display + 'a {
    struct Chain<'a>(&'a (dyn std::error::Error + 'static));

    impl fmt::Display for Chain<'_> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            let mut text = self.0.to_string();
            let mut cause = self.0.source();
            while let Some(error) = cause {
                let more = error.to_string();
                if !text.ends_with(&more) {
                    text = format!("{text}: {more}");
                }
                cause = error.source();
            }
            f.write_str(&text)
        }
    }

    Chain(error)
}

/// For what is read or written through the system's own traits; the error stays the inner one.
impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        let kind = match error {
            Error::OutOfMemory { .. } => io::ErrorKind::OutOfMemory,
            _ => io::ErrorKind::Other,
        };
        Self::new(kind, error)
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn causes_are_printed_once() {
        let error = Error::File {
            action: "read",
            path: PathBuf::from("heddle.toml"),
            source: io::Error::other("the disk is on fire"),
        };
        assert_eq!(error.to_string(), "cannot read heddle.toml");
        assert_eq!(
            with_causes(&error).to_string(),
            "cannot read heddle.toml: the disk is on fire"
        );
        let described = Error::Device {
            device: DeviceId::CPU,
            message: "the disk is on fire".to_owned(),
            source: Some(io::Error::other("the disk is on fire").into()),
        };
        let text = with_causes(&described).to_string();
        assert_eq!(text, "cpu: the disk is on fire");
        let plain = Error::QueueClosed;
        assert_eq!(with_causes(&plain).to_string(), plain.to_string());
    }
}

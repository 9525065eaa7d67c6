//! A kernel's parameters, read from its PTX.
//!
//! The driver gives the number and sizes only since 12.4 and never the types; the text
//! gives both on every machine, with or without a driver.

use heddle_runtime::device::Argument;

/// A kernel's parameters, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Signature {
    parameters: Vec<Parameter>,
}

/// The type of a parameter, as far as PTX keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Parameter {
    /// A pointer or a 64-bit integer.
    Bits64,
    /// A 32-bit integer.
    Bits32,
    F32,
    F64,
    /// A type that no argument matches.
    Other,
}

impl Signature {
    /// Reads the signature of `kernel` in this PTX text; None where the text has no such
    /// kernel.
    pub(super) fn read(ptx: &str, kernel: &str) -> Option<Self> {
        let mut rest = ptx;
        let after = loop {
            let (_, tail) = rest.split_once(".entry")?;
            rest = tail;
            if let Some(after) = tail.trim_start().strip_prefix(kernel)
                && !after
                    .starts_with(|letter: char| letter.is_alphanumeric() || "_$".contains(letter))
            {
                break after.trim_start();
            }
        };
        let list = match after.strip_prefix('(') {
            Some(list) => list.split_once(')')?.0,
            // A kernel without parameters may leave the parentheses out.
            None => "",
        };
        let parameters = list
            .split(',')
            .filter(|text| text.contains(".param"))
            .map(Parameter::read)
            .collect();
        Some(Self { parameters })
    }

    /// Whether the kernel has this many parameters, none of them larger than a word.
    pub(super) fn takes_words(&self, count: usize) -> bool {
        self.parameters.len() == count && !self.parameters.contains(&Parameter::Other)
    }

    /// Why these arguments do not match; None if they do.
    pub(super) fn mismatch(&self, arguments: &[Argument<'_>]) -> Option<String> {
        if self.parameters.len() != arguments.len() {
            return Some(format!(
                "it takes {} arguments, but {} were given",
                self.parameters.len(),
                arguments.len()
            ));
        }
        let pairs = self.parameters.iter().zip(arguments);
        pairs
            .enumerate()
            .find(|(_, (parameter, argument))| !parameter.takes(argument))
            .map(|(index, (parameter, argument))| {
                format!("argument {index} must be {parameter:?}, but is {argument:?}")
            })
    }
}

impl Parameter {
    fn read(text: &str) -> Self {
        if text.contains('[') {
            return Self::Other;
        }
        for word in text.split_whitespace() {
            match word {
                ".u64" | ".s64" | ".b64" => return Self::Bits64,
                ".u32" | ".s32" | ".b32" => return Self::Bits32,
                ".f32" => return Self::F32,
                ".f64" => return Self::F64,
                _ => {}
            }
        }
        Self::Other
    }

    fn takes(self, argument: &Argument<'_>) -> bool {
        matches!(
            (self, argument),
            (
                Self::Bits64,
                Argument::Buffer(_) | Argument::MappedResults(_) | Argument::U64(_)
            ) | (Self::Bits32, Argument::U32(_) | Argument::I32(_))
                | (Self::F32, Argument::F32(_))
                | (Self::F64, Argument::F64(_))
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = "
.visible .entry scale_all(\n\t.param .u64 scale_all_param_0\n)\n{ ret; }
.visible .entry scale(
\t.param .u64 .ptr .global .align 8 scale_param_0,
\t.param .f32 scale_param_1,
\t.param .u32 scale_param_2
)
.maxntid 256, 1, 1
{ ret; }
.visible .entry nothing()\n{ ret; }
.visible .entry grouped(.param .align 8 .b8 grouped_param_0[24])\n{ ret; }";

    #[test]
    fn a_name_that_is_a_prefix_of_another_is_not_confused_with_it() {
        let signature = Signature::read(PTX, "scale").unwrap();
        assert_eq!(
            signature.parameters,
            [Parameter::Bits64, Parameter::F32, Parameter::Bits32]
        );
        assert_eq!(Signature::read(PTX, "scal"), None);
        assert_eq!(Signature::read(PTX, "nothing").unwrap().parameters, []);
    }

    #[test]
    fn arguments_are_checked_against_the_signature() {
        let signature = Signature::read(PTX, "scale").unwrap();
        let good = [Argument::U64(0), Argument::F32(1.0), Argument::I32(-1)];
        assert_eq!(signature.mismatch(&good), None);
        assert!(
            signature
                .mismatch(&good[..2])
                .unwrap()
                .contains("3 arguments")
        );
        let bad = [Argument::U64(0), Argument::F64(1.0), Argument::I32(-1)];
        assert!(signature.mismatch(&bad).unwrap().contains("argument 1"));
        let grouped = Signature::read(PTX, "grouped").unwrap();
        assert!(grouped.mismatch(&[Argument::U64(0)]).is_some());
        assert!(signature.takes_words(3) && !signature.takes_words(2));
        assert!(!grouped.takes_words(1), "24 bytes are not a word");
    }
}

//! Sizes as users write them: `"1GiB"`, `"512 MB"`, `"90%"` or a number of bytes.

use std::fmt;
use std::str::FromStr;

use crate::error::Error;
use crate::units::Bytes;

/// An amount of memory, fixed or relative to a whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Size {
    /// A number of bytes.
    Bytes(Bytes),
    /// A share of the whole, 0 to 1.
    Share(f64),
}

/// The accepted forms, for hints.
pub(super) const SIZE_HINT: &str =
    "write a number of bytes, \"1GiB\", \"512 MB\" or a share such as \"90%\"";

/// Largest first, so that the first unit that divides a size is the shortest way to write it.
const BINARY_UNITS: [(&str, u64); 6] = [
    ("EiB", 1 << 60),
    ("PiB", 1 << 50),
    ("TiB", 1 << 40),
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
];

const DECIMAL_UNITS: [(&str, u64); 7] = [
    ("EB", 1_000_000_000_000_000_000),
    ("PB", 1_000_000_000_000_000),
    ("TB", 1_000_000_000_000),
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("kB", 1_000),
    ("B", 1),
];

/// The most decimals accepted. More decimals than an exbibyte has digits have no meaning, and
/// 10^18 times the largest size still fits in the u128 that the product is computed in.
const MOST_DECIMALS: usize = 18;

impl Size {
    /// Returns the size in bytes, where `total` is the whole. A share is rounded down and never
    /// exceeds the whole; a fixed size is returned as it is.
    #[must_use]
    pub fn of(self, total: Bytes) -> Bytes {
        match self {
            Self::Bytes(bytes) => bytes,
            // Above 2^53 the product may round up past the whole.
            Self::Share(share) => Bytes(((total.0 as f64 * share) as u64).min(total.0)),
        }
    }

    /// Reads a size, or returns in a few words why it is not one.
    pub(super) fn read(text: &str) -> Result<Self, &'static str> {
        let text = text.trim();
        if text.is_empty() {
            return Err("it is empty");
        }
        if text.starts_with('-') {
            return Err("a size cannot be negative");
        }
        let split = text
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(text.len());
        let (number, unit) = text.split_at(split);
        let (whole, decimals) = match number.split_once('.') {
            Some((_, "")) => return Err("a digit is missing after the point"),
            Some((_, decimals)) if decimals.contains('.') => {
                return Err("it has more than one point");
            }
            Some(parts) => parts,
            None => (number, ""),
        };
        if whole.is_empty() {
            return Err("it does not begin with a digit");
        }
        match unit.trim_start() {
            "%" => read_share(number),
            unit => read_bytes(whole, decimals, unit),
        }
    }
}

/// Dividing by a hundred in the text, not in binary, makes `"90%"` the f64 nearest to 0.9, and
/// every share reads back unchanged.
fn read_share(percent: &str) -> Result<Size, &'static str> {
    match format!("{percent}e-2").parse::<f64>() {
        Ok(share) if share <= 1.0 => Ok(Size::Share(share)),
        Ok(_) => Err("a share is at most 100%"),
        Err(_) => Err("its number cannot be read"),
    }
}

fn read_bytes(whole: &str, decimals: &str, unit: &str) -> Result<Size, &'static str> {
    const TOO_LARGE: &str = "it is larger than a 64-bit number of bytes";
    let unit = if unit.is_empty() {
        1
    } else {
        BINARY_UNITS
            .iter()
            .chain(&DECIMAL_UNITS)
            .find(|(name, _)| name.eq_ignore_ascii_case(unit))
            .ok_or("its unit is not one of B, kB, KiB, MB, MiB, GB, GiB, TB, TiB, PB, PiB, EB, EiB or %")?
            .1
    };
    if decimals.len() > MOST_DECIMALS {
        return Err("it has more than 18 decimals");
    }
    if unit == 1 && !decimals.is_empty() {
        return Err("it is not a whole number of bytes");
    }
    let scale = 10_u128.pow(decimals.len() as u32);
    let scaled: u128 = format!("{whole}{decimals}")
        .parse()
        .map_err(|_| TOO_LARGE)?;
    let bytes = scaled.checked_mul(u128::from(unit)).ok_or(TOO_LARGE)? / scale;
    let bytes = u64::try_from(bytes).map_err(|_| TOO_LARGE)?;
    Ok(Size::Bytes(Bytes(bytes)))
}

impl FromStr for Size {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Self::read(text).map_err(|why| Error::Config {
            origin: super::value::quoted(text),
            message: format!("not a size: {why}"),
            hint: Some(SIZE_HINT.to_owned()),
        })
    }
}

/// Reads back as the same size: bytes in the largest unit that divides them, shares with all
/// their digits.
impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Bytes(Bytes(bytes)) => {
                let (name, unit) = BINARY_UNITS
                    .into_iter()
                    .find(|(_, unit)| bytes != 0 && bytes % unit == 0)
                    .unwrap_or(("B", 1));
                f.pad(&format!("{} {name}", bytes / unit))
            }
            Self::Share(share) => {
                let digits = share.to_string();
                let (whole, decimals) = digits.split_once('.').unwrap_or((&digits, ""));
                let (shifted, rest) = decimals.split_at(decimals.len().min(2));
                let percent = format!("{whole}{shifted:0<2}");
                let percent = match percent.trim_start_matches('0') {
                    "" => "0",
                    percent => percent,
                };
                let point = if rest.is_empty() { "" } else { "." };
                f.pad(&format!("{percent}{point}{rest}%"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bytes(text: &str) -> u64 {
        match Size::read(text) {
            Ok(Size::Bytes(Bytes(bytes))) => bytes,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn sizes_can_be_written_in_many_ways() {
        assert_eq!(bytes("12345"), 12_345);
        assert_eq!(bytes("1GiB"), 1 << 30);
        assert_eq!(bytes(" 512 MB "), 512_000_000);
        assert_eq!(bytes("1.5 kib"), 1536);
        assert_eq!(bytes("0.1 EiB"), (1 << 60) / 10);
        assert_eq!(bytes("18446744073709551615"), u64::MAX);
        assert_eq!(Size::read("90%"), Ok(Size::Share(0.9)));
        assert_eq!(Size::read("12.5 %"), Ok(Size::Share(0.125)));
        assert_eq!(Size::read("100%"), Ok(Size::Share(1.0)));
    }

    #[test]
    fn what_is_no_size_is_refused() {
        for text in [
            "",
            "  ",
            "-1",
            "-1%",
            "NaN",
            "inf",
            "nan%",
            "100.1%",
            "1e3",
            "1.",
            ".5GiB",
            "1.2.3",
            "1.5",
            "1.5 B",
            "5 furlongs",
            "1G",
            "GiB",
            "%",
            "16EiB",
            "18446744073709551616",
            "999999999999999999999999999999999999999999",
            "1.0000000000000000001 GiB",
            "٣ GB",
        ] {
            let error = text.parse::<Size>().unwrap_err();
            assert!(error.hint().is_some(), "{text}");
            assert!(!error.to_string().contains('\n'), "{text}");
        }
    }

    #[test]
    fn a_share_is_of_the_whole() {
        assert_eq!(Size::Share(0.9).of(Bytes(1000)), Bytes(900));
        assert_eq!(Size::Share(1.0).of(Bytes(u64::MAX)), Bytes(u64::MAX));
        assert_eq!(Size::Share(1.0).of(Bytes((1 << 53) + 1)), Bytes(1 << 53));
        assert_eq!(Size::Share(0.0).of(Bytes(1000)), Bytes(0));
        assert_eq!(Size::Bytes(Bytes(7)).of(Bytes(1)), Bytes(7));
    }

    #[test]
    fn sizes_are_shown_as_they_would_be_written() {
        assert_eq!(Size::Bytes(Bytes(0)).to_string(), "0 B");
        assert_eq!(Size::Bytes(Bytes(3 << 30)).to_string(), "3 GiB");
        assert_eq!(Size::Bytes(Bytes(1000)).to_string(), "1000 B");
        assert_eq!(Size::Share(0.9).to_string(), "90%");
        assert_eq!(Size::Share(1.0).to_string(), "100%");
        assert_eq!(Size::Share(0.005).to_string(), "0.5%");
        assert_eq!(Size::Share(0.0).to_string(), "0%");
    }

    proptest! {
        #[test]
        fn every_size_reads_back(
            size in prop_oneof![
                any::<u64>().prop_map(|bytes| Size::Bytes(Bytes(bytes))),
                (0_u64..16, 0_u32..60).prop_map(|(n, shift)| Size::Bytes(Bytes(n << shift))),
                (0.0_f64..=1.0).prop_map(Size::Share),
                (0_u32..=1000).prop_map(|tenths| Size::Share(f64::from(tenths) / 1000.0)),
                any::<f64>()
                    .prop_filter("a share", |x| (0.0..=1.0).contains(x) && x.is_sign_positive())
                    .prop_map(Size::Share),
            ]
        ) {
            prop_assert_eq!(Size::read(&size.to_string()), Ok(size));
        }

        #[test]
        fn no_text_panics(text in "\\PC*", number in "[0-9.%-]{0,60}", unit in "[a-zA-Z% ]{0,4}") {
            let _ = Size::read(&text);
            let _ = Size::read(&format!("{number}{unit}"));
        }
    }
}

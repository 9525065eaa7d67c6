//! Sizes on the command line: `4096`, `1_000_000`, `64k`, `10M`.

/// Parses a whole number with an optional suffix: `k` for 10^3, `M` for 10^6, `G` for
/// 10^9.
pub(super) fn parse(text: &str) -> Result<usize, String> {
    let digits: String = text.chars().filter(|&character| character != '_').collect();
    let (number, unit) = match digits.strip_suffix(['k', 'K', 'M', 'G']) {
        None => (digits.as_str(), 1),
        Some(number) => (
            number,
            match &digits[number.len()..] {
                "M" => 1_000_000,
                "G" => 1_000_000_000,
                _ => 1_000,
            },
        ),
    };
    number
        .parse::<usize>()
        .ok()
        .and_then(|count| count.checked_mul(unit))
        .ok_or_else(|| "a size is a whole number such as 4096, 64k or 10M".to_owned())
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn sizes_with_suffixes_are_parsed() {
        assert_eq!(parse("0"), Ok(0));
        assert_eq!(parse("1_000_000"), Ok(1_000_000));
        assert_eq!(parse("64k"), Ok(64_000));
        assert_eq!(parse("10M"), Ok(10_000_000));
    }

    #[test]
    fn malformed_sizes_are_refused() {
        for text in [
            "",
            "k",
            "NaN",
            "-1",
            "1.5",
            "1e9",
            "inf",
            "99999999999999999999",
            "9999999999999999G",
            "é",
            "1é",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}

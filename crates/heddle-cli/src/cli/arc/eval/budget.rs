//! Limits on the command line: `steps=1M,bytes=8M,time=50ms`.

use std::time::Duration;

use heddle::arc::meter::Budget;

use crate::cli::size;

/// Parses limits; those not named keep their defaults.
pub(super) fn parse(text: &str) -> Result<Budget, String> {
    let mut budget = Budget::default();
    for limit in text.split(',').filter(|limit| !limit.is_empty()) {
        let (name, value) = limit.split_once('=').ok_or_else(usage)?;
        match name.trim() {
            "steps" => budget.steps = size::parse(value)? as u64,
            "bytes" => budget.bytes = size::parse(value)? as u64,
            "time" => budget.time = Some(time(value)?),
            _ => return Err(usage()),
        }
    }
    Ok(budget)
}

fn usage() -> String {
    "limits are steps=N, bytes=N and time=T, such as steps=1M,bytes=8M,time=50ms".to_owned()
}

fn time(text: &str) -> Result<Duration, String> {
    let units = [("ms", 1e-3), ("us", 1e-6), ("µs", 1e-6), ("s", 1.0)];
    let seconds = units.iter().find_map(|(unit, seconds)| {
        let number = text.trim().strip_suffix(unit)?;
        let number: f64 = number.trim().parse().ok()?;
        Some(number * seconds)
    });
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| "a time is a number with its unit, such as 50ms or 1.5s".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unnamed_limits_keep_their_defaults() {
        let budget = parse("steps=2k,time=50ms").unwrap();
        assert_eq!(budget.steps, 2_000);
        assert_eq!(budget.time, Some(Duration::from_millis(50)));
        assert_eq!(budget.bytes, Budget::default().bytes);
        assert_eq!(parse(""), Ok(Budget::default()));
    }

    #[test]
    fn malformed_limits_are_refused() {
        for text in [
            "steps",
            "steps=x",
            "time=5",
            "time=-1s",
            "time=nans",
            "cells=3",
            "=",
            "time=infs",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}

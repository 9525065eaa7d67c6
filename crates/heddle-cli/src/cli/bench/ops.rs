//! The `ops` suite: every array operation at several sizes.

use std::time::Duration;

use heddle::Residency;
use heddle::device::DeviceId;
use heddle::ops::Probe;
use heddle::{Description, Runtime, WorkUnit};

use super::ceiling::Ceilings;
use super::sample::TimeDistribution;
use super::{BenchRow, Rate};
use crate::cli::{Failure, size};

/// Sizes of each probe when no case is named, spread over the probe's sizes.
const SIZES_PER_PROBE: usize = 3;

pub(super) fn rows(
    runtime: &Runtime,
    cases: &[String],
    time: Duration,
) -> Result<Vec<BenchRow>, Failure> {
    let wanted: Vec<Case<'_>> = cases
        .iter()
        .map(|case| Case::parse(case))
        .collect::<Result<_, _>>()?;
    let mut ceilings = Ceilings::new(runtime, time.min(Duration::from_millis(60)));
    let mut rows = Vec::new();
    for probe in runtime.probes() {
        for size in sizes(probe.as_ref(), &wanted) {
            rows.push(row(runtime, probe.as_ref(), size, time, &mut ceilings)?);
        }
    }
    Ok(rows)
}

/// A parsed `--case`.
struct Case<'a> {
    name: &'a str,
    element: Option<&'a str>,
    size: Option<usize>,
}

impl<'a> Case<'a> {
    fn parse(text: &'a str) -> Result<Self, Failure> {
        let (head, size) = match text.split_once(':') {
            None => (text, None),
            Some((head, size)) => (
                head,
                Some(size::parse(size).map_err(|hint| Failure::Usage {
                    message: format!("the case {text:?} has no readable size"),
                    hint,
                })?),
            ),
        };
        let (name, element) = match head.split_once('/') {
            None => (head, None),
            Some((name, element)) => (name, Some(element)),
        };
        Ok(Self {
            name,
            element,
            size,
        })
    }

    fn names(&self, probe: &dyn Probe) -> bool {
        let element = self
            .element
            .unwrap_or_else(|| default_element(probe.kind().name()));
        self.name == probe.kind().name() && element == probe.dtype().name()
    }
}

/// Returns the element type of an operation that is named without one.
pub(in crate::cli) fn default_element(kind: &str) -> &'static str {
    if kind == "xor" { "u8" } else { "f32" }
}

fn sizes(probe: &dyn Probe, wanted: &[Case<'_>]) -> Vec<usize> {
    if wanted.is_empty() {
        return sampled_sizes(&probe.sizes());
    }
    wanted
        .iter()
        .filter(|case| case.names(probe))
        .flat_map(|case| match case.size {
            Some(size) => vec![size],
            None => sampled_sizes(&probe.sizes()),
        })
        .collect()
}

/// Returns the smallest, the middle and the largest size.
fn sampled_sizes(sizes: &[usize]) -> Vec<usize> {
    let last = sizes.len().saturating_sub(1);
    let mut picked: Vec<usize> = (0..SIZES_PER_PROBE)
        .filter_map(|step| sizes.get(step * last / (SIZES_PER_PROBE - 1)).copied())
        .collect();
    picked.dedup();
    picked
}

fn row(
    runtime: &Runtime,
    probe: &dyn Probe,
    size: usize,
    time: Duration,
    ceilings: &mut Ceilings<'_>,
) -> Result<BenchRow, Failure> {
    let mut operation = probe.prepare(size)?;
    let device = runtime
        .run_traced(operation.as_mut(), None)?
        .decision
        .device;
    let sample = TimeDistribution::of(time, || Ok(runtime.run(operation.as_mut())?))?;
    let description = probe.describe(size, Residency::Host);
    Ok(BenchRow {
        element: Some(probe.dtype().name()),
        rate: rate(device, &description, &sample, ceilings)?,
        ..BenchRow::new(probe.kind().name(), size, device.to_string(), sample)
    })
}

/// Returns the rate of a case; `None` on a GPU, whose peak is not measured.
fn rate(
    device: DeviceId,
    description: &Description,
    sample: &TimeDistribution,
    ceilings: &mut Ceilings<'_>,
) -> Result<Option<Rate>, Failure> {
    if device != DeviceId::CPU || description.work == 0 {
        return Ok(None);
    }
    let (value, unit, ceiling) = match description.kind.unit() {
        WorkUnit::MultiplyAdds => (
            2.0 * description.work as f64 / sample.median_ns,
            "GFLOP/s",
            ceilings.peak(description.dtype)?,
        ),
        WorkUnit::Bytes => {
            let bytes = description.input() + description.output;
            (
                bytes.0 as f64 / sample.median_ns,
                "GB/s",
                ceilings.bandwidth(bytes)?,
            )
        }
        _ => return Ok(None),
    };
    Ok(Some(Rate {
        value,
        unit,
        ceiling,
        share: value / ceiling,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_are_read() {
        let case = Case::parse("matmul/f64:64").unwrap();
        assert_eq!(
            (case.name, case.element, case.size),
            ("matmul", Some("f64"), Some(64))
        );
        assert!(Case::parse("xor:NaN").is_err());
    }

    #[test]
    fn sampled_sizes_include_both_ends() {
        assert_eq!(sampled_sizes(&[1, 2, 3, 4, 5]), [1, 3, 5]);
        assert_eq!(sampled_sizes(&[7]), [7]);
        assert_eq!(sampled_sizes(&[]), [0_usize; 0]);
    }
}

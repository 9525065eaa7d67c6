//! Golden vectors on a device, with those that it leaves to the CPU counted by reason.

use super::answer::{Answer, Flag, Flags};
use super::launch::{Interpret, LaunchSettings};
use super::single::Singles;
use crate::engine::Evaluation;
use crate::evaluators::CompactEvaluator;
use crate::fault::{Fault, ValueKind};
use crate::golden::{self, Evaluator, GoldenVector, VectorReport};
use crate::plain::Plain;
use crate::prim::Prim;
use crate::reading::Reading;
use heddle_runtime::device::DeviceId;
use heddle_runtime::units::Bytes;
use heddle_runtime::{Error, Runtime};

/// The vectors of a launch. Each has a buffer for its result.
const VECTORS: usize = 256;
const RESULT: Bytes = Bytes(128 << 10);

/// The results of a device, in the order of their vectors.
struct DeviceResults(std::vec::IntoIter<Result<Plain, Fault>>);

impl Evaluator for DeviceResults {
    fn evaluate(&mut self, _: Prim, _: &[Plain], _: Option<&[Plain]>) -> Result<Plain, Fault> {
        let missing = Err(Fault::Missing(ValueKind::Element));
        self.0.next().unwrap_or(missing)
    }
}

/// Runs vectors on a device as programs of one line. Those that it flags run on the CPU, as all
/// do that are not of the classic reading.
///
/// # Errors
///
/// The error of a launch.
pub fn check_vectors(
    runtime: &Runtime,
    device: DeviceId,
    vectors: &[GoldenVector],
    reading: Option<Reading>,
) -> Result<(VectorReport, Flags), Error> {
    let mut flags = Flags::default();
    let (mut on_device, mut on_cpu) = (Vec::new(), Vec::new());
    let mut results = Vec::new();
    for chunk in vectors.chunks(VECTORS) {
        let is_classic = |vector: &GoldenVector| match reading {
            Some(reading) => !reading.is_typed(),
            None => Prim::named(vector.name).is_some(),
        };
        let (classic, typed): (Vec<_>, Vec<_>) = chunk.iter().cloned().partition(is_classic);
        for _ in &typed {
            flags.add(Flag::Dialect);
        }
        on_cpu.extend(typed);
        let singles = Singles::new(&classic);
        let settings = LaunchSettings::default().with(|it| it.dump = RESULT);
        let ran = runtime.run_on(device, Interpret::new(singles.job(), settings))?;
        let mut places = singles.places().iter().enumerate().peekable();
        for (place, vector) in classic.into_iter().enumerate() {
            let number = places
                .next_if(|(_, own)| **own == place)
                .map(|(number, _)| number);
            let answer = number.map(|number| (number, ran.answer(number)));
            let flag = match answer {
                None => Some(Flag::Unlowered),
                Some((_, Answer::Flagged(flag))) => Some(flag),
                Some((number, answer)) => {
                    match Singles::evaluation(&answer, ran.dump(number)) {
                        Ok((Evaluation::Defined(value), _)) => results.push(Ok(value)),
                        Ok((Evaluation::Undefined(undefined), _)) => {
                            results.push(Err(undefined.fault));
                        }
                        Err(_) => results.push(Err(Fault::Missing(ValueKind::Element))),
                    }
                    None
                }
            };
            match flag {
                Some(flag) => {
                    flags.add(flag);
                    on_cpu.push(vector);
                }
                None => on_device.push(vector),
            }
        }
    }
    let mut report = golden::check(&on_device, &mut DeviceResults(results.into_iter()));
    report.add(golden::check_in(
        &on_cpu,
        &mut CompactEvaluator::default(),
        reading,
    ));
    Ok((report, flags))
}

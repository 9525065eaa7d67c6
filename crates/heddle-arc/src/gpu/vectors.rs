//! Golden vectors on a device, with those that it leaves to the CPU counted by reason.

use super::answer::{Answer, Flag, Flags};
use super::launch::{Interpret, LaunchSettings};
use super::single::Singles;
use crate::engine::Evaluation;
use crate::evaluators::CompactEvaluator;
use crate::fault::{Fault, ValueKind};
use crate::golden::{self, Evaluator, GoldenVector, VectorReport};
use crate::plain::Plain;
use crate::prim::{Prim, Takes};
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

/// A vector of the typed dialect as one of the classic primitive that gives the same: none of its
/// arguments is restricted, empty or a cell, so the view passes them on as they are.
fn classic(vector: &GoldenVector) -> Option<GoldenVector> {
    if vector.expected.is_none() || vector.soft.is_some() {
        return None;
    }
    let numbers = |values: &[Plain]| values.iter().all(|value| matches!(value, Plain::Int(_)));
    let is_pair = |value: &Plain| match value {
        Plain::Tuple(parts) => parts.len() == 2 && numbers(parts),
        _ => false,
    };
    let is_cell = |value: &Plain| match value {
        Plain::Tuple(parts) => parts.len() == 2 && numbers(&parts[..1]) && is_pair(&parts[1]),
        _ => false,
    };
    let is_row = |row: &Plain, width: usize| match row {
        Plain::Tuple(cells) => cells.len() == width && width > 0 && numbers(cells),
        _ => false,
    };
    // No reading has another size of a container that is no cell.
    if vector.prim == Prim::Size {
        let is_container = matches!(vector.args[..], [Plain::Tuple(_) | Plain::Set(_)]);
        return (is_container && !is_cell(&vector.args[0])).then(|| vector.clone());
    }
    let view = vector.prim.view().filter(|view| view.base != vector.prim)?;
    let place = usize::from(view.base == Prim::Recolor);
    let fits = match (view.takes, &vector.args[place]) {
        (Takes::Grid | Takes::Rows | Takes::Any, Plain::Tuple(rows)) => match rows.first() {
            Some(Plain::Tuple(first)) => rows.iter().all(|row| is_row(row, first.len())),
            _ => false,
        },
        (Takes::Patch, Plain::Set(all)) => all.iter().all(is_pair) || all.iter().all(is_cell),
        (Takes::Locations, Plain::Set(all)) => all.iter().all(is_pair),
        (Takes::Cells | Takes::Colours, Plain::Set(all)) => all.iter().all(is_cell),
        _ => false,
    };
    let is_empty = matches!(&vector.args[place], Plain::Set(all) if all.is_empty());
    let others = vector.args.iter().enumerate();
    let others = others.filter(|(at, _)| *at != place);
    let are_numbers = others
        .map(|(_, value)| value)
        .all(|it| matches!(it, Plain::Int(_)));
    (fits && !is_empty && are_numbers).then(|| GoldenVector {
        prim: view.base,
        ..vector.clone()
    })
}

/// Runs vectors on a device as programs of one line. Those that it flags run on the CPU, as all
/// do that are not of the classic reading and have no classic primitive that gives the same.
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
        let mut plain = Vec::with_capacity(chunk.len());
        for vector in chunk {
            if is_classic(vector) {
                plain.push(vector.clone());
            } else if let Some(classic) = classic(vector) {
                plain.push(classic);
            } else {
                flags.add(Flag::Dialect);
                on_cpu.push(vector.clone());
            }
        }
        let singles = Singles::new(&plain);
        let settings = LaunchSettings::default().with(|it| it.dump = RESULT);
        let ran = runtime.run_on(device, Interpret::new(singles.job(), settings))?;
        let mut places = singles.places().iter().enumerate().peekable();
        for (place, vector) in plain.into_iter().enumerate() {
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
                    let prim = Prim::read(vector.name, golden::NOTATION).unwrap_or(vector.prim);
                    on_cpu.push(GoldenVector { prim, ..vector });
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

//! Evaluations of any size, for calibration.

use super::sample::{Sample, pairs, programs};
use crate::meter::Budget;
use crate::operations::EVALUATE;
use crate::plan::Plan;
use heddle_runtime::device::{DeviceId, ExecutionContext};
use heddle_runtime::ops::Probe;
use heddle_runtime::units::Bytes;
use heddle_runtime::{DType, Description, Error, Kind, Operation, Residency};

/// Examples that all built-in programs are run on.
const SIZES: [usize; 7] = [1, 4, 16, 64, 256, 1024, 4096];
/// Beyond this, a description is that of this size in proportion.
const MAX_MADE: usize = 64;

/// A probe that runs the built-in programs on examples of the built-in tasks, with lowering.
#[derive(Debug)]
pub struct EvaluateProbe;

/// The probes of this crate, for [`heddle_runtime::RuntimeBuilder::probe`].
#[must_use]
pub fn probes() -> Vec<Box<dyn Probe>> {
    vec![Box::new(EvaluateProbe)]
}

fn sample(size: usize) -> Sample {
    let all = pairs();
    let program_selection = |at: usize| {
        // Spread over all tasks, few or many.
        all[if size < all.len() {
            at * all.len() / size
        } else {
            at % all.len()
        }]
    };
    let examples = (0..size).map(program_selection).collect();
    Sample::new(vec![(Plan::new(programs()), examples)], Budget::default())
}

impl Probe for EvaluateProbe {
    fn kind(&self) -> &'static Kind {
        &EVALUATE
    }

    fn dtype(&self) -> DType {
        DType::U8
    }

    fn size_means(&self) -> &'static str {
        "examples that every built-in program is run on"
    }

    fn sizes(&self) -> Vec<usize> {
        SIZES.to_vec()
    }

    fn describe(&self, size: usize, residency: Residency) -> Description {
        let made = size.min(MAX_MADE);
        let mut description = sample(made).describe();
        let more = |count: u64| match made {
            0 => count,
            _ => (u128::from(count) * size as u128 / made as u128) as u64,
        };
        description.work = more(description.work);
        description.output = Bytes(more(description.output.0));
        // The code is the same for any number of examples.
        for operand in description.operands.iter_mut().skip(1) {
            operand.bytes = Bytes(more(operand.bytes.0));
        }
        for operand in &mut description.operands {
            operand.residency = residency;
        }
        description
    }

    fn prepare(&self, size: usize) -> Result<Box<dyn Operation<Output = ()> + Send>, Error> {
        Ok(Box::new(SampleOperation(sample(size))))
    }
}

/// A sample of which nobody wants to know what came of it.
struct SampleOperation(Sample);

impl Operation for SampleOperation {
    type Output = ();

    fn describe(&self) -> Description {
        self.0.describe()
    }

    fn runs_on(&self, device: DeviceId) -> bool {
        self.0.runs_on(device)
    }

    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<(), Error> {
        self.0.run(context).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_probe_describes_what_it_prepares() {
        for size in SIZES {
            let told = EvaluateProbe.describe(size, Residency::Host);
            let made = EvaluateProbe.prepare(size).unwrap().describe();
            assert_eq!(told.work, made.work);
            assert_eq!(told.work, (programs().len() * size) as u64);
            assert_eq!(told.output, made.output);
            if size <= MAX_MADE {
                assert_eq!(told.input(), made.input());
                assert_eq!(told.scratch, made.scratch);
            }
        }
    }
}

//! Adds an operation to Heddle: its kind, its CPU body, and a probe, so that its cost can
//! be measured and predicted. Routing, memory limits and spans need no further code.
//!
//! `cargo run --release -p heddle --example custom_operation`

use heddle::device::ExecutionContext;
use heddle::ops::{Probe, discard_result};
use heddle::route::{CalibrationPlan, calibrate, explain};
use heddle::{Array, Bytes, DType, Description, DeviceId, Error, Kind, Operand, Operation};
use heddle::{Residency, WorkUnit};

/// The name of the operation in reports, and the unit of its work.
static COUNT: Kind = Kind::new("count-odd", WorkUnit::Bytes);

/// Counts the odd bytes of an array.
struct CountOdd(Array<u8>);

impl Operation for CountOdd {
    type Output = usize;
    // The work and the operands, from which the router predicts the cost on any device.
    fn describe(&self) -> Description {
        Description::new(&COUNT, DType::U8, self.0.len() as u64).reads(&self.0)
    }
    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<usize, Error> {
        let bytes = context.host(&self.0)?;
        Ok(bytes.iter().filter(|&&byte| byte % 2 == 1).count())
    }
}

/// Creates the operation at any size, for calibration and for predictions.
struct CountProbe;
impl Probe for CountProbe {
    fn kind(&self) -> &'static Kind {
        &COUNT
    }
    fn dtype(&self) -> DType {
        DType::U8
    }
    fn size_means(&self) -> &'static str {
        "bytes"
    }
    fn sizes(&self) -> Vec<usize> {
        vec![1 << 10, 1 << 14, 1 << 18, 1 << 22]
    }
    fn describe(&self, size: usize, residency: Residency) -> Description {
        let bytes = Bytes(size as u64);
        Description::new(&COUNT, DType::U8, bytes.0).reads(Operand { bytes, residency })
    }
    fn prepare(&self, size: usize) -> Result<Box<dyn Operation<Output = ()> + Send>, Error> {
        Ok(discard_result(CountOdd(Array::zeros(&[size])?)))
    }
}

// `pub(crate)` so that a test can call it; a program of your own writes `fn main`.
pub(crate) fn main() -> Result<(), Error> {
    let runtime = heddle::open()?;
    assert_eq!(runtime.run(CountOdd(Array::from_slice(&[3, 4, 5])))?, 2);

    // A probe that is given to `RuntimeBuilder::probe` is part of every calibration.
    let probes: [Box<dyn Probe>; 1] = [Box::new(CountProbe)];
    let (router, cpu) = (runtime.router(), runtime.device(DeviceId::CPU)?);
    let plan = CalibrationPlan::default();
    calibrate(router, cpu.as_ref(), &probes, &plan, &mut |_| {})?;
    let prediction = explain(router, &CountProbe, 1 << 30, None, &[cpu.id()])?;
    println!("1 GiB would run on {}", prediction.sentence);
    assert!(prediction.candidates[0].cost.is_some());
    Ok(())
}

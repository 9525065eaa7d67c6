//! The two CPU evaluators behind the interface that golden vectors use.

use crate::code::Code;
use crate::compact::Eval;
use crate::fault::Fault;
use crate::golden::Evaluator;
use crate::meter::{Budget, Meter};
use crate::plain::{self, Plain};
use crate::prim::Prim;
use crate::reading::Reading;
use crate::value::Space;

/// The primitives on plain values.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlainEvaluator {
    /// The budget of each call.
    pub budget: Budget,
}

impl Evaluator for PlainEvaluator {
    fn evaluate(
        &mut self,
        prim: Prim,
        args: &[Plain],
        apply: Option<&[Plain]>,
    ) -> Result<Plain, Fault> {
        let mut meter = Meter::new(self.budget);
        let value = plain::call(prim, args, &mut meter)?;
        match apply {
            Some(args) => plain::apply(&value, args, &mut meter),
            None => Ok(value),
        }
    }
}

/// The primitives on compact values, called as the engine calls them.
#[derive(Debug)]
pub struct CompactEvaluator {
    space: Space,
}

impl CompactEvaluator {
    /// An evaluator; each call has this budget.
    #[must_use]
    pub fn new(budget: Budget) -> Self {
        CompactEvaluator {
            space: Space::new(budget),
        }
    }
}

impl Default for CompactEvaluator {
    fn default() -> Self {
        CompactEvaluator::new(Budget::default())
    }
}

impl Evaluator for CompactEvaluator {
    fn set_reading(&mut self, reading: Reading) {
        self.space.reading = reading;
    }

    fn evaluate(
        &mut self,
        prim: Prim,
        args: &[Plain],
        apply: Option<&[Plain]>,
    ) -> Result<Plain, Fault> {
        let space = &mut self.space;
        space.clear();
        let imported: Result<Vec<_>, Fault> = args.iter().map(|arg| space.import(arg)).collect();
        let more: Result<Vec<_>, Fault> = apply
            .unwrap_or_default()
            .iter()
            .map(|arg| space.import(arg))
            .collect();
        let (imported, more) = (imported?, more?);
        if imported.len() != prim.arity() && !space.reading.is_typed() {
            return Err(Fault::Arity {
                takes: prim.arity() as u8,
                given: imported.len() as u8,
            });
        }
        let code = Code::default();
        let mut eval = Eval { code: &code, space };
        let mut value = eval.primitive(prim, &imported)?;
        if apply.is_some() {
            value = eval.call(value, &more)?;
        }
        self.space.export(value)
    }
}

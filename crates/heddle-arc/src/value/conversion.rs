//! Conversion between compact and plain values.

use super::{Space, Value};
use crate::compact::irregular::{self, degenerate, ragged};
use crate::fault::{Fault, ValueKind};
use crate::plain::{self, Plain};
use crate::prim::Prim;

impl Space {
    /// Converts a plain value to compact form.
    pub fn import(&mut self, plain: &Plain) -> Result<Value, Fault> {
        match plain {
            Plain::None => Ok(Value::None),
            Plain::Bool(value) => Ok(Value::Bool(*value)),
            Plain::Int(value) => Ok(Value::Int(*value)),
            Plain::Special(special) => Ok(Value::Special(*special)),
            Plain::Tuple(items) => {
                let base = self.stack.len();
                self.import_all(items.iter(), base)?;
                self.tuple_from(base)
            }
            Plain::Set(items) => {
                let base = self.stack.len();
                self.import_all(items.iter(), base)?;
                self.set_from(base)
            }
            Plain::Prim(prim) => Ok(Value::Prim(*prim)),
            Plain::Built(prim, parts) => {
                let base = self.stack.len();
                self.import_all(parts.iter(), base)?;
                let parts: Vec<Value> = self.stack.drain(base..).collect();
                self.built(*prim, &parts)
            }
        }
    }

    fn import_all<'a>(
        &mut self,
        items: impl Iterator<Item = &'a Plain>,
        base: usize,
    ) -> Result<(), Fault> {
        for item in items {
            match self.import(item) {
                Ok(value) => self.stack.push(value),
                Err(fault) => {
                    self.stack.truncate(base);
                    return Err(fault);
                }
            }
        }
        Ok(())
    }

    /// Converts a compact value to a plain one. Function bodies belong to their plan and are an
    /// error.
    pub fn export(&self, value: Value) -> Result<Plain, Fault> {
        Ok(match value {
            Value::None => Plain::None,
            Value::Bool(value) => Plain::Bool(value),
            Value::Int(value) => Plain::Int(value),
            Value::Special(special) => Plain::Special(special),
            Value::Prim(prim) => Plain::Prim(prim),
            Value::Built { prim, at, .. } => {
                let at = at as usize;
                let parts = &self.values[at..at + prim.arity()];
                let parts: Result<Vec<Plain>, Fault> =
                    parts.iter().map(|part| self.export(*part)).collect();
                Plain::Built(prim, parts?)
            }
            Value::Body { .. } => return Err(value.not(ValueKind::ValueWithoutFunctions)),
            _ => {
                let items = self.elements(value)?.map(|item| self.export(item));
                if value.is_tuple() {
                    Plain::Tuple(items.collect::<Result<_, Fault>>()?)
                } else {
                    Plain::Set(items.collect::<Result<_, Fault>>()?)
                }
            }
        })
    }

    /// Calls a primitive that takes no functions where no compact form applies. The arguments are
    /// copied to plain values if nothing cheaper handles the call.
    #[cold]
    pub(crate) fn evaluate_irregular(
        &mut self,
        prim: Prim,
        args: &[Value],
    ) -> Result<Value, Fault> {
        if let Some(evaluated) = degenerate::evaluated(self, prim, args) {
            return evaluated;
        }
        if let Some(evaluated) = ragged::evaluated(self, prim, args) {
            return evaluated;
        }
        if let Some(evaluated) = irregular::evaluated(self, prim, args) {
            return evaluated;
        }
        self.evaluate_on_copies(prim, args)
    }

    /// Calls a primitive on plain copies of its arguments.
    pub(crate) fn evaluate_on_copies(
        &mut self,
        prim: Prim,
        args: &[Value],
    ) -> Result<Value, Fault> {
        let held = self.meter.bytes();
        let mut plain_args = Vec::with_capacity(args.len());
        for arg in args {
            self.charge_export(*arg)?;
            plain_args.push(self.export(*arg)?);
        }
        let result = plain::call(prim, &plain_args, &mut self.meter)?;
        drop(plain_args);
        self.meter.release_to(held);
        self.import(&result)
    }

    /// Charges for a plain copy before it is made.
    pub(crate) fn charge_export(&mut self, value: Value) -> Result<(), Fault> {
        let cells = match value {
            Value::Grid { height, width, .. } => u64::from(height) * (u64::from(width) + 1),
            Value::Row { len, .. } => u64::from(len),
            Value::Tuple { at, len, .. } | Value::Set { at, len, .. } => {
                for index in at..at + len {
                    self.charge_export(self.values[index as usize])?;
                }
                u64::from(len)
            }
            Value::Layers { .. } => 5 * self.len(value)? as u64,
            _ => match value.mask() {
                Some(mask) => 5 * self.count(mask) as u64,
                None => 5,
            },
        };
        self.meter.take(cells * size_of::<Plain>() as u64)
    }
}

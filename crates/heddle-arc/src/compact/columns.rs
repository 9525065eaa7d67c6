//! Application of one function to many elements, step by step.
//!
//! Where a function body is applied to every element of a container, each step runs over all
//! elements before the next step. The step is decoded once and its branches are predictable. A
//! container is processed in chunks, so that the values of a step stay in the cache and the
//! temporary memory stays bounded.

use super::allocation_free::{self, ColumnOperand};
use super::call::Eval;
use super::{function_table, singletons};
use crate::code::{StepOperand, StepOperation};
use crate::fault::Fault;
use crate::prim::Prim;
use crate::value::{Bits, Space, Value};

/// Elements of a chunk.
const CHUNK: usize = 256;

/// The minimum number of elements for which a column pays off.
pub(super) const FEW: usize = 4;

impl Eval<'_> {
    /// Replaces the elements on the stack from `base` to `end` by the results of a function of one
    /// argument.
    pub(super) fn replace_each(
        &mut self,
        function: Value,
        base: usize,
        end: usize,
    ) -> Result<(), Fault> {
        if let Value::Body { id, at, .. } = function
            && end - base >= FEW
            && self.code.flat_code.body(id).arity == 1
            && !self.space.reading.is_typed()
        {
            self.space.meter.enter()?;
            let mut from = base;
            while from < end {
                let to = end.min(from + CHUNK);
                self.columns(id, at as usize + 1, from, to)?;
                from = to;
            }
            self.space.meter.leave();
            return Ok(());
        }
        let mut done = 0;
        if let Value::Prim(prim) = function
            && !(matches!(prim, Prim::First | Prim::Last) && self.space.reading.sees_triples())
        {
            done = allocation_free::ones_in_place(prim, &mut self.space.stack[base..end]);
            self.space.meter.work(done as u64)?;
        }
        for index in base + done..end {
            let element = self.space.stack[index];
            self.space.stack[index] = self.call(function, &[element])?;
        }
        Ok(())
    }

    /// Runs a body over the elements of a chunk.
    fn columns(&mut self, id: u32, captured: usize, from: usize, to: usize) -> Result<(), Fault> {
        let flat_code = &self.code.flat_code;
        let body = flat_code.body(id);
        let steps = flat_code.steps_of(body);
        let count = to - from;
        let mark = self.space.mark();
        let base = self.space.frame.len();
        self.space.frame.reserve(steps.len() * count);
        let column_of = |space: &Space, argument: StepOperand| match argument {
            StepOperand::Parameter(_) => ColumnSource::Stack(from),
            StepOperand::Local(index) => ColumnSource::Frame(base + index as usize * count),
            StepOperand::Captured(index) => {
                ColumnSource::Same(space.values[captured + usize::from(index)])
            }
            StepOperand::Fixed(value) => ColumnSource::Same(value),
        };
        let mut number = 0;
        while let Some(step) = steps.get(number) {
            if let Some(fused) = step.fused {
                let pair = [step, &steps[number + 1]];
                self.fused_columns(fused, pair, column_of, count)?;
                number += 2;
                continue;
            }
            number += 1;
            let column = |argument: StepOperand| column_of(self.space, argument);
            match (step.operation, flat_code.operands(step)) {
                (StepOperation::Primitive(prim), &[x]) => {
                    let x = column(x);
                    self.column_of_one(prim, x, count)?;
                }
                (StepOperation::Primitive(prim), &[x, y]) => {
                    let both = [column(x), column(y)];
                    self.column_of_two(prim, both, count)?;
                }
                (_, operands) => {
                    self.general_column(step.operation, operands, captured, from, base, count)?;
                }
            }
        }
        let result = column_of(self.space, body.result);
        let results = &mut self.space.stack[from..to];
        match result {
            ColumnSource::Stack(_) => {}
            ColumnSource::Frame(start) => {
                results.copy_from_slice(&self.space.frame[start..start + count]);
            }
            ColumnSource::Same(value) => results.fill(value),
        }
        let free = results.iter().all(|value| value.is_free());
        self.space.frame.truncate(base);
        if free {
            self.space.cut(mark);
        }
        Ok(())
    }

    /// Runs a primitive of one argument over the elements of a chunk.
    #[inline]
    fn column_of_one(&mut self, prim: Prim, x: ColumnSource, count: usize) -> Result<(), Fault> {
        let out = self.new_column(count)?;
        let (before, results) = self.space.frame.split_at_mut(out);
        let values = x.values(&self.space.stack, before, count);
        let mut done = allocation_free::ones(prim, values, results);
        // Each call costs one step, and one row, whose bytes cost a step too.
        let row = self.space.rows.len();
        let rows = (count * size_of::<Bits>()) as u64;
        if let (Prim::Initset, ColumnOperand::Each(each)) = (prim, values)
            && self.space.meter.has(2 * count as u64, rows)
            && singletons::all(row, each, results)
        {
            let reserved = self.space.reserve_rows(count);
            let charged = reserved.and_then(|_| self.space.meter.work(count as u64));
            self.space.rows.push(1);
            self.with_primitive(prim, charged.map(|()| Value::None))?;
            done = count;
        }
        if let Some(call) = function_table::one(prim) {
            for element in done..count {
                let x = self.element(x, element);
                let charged = self.space.meter.work(1);
                let value = charged.and_then(|()| call(self.space, x));
                self.space.frame[out + element] = self.with_primitive(prim, value)?;
            }
        } else {
            for element in done..count {
                let x = self.element(x, element);
                self.space.frame[out + element] = self.primitive(prim, &[x])?;
            }
        }
        Ok(())
    }

    /// Runs a primitive of two arguments over the elements of a chunk.
    #[inline]
    fn column_of_two(
        &mut self,
        prim: Prim,
        [x, y]: [ColumnSource; 2],
        count: usize,
    ) -> Result<(), Fault> {
        let out = self.new_column(count)?;
        let (before, results) = self.space.frame.split_at_mut(out);
        let left = x.values(&self.space.stack, before, count);
        let right = y.values(&self.space.stack, before, count);
        let mut done = allocation_free::twos(prim, left, right, results);
        if let (Prim::Manhattan, ColumnOperand::Same(one), ColumnOperand::Each(others)) =
            (prim, left, right)
            && let Some(mask) = one.mask()
        {
            let distances = &mut self.space.distances;
            if distances.all(&self.space.rows, mask, others, results) {
                // The same steps as separate calls.
                let steps = count as u64 * (1 + u64::from(mask.height));
                let charged = self.space.meter.work(steps);
                self.with_primitive(prim, charged.map(|()| Value::None))?;
                done = count;
            }
        }
        if let Some(call) = function_table::two(prim) {
            for element in done..count {
                let (x, y) = (self.element(x, element), self.element(y, element));
                let charged = self.space.meter.work(1);
                let value = charged.and_then(|()| call(self.space, x, y));
                self.space.frame[out + element] = self.with_primitive(prim, value)?;
            }
        } else {
            for element in done..count {
                let (x, y) = (self.element(x, element), self.element(y, element));
                self.space.frame[out + element] = self.primitive(prim, &[x, y])?;
            }
        }
        Ok(())
    }

    /// Allocates the results of a step and returns the index of the first.
    pub(super) fn new_column(&mut self, count: usize) -> Result<usize, Fault> {
        self.space.meter.work(count as u64)?;
        let out = self.space.frame.len();
        self.space.frame.resize(out + count, Value::None);
        Ok(out)
    }

    /// Runs a step of any other shape over the elements of a chunk.
    fn general_column(
        &mut self,
        operation: StepOperation,
        operands: &[StepOperand],
        captured: usize,
        from: usize,
        base: usize,
        count: usize,
    ) -> Result<(), Fault> {
        for element in 0..count {
            let start = self.space.stack.len();
            for operand in operands {
                let value = match *operand {
                    StepOperand::Parameter(_) => self.space.stack[from + element],
                    StepOperand::Local(index) => {
                        self.space.frame[base + index as usize * count + element]
                    }
                    StepOperand::Captured(index) => {
                        self.space.values[captured + usize::from(index)]
                    }
                    StepOperand::Fixed(value) => value,
                };
                self.space.stack.push(value);
            }
            let value = if let StepOperation::Close(id) = operation {
                let fingerprint = self.code.flat_code.body(id).fingerprint;
                self.space.closure_from(id, fingerprint, start)?
            } else {
                let mut values = [Value::None; 5];
                let given = &self.space.stack[start..];
                values[..given.len()].copy_from_slice(given);
                self.space.stack.truncate(start);
                match operation {
                    StepOperation::Primitive(prim) => {
                        self.primitive(prim, &values[..operands.len()])?
                    }
                    _ => self.call(values[0], &values[1..operands.len()])?,
                }
            };
            self.space.frame.push(value);
        }
        Ok(())
    }

    #[inline]
    pub(super) fn element(&self, column: ColumnSource, element: usize) -> Value {
        match column {
            ColumnSource::Stack(from) => self.space.stack[from + element],
            ColumnSource::Frame(from) => self.space.frame[from + element],
            ColumnSource::Same(value) => value,
        }
    }
}

/// The location of a step's operands over a chunk.
#[derive(Clone, Copy)]
pub(super) enum ColumnSource {
    Stack(usize),
    Frame(usize),
    Same(Value),
}

impl ColumnSource {
    fn values<'a>(self, stack: &'a [Value], frame: &'a [Value], count: usize) -> ColumnOperand<'a> {
        match self {
            ColumnSource::Stack(from) => ColumnOperand::Each(&stack[from..from + count]),
            ColumnSource::Frame(from) => ColumnOperand::Each(&frame[from..from + count]),
            ColumnSource::Same(value) => ColumnOperand::Same(value),
        }
    }
}

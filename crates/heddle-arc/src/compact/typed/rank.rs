//! Elements by their rank: from 0, or from the end if negative.

use super::{Eval, ValueResult};
use crate::compact::containers::{nth, sorted};
use crate::fault::{Fault, ValueKind};
use crate::prim::Prim;
use crate::value::{Space, Value};

/// Returns the place of a rank among `count`, if it is in range.
fn place(count: usize, n: Value) -> Result<Option<usize>, Fault> {
    let n = n.int()?;
    let place = if n < 0 {
        n.saturating_add(count as i64)
    } else {
        n
    };
    Ok(usize::try_from(place).ok().filter(|place| *place < count))
}

/// Replaces the values on the stack from `base` on, of which equal ones count together, by the
/// distinct ones in order of their count. Values of equal count stay in their order.
fn by_count(space: &mut Space, base: usize, descending: bool) -> Result<(), Fault> {
    let mut counts: Vec<(Value, usize)> = Vec::new();
    for index in base..space.stack.len() {
        space.meter.work(1 + counts.len() as u64)?;
        let value = space.stack[index];
        match counts
            .iter_mut()
            .find(|(known, _)| space.equal(*known, value))
        {
            Some((_, count)) => *count += 1,
            None => counts.push((value, 1)),
        }
    }
    counts.sort_by_key(|(_, count)| {
        if descending {
            usize::MAX - count
        } else {
            *count
        }
    });
    space.stack.truncate(base);
    space
        .stack
        .extend(counts.into_iter().map(|(value, _)| value));
    Ok(())
}

impl Eval<'_> {
    /// Calls a primitive that selects by rank.
    pub(super) fn ranked(&mut self, prim: Prim, args: &[Value]) -> ValueResult {
        let (container, y) = (args[0], args[1]);
        let z = args.get(2).copied().unwrap_or(y);
        let base = self.space.stack.len();
        let nothing = match prim {
            Prim::GetArgRankF | Prim::GetCommonRankF | Prim::GetColorRankF => Value::EMPTY_SET,
            Prim::GetArgRank if container.is_set() => Value::EMPTY_SET,
            Prim::GetRank => Value::Int(0),
            Prim::GetNthByKeyT | Prim::GetNthByKeyF => Value::None,
            _ => Value::EMPTY_TUPLE,
        };
        let (key, n) = match prim {
            Prim::GetArgRank | Prim::GetArgRankT | Prim::GetArgRankF | Prim::GetValRank => {
                (Some(y), z)
            }
            Prim::GetNthByKeyT | Prim::GetNthByKeyF => (Some(z), y),
            _ => (None, y),
        };
        match prim {
            Prim::GetCommonRank | Prim::GetCommonRankF => {
                if prim == Prim::GetCommonRank && !container.is_tuple() {
                    return Err(container.not(ValueKind::Tuple));
                }
                self.space.push_elements(container)?;
                self.space.sort_from(base);
                by_count(self.space, base, false)?;
            }
            Prim::GetColorRankT | Prim::GetColorRankF => {
                let rows = self.space.push_elements(container)?;
                let end = self.space.stack.len();
                for index in rows..end {
                    let element = self.space.stack[index];
                    if prim == Prim::GetColorRankT {
                        self.space.push_elements(element)?;
                    } else if super::is_cell(self.space, element) {
                        let colour = nth(self.space, element, 0)?;
                        self.space.stack.push(colour);
                    } else {
                        return Err(element.not(ValueKind::Cell));
                    }
                }
                self.space.stack.drain(base..end);
                by_count(self.space, base, true)?;
            }
            _ => {
                let ascending = matches!(
                    prim,
                    Prim::GetValRank | Prim::GetNthByKeyT | Prim::GetNthByKeyF
                );
                let count = sorted(self, container, key, !ascending)?;
                self.space.stack.truncate(base + count);
            }
        }
        let count = self.space.stack.len() - base;
        let n = match (prim, n) {
            (Prim::GetNthByKeyF, Value::Int(..0)) => Value::Int(0),
            _ => n,
        };
        let found = place(count, n)?.map(|place| self.space.stack[base + place]);
        self.space.stack.truncate(base);
        match found {
            Some(found) if prim == Prim::GetValRank => self.call(y, &[found]),
            Some(found) => Ok(found),
            None if prim == Prim::GetValRank => self.call(y, &[Value::Int(0)]),
            None if prim == Prim::GetNthByKeyT && count > 0 => {
                Err(Fault::Missing(ValueKind::ElementAtThatPlace))
            }
            None => Ok(nothing),
        }
    }
}

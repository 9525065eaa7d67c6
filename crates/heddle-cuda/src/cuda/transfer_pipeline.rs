//! Moves chunks through slots: threads fill them, the device works on them, threads empty
//! them.
//!
//! Only the calling thread calls the driver; the others copy memory. There is no barrier
//! between chunks: while one is on the bus, the next are being filled and the last ones
//! emptied.

#![allow(unsafe_code)]

use std::collections::VecDeque;
use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};

use heddle_runtime::Error;
use heddle_runtime::device::ScatterSink;
use rayon::{Scope, ThreadPool};

/// The memory that a chunk is transferred through.
pub(super) trait TransferSlot: Send {
    /// The bytes that a chunk's operands are copied to and its output is copied from.
    ///
    /// # Safety
    /// The device has finished with what was queued for the slot.
    unsafe fn bytes_mut(&mut self) -> &mut [u8];

    /// Whether the device has finished with the slot.
    fn is_done(&self) -> Result<bool, Error>;
}

/// Copies a chunk's operands into a slot.
pub(super) type Fill<'a> = dyn Fn(usize, &mut [u8]) + Sync + 'a;

/// The chunks of one transfer.
pub(super) struct Transfer<'a> {
    /// Number of chunks.
    pub(super) chunks: usize,
    /// Fills the slot of a chunk; None where nothing is uploaded.
    pub(super) fill: Option<&'a Fill<'a>>,
    /// The destination of each chunk's output; empty where nothing is downloaded.
    pub(super) outputs: Vec<ScatterSink<'a>>,
    /// The offset of the output in its slot.
    pub(super) output_offset: usize,
}

enum SlotEvent<C> {
    Filled(usize, C),
    Emptied(C),
}

/// Runs the transfer. `submit` queues one chunk's device work, ending with the event that
/// [`TransferSlot::is_done`] queries.
///
/// The device has finished with the slots that are given. All are returned, also after an
/// error; the device may then still be using some of them, and the caller waits for the
/// device before reusing them.
pub(super) fn run_transfer<C: TransferSlot>(
    threads: &ThreadPool,
    slots: Vec<C>,
    transfer: Transfer<'_>,
    submit: &mut dyn FnMut(usize, &mut C) -> Result<(), Error>,
) -> (Vec<C>, Result<(), Error>) {
    let (sender, slot_events) = mpsc::channel();
    let mut schedule = TransferSchedule {
        idle: slots,
        in_flight: VecDeque::new(),
        next: 0,
        on_threads: 0,
        unfinished: transfer.chunks,
        outputs: transfer.outputs.into_iter().map(Some).collect(),
        output_offset: transfer.output_offset,
        chunks: transfer.chunks,
        fill: transfer.fill,
        sender,
        slot_events,
    };
    let outcome = threads.in_place_scope(|scope| {
        let outcome = schedule.run(scope, submit);
        // Collects the slots that threads still hold, before the scope ends.
        while schedule.on_threads > 0 {
            match schedule.slot_events.recv() {
                Ok(SlotEvent::Filled(_, slot) | SlotEvent::Emptied(slot)) => {
                    schedule.on_threads -= 1;
                    schedule.idle.push(slot);
                }
                Err(_) => break,
            }
        }
        outcome
    });
    let mut slots = schedule.idle;
    slots.extend(schedule.in_flight.into_iter().map(|(_, slot)| slot));
    (slots, outcome)
}

struct TransferSchedule<'a, C> {
    idle: Vec<C>,
    /// The slots in use by the device, in the order they will come back.
    in_flight: VecDeque<(usize, C)>,
    next: usize,
    on_threads: usize,
    unfinished: usize,
    outputs: Vec<Option<ScatterSink<'a>>>,
    output_offset: usize,
    chunks: usize,
    fill: Option<&'a Fill<'a>>,
    sender: Sender<SlotEvent<C>>,
    slot_events: Receiver<SlotEvent<C>>,
}

impl<'a, C: TransferSlot + 'a> TransferSchedule<'a, C> {
    fn run<'s>(
        &mut self,
        scope: &Scope<'s>,
        submit: &mut dyn FnMut(usize, &mut C) -> Result<(), Error>,
    ) -> Result<(), Error>
    where
        'a: 's,
    {
        while self.unfinished > 0 {
            let mut progress = false;
            while self.next < self.chunks
                && let Some(slot) = self.idle.pop()
            {
                let chunk = self.next;
                self.next += 1;
                progress = true;
                match self.fill {
                    Some(fill) => self.start_filling(scope, fill, chunk, slot),
                    None => self.submit_filled(chunk, slot, submit)?,
                }
            }
            match self.slot_events.try_recv() {
                Ok(slot_event) => {
                    progress = true;
                    self.handle_event(slot_event, submit)?;
                }
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => {}
            }
            if let Some((_, slot)) = self.in_flight.front()
                && slot.is_done()?
                && let Some((chunk, slot)) = self.in_flight.pop_front()
            {
                progress = true;
                self.start_emptying(scope, chunk, slot);
            }
            if !progress {
                if self.in_flight.is_empty()
                    && self.on_threads > 0
                    && let Ok(slot_event) = self.slot_events.recv()
                {
                    self.handle_event(slot_event, submit)?;
                } else {
                    std::hint::spin_loop();
                }
            }
        }
        Ok(())
    }

    fn start_filling<'s>(
        &mut self,
        scope: &Scope<'s>,
        fill: &'a Fill<'a>,
        chunk: usize,
        mut slot: C,
    ) where
        'a: 's,
    {
        let sender = self.sender.clone();
        self.on_threads += 1;
        scope.spawn(move |_| {
            // SAFETY: the slot was idle: no chunk was queued for it since the caller gave it
            // or the device finished with its last one.
            fill(chunk, unsafe { slot.bytes_mut() });
            // The receiver outlives the scope.
            let _ = sender.send(SlotEvent::Filled(chunk, slot));
        });
    }

    fn start_emptying<'s>(&mut self, scope: &Scope<'s>, chunk: usize, mut slot: C)
    where
        'a: 's,
    {
        let Some(mut output) = self.outputs.get_mut(chunk).and_then(Option::take) else {
            self.unfinished -= 1;
            self.idle.push(slot);
            return;
        };
        let (sender, offset) = (self.sender.clone(), self.output_offset);
        self.on_threads += 1;
        scope.spawn(move |_| {
            let end = offset + output.len();
            // SAFETY: the slot has just been found done, and only this thread has it.
            let bytes = unsafe { slot.bytes_mut() };
            output.put(&bytes[offset..end]);
            // The receiver outlives the scope.
            let _ = sender.send(SlotEvent::Emptied(slot));
        });
    }

    fn handle_event(
        &mut self,
        slot_event: SlotEvent<C>,
        submit: &mut dyn FnMut(usize, &mut C) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.on_threads -= 1;
        match slot_event {
            SlotEvent::Filled(chunk, slot) => self.submit_filled(chunk, slot, submit),
            SlotEvent::Emptied(slot) => {
                self.unfinished -= 1;
                self.idle.push(slot);
                Ok(())
            }
        }
    }

    fn submit_filled(
        &mut self,
        chunk: usize,
        mut slot: C,
        submit: &mut dyn FnMut(usize, &mut C) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let submitted = submit(chunk, &mut slot);
        self.in_flight.push_back((chunk, slot));
        submitted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// A slot whose device adds one to each byte and is done after a few polls.
    struct TestSlot {
        bytes: Vec<u8>,
        polls_left: AtomicUsize,
    }

    impl TransferSlot for TestSlot {
        unsafe fn bytes_mut(&mut self) -> &mut [u8] {
            &mut self.bytes
        }

        fn is_done(&self) -> Result<bool, Error> {
            let left = self.polls_left.load(Ordering::Relaxed);
            self.polls_left
                .store(left.saturating_sub(1), Ordering::Relaxed);
            Ok(left == 0)
        }
    }

    fn test_slots(count: usize, slot_len: usize) -> Vec<TestSlot> {
        (0..count)
            .map(|_| TestSlot {
                bytes: vec![0; slot_len],
                polls_left: AtomicUsize::new(0),
            })
            .collect()
    }

    fn threads() -> ThreadPool {
        rayon::ThreadPoolBuilder::new()
            .num_threads(2)
            .build()
            .unwrap()
    }

    fn round_trip(
        input: &[u8],
        step: usize,
        slot_count: usize,
        fail_at: Option<usize>,
    ) -> RoundTrip {
        let mut output = vec![0; input.len()];
        let parts: Vec<&[u8]> = input.chunks(step).collect();
        let fill = |chunk: usize, to: &mut [u8]| {
            to[..parts[chunk].len()].copy_from_slice(parts[chunk]);
        };
        let transfer = Transfer {
            chunks: parts.len(),
            fill: Some(&fill),
            outputs: ScatterSink::from(output.as_mut_slice()).chunks(step),
            output_offset: 0,
        };
        let mut submitted = 0;
        let (test_slots, outcome) = run_transfer(
            &threads(),
            test_slots(slot_count, step),
            transfer,
            &mut |chunk, slot| {
                if fail_at == Some(submitted) {
                    return Err(Error::EmptyKey);
                }
                submitted += 1;
                for byte in &mut slot.bytes {
                    *byte = byte.wrapping_add(1);
                }
                slot.polls_left = AtomicUsize::new(chunk % 4);
                Ok(())
            },
        );
        RoundTrip {
            output,
            test_slots: test_slots.len(),
            is_ok: outcome.is_ok(),
        }
    }

    struct RoundTrip {
        output: Vec<u8>,
        test_slots: usize,
        is_ok: bool,
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn every_chunk_returns_to_its_position(
            len in 0_usize..2000,
            step in 1_usize..300,
            slot_count in 1_usize..7,
        ) {
            let input: Vec<u8> = (0..len).map(|index| (index % 253) as u8).collect();
            let outcome = round_trip(&input, step, slot_count, None);
            prop_assert!(outcome.is_ok);
            prop_assert_eq!(outcome.test_slots, slot_count);
            let expected: Vec<u8> = input.iter().map(|byte| byte.wrapping_add(1)).collect();
            prop_assert_eq!(outcome.output, expected);
        }

        #[test]
        fn a_failure_ends_the_transfer_and_loses_no_slot(
            chunks in 1_usize..30,
            fail_at in 0_usize..30,
            slot_count in 1_usize..7,
        ) {
            let input = vec![1; chunks * 10];
            let outcome = round_trip(&input, 10, slot_count, Some(fail_at));
            prop_assert_eq!(outcome.is_ok, fail_at >= chunks);
            prop_assert_eq!(outcome.test_slots, slot_count);
        }
    }
}

//! Moves chunks through slots: filled by threads, worked on by the device, emptied by threads.
//!
//! The calling thread alone speaks to the driver; the others only copy memory.
//! There is no barrier between chunks: while one is on the bus, the next are
//! being filled and the last ones emptied.

use std::collections::VecDeque;
use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};

use heddle_runtime::Error;
use heddle_runtime::device::Sink;
use rayon::{Scope, ThreadPool};

/// Something a chunk travels in.
pub(super) trait Carrier: Send {
    /// The bytes a chunk's operands are copied to and its answer is copied from.
    fn bytes_mut(&mut self) -> &mut [u8];

    /// Whether the device has finished with it.
    fn is_back(&self) -> Result<bool, Error>;
}

/// Copies a chunk's operands into a carrier.
pub(super) type Fill<'a> = dyn Fn(usize, &mut [u8]) + Sync + 'a;

/// What travels.
pub(super) struct Freight<'a> {
    /// Number of chunks.
    pub(super) chunks: usize,
    /// Fills the carrier of a chunk, where there is something to send.
    pub(super) fill: Option<&'a Fill<'a>>,
    /// Where each chunk's answer goes; empty where nothing comes back.
    pub(super) landings: Vec<Sink<'a>>,
    /// Where in its carrier an answer begins.
    pub(super) landing_offset: usize,
}

enum Arrival<C> {
    Filled(usize, C),
    Emptied(C),
}

/// Carries the freight. `depart` queues one chunk's device work, ending with the
/// mark that [`Carrier::is_back`] looks for.
///
/// All carriers are returned, also after an error; then some may still be in the
/// device's hands, and the caller waits for the device before using them again.
pub(super) fn carry<C: Carrier>(
    threads: &ThreadPool,
    carriers: Vec<C>,
    freight: Freight<'_>,
    depart: &mut dyn FnMut(usize, &mut C) -> Result<(), Error>,
) -> (Vec<C>, Result<(), Error>) {
    let (sender, arrivals) = mpsc::channel();
    let mut journey = Journey {
        idle: carriers,
        away: VecDeque::new(),
        next: 0,
        on_threads: 0,
        unfinished: freight.chunks,
        landings: freight.landings.into_iter().map(Some).collect(),
        landing_offset: freight.landing_offset,
        chunks: freight.chunks,
        fill: freight.fill,
        sender,
        arrivals,
    };
    let outcome = threads.in_place_scope(|scope| {
        let outcome = journey.run(scope, depart);
        // What the threads still hold comes back before the scope ends.
        while journey.on_threads > 0 {
            match journey.arrivals.recv() {
                Ok(Arrival::Filled(_, carrier) | Arrival::Emptied(carrier)) => {
                    journey.on_threads -= 1;
                    journey.idle.push(carrier);
                }
                Err(_) => break,
            }
        }
        outcome
    });
    let mut carriers = journey.idle;
    carriers.extend(journey.away.into_iter().map(|(_, carrier)| carrier));
    (carriers, outcome)
}

struct Journey<'a, C> {
    idle: Vec<C>,
    /// In the device's hands, in the order they will come back.
    away: VecDeque<(usize, C)>,
    next: usize,
    on_threads: usize,
    unfinished: usize,
    landings: Vec<Option<Sink<'a>>>,
    landing_offset: usize,
    chunks: usize,
    fill: Option<&'a Fill<'a>>,
    sender: Sender<Arrival<C>>,
    arrivals: Receiver<Arrival<C>>,
}

impl<'a, C: Carrier + 'a> Journey<'a, C> {
    fn run<'s>(
        &mut self,
        scope: &Scope<'s>,
        depart: &mut dyn FnMut(usize, &mut C) -> Result<(), Error>,
    ) -> Result<(), Error>
    where
        'a: 's,
    {
        while self.unfinished > 0 {
            let mut progress = false;
            while self.next < self.chunks
                && let Some(carrier) = self.idle.pop()
            {
                let chunk = self.next;
                self.next += 1;
                progress = true;
                match self.fill {
                    Some(fill) => self.start_filling(scope, fill, chunk, carrier),
                    None => self.send_off(chunk, carrier, depart)?,
                }
            }
            match self.arrivals.try_recv() {
                Ok(arrival) => {
                    progress = true;
                    self.meet(arrival, depart)?;
                }
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => {}
            }
            if let Some((_, carrier)) = self.away.front()
                && carrier.is_back()?
                && let Some((chunk, carrier)) = self.away.pop_front()
            {
                progress = true;
                self.start_emptying(scope, chunk, carrier);
            }
            if !progress {
                if self.away.is_empty()
                    && self.on_threads > 0
                    && let Ok(arrival) = self.arrivals.recv()
                {
                    self.meet(arrival, depart)?;
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
        mut carrier: C,
    ) where
        'a: 's,
    {
        let sender = self.sender.clone();
        self.on_threads += 1;
        scope.spawn(move |_| {
            fill(chunk, carrier.bytes_mut());
            // The receiver outlives the scope.
            let _ = sender.send(Arrival::Filled(chunk, carrier));
        });
    }

    fn start_emptying<'s>(&mut self, scope: &Scope<'s>, chunk: usize, mut carrier: C)
    where
        'a: 's,
    {
        let Some(mut landing) = self.landings.get_mut(chunk).and_then(Option::take) else {
            self.unfinished -= 1;
            self.idle.push(carrier);
            return;
        };
        let (sender, offset) = (self.sender.clone(), self.landing_offset);
        self.on_threads += 1;
        scope.spawn(move |_| {
            let end = offset + landing.len();
            landing.put(&carrier.bytes_mut()[offset..end]);
            // The receiver outlives the scope.
            let _ = sender.send(Arrival::Emptied(carrier));
        });
    }

    fn meet(
        &mut self,
        arrival: Arrival<C>,
        depart: &mut dyn FnMut(usize, &mut C) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.on_threads -= 1;
        match arrival {
            Arrival::Filled(chunk, carrier) => self.send_off(chunk, carrier, depart),
            Arrival::Emptied(carrier) => {
                self.unfinished -= 1;
                self.idle.push(carrier);
                Ok(())
            }
        }
    }

    fn send_off(
        &mut self,
        chunk: usize,
        mut carrier: C,
        depart: &mut dyn FnMut(usize, &mut C) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let departed = depart(chunk, &mut carrier);
        self.away.push_back((chunk, carrier));
        departed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// A carrier whose device adds one to each byte and takes a few looks to do so.
    struct Cart {
        bytes: Vec<u8>,
        looks_left: AtomicUsize,
    }

    impl Carrier for Cart {
        fn bytes_mut(&mut self) -> &mut [u8] {
            &mut self.bytes
        }

        fn is_back(&self) -> Result<bool, Error> {
            let left = self.looks_left.load(Ordering::Relaxed);
            self.looks_left
                .store(left.saturating_sub(1), Ordering::Relaxed);
            Ok(left == 0)
        }
    }

    fn carts(count: usize, room: usize) -> Vec<Cart> {
        (0..count)
            .map(|_| Cart {
                bytes: vec![0; room],
                looks_left: AtomicUsize::new(0),
            })
            .collect()
    }

    fn threads() -> ThreadPool {
        rayon::ThreadPoolBuilder::new()
            .num_threads(2)
            .build()
            .unwrap()
    }

    fn round_trip(input: &[u8], step: usize, cart_count: usize, fail_at: Option<usize>) -> Outcome {
        let mut output = vec![0; input.len()];
        let parts: Vec<&[u8]> = input.chunks(step).collect();
        let fill = |chunk: usize, to: &mut [u8]| {
            to[..parts[chunk].len()].copy_from_slice(parts[chunk]);
        };
        let freight = Freight {
            chunks: parts.len(),
            fill: Some(&fill),
            landings: Sink::from(output.as_mut_slice()).chunks(step),
            landing_offset: 0,
        };
        let mut departed = 0;
        let (carts, outcome) = carry(
            &threads(),
            carts(cart_count, step),
            freight,
            &mut |chunk, cart| {
                if fail_at == Some(departed) {
                    return Err(Error::EmptyKey);
                }
                departed += 1;
                for byte in &mut cart.bytes {
                    *byte = byte.wrapping_add(1);
                }
                cart.looks_left = AtomicUsize::new(chunk % 4);
                Ok(())
            },
        );
        Outcome {
            output,
            carts: carts.len(),
            is_ok: outcome.is_ok(),
        }
    }

    struct Outcome {
        output: Vec<u8>,
        carts: usize,
        is_ok: bool,
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn every_chunk_goes_and_comes_back_in_its_place(
            len in 0_usize..2000,
            step in 1_usize..300,
            cart_count in 1_usize..7,
        ) {
            let input: Vec<u8> = (0..len).map(|index| (index % 253) as u8).collect();
            let outcome = round_trip(&input, step, cart_count, None);
            prop_assert!(outcome.is_ok);
            prop_assert_eq!(outcome.carts, cart_count);
            let expected: Vec<u8> = input.iter().map(|byte| byte.wrapping_add(1)).collect();
            prop_assert_eq!(outcome.output, expected);
        }

        #[test]
        fn a_failure_ends_the_journey_and_loses_no_carrier(
            chunks in 1_usize..30,
            fail_at in 0_usize..30,
            cart_count in 1_usize..7,
        ) {
            let input = vec![1; chunks * 10];
            let outcome = round_trip(&input, 10, cart_count, Some(fail_at));
            prop_assert_eq!(outcome.is_ok, fail_at >= chunks);
            prop_assert_eq!(outcome.carts, cart_count);
        }
    }
}

//! The pipeline of every operation: describe, route, admit, run, record, learn.

use std::panic::Location;
use std::sync::atomic::Ordering;
use std::time::Instant;

use heddle_profile::Span;

use super::gauge::Gauge;
use super::room::Room;
use super::{Runtime, Station};
use crate::device::{DeviceId, Timing};
use crate::error::Error;
use crate::operation::{Agreement, Description, Operation};
use crate::route::Decision;

/// A result, with its decision and timing.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Outcome<T> {
    /// The result.
    pub output: T,
    /// The device it ran on, and why.
    pub decision: Decision,
    /// The time it took there.
    pub timing: Timing,
}

impl Runtime {
    /// Runs `operation` on the device predicted to finish first.
    #[track_caller]
    pub fn run<O: Operation>(&self, operation: O) -> Result<O::Output, Error> {
        self.travel(operation, None, Location::caller(), |output, _, _| output)
    }

    /// Runs `operation` on `device`, whatever it costs there.
    #[track_caller]
    pub fn run_on<O: Operation>(&self, device: DeviceId, operation: O) -> Result<O::Output, Error> {
        self.travel(
            operation,
            Some(device),
            Location::caller(),
            |output, _, _| output,
        )
    }

    /// Runs `operation` like [`run`](Self::run), or on `device` if one is given, and returns
    /// the device, the reason and the time as well.
    #[track_caller]
    pub fn trace<O: Operation>(
        &self,
        operation: O,
        device: Option<DeviceId>,
    ) -> Result<Outcome<O::Output>, Error> {
        let place = Location::caller();
        self.travel(operation, device, place, |output, decision, timing| {
            Outcome {
                output,
                decision,
                timing,
            }
        })
    }

    /// `conclude` builds the returned value from the parts, so that unused parts are not
    /// copied.
    #[inline]
    fn travel<O: Operation, R>(
        &self,
        mut operation: O,
        force: Option<DeviceId>,
        place: &'static Location<'static>,
        conclude: impl FnOnce(O::Output, Decision, Timing) -> R,
    ) -> Result<R, Error> {
        let description = operation.describe();
        let router = &self.shared.router;
        let mut decision =
            router.decide(&description, &|family| operation.runs_on(family), force)?;
        let (station, room) = self.admit(&description, &mut decision)?;
        let done = self.execute_in(&room, station, &description, &mut operation, place);
        let (output, timing) = match done {
            Ok(done) => {
                drop(room);
                done
            }
            Err(error) => self.recover(
                error,
                room,
                &description,
                &mut decision,
                &mut operation,
                place,
            )?,
        };
        router.learn(&description, &decision, &timing);
        if router.wants_verify() {
            self.verify(&description, &decision, &mut operation, &output, place)?;
        }
        Ok(conclude(output, decision, timing))
    }

    /// Runs the body on one device with the memory reserved there. Its allocations are booked
    /// to the line of the call.
    #[inline]
    pub(super) fn execute_in<O: Operation>(
        &self,
        room: &Room<'_>,
        station: &Station,
        description: &Description,
        operation: &mut O,
        place: &'static Location<'static>,
    ) -> Result<(O::Output, Timing), Error> {
        let before = self.shared.profiler.enabled().then(|| station.gauge());
        let _inside = room.enter(description, place);
        let (output, start, timing) = Self::execute(station, description, operation)?;
        if let Some(before) = before {
            self.record(station, room, before, description, start, &timing);
        }
        Ok((output, timing))
    }

    /// Runs the body on one device, and returns when it started.
    #[inline]
    fn execute<O: Operation>(
        station: &Station,
        description: &Description,
        operation: &mut O,
    ) -> Result<(O::Output, Instant, Timing), Error> {
        let mut answer = None;
        let start = Instant::now();
        let timing = station.device.execute(description, start, &mut |lane| {
            answer = Some(operation.run(lane)?);
            Ok(())
        })?;
        let Some(output) = answer else {
            return Err(Error::Device {
                device: station.device.id(),
                message: format!("reported success without running {}", description.kind),
            });
        };
        Ok((output, start, timing))
    }

    #[inline]
    fn record(
        &self,
        station: &Station,
        room: &Room<'_>,
        before: Gauge,
        described: &Description,
        start: Instant,
        timing: &Timing,
    ) {
        let profiler = &self.shared.profiler;
        let start_ns = profiler.since_epoch_ns(start);
        station.sample(profiler, start_ns.saturating_add(timing.total.0));
        profiler.record(Span {
            operation: described.kind.name(),
            element: described.dtype.name(),
            device: station.device.id().tag(),
            backend: station.device.card().backend,
            start_ns,
            total_ns: timing.total.0,
            device_ns: timing.device.map(|time| time.0),
            device_start_ns: timing
                .device_start
                .map(|after| start_ns.saturating_add(after.0)),
            stream: timing.stream,
            transfer_ns: timing.exposed().time().0,
            overhead_ns: timing.overhead().0,
            bytes_in: described.input().0,
            bytes_out: described.output.0,
            bytes_moved: timing.moved.bytes().0,
            work: described.work,
            mem_allocated: room.bytes().0,
            mem_peak: before.most_until(station.gauge()).0,
            ..Span::default()
        });
    }

    /// Runs the operation once more on another device and compares the results.
    #[cold]
    fn verify<O: Operation>(
        &self,
        description: &Description,
        decision: &Decision,
        operation: &mut O,
        first: &O::Output,
        place: &'static Location<'static>,
    ) -> Result<(), Error> {
        let counts = &self.shared.counts;
        let second = self.shared.router.second_choice(decision);
        let Some(device) = second.filter(|_| operation.is_repeatable()) else {
            counts.unverifiable.fetch_add(1, Ordering::Relaxed);
            return Ok(());
        };
        let station = self.station(device)?;
        let Ok(room) = station.reserve(description) else {
            counts.unverifiable.fetch_add(1, Ordering::Relaxed);
            return Ok(());
        };
        let done = self.execute_in(&room, station, description, operation, place);
        let (answer, timing) = match done {
            Ok(done) => done,
            // The first result is returned: it is the second device that failed.
            Err(error) if self.is_of_device(&error, device) => {
                counts.unverifiable.fetch_add(1, Ordering::Relaxed);
                return Ok(());
            }
            Err(error) => {
                counts.failed();
                return Err(error);
            }
        };
        self.shared.router.observe(description, device, &timing);
        match operation.compare(first, &answer) {
            Agreement::Same => {
                counts.verified.fetch_add(1, Ordering::Relaxed);
                Ok(())
            }
            Agreement::Unchecked => {
                counts.unverifiable.fetch_add(1, Ordering::Relaxed);
                Ok(())
            }
            Agreement::Different(difference) => {
                counts.differed.fetch_add(1, Ordering::Relaxed);
                Err(Error::Disagreement {
                    operation: description.kind.name(),
                    first: decision.device,
                    second: device,
                    difference,
                })
            }
        }
    }
}

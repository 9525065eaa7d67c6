//! The pipeline of every operation: describe, route, admit, run, record, learn.

use std::panic::Location;
use std::sync::atomic::Ordering;
use std::time::Instant;

use heddle_profile::Span;

use super::admitted_memory::AdmittedMemory;
use super::committed_memory::CommittedMemory;
use super::{DeviceSlot, Runtime};
use crate::device::{DeviceId, Timing};
use crate::error::Error;
use crate::operation::{Agreement, Description, Operation};
use crate::route::Decision;

/// A result, with its decision and timing.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RunOutcome<T> {
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
        self.run_pipeline(operation, None, Location::caller(), |output, _, _| output)
    }

    /// Runs `operation` on `device`, whatever it costs there.
    #[track_caller]
    pub fn run_on<O: Operation>(&self, device: DeviceId, operation: O) -> Result<O::Output, Error> {
        self.run_pipeline(
            operation,
            Some(device),
            Location::caller(),
            |output, _, _| output,
        )
    }

    /// Runs `operation` like [`run`](Self::run), or on `device` if one is given, and returns
    /// the device, the reason and the time as well.
    #[track_caller]
    pub fn run_traced<O: Operation>(
        &self,
        operation: O,
        device: Option<DeviceId>,
    ) -> Result<RunOutcome<O::Output>, Error> {
        let call_site = Location::caller();
        self.run_pipeline(operation, device, call_site, |output, decision, timing| {
            RunOutcome {
                output,
                decision,
                timing,
            }
        })
    }

    /// `conclude` builds the returned value from the parts, so that unused parts are not
    /// copied.
    #[inline]
    fn run_pipeline<O: Operation, R>(
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
        let (slot, admitted) = self.admit(&description, &mut decision)?;
        let done = self.execute_admitted(&admitted, slot, &description, &mut operation, place);
        let (output, timing) = match done {
            Ok(done) => {
                drop(admitted);
                done
            }
            Err(error) => self.recover(
                error,
                admitted,
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

    /// Runs the body on one device with the memory reserved there. Its allocations are
    /// attributed to the line of the call.
    #[inline]
    pub(super) fn execute_admitted<O: Operation>(
        &self,
        admitted: &AdmittedMemory<'_>,
        slot: &DeviceSlot,
        description: &Description,
        operation: &mut O,
        place: &'static Location<'static>,
    ) -> Result<(O::Output, Timing), Error> {
        let before = self
            .shared
            .profiler
            .enabled()
            .then(|| slot.committed_memory());
        let _inside = admitted.enter(description, place);
        let (output, start, timing) = Self::execute(slot, description, operation)?;
        if let Some(before) = before {
            self.record(slot, admitted, before, description, start, &timing);
        }
        Ok((output, timing))
    }

    /// Runs the body on one device, and returns when it started.
    #[inline]
    fn execute<O: Operation>(
        slot: &DeviceSlot,
        description: &Description,
        operation: &mut O,
    ) -> Result<(O::Output, Instant, Timing), Error> {
        let mut result = None;
        let start = Instant::now();
        let timing = slot.device.execute(description, start, &mut |context| {
            result = Some(operation.run(context)?);
            Ok(())
        })?;
        let Some(output) = result else {
            return Err(Error::device(
                slot.device.id(),
                format!("reported success without running {}", description.kind),
            ));
        };
        Ok((output, start, timing))
    }

    #[inline]
    fn record(
        &self,
        slot: &DeviceSlot,
        admitted: &AdmittedMemory<'_>,
        before: CommittedMemory,
        described: &Description,
        start: Instant,
        timing: &Timing,
    ) {
        let profiler = &self.shared.profiler;
        let start_ns = profiler.since_epoch_ns(start);
        slot.sample(profiler, start_ns.saturating_add(timing.total.0));
        profiler.record(Span {
            operation: described.kind.name(),
            element: described.dtype.name(),
            device: slot.device.id().tag(),
            backend: slot.device.properties().backend,
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
            mem_allocated: admitted.bytes().0,
            mem_peak: before.peak_until(slot.committed_memory()).0,
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
        let counters = &self.shared.counters;
        let second = self.shared.router.second_choice(decision);
        let Some(device) = second.filter(|_| operation.is_repeatable()) else {
            counters.unverifiable.fetch_add(1, Ordering::Relaxed);
            return Ok(());
        };
        let slot = self.slot(device)?;
        let Ok(admitted) = slot.reserve(description) else {
            counters.unverifiable.fetch_add(1, Ordering::Relaxed);
            return Ok(());
        };
        let done = self.execute_admitted(&admitted, slot, description, operation, place);
        let (result, timing) = match done {
            Ok(done) => done,
            // The first result is returned: it is the second device that failed.
            Err(error) if self.is_of_device(&error, device) => {
                counters.unverifiable.fetch_add(1, Ordering::Relaxed);
                return Ok(());
            }
            Err(error) => {
                counters.failed();
                return Err(error);
            }
        };
        self.shared.router.observe(description, device, &timing);
        match operation.compare(first, &result) {
            Agreement::Same => {
                counters.verified.fetch_add(1, Ordering::Relaxed);
                Ok(())
            }
            Agreement::Unchecked => {
                counters.unverifiable.fetch_add(1, Ordering::Relaxed);
                Ok(())
            }
            Agreement::Different(difference) => {
                counters.differed.fetch_add(1, Ordering::Relaxed);
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

//! CUDA streams and events.

#![allow(unsafe_code)]

use std::sync::Arc;

use cudarc::driver::sys::{self, CUevent, CUevent_flags, CUresult, CUstream, CUstream_flags};
use heddle_runtime::Error;
use heddle_runtime::units::Nanos;

use super::context::Context;
use super::driver::elapsed_ms;
use super::driver_error::check;
use super::drop_failures;

/// A stream: a queue of work that runs in order.
#[derive(Debug)]
pub(super) struct Stream {
    context: Arc<Context>,
    raw: CUstream,
}

// SAFETY: the driver serialises calls on one stream; each caller enters the context.
unsafe impl Send for Stream {}
// SAFETY: as above.
unsafe impl Sync for Stream {}

impl Stream {
    /// A stream that does not wait for the default one.
    pub(super) fn new(context: &Arc<Context>) -> Result<Self, Error> {
        context.enter()?;
        let mut raw = std::ptr::null_mut();
        // SAFETY: the argument outlives the call; the context is current.
        context.check("cuStreamCreate", unsafe {
            sys::cuStreamCreate(&raw mut raw, CUstream_flags::CU_STREAM_NON_BLOCKING as u32)
        })?;
        Ok(Self {
            context: Arc::clone(context),
            raw,
        })
    }

    /// The driver's handle, valid while this lives.
    pub(super) fn raw(&self) -> CUstream {
        self.raw
    }

    /// Waits until everything queued so far has run.
    pub(super) fn synchronize(&self) -> Result<(), Error> {
        // SAFETY: the stream lives.
        self.context.check("cuStreamSynchronize", unsafe {
            sys::cuStreamSynchronize(self.raw)
        })
    }

    /// Makes everything queued from now on wait for the event.
    pub(super) fn wait(&self, event: &Event) -> Result<(), Error> {
        // SAFETY: both live. The driver refuses an event of another context.
        self.context.check("cuStreamWaitEvent", unsafe {
            sys::cuStreamWaitEvent(self.raw, event.raw, 0)
        })
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        drop_failures::note(self.context.make_current());
        // SAFETY: created in `new`, destroyed once.
        drop_failures::note(check("cuStreamDestroy", unsafe {
            sys::cuStreamDestroy_v2(self.raw)
        }));
    }
}

/// The use an event is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventPurpose {
    /// Ordering. Cheaper: no time is taken.
    Order,
    /// Measuring the time between two events.
    Time,
    /// Waiting asleep, where spinning would take a core from other threads.
    Rest,
}

/// A mark in a stream.
#[derive(Debug)]
pub(super) struct Event {
    context: Arc<Context>,
    raw: CUevent,
}

// SAFETY: events may be recorded and queried from any thread with the context
// current.
unsafe impl Send for Event {}
// SAFETY: as above.
unsafe impl Sync for Event {}

impl Event {
    /// Creates an event that has not been recorded.
    pub(super) fn new(context: &Arc<Context>, purpose: EventPurpose) -> Result<Self, Error> {
        context.enter()?;
        let flags = match purpose {
            EventPurpose::Order => CUevent_flags::CU_EVENT_DISABLE_TIMING as u32,
            EventPurpose::Time => CUevent_flags::CU_EVENT_DEFAULT as u32,
            EventPurpose::Rest => {
                CUevent_flags::CU_EVENT_DISABLE_TIMING as u32
                    | CUevent_flags::CU_EVENT_BLOCKING_SYNC as u32
            }
        };
        let mut raw = std::ptr::null_mut();
        // SAFETY: the argument outlives the call; the context is current.
        context.check("cuEventCreate", unsafe {
            sys::cuEventCreate(&raw mut raw, flags)
        })?;
        Ok(Self {
            context: Arc::clone(context),
            raw,
        })
    }

    /// The driver's handle, valid while this lives.
    pub(super) fn raw(&self) -> CUevent {
        self.raw
    }

    /// Records the event after everything queued on the stream so far.
    pub(super) fn record(&self, stream: &Stream) -> Result<(), Error> {
        // SAFETY: both live. The driver refuses a stream of another context.
        self.context.check("cuEventRecord", unsafe {
            sys::cuEventRecord(self.raw, stream.raw)
        })
    }

    /// Whether the stream has passed the event.
    pub(super) fn has_happened(&self) -> Result<bool, Error> {
        // SAFETY: the event lives.
        match unsafe { sys::cuEventQuery(self.raw) } {
            CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            code => self.context.check("cuEventQuery", code).map(|()| true),
        }
    }

    /// Waits until the stream has passed the event.
    pub(super) fn synchronize(&self) -> Result<(), Error> {
        // SAFETY: the event lives.
        self.context.check("cuEventSynchronize", unsafe {
            sys::cuEventSynchronize(self.raw)
        })
    }

    /// The device time from `start` to this event. Both have happened.
    pub(super) fn since(&self, start: &Self) -> Result<Nanos, Error> {
        let ms =
            elapsed_ms(start, self).map_err(|driver_error| self.context.error(driver_error))?;
        Ok(Nanos((f64::from(ms) * 1e6).max(0.0) as u64))
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        drop_failures::note(self.context.make_current());
        // SAFETY: created in `new`, destroyed once.
        drop_failures::note(check("cuEventDestroy", unsafe {
            sys::cuEventDestroy_v2(self.raw)
        }));
    }
}

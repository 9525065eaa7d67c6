//! One execution: a lease, a body, a wait, and the times of it.

use std::time::Instant;

use heddle_runtime::Error;
use heddle_runtime::device::{Device, Lane, Place, Timing};
use heddle_runtime::units::Nanos;

use super::CudaDevice;
use super::core::Core;
use super::lease::Lease;

/// Runs `body` on a stream of its own and waits for it.
pub(super) fn execute(
    device: &CudaDevice,
    start: Instant,
    body: &mut dyn FnMut(&Lane<'_>) -> Result<(), Error>,
) -> Result<Timing, Error> {
    let core = device.core();
    core.context.enter()?;
    core.settle_open()?;
    let lane = Lane::new(device.id(), Place::Accelerator(device));
    let (device_time, stream) = if let Some(outer) = core.leases.held() {
        (within(core, &outer, &lane, body)?, outer.number())
    } else {
        let held = core.leases.acquire()?;
        let spent = timed(core, &held.lease, &lane, body)?;
        (spent, held.lease.number())
    };
    // A body may have queued work from other threads, which hold no lease.
    core.settle_open()?;
    Ok(Timing {
        total: Nanos::from(start.elapsed()),
        device: Some(device_time),
        // Stamps tell how long kernels took, not when by the host's clock.
        device_start: None,
        stream: Some(stream),
        moved: lane.moved(),
    })
}

fn timed(
    core: &Core,
    lease: &Lease,
    lane: &Lane<'_>,
    body: &mut dyn FnMut(&Lane<'_>) -> Result<(), Error>,
) -> Result<Nanos, Error> {
    {
        let mut desk = lease.desk();
        // Work is only left over when the execution before panicked.
        core.settle(lease, &mut desk)?;
        desk.clock.start();
    }
    let outcome = body(lane);
    let mut desk = lease.desk();
    let settled = core.settle(lease, &mut desk);
    outcome.and(settled)?;
    desk.clock.stop()
}

/// An execution inside another on the same device and thread shares its stream,
/// and its time is its own.
fn within(
    core: &Core,
    outer: &Lease,
    lane: &Lane<'_>,
    body: &mut dyn FnMut(&Lane<'_>) -> Result<(), Error>,
) -> Result<Nanos, Error> {
    let measured = {
        let mut desk = outer.desk();
        core.settle(outer, &mut desk)?;
        desk.clock.pause()?
    };
    let inner = timed(core, outer, lane, body);
    outer.desk().clock.resume(measured);
    inner
}

//! One execution: a lease, a body, a wait, and its times.

use std::time::Instant;

use heddle_runtime::Error;
use heddle_runtime::device::{Device, ExecutionContext, ExecutionTarget, Timing};
use heddle_runtime::units::Nanos;

use super::CudaDevice;
use super::lease::StreamLease;
use super::state::CudaState;

/// Runs `body` on a leased stream and waits for it.
pub(super) fn execute(
    device: &CudaDevice,
    start: Instant,
    body: &mut dyn FnMut(&ExecutionContext<'_>) -> Result<(), Error>,
) -> Result<Timing, Error> {
    let state = device.state();
    state.context.enter()?;
    state.synchronize_open()?;
    let context = ExecutionContext::new(device.id(), ExecutionTarget::Accelerator(device));
    let (device_time, stream) = if let Some(outer) = state.leases.held() {
        (within(state, &outer, &context, body)?, outer.number())
    } else {
        let held = state.leases.acquire()?;
        // Not 0 only when a map of the execution before it panicked.
        held.lease.resources().slab_held = 0;
        let spent = timed(state, &held.lease, &context, body)?;
        (spent, held.lease.number())
    };
    // A body may have queued work from other threads, which hold no lease.
    state.synchronize_open()?;
    // Stamps give the duration of kernels, not their start on the host's clock.
    Ok(Timing::of(Nanos::from(start.elapsed()))
        .on_device(device_time)
        .moving(context.moved())
        .with(|it| it.stream = Some(stream)))
}

fn timed(
    state: &CudaState,
    lease: &StreamLease,
    context: &ExecutionContext<'_>,
    body: &mut dyn FnMut(&ExecutionContext<'_>) -> Result<(), Error>,
) -> Result<Nanos, Error> {
    {
        let mut resources = lease.resources();
        // The stream has pending work only when the execution before it panicked.
        state.synchronize_lease(lease, &mut resources)?;
        resources.kernel_timer.start();
    }
    let outcome = body(context);
    let mut resources = lease.resources();
    let synchronized = state.synchronize_lease(lease, &mut resources);
    outcome.and(synchronized)?;
    resources.kernel_timer.stop()
}

/// Runs an execution inside another on the same device and thread. The inner one shares the
/// outer one's stream and is timed on its own.
fn within(
    state: &CudaState,
    outer: &StreamLease,
    context: &ExecutionContext<'_>,
    body: &mut dyn FnMut(&ExecutionContext<'_>) -> Result<(), Error>,
) -> Result<Nanos, Error> {
    let measured = {
        let mut resources = outer.resources();
        state.synchronize_lease(outer, &mut resources)?;
        resources.kernel_timer.pause()?
    };
    let inner = timed(state, outer, context, body);
    outer.resources().kernel_timer.resume(measured);
    inner
}

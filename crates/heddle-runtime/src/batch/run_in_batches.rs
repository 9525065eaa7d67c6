//! Runs the items of one group through the pipeline, in batches of the right size.

use super::run_on_devices::profitable_gpus;
use super::{BatchCounters, Batchable, MergedOperation, run_on_devices};
use crate::Runtime;
use crate::device::DeviceId;
use crate::error::Error;
use crate::operation::Description;
use crate::units::Bytes;

/// A batch below this share of a device's memory does not query the free memory: the query
/// costs more than a small batch.
const SMALL_SHARE: u64 = 64;

/// Returns the results of `items`, which are of one group, in their order.
pub(crate) fn run_in_batches<B: Batchable>(
    runtime: &Runtime,
    batch_counters: &BatchCounters,
    mut items: Vec<B>,
) -> Vec<Result<B::Output, Error>> {
    if items.len() == 1 {
        return items.into_iter().map(|item| runtime.run(item)).collect();
    }
    let mut results = Vec::new();
    // Every refusal lowers it, so the loop ends.
    let mut most = items.len();
    while !items.is_empty() {
        let whole = B::describe_batch(&items);
        let plan = BatchPlan::of(runtime, batch_counters, &items, &whole);
        if !plan.gpus.is_empty() && most >= items.len() {
            let by_merging = stays_on_cpu(runtime, &items[0]);
            results.extend(run_on_devices(
                runtime,
                batch_counters,
                items,
                &plan.gpus,
                by_merging,
            ));
            break;
        }
        let size = plan.size.min(most).clamp(1, items.len());
        let rest = items.split_off(size);
        let described = rest.is_empty().then_some(whole);
        match run(runtime, batch_counters, items, described, &mut results) {
            Ok(()) => items = rest,
            Err((mut refused, smaller)) => {
                most = smaller;
                refused.extend(rest);
                items = refused;
            }
        }
    }
    results
}

/// The plan for the remaining items.
struct BatchPlan {
    /// The number of items of the next batch.
    size: usize,
    /// The GPUs that are faster together than one of them, if any.
    gpus: Vec<(DeviceId, f64)>,
}

impl BatchPlan {
    fn of<B: Batchable>(
        runtime: &Runtime,
        batch_counters: &BatchCounters,
        items: &[B],
        whole: &Description,
    ) -> Self {
        let mut plan = Self {
            size: items.len(),
            gpus: Vec::new(),
        };
        let router = runtime.router();
        let runs_on = |family| items[0].runs_on(family);
        // A decision that fails here fails again in the pipeline, which returns the error.
        let Ok(decision) = router.preview(whole, &runs_on, None) else {
            return plan;
        };
        let Ok(device) = runtime.device(decision.device) else {
            return plan;
        };
        let needed = whole.footprint(decision.device);
        let kind = whole.kind.name();
        if needed.0 > device.properties().memory.0 / SMALL_SHARE {
            let free = device.free_memory();
            let cost = |count: usize| {
                let part = part_of(whole, count, items.len());
                let candidate = router.candidate(&part, decision.device);
                candidate.cost.map(|cost| cost.total_ns())
            };
            plan.size = batch_counters.size(kind, |batch_sizer| {
                batch_sizer.measure(items.len(), needed);
                batch_sizer.next(items.len(), free, cost)
            });
        }
        if decision.device.has_own_memory() {
            plan.gpus = profitable_gpus(runtime, whole, items.len(), &decision);
        }
        plan
    }
}

/// Describes `count` of `all` items, which are taken to be alike.
pub(super) fn part_of(whole: &Description, count: usize, all: usize) -> Description {
    let scale = |amount: u64| (amount as f64 * count as f64 / all.max(1) as f64) as u64;
    let mut part = whole.clone();
    part.work = scale(part.work);
    for operand in &mut part.operands {
        operand.bytes = Bytes(scale(operand.bytes.0));
    }
    part.output = Bytes(scale(part.output.0));
    part.scratch = Bytes(scale(part.scratch.0));
    part
}

/// Runs one batch and adds its results. If there was too little memory, returns the items and
/// the number to try next. `description` is theirs, where it is known.
fn run<B: Batchable>(
    runtime: &Runtime,
    batch_counters: &BatchCounters,
    mut items: Vec<B>,
    description: Option<Description>,
    results: &mut Vec<Result<B::Output, Error>>,
) -> Result<(), (Vec<B>, usize)> {
    let description = description.unwrap_or_else(|| B::describe_batch(&items));
    let kind = description.kind.name();
    match runtime.run_traced(
        MergedOperation::described(&mut items[..], description),
        None,
    ) {
        Ok(outcome) => {
            let device = outcome.decision.device;
            let by_merging = device.has_own_memory() && stays_on_cpu(runtime, &items[0]);
            batch_counters.ran(kind, device, items.len(), outcome.timing.total, by_merging);
            batch_counters.size(kind, |batch_sizer| batch_sizer.granted(items.len()));
            if results.is_empty() {
                *results = outcome.output;
            } else {
                results.extend(outcome.output);
            }
        }
        Err(Error::OutOfMemory { shortage, .. }) if items.len() > 1 => {
            let (asked, free) = (shortage.asked, shortage.free);
            let smaller = batch_counters.size(kind, |batch_sizer| {
                batch_sizer.measure(items.len(), asked);
                batch_sizer.refused(items.len(), free);
                batch_sizer.next(items.len() - 1, free, |_| None)
            });
            return Err((items, smaller));
        }
        // The error need not concern every item.
        Err(_) if items.len() > 1 => {
            batch_counters.ran_singly(kind, items.len());
            results.extend(items.into_iter().map(|item| runtime.run(item)));
        }
        Err(error) => results.push(Err(error)),
    }
    Ok(())
}

/// Whether an item by itself would stay on the CPU.
fn stays_on_cpu<B: Batchable>(runtime: &Runtime, item: &B) -> bool {
    let runs_on = |family| item.runs_on(family);
    runtime
        .router()
        .preview(&item.describe(), &runs_on, None)
        .is_ok_and(|decision| decision.device == DeviceId::CPU)
}

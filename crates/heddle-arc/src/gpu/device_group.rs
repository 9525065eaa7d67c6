//! Devices that share a job.
//!
//! The router is asked once, for the whole: where it may choose and a GPU is worth
//! it, all devices it has prices for take part, each by its speed. Where it is
//! forced, or a processor is cheaper by far, nothing is shared, and it is asked for
//! every operation.

use super::program_queue::Latency;
use crate::engine::Tile;
use crate::operations::ExampleBlock;
use heddle_runtime::Description;
use heddle_runtime::device::DeviceId;
use heddle_runtime::route::{Candidate, Reason, Router};
use std::collections::HashMap;

/// Jobs that take less on the best device are not worth sharing, in nanoseconds of prices,
/// which are those of probes: generated programs take twice as long, solvers ten times. A
/// sample says more, where there is one.
const WORTH_SHARING_NS: f64 = 5e6;
/// The best GPU may take so many times as long as the best device: prices are those
/// of other programs, and where that is wrong, shares are corrected on the way.
const WORTH_IT: f64 = 4.0;
/// Examples that each thread of a processor runs to see how long programs are, and
/// how many times as many there must be.
const SAMPLES_PER_THREAD: usize = 2;
const WORTH_A_SAMPLE: usize = 8;

/// A device and the evaluations it makes in a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Member {
    pub(super) device: DeviceId,
    pub(super) rate: f64,
}

/// Those that share a job; nobody where it is not shared.
#[derive(Clone, Debug, Default)]
pub(super) struct DeviceGroup {
    members: Vec<Member>,
    /// Those whose rate was seen and is not only what prices say.
    seen: Vec<DeviceId>,
    /// Of its GPUs.
    pub(super) latency: Latency,
}

impl DeviceGroup {
    pub(super) fn new(members: Vec<Member>) -> Self {
        DeviceGroup {
            members,
            seen: Vec::new(),
            latency: Latency::default(),
        }
    }

    /// Those the router would have share a job of this description.
    pub(super) fn of(router: &Router, whole: &Description) -> DeviceGroup {
        let Ok(decision) = router.preview(
            whole,
            &|device| device.is_host() || device.has_kernels(),
            None,
        ) else {
            return DeviceGroup::default();
        };
        let is_free = matches!(decision.reason, Reason::Cheapest { .. });
        let time = |candidate: &Candidate| Some(candidate.cost?.total_ns().max(1.0));
        let gpus = decision.candidates.iter();
        let gpus = gpus.filter(|candidate| candidate.device.has_own_memory());
        let best_gpu = gpus.filter_map(time).min_by(f64::total_cmp);
        let (Some(best), Some(best_gpu)) = (decision.chosen().and_then(time), best_gpu) else {
            return DeviceGroup::default();
        };
        if !is_free || best < WORTH_SHARING_NS || best_gpu > WORTH_IT * best {
            return DeviceGroup::default();
        }
        let member = |candidate: &Candidate| {
            Some(Member {
                device: candidate.device,
                rate: whole.work as f64 / (time(candidate)? / 1e9),
            })
        };
        DeviceGroup::new(decision.candidates.iter().filter_map(member).collect())
    }

    /// Whether a job is shared at all.
    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Its GPUs.
    pub(super) fn gpus(&self) -> impl Iterator<Item = DeviceId> {
        let devices = self.members.iter().map(|member| member.device);
        devices.filter(|device| device.has_own_memory())
    }

    /// Whether the processor takes part.
    pub(super) fn has_cpu(&self) -> bool {
        self.rate(DeviceId::CPU) > 0.0
    }

    /// Evaluations a device makes in a second.
    pub(super) fn rate(&self, device: DeviceId) -> f64 {
        let own = self.members.iter().find(|member| member.device == device);
        own.map_or(0.0, |member| member.rate)
    }

    /// Evaluations all make together.
    pub(super) fn rates(&self) -> f64 {
        self.members.iter().map(|member| member.rate).sum()
    }

    /// Whether somebody has seen how fast a device is.
    pub(super) fn has_seen(&self, device: DeviceId) -> bool {
        self.seen.contains(&device)
    }

    /// Learns how fast a member was.
    pub(super) fn learn(&mut self, seen: Member) {
        if !self.has_seen(seen.device) {
            self.seen.push(seen.device);
        }
        let mut members = self.members.iter_mut();
        if let Some(member) = members.find(|member| member.device == seen.device) {
            member.rate = f64::midpoint(member.rate, seen.rate);
        }
    }
}

/// Some examples of each plan that has many, one by one, and the rest of the blocks.
pub(super) fn sampled(
    tiles: &[Tile<'_>],
    blocks: &[ExampleBlock],
    threads: usize,
) -> (Vec<ExampleBlock>, Vec<ExampleBlock>) {
    let wanted = SAMPLES_PER_THREAD * threads;
    let mut examples: HashMap<u64, usize> = HashMap::new();
    for block in blocks {
        *examples.entry(tiles[block.tile].plan.number).or_default() += block.examples.len();
    }
    let mut seen: HashMap<u64, usize> = HashMap::new();
    let (mut samples, mut rest) = (Vec::new(), Vec::new());
    for block in blocks {
        let number = tiles[block.tile].plan.number;
        let push = |blocks: &mut Vec<ExampleBlock>, examples: std::ops::Range<usize>| {
            if !examples.is_empty() {
                blocks.push(ExampleBlock::new(tiles, block.tile, examples));
            }
        };
        let all = examples[&number];
        let seen = seen.entry(number).or_default();
        let mut start = block.examples.start;
        if all >= WORTH_A_SAMPLE * wanted {
            let step = all / wanted;
            for example in block.examples.clone() {
                if (*seen + example - block.examples.start) % step == step / 2 {
                    push(&mut rest, start..example);
                    push(&mut samples, example..example + 1);
                    start = example + 1;
                }
            }
        }
        *seen += block.examples.len();
        push(&mut rest, start..block.examples.end);
    }
    (samples, rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Example, Grid};
    use crate::operations::EVALUATE;
    use crate::plan::Plan;
    use heddle_runtime::DType;
    use heddle_runtime::device::Timing;
    use heddle_runtime::route::RouteSettings;
    use heddle_runtime::units::Nanos;

    #[test]
    fn who_is_measured_shares_where_a_gpu_is_cheapest() {
        let gpus = [DeviceId::cuda(0), DeviceId::cuda(1)];
        let devices = [DeviceId::CPU, gpus[0], gpus[1]];
        let whole = Description::new(&EVALUATE, DType::U8, 1_000_000);
        let learned = |settings: RouteSettings, times: [u64; 3]| {
            let router = Router::new(&devices, settings);
            for (device, ms) in devices.iter().zip(times) {
                for _ in 0..40 {
                    let timing = Timing::of(Nanos(ms * 1_000_000));
                    router.observe(&whole, *device, &timing);
                }
            }
            DeviceGroup::of(&router, &whole)
        };
        let free = learned(RouteSettings::default(), [400, 100, 200]);
        assert_eq!(free.gpus().collect::<Vec<_>>(), gpus);
        assert!(free.has_cpu());
        let ratio = free.rate(gpus[0]) / free.rate(DeviceId::CPU);
        assert!((3.5..4.5).contains(&ratio), "{free:?}");
        assert!(learned(RouteSettings::default(), [50, 100, 200]).has_cpu());
        // The processor is cheaper by far, or somebody has chosen, or it is soon done.
        assert!(learned(RouteSettings::default(), [50, 400, 800]).is_empty());
        let forced = RouteSettings::default().with(|it| it.device = Some(gpus[0]));
        assert!(learned(forced, [400, 100, 200]).is_empty());
        assert!(learned(RouteSettings::default(), [12, 3, 6]).is_empty());
    }

    #[test]
    fn samples_are_spread_and_nothing_is_lost() {
        let plans = [Plan::new(&[]), Plan::new(&[])];
        let grid = Grid::new(&[[0]]).unwrap();
        let examples = vec![Example::new(&grid); 100];
        let tile = |plan, count: usize| Tile {
            plan: &plans[plan],
            examples: &examples[..count],
        };
        let tiles = [tile(0, 100), tile(1, 3), tile(0, 60)];
        let blocks = crate::operations::blocks(&tiles, 4);
        let (samples, rest) = sampled(&tiles, &blocks, 4);
        assert_eq!(samples.len(), 8);
        assert!(samples.iter().all(|block| block.examples.len() == 1));
        assert!(samples.iter().any(|block| block.tile == 2));
        assert!(samples.iter().all(|block| block.tile != 1));
        let mut covered: Vec<(usize, usize)> = samples
            .iter()
            .chain(&rest)
            .flat_map(|block| block.examples.clone().map(|example| (block.tile, example)))
            .collect();
        covered.sort_unstable();
        let all = (0..100).map(|example| (0, example));
        let all = all.chain((0..3).map(|example| (1, example)));
        let all = all.chain((0..60).map(|example| (2, example)));
        assert_eq!(covered, all.collect::<Vec<_>>());
    }
}

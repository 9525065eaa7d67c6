//! The same workload, several ways, in turns.

use std::collections::BTreeMap;
use std::time::Instant;

use heddle::Runtime;
use heddle::config::Config;
use heddle::device::{DeviceId, DeviceKind};
use serde::Serialize;

use super::workload::Workload;
use crate::cli::Failure;

/// One way of running the workload.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Lane {
    /// "routed", "always cpu", "always cuda:0".
    pub(super) name: String,
    /// Time of each round, in nanoseconds.
    pub(super) rounds_ns: Vec<u64>,
}

impl Lane {
    pub(super) fn median_ns(&self) -> u64 {
        let mut times = self.rounds_ns.clone();
        times.sort_unstable();
        times.get(times.len() / 2).copied().unwrap_or_default()
    }

    pub(super) fn spread_ns(&self) -> (u64, u64) {
        (
            self.rounds_ns.iter().copied().min().unwrap_or_default(),
            self.rounds_ns.iter().copied().max().unwrap_or_default(),
        )
    }
}

/// Why operations of one kind went to one device.
pub(super) type Reasons = BTreeMap<(&'static str, DeviceId), String>;

/// The finished race.
pub(super) struct Race {
    /// Routed first, then one lane per device.
    pub(super) lanes: Vec<Lane>,
    /// Operations in one round.
    pub(super) operations: usize,
    /// One sentence per kind and device.
    pub(super) reasons: Reasons,
}

impl Race {
    /// Runs `rounds` rounds each way, the ways taking turns so that a slow spell
    /// of the machine hits all of them.
    pub(super) fn run(
        runtime: &Runtime,
        config: &Config,
        workload: &Workload,
        rounds: u32,
    ) -> Result<Self, Failure> {
        let rivals = rivals(runtime, config)?;
        let mut reasons = Reasons::new();
        let mut routed = Lane {
            name: "routed".to_owned(),
            rounds_ns: Vec::new(),
        };
        let mut always: Vec<Lane> = rivals
            .iter()
            .map(|(device, _)| Lane {
                name: format!("always {device}"),
                rounds_ns: Vec::new(),
            })
            .collect();
        // One round nobody times: first touches, first launches.
        workload.run(runtime, &mut Reasons::new())?;
        for (_, rival) in &rivals {
            workload.run(rival, &mut Reasons::new())?;
        }
        // All of them, so that each pays for recording into fresh memory.
        for racer in rivals.iter().map(|(_, rival)| rival).chain([runtime]) {
            racer.profiler().clear();
        }
        let mut operations = 0;
        for _ in 0..rounds {
            let start = Instant::now();
            operations = workload.run(runtime, &mut reasons)?;
            routed.rounds_ns.push(start.elapsed().as_nanos() as u64);
            for (lane, (_, rival)) in always.iter_mut().zip(&rivals) {
                let start = Instant::now();
                workload.run(rival, &mut Reasons::new())?;
                lane.rounds_ns.push(start.elapsed().as_nanos() as u64);
            }
        }
        let mut lanes = vec![routed];
        lanes.append(&mut always);
        Ok(Self {
            lanes,
            operations,
            reasons,
        })
    }
}

/// A runtime for each device that sends everything there and learns for itself
/// alone, so that the routed one is judged by its own knowledge.
fn rivals(runtime: &Runtime, config: &Config) -> Result<Vec<(DeviceId, Runtime)>, Failure> {
    runtime
        .devices()
        .filter(|device| device.id().kind() != DeviceKind::Simt)
        .map(|device| {
            let mut forced = config.clone();
            forced.device = Some(device.id());
            let rival = runtime
                .devices()
                .fold(Runtime::builder().config(forced), |builder, device| {
                    builder.device(device.clone())
                })
                .forgetful()
                .build()?;
            Ok((device.id(), rival))
        })
        .collect()
}

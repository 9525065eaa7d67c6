//! Files of recordings, of both versions: what is read can be analysed, exported and shown,
//! and is written and read again unchanged.

use std::fs;

use heddle_profile::{CompareSettings, DeviceTag, Profiler, Recording, Span, report};
use serde_json::Value;

use crate::scratch;

pub fn check(bytes: &[u8]) {
    let folder = scratch();
    let path = folder.path().join("run.json");
    fs::write(&path, bytes).expect("the scratch folder can be written");
    let recording = match Recording::read(&path) {
        Ok(recording) => recording,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    analyse(&recording);
    let trace = recording.trace();
    serde_json::from_str::<Value>(&trace).expect("a trace is JSON");
    let _ = recording.prometheus();
    let _ = recording.collapsed_stacks();
    let _ = recording.heaviest_stacks(3);
    let table = folder.path().join("run.csv");
    recording
        .write_csv(&table, 1 << 20)
        .expect("the scratch folder can be written");
    let page = report::render(&String::from_utf8_lossy(bytes), &recording.label);
    assert!(page.ends_with("</html>\n") || page.contains("</html>"));
    recording
        .write(&path)
        .expect("the scratch folder can be written");
    let again = Recording::read(&path).expect("what was written is read");
    assert_eq!(again, recording);
}

fn analyse(recording: &Recording) {
    let summary = recording.summary();
    let counted: u64 = summary.rows.iter().map(|row| row.totals.count).sum();
    assert_eq!(counted, recording.spans.len() as u64);
    for row in &summary.rows {
        assert!(row.mean_ns.is_finite() && row.deviation_ns.is_finite());
        assert!((0.0..=1.0).contains(&row.share), "{}", row.share);
        assert!(row.min_ns <= row.p50_ns && row.p50_ns <= row.max_ns);
    }
    let tree = recording.tree();
    for node in 0..tree.nodes.len() {
        assert!(!tree.path(node).is_empty());
    }
    let _ = recording.bottlenecks(5);
    let coverage = recording.device_time_coverage();
    assert!((0.0..=1.0).contains(&coverage.share()));
    for suggestion in recording.suggestions() {
        assert!(!suggestion.found.is_empty() && !suggestion.action.is_empty());
        let share = suggestion.predicted_share.unwrap_or(0.0);
        assert!((0.0..=1.0).contains(&share), "{share}");
    }
    let comparison = recording.compare(recording, CompareSettings::default());
    assert!(
        !comparison.is_regression(),
        "a run is no slower than itself"
    );
}

#[must_use]
pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = vec![
        VERSION_1.as_bytes().to_vec(),
        br#"{"format":"heddle-profile","version":2,"counts":{"overwritten":2},"strings":[],"spans":{"count":0}}"#.to_vec(),
    ];
    for (count, nested) in [(0, false), (1, false), (9, false), (24, true)] {
        seeds.push(written(&recorded(count, nested)));
    }
    seeds
}

const VERSION_1: &str = r#"{"format":"heddle-profile","version":1,"overwritten":3,"spans":[
{"operation":"xor","element":"u8","device":"cuda:0","backend":"native","start_ns":5,"total_ns":100,"device_ns":40,"transfer_ns":30,"overhead_ns":20,"bytes_in":8,"bytes_out":4,"bytes_moved":12,"work":4,"thread":2},
{"operation":"sum","element":"f32","device":"cpu","backend":"native","start_ns":200,"total_ns":10,"device_ns":null,"transfer_ns":0,"overhead_ns":1,"bytes_in":8,"bytes_out":4,"bytes_moved":0,"work":4,"thread":0}]}"#;

fn written(recording: &Recording) -> Vec<u8> {
    let folder = scratch();
    let path = folder.path().join("run.json");
    recording
        .write(&path)
        .and_then(|_| {
            fs::read(&path).map_err(|cause| heddle_profile::ProfileError::Read { path, cause })
        })
        .expect("the scratch folder can be written and read")
}

fn recorded(count: u64, nested: bool) -> Recording {
    let profiler = Profiler::new(16);
    for number in 0..count {
        let on_gpu = number % 2 == 0;
        let _scope = nested.then(|| profiler.scope("round"));
        profiler.record(Span {
            operation: if number % 3 == 0 { "xor" } else { "matmul" },
            element: "f32",
            device: DeviceTag {
                kind: if on_gpu { "cuda" } else { "cpu" },
                index: on_gpu.then_some(0),
            },
            backend: "native",
            start_ns: number * 1_000,
            total_ns: 900,
            device_ns: on_gpu.then_some(700),
            transfer_ns: 100,
            overhead_ns: 50,
            bytes_in: 8,
            bytes_out: 4,
            bytes_moved: 12,
            work: 64,
            ..Span::default()
        });
    }
    profiler.recording()
}

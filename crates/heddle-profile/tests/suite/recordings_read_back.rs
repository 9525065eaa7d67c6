//! A recording with any names reads back as it was written, and an unreadable file is a
//! typed error, never a panic.

use std::fs;

use heddle_profile::{
    Alternative, Counters, DeviceDescription, DeviceTag, MachineDescription, MemorySample, Name,
    Pressure, ProfileError, Profiler, RecordedBatches, RecordedFallback, RecordedPool,
    RecordedSpan, Recording, RoutingRow, Span, ThreadName,
};
use heddle_testing::recorded::name;
use proptest::prelude::*;

prop_compose! {
    fn recorded_span()(
        names in prop::array::uniform4(name()),
        times in any::<[u64; 7]>(),
        device_times in any::<(Option<u64>, Option<u64>, Option<u32>, bool)>(),
        sizes in any::<[u64; 6]>(),
        thread in any::<u32>(),
        parent in any::<Option<prop::sample::Index>>(),
    ) -> (RecordedSpan, Option<prop::sample::Index>) {
        let [operation, element, device, backend] = names.map(Name::from);
        let [start_ns, total_ns, self_ns, gpu_ns, cpu_ns, transfer_ns, overhead_ns] = times;
        let (device_ns, device_start_ns, stream, transfer_by_device) = device_times;
        let [bytes_in, bytes_out, bytes_moved, work, mem_allocated, mem_peak] = sizes;
        (RecordedSpan::default().with(|it| { it.operation = operation; it.element = element; it.device = device; it.backend = backend; it.parent = None; it.thread = thread; it.start_ns = start_ns; it.total_ns = total_ns; it.self_ns = self_ns; it.gpu_ns = gpu_ns; it.cpu_ns = cpu_ns; it.transfer_ns = transfer_ns; it.transfer_by_device = transfer_by_device; it.overhead_ns = overhead_ns; it.device_ns = device_ns; it.device_start_ns = device_start_ns; it.stream = stream; it.bytes_in = bytes_in; it.bytes_out = bytes_out; it.bytes_moved = bytes_moved; it.work = work; it.mem_allocated = mem_allocated; it.mem_peak = mem_peak; }), parent)
    }
}

/// Mostly random spans; sometimes spans of defaults only, so that columns are left out.
fn spans() -> impl Strategy<Value = Vec<RecordedSpan>> {
    let any = prop::collection::vec(recorded_span(), 0..20).prop_map(|rows| {
        rows.into_iter()
            .enumerate()
            .map(|(row, (mut span, parent))| {
                span.parent = parent
                    .filter(|_| row > 0)
                    .map(|parent| parent.index(row) as u32);
                span
            })
            .collect()
    });
    prop_oneof![
        8 => any,
        1 => (0_usize..9).prop_map(|count| vec![RecordedSpan::default(); count]),
    ]
}

prop_compose! {
    fn memory_sample()(
        at_ns in any::<u64>(), device in name(), bytes in any::<[u64; 5]>(), level in 0_usize..4,
    ) -> MemorySample {
        let [allocated, reserved, pooled, free, limit] = bytes;
        let levels = [Pressure::Low, Pressure::Moderate, Pressure::High, Pressure::Critical];
        MemorySample::default().with(|it| { it.at_ns = at_ns; it.device = device.into(); it.allocated = allocated; it.reserved = reserved; it.pooled = pooled; it.free = free; it.limit = limit; it.pressure = levels[level]; })
    }
}

prop_compose! {
    fn routing_row()(
        names in prop::array::uniform4(name()),
        counts in any::<[u64; 3]>(),
        size_class in 0_u8..64,
        times in any::<[Option<u32>; 3]>(),
        reason in name(),
        calibrated in any::<bool>(),
    ) -> RoutingRow {
        let [operation, element, device, other] = names.map(Name::from);
        let [bytes, count, explored] = counts;
        let [predicted_ns, measured_ns, elsewhere] = times.map(|time| time.map(|ns| f64::from(ns) / 7.0));
        RoutingRow {
            operation, element, device, size_class, bytes, count, explored,
            predicted_ns, measured_ns,
            alternatives: vec![Alternative { device: other, predicted_ns: elsewhere }],
            reason, calibrated,
        }
    }
}

prop_compose! {
    fn recording()(
        (overwritten, left_out, created_unix_ms) in any::<(u32, u32, u64)>(),
        sampled_one_in in 1_u32..1_000,
        label in name(),
        spans in spans(),
        memory in prop::collection::vec(memory_sample(), 0..5),
        routing in prop::collection::vec(routing_row(), 0..5),
        (thread, pool) in any::<(u32, u64)>(),
        (operation, cause) in (name(), name()),
    ) -> Recording {
        Recording::default().with(|it| { it.label = label; it.created_unix_ms = created_unix_ms; it.started_unix_us = created_unix_ms / 2; it.machine = MachineDescription {
                cpu: cause.clone(),
                devices: vec![DeviceDescription { id: operation.clone(), ..DeviceDescription::default() }],
                ..MachineDescription::default()
            }; it.overwritten = overwritten.into(); it.left_out = left_out.into(); it.sampled_one_in = sampled_one_in; it.threads = vec![ThreadName { id: thread, name: operation.as_str().into() }]; it.spans = spans; it.memory = memory; it.routing = routing; it.counters = Counters {
                fallbacks: vec![RecordedFallback {
                    operation: operation.as_str().into(), cause, count: pool,
                    ..RecordedFallback::default()
                }],
                batches: vec![RecordedBatches { items: pool, ..RecordedBatches::default() }],
                pools: vec![RecordedPool { hits: pool, ..RecordedPool::default() }],
            }; })
    }
}

proptest! {
    #![proptest_config(heddle_testing::depth::cases(64))]

    #[test]
    fn any_recording_reads_back_as_it_was(recording in recording()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        recording.write(&path).unwrap();
        prop_assert_eq!(&Recording::read(&path).unwrap(), &recording);
    }

    #[test]
    fn a_capped_file_is_below_its_cap_and_holds_the_newest(
        recording in recording(),
        cap_bytes in 3_000_u64..20_000,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        let written = recording.write_capped(&path, cap_bytes).unwrap();
        let size = fs::metadata(&path).unwrap().len();
        prop_assert_eq!(size, written.bytes);
        let bare = recording.clone().with(|it| it.spans = Vec::new());
        let least = bare.write_capped(folder.path().join("bare.json"), cap_bytes).unwrap().bytes;
        prop_assert!(size <= cap_bytes.max(least + 1_500), "{} of {}", size, cap_bytes);
        let read = Recording::read(&path).unwrap();
        prop_assert_eq!(read.recorded(), recording.recorded());
        prop_assert_eq!(read.spans.len() as u64, written.spans);
        let first = recording.spans.len() - read.spans.len();
        for (kept, was) in read.spans.iter().zip(&recording.spans[first..]) {
            let parent = was.parent.and_then(|row| row.checked_sub(first as u32));
            prop_assert_eq!(kept, &was.clone().with(|it| it.parent = parent));
        }
    }

    #[test]
    fn a_summary_of_any_recording_has_every_span_and_finite_figures(recording in recording()) {
        let summary = recording.summary();
        let counted: u64 = summary.rows.iter().map(|row| row.totals.count).sum();
        prop_assert_eq!(counted, recording.spans.len() as u64);
        for row in &summary.rows {
            prop_assert!(row.mean_ns.is_finite() && row.deviation_ns.is_finite());
            prop_assert!((0.0..=1.0).contains(&row.share));
            prop_assert!(row.min_ns <= row.p50_ns && row.p50_ns <= row.p95_ns);
            prop_assert!(row.p95_ns <= row.p99_ns && row.p99_ns <= row.max_ns);
        }
    }

    #[test]
    fn a_damaged_file_is_an_error_and_not_a_panic(
        recording in recording(),
        cut in any::<prop::sample::Index>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        recording.write(&path).unwrap();
        let whole = fs::read(&path).unwrap();
        // A file without its last two bytes, `}` and a new line, is incomplete.
        let cut = cut.index(whole.len() - 1);
        fs::write(&path, &whole[..cut]).unwrap();
        let error = Recording::read(&path).unwrap_err();
        let damaged = matches!(error, ProfileError::Corrupt { .. });
        prop_assert_eq!(damaged, cut > 0, "{}", error);
    }

    #[test]
    fn a_file_of_any_bytes_does_not_panic(
        mut bytes in prop::collection::vec(any::<u8>(), 0..200),
        object in any::<bool>(),
    ) {
        if object {
            bytes.insert(0, b'{');
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        fs::write(&path, bytes).unwrap();
        prop_assert!(Recording::read(&path).is_err());
    }
}

fn matmul(start_ns: u64) -> Span {
    Span {
        operation: "matmul",
        element: "f32",
        device: DeviceTag {
            kind: "cuda",
            index: Some(1),
        },
        backend: "cublas",
        start_ns,
        total_ns: 900,
        device_ns: Some(700),
        transfer_ns: 100,
        overhead_ns: 50,
        bytes_in: 8,
        bytes_out: 4,
        bytes_moved: 12,
        work: 64,
        ..Span::default()
    }
}

#[test]
fn a_run_and_its_file_give_the_same_summary() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.json");
    let profiler = Profiler::new(3);
    for start_ns in 0..5 {
        profiler.record(matmul(start_ns));
    }
    profiler.recording().write(&path).unwrap();
    let read = Recording::read(&path).unwrap();
    assert_eq!(read.summary(), profiler.summary());
    assert_eq!(read.recorded(), profiler.recorded());
    let first = &read.spans[0];
    assert_eq!(
        (first.device.as_str(), first.backend.as_str()),
        ("cuda:1", "cublas")
    );
    assert_eq!(
        (first.start_ns, first.device_ns, first.work),
        (2, Some(700), 64)
    );
}

#[test]
fn writing_replaces_the_file_and_leaves_nothing_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.json");
    fs::write(&path, "what was here before").unwrap();
    Recording::default().write(&path).unwrap();
    assert_eq!(Recording::read(&path).unwrap(), Recording::default());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_failed_write_names_the_file_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    // A folder has the name of the file, so the rename fails.
    let path = folder.path().join("taken");
    fs::create_dir_all(path.join("inside")).unwrap();
    let error = Recording::default().write(&path).unwrap_err();
    assert!(matches!(error, ProfileError::Write { .. }));
    assert!(error.to_string().contains("taken"), "{error}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_missing_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let error = Recording::read(folder.path().join("nowhere.json")).unwrap_err();
    assert!(matches!(error, ProfileError::Read { .. }));
    assert!(error.to_string().contains("nowhere.json"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_recording_is_as_readable_as_any_other_new_file() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let (path, other) = (folder.path().join("run.json"), folder.path().join("other"));
    Recording::default().write(&path).unwrap();
    fs::write(&other, "").unwrap();
    let mode = |path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(path), mode(other));
}

//! What is written is what is read, whatever the names; what cannot be read is
//! a typed error and never a panic.

use std::fs;

use heddle_profile::{DeviceTag, ProfileError, Profiler, RecordedSpan, Recording, Span};
use proptest::prelude::*;

/// Names no operation should have and a file must survive all the same.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just("a \"quoted\" \\ name".to_owned()),
        Just("two\nlines\r\n\t\u{0}\u{1b}[31m".to_owned()),
        Just("🧵 хедл \u{202e} \u{2028}".to_owned()),
        Just("</script><!--".to_owned()),
        any::<String>(),
    ]
}

prop_compose! {
    fn recorded_span()(
        (operation, element, device, backend) in (name(), name(), name(), name()),
        times in any::<[u64; 4]>(),
        device_ns in any::<Option<u64>>(),
        bytes in any::<[u64; 3]>(),
        work in any::<u64>(),
        thread in any::<u32>(),
    ) -> RecordedSpan {
        let [start_ns, total_ns, transfer_ns, overhead_ns] = times;
        let [bytes_in, bytes_out, bytes_moved] = bytes;
        RecordedSpan {
            operation, element, device, backend,
            start_ns, total_ns, device_ns, transfer_ns, overhead_ns,
            bytes_in, bytes_out, bytes_moved, work, thread,
        }
    }
}

prop_compose! {
    fn recording()(
        overwritten in any::<u64>(),
        spans in prop::collection::vec(recorded_span(), 0..20),
    ) -> Recording {
        Recording { overwritten, spans }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_recording_reads_back_as_it_was(recording in recording()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        recording.write(&path).unwrap();
        prop_assert_eq!(&Recording::read(&path).unwrap(), &recording);
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
        // Without its last two bytes, `}` and a new line, no cut is whole.
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
        thread: 0,
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
    // A folder stands where the file should go, so the rename fails.
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

//! `heddle profile` and `heddle serve-metrics`, on a run of the command itself and on
//! generated recordings.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::binary::{Heddle, assert_refused, error_text};
use heddle::profile::{DeviceTag, MemorySample, Profiler, Recording, RoutingRow, Span};
use heddle_testing::trace_rules;

const AWKWARD: &str = "write \"it\"\n<b>;🧵 2";

/// Returns a recording with scopes, a GPU, memory and decisions. If `slower`, its kernels
/// take twice as long.
fn run(slower: bool) -> Recording {
    let profiler = Profiler::new(10_000);
    for index in 0..200_u64 {
        let _frame = profiler.scope("frame");
        {
            // Long enough to be drawn, too short to be the first bottleneck.
            let _scope = profiler.scope_named(AWKWARD);
            let start = Instant::now();
            while start.elapsed() < Duration::from_micros(15) {}
        }
        let device_ns = if slower { 90_000 } else { 40_000 } + index % 7 * 100;
        profiler.record(Span {
            operation: "xor",
            element: "u8",
            device: DeviceTag {
                kind: "cuda",
                index: Some(0),
            },
            backend: "cuda",
            start_ns: index * 1_000_000,
            total_ns: device_ns + 60_000,
            device_ns: Some(device_ns),
            stream: Some(0),
            transfer_ns: 50_000,
            overhead_ns: 10_000,
            bytes_in: 4_096,
            bytes_moved: 4_096,
            ..Span::default()
        });
    }
    profiler.record_memory(MemorySample::default().with(|it| {
        it.at_ns = 5;
        it.device = "cuda:0".into();
        it.allocated = 1 << 20;
        it.limit = 1 << 30;
    }));
    let row = |device: &str, measured_ns, explored| RoutingRow {
        operation: "xor".into(),
        element: "u8".into(),
        device: device.into(),
        size_class: 12,
        count: 200,
        explored,
        predicted_ns: Some(measured_ns),
        measured_ns: Some(measured_ns),
        calibrated: true,
        ..RoutingRow::default()
    };
    profiler.recording().with(|it| {
        it.label = "a test".into();
        it.routing = vec![row("cuda:0", 100_000.0, 0), row("cpu", 1_000.0, 200)];
    })
}

/// Writes a recording and returns its path.
fn recorded(heddle: &Heddle, name: &str, slower: bool) -> String {
    let file = heddle.home.path().join(name);
    run(slower).write(&file).unwrap();
    file.to_str().unwrap().to_owned()
}

#[test]
fn show_prints_all_tables() {
    let heddle = Heddle::new();
    let file = recorded(&heddle, "run.json", false);
    let output = heddle.run(&["profile", "show", &file]);
    assert!(output.status.success(), "{}", error_text(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    for expected in [
        "a test",
        "Bottlenecks",
        "transfers",
        "Call tree",
        "Routing decisions",
        "Memory",
        "All 200 operations on GPUs",
        "write \"it\"\\n<b>;🧵 2",
    ] {
        assert!(text.contains(expected), "{expected:?} is not in {text}");
    }
    let object = heddle.json(&["profile", "show", &file, "--json"]);
    assert_eq!(object["recorded"], 600);
    assert_eq!(object["device_proof"]["share"], 1.0);
    assert_eq!(object["bottlenecks"][0]["operation"], "xor");
    assert_eq!(object["bottlenecks"][0]["mostly"], "transfer");
}

#[test]
fn csv_has_a_row_for_each_span() {
    let heddle = Heddle::new();
    let file = recorded(&heddle, "run.json", false);
    let csv = heddle.home.path().join("run.csv");
    let csv_text = csv.to_str().unwrap();
    let object = heddle.json(&["profile", "show", &file, "--csv", csv_text, "--json"]);
    assert_eq!(
        (&object["spans"], &object["left_out"]),
        (&600.into(), &0.into())
    );
    let text = fs::read_to_string(&csv).unwrap();
    assert!(text.starts_with("row,parent,operation,"), "{text}");
    // A quoted name spans two lines.
    assert!(text.contains(",\"write \"\"it\"\"\n<b>;🧵 2\","), "{text}");
    assert_eq!(text.lines().count(), 1 + 600 + 200);
}

#[test]
fn a_trace_keeps_the_rules_and_its_cap() {
    let heddle = Heddle::new();
    let file = recorded(&heddle, "run.json", false);
    let object = heddle.json(&["profile", "trace", &file, "--json"]);
    let trace = PathBuf::from(object["file"].as_str().unwrap());
    assert!(trace.ends_with("run.trace.json"), "{object}");
    let census = trace_rules::check(&fs::read_to_string(&trace).unwrap()).unwrap();
    assert_eq!(census.slices["kernel"], 200);
    assert_eq!(census.arrows, 200);
    assert!(census.names["scope"].contains(AWKWARD));

    let capped = heddle.json(&["profile", "trace", &file, "--cap", "100k", "--json"]);
    assert!(capped["bytes"].as_u64().unwrap() <= 100_000, "{capped}");
    assert!(capped["left_out"].as_u64().unwrap() > 0, "{capped}");
    trace_rules::check(&fs::read_to_string(&trace).unwrap()).unwrap();
}

#[test]
fn a_flame_graph_is_one_picture_and_the_same_each_time() {
    let heddle = Heddle::new();
    let file = recorded(&heddle, "run.json", false);
    let draw = |name: &str, more: &[&str]| {
        let picture = heddle.home.path().join(name);
        let picture_text = picture.to_str().unwrap().to_owned();
        let mut arguments = vec!["profile", "flame", &file, "-o", &picture_text];
        arguments.extend(more);
        let output = heddle.run(&arguments);
        assert!(output.status.success(), "{}", error_text(&output));
        fs::read_to_string(picture).unwrap()
    };
    let picture = draw("one.svg", &[]);
    assert!(picture.contains("<svg") && picture.trim_end().ends_with("</svg>"));
    // Markup in a name is escaped in the picture.
    assert!(picture.contains("&lt;b&gt;"), "{picture}");
    assert!(!picture.contains("<b>"), "{picture}");
    assert_eq!(picture, draw("two.svg", &[]));

    // Under a cap the heaviest stacks are drawn.
    let whole = picture.len();
    let capped = draw("capped.svg", &["--cap", &(whole - 100).to_string()]);
    assert!(capped.len() < whole - 100, "{} of {whole}", capped.len());
    assert!(capped.trim_end().ends_with("</svg>"));

    let slower = recorded(&heddle, "slower.json", true);
    let difference = draw("difference.svg", &["--against", &slower]);
    assert!(difference.contains("Difference: "), "{difference}");
    assert_eq!(difference, draw("again.svg", &["--against", &slower]));

    let stacks = draw("run.stacks", &["--collapsed"]);
    assert!(
        stacks.lines().any(|line| line.starts_with("xor ")),
        "{stacks}"
    );
    assert!(
        stacks.contains("frame;write \"it\"\\n<b>:🧵\u{a0}2 "),
        "{stacks}"
    );
}

#[test]
fn a_slower_run_is_a_regression_and_exits_3() {
    let heddle = Heddle::new();
    let before = recorded(&heddle, "before.json", false);
    let after = recorded(&heddle, "after.json", true);
    let output = heddle.run(&["profile", "compare", &before, &after, "--json"]);
    assert_eq!(output.status.code(), Some(3), "{}", error_text(&output));
    assert!(
        error_text(&output).contains("xor"),
        "{}",
        error_text(&output)
    );
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(object["verdict"], "worse");
    let xor = object["operations"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["operation"] == "xor")
        .unwrap();
    let (low, high) = (&xor["interval"]["low"], &xor["interval"]["high"]);
    assert!(
        low.as_f64().unwrap() > 1.4 && high.as_f64().unwrap() < 1.6,
        "{xor}"
    );

    let output = heddle.run(&["profile", "compare", &after, &before]);
    assert!(output.status.success(), "{}", error_text(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("better"), "{text}");
    // A change within --noise is no regression.
    let output = heddle.run(&["profile", "compare", &before, &after, "--noise", "70"]);
    assert!(output.status.success(), "{}", error_text(&output));
}

#[test]
fn suggestions_have_a_saving_and_something_to_do() {
    let heddle = Heddle::new();
    let file = recorded(&heddle, "run.json", false);
    let object = heddle.json(&["profile", "suggest", &file, "--json"]);
    let list = object["suggestions"].as_array().unwrap();
    let advice: Vec<&str> = list.iter().map(|s| s["advice"].as_str().unwrap()).collect();
    assert_eq!(advice, ["move", "keep-resident"], "{object}");
    assert_eq!(list[0]["predicted_saving_ns"], 200 * 99_000);
    let output = heddle.run(&["profile", "suggest", &file]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("predicted to save 19.8 ms"), "{text}");
    assert!(text.contains("xor = \"cpu\""), "{text}");
}

#[test]
fn metrics_are_printed_and_served() {
    let heddle = Heddle::new();
    let file = recorded(&heddle, "run.json", false);
    let other = recorded(&heddle, "other.json", false);
    let output = heddle.run(&["serve-metrics", &file, "--once"]);
    let text = String::from_utf8(output.stdout).unwrap();
    check_exposition(&text);
    assert!(
        text.contains(
            "heddle_operations_total{operation=\"xor\",element=\"u8\",device=\"cuda:0\"} 200"
        ),
        "{text}"
    );

    let mut server = heddle
        .command(&["serve-metrics", &file, "--address", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let address = line.split("http://").nth(1).unwrap();
    let address = address.trim().strip_suffix("/metrics").unwrap();
    let request = |request: &str| {
        let mut stream = TcpStream::connect(address).unwrap();
        write!(stream, "{request}\r\nHost: heddle\r\n\r\n").unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        response
    };
    let response = request("GET /metrics HTTP/1.1");
    let (head, body) = response.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 OK"), "{head}");
    assert_eq!(body.trim_end(), text.trim_end());
    assert!(request("GET / HTTP/1.1").starts_with("HTTP/1.1 404"));
    assert!(request("POST /metrics HTTP/1.1").starts_with("HTTP/1.1 405"));
    // Clients that send nothing delay no other.
    let idle: Vec<TcpStream> = (0..50)
        .map(|_| TcpStream::connect(address).unwrap())
        .collect();
    let begun = Instant::now();
    assert!(request("GET /metrics HTTP/1.1").starts_with("HTTP/1.1 200 OK"));
    assert!(begun.elapsed() < Duration::from_secs(1));
    drop(idle);
    // A rewritten file is served and its counters go on; an unreadable one is an error.
    let counted = |text: &str| -> u64 {
        let line = text
            .lines()
            .find(|line| line.starts_with("heddle_spans_recorded_total "));
        line.unwrap().split(' ').nth(1).unwrap().parse().unwrap()
    };
    let before = counted(&text);
    Recording::default().write(&file).unwrap();
    assert_eq!(counted(&request("GET /metrics HTTP/1.1")), before);
    run(true).write(&file).unwrap();
    assert_eq!(counted(&request("GET /metrics HTTP/1.1")), 2 * before);
    fs::write(&file, "gone").unwrap();
    assert!(request("GET /metrics HTTP/1.1").starts_with("HTTP/1.1 503"));
    // The address is in use.
    let second = heddle.run(&["serve-metrics", &other, "--address", address]);
    assert_refused(&second, 1, &format!("cannot serve metrics on {address}"));
    server.kill().unwrap();
    server.wait().unwrap();
}

/// The rules of the text format: every sample belongs to the family announced
/// before it, labels are quoted, values are numbers, counters end in `_total`.
fn check_exposition(text: &str) {
    let (mut family, mut kind) = (String::new(), String::new());
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, of) = rest.split_once(' ').unwrap();
            assert_eq!(name, family, "a family has help before its type");
            of.clone_into(&mut kind);
            assert_eq!(kind == "counter", name.ends_with("_total"), "{line}");
        } else if let Some(rest) = line.strip_prefix("# HELP ") {
            rest.split(' ').next().unwrap().clone_into(&mut family);
        } else {
            let (series, value) = line.rsplit_once(' ').unwrap();
            value.parse::<f64>().unwrap();
            let name = series.split('{').next().unwrap();
            assert_eq!(name, family, "{line}");
            assert!(series == name || series.ends_with("\"}"), "{line}");
        }
    }
}

#[test]
fn a_recording_of_the_command_itself_can_be_analysed() {
    let heddle = Heddle::new();
    let file = heddle.home.path().join("own.json");
    let file = file.to_str().unwrap();
    heddle.json(&["run", "--rounds", "1", "--profile", file, "--json"]);
    let object = heddle.json(&["profile", "show", file, "--json"]);
    assert!(object["recorded"].as_u64().unwrap() > 100, "{object}");
    let trace = heddle.json(&["profile", "trace", file, "--json"]);
    let trace = fs::read_to_string(trace["file"].as_str().unwrap()).unwrap();
    trace_rules::check(&trace).unwrap();
    let same = heddle.run(&["profile", "compare", file, file]);
    assert!(same.status.success(), "{}", error_text(&same));
}

#[test]
fn an_unreadable_file_is_one_line_and_a_hint() {
    let heddle = Heddle::new();
    for arguments in [
        &["profile", "show", "nowhere.json"] as &[&str],
        &["profile", "flame", "nowhere.json"],
        &["profile", "trace", "nowhere.json"],
        &["profile", "compare", "nowhere.json", "nowhere.json"],
        &["profile", "suggest", "nowhere.json"],
        &["serve-metrics", "nowhere.json"],
    ] {
        let output = heddle.run(arguments);
        assert_refused(&output, 1, "nowhere.json");
        assert!(
            error_text(&output).contains("hint: "),
            "{}",
            error_text(&output)
        );
    }
    let empty = heddle.home.path().join("empty.json");
    Recording::default().write(&empty).unwrap();
    let output = heddle.run(&["profile", "flame", empty.to_str().unwrap()]);
    assert_refused(&output, 2, "no span with a duration to draw");
}

#[test]
fn a_file_of_version_1_is_shown() {
    let heddle = Heddle::new();
    let file = heddle.home.path().join("old.json");
    fs::write(
        &file,
        r#"{"format":"heddle-profile","version":1,"overwritten":0,"spans":[
        {"operation":"xor","element":"u8","device":"cpu","backend":"native","start_ns":5,
         "total_ns":100,"device_ns":null,"transfer_ns":0,"overhead_ns":20,"bytes_in":8,
         "bytes_out":4,"bytes_moved":0,"work":4,"thread":2}]}"#,
    )
    .unwrap();
    let object = heddle.json(&["profile", "show", file.to_str().unwrap(), "--json"]);
    assert_eq!(object["summary"]["rows"][0]["operation"], "xor");
}

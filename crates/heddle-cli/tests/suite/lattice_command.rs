//! `heddle lattice`: array files for other programs.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

use std::fs;
use std::process::{Command, Output, Stdio};

use crate::binary::{Heddle, assert_refused, error_text};

/// Reads the header's text and the numbers as the format is specified.
fn read_npy(bytes: &[u8]) -> (String, Vec<f64>) {
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
    let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let (header, numbers) = bytes[10..].split_at(length);
    assert_eq!((10 + length) % 64, 0);
    assert_eq!(header.last(), Some(&b'\n'));
    let numbers = numbers
        .chunks_exact(8)
        .map(|number| f64::from_le_bytes(number.try_into().unwrap()));
    (
        String::from_utf8(header.to_vec())
            .unwrap()
            .trim_end()
            .to_owned(),
        numbers.collect(),
    )
}

const MAZE: [&str; 4] = ["--sizes", "3,4", "--block", "1,1"];

#[test]
fn distances_are_written_for_numpy_source_by_source() {
    let heddle = Heddle::new();
    let file = heddle.home.path().join("far.npy");
    let asked = ["--from", "0,0", "--from", "2,3", "--json", "-o", "far.npy"];
    let object = heddle.json(&[&["lattice", "distances"][..], &MAZE, &asked].concat());
    let bytes = fs::read(&file).unwrap();
    assert_eq!(object["bytes"], bytes.len());
    let (header, numbers) = read_npy(&bytes);
    assert_eq!(
        header,
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3, 4), }"
    );
    let inf = f64::INFINITY;
    let first = [0.0, 1.0, 2.0, 3.0, 1.0, inf, 3.0, 4.0, 2.0, 3.0, 4.0, 5.0];
    let second = [5.0, 4.0, 3.0, 2.0, 4.0, inf, 2.0, 1.0, 3.0, 2.0, 1.0, 0.0];
    assert_eq!(numbers, [first, second].concat());
}

#[test]
fn scores_are_written_in_the_shape_of_the_lattice() {
    let heddle = Heddle::new();
    let asked = ["--measure", "degree", "-o", "degree.npy"];
    let output = heddle.run(&[&["lattice", "centrality"][..], &MAZE, &asked].concat());
    assert!(output.status.success(), "{}", error_text(&output));
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(printed.contains("degree.npy: "), "{printed}");
    let (header, numbers) = read_npy(&fs::read(heddle.home.path().join("degree.npy")).unwrap());
    assert!(header.contains("'shape': (3, 4), }"), "{header}");
    assert!(numbers[5].is_nan(), "a blocked site has no value");
    // A corner has two neighbours, of which this one lost none.
    assert!((numbers[3] * 10.0 - 2.0).abs() < 1e-12 || (numbers[3] - 2.0).abs() < 1e-12);
}

#[test]
fn csv_has_a_row_for_each_site() {
    let heddle = Heddle::new();
    let line = [
        "--sizes", "3", "--from", "0", "--from", "2", "-o", "far.csv",
    ];
    let output = heddle.run(&[&["lattice", "distances"][..], &line].concat());
    assert!(output.status.success(), "{}", error_text(&output));
    let text = fs::read_to_string(heddle.home.path().join("far.csv")).unwrap();
    assert_eq!(
        text,
        "source,x0,value\n0,0,0\n0,1,1\n0,2,2\n1,0,2\n1,1,1\n1,2,0\n"
    );
}

#[test]
fn an_unknown_extension_is_refused_with_the_known_ones() {
    let heddle = Heddle::new();
    for command in ["distances", "centrality"] {
        let output = heddle.run(&["lattice", command, "-o", "far.txt"]);
        assert_refused(&output, 2, "neither .npy nor .csv");
        assert!(!heddle.home.path().join("far.txt").exists());
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_is_written_to_and_stays_a_pipe() {
    use std::os::unix::fs::FileTypeExt;

    let heddle = Heddle::new();
    let pipe = heddle.home.path().join("far.csv");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let mut command = heddle.command(&["lattice", "distances", "--sizes", "2", "-o", "far.csv"]);
    let child = command.stdout(Stdio::null()).spawn().unwrap();
    let text = fs::read_to_string(&pipe).unwrap();
    assert!(child.wait_with_output().unwrap().status.success());
    assert_eq!(text, "source,x0,value\n0,0,0\n0,1,1\n");
    assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
}

/// Runs the command with at most `mib` of addresses.
fn run_within(heddle: &Heddle, mib: u64, arguments: &[&str]) -> Output {
    let line = format!("ulimit -v {} && exec \"$0\" \"$@\"", mib << 10);
    Command::new("sh")
        .args(["-c", &line, env!("CARGO_BIN_EXE_heddle")])
        .args(arguments)
        .env_remove("HEDDLE_TEST_DEPTH")
        .env("HOME", heddle.home.path())
        .env("XDG_CACHE_HOME", heddle.home.path())
        .env("XDG_CONFIG_HOME", heddle.home.path())
        .output()
        .unwrap()
}

#[test]
fn lattices_that_do_not_fit_are_errors_and_not_aborts() {
    let heddle = Heddle::new();
    for arguments in [
        &["transform", "xor", "--sizes", "131072,65536"][..],
        &["transform", "normalize", "--sizes", "32768,32768"],
        &["transform", "xor", "--weights", "random"],
        &["centrality"],
        &["centrality", "--measure", "degree"],
        &["centrality", "--measure", "betweenness", "--periodic"],
        &["show", "-o", "out.svg"],
        &["show", "-o", "out.svg", "--weights", "random"],
        &["analyze", "--weights", "random"],
        &["analyze", "--block", "1,1", "--weights", "random"],
        &["distances", "--weights", "1,2"],
        &["distances", "--weights", "random"],
        &["path", "--weights", "random"],
        &["communities"],
    ] {
        let mut line = vec!["lattice"];
        line.extend(arguments);
        if !arguments.contains(&"--sizes") {
            line.extend(["--sizes", "32768,32768"]);
        }
        let output = run_within(&heddle, 1024, &line);
        let text = error_text(&output);
        assert!(
            matches!(output.status.code(), Some(1 | 2)),
            "{line:?}: {text}"
        );
        assert!(text.starts_with("error: "), "{line:?}: {text}");
        let is_picture = arguments.contains(&"show");
        assert!(is_picture || text.contains("hint: "), "{line:?}: {text}");
    }
}

#[test]
fn the_host_limit_bounds_lattices_and_their_values() {
    let heddle = Heddle::new();
    for arguments in [
        &["distances", "--sizes", "4096,4096"][..],
        &["path", "--sizes", "4096,4096", "--weights", "random"],
        &["transform", "normalize", "--sizes", "4096,4096"],
    ] {
        let output = heddle
            .command(&[&["lattice"], arguments].concat())
            .env("HEDDLE_MEMORY_HOST_LIMIT", "48MiB")
            .output()
            .unwrap();
        let text = error_text(&output);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {text}");
        assert!(text.contains("memory.host_limit"), "{arguments:?}: {text}");
    }
}

#[test]
fn an_endless_file_is_no_lattice() {
    let heddle = Heddle::new();
    let refused = ["lattice", "transform", "xor", "--input", "/dev/zero"];
    assert_refused(&heddle.run(&refused), 2, "has more than 100 bytes");
}

#[test]
fn figures_without_a_value_are_not_printed_as_numbers() {
    let heddle = Heddle::new();
    let of = |arguments: &[&str]| {
        let output = heddle.run(&[&["lattice"], arguments].concat());
        format!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            error_text(&output)
        )
    };
    let one = of(&["centrality", "--size", "1"]);
    assert!(
        one.contains("no site reaches another") && !one.contains("NaN"),
        "{one}"
    );
    let none = of(&["centrality", "--blocked", "100%"]);
    assert!(none.contains("every site is blocked"), "{none}");
    let many = of(&["path", "--size", "2000", "--count"]);
    assert!(
        many.contains("about 4.158284e1201 shortest paths"),
        "{many}"
    );
    for command in ["path", "analyze", "distances", "centrality"] {
        let text = of(&[command, "--size", "30", "--weights", "1e308,1e308"]);
        assert!(text.contains("must be between 1e-270 and 1e270"), "{text}");
        for weights in ["1e270,1e270", "1e-270,1e-270", "1e-270,1e270"] {
            let text = of(&[command, "--size", "30", "--weights", weights]);
            let wrong = ["NaN", " inf", "error"]
                .into_iter()
                .find(|word| text.contains(word));
            assert_eq!(wrong, None, "{text}");
        }
    }
}

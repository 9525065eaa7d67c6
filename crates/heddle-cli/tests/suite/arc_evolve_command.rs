//! `heddle arc evolve`: its store, its report and its page.

use std::fs;

use crate::binary::{Heddle, assert_refused, error_text};

const EVOLVE: [&str; 6] = ["arc", "evolve", "--store", "store", "--seed", "3"];

fn evolve(heddle: &Heddle, more: &[&str]) -> serde_json::Value {
    heddle.json(&[&EVOLVE[..], more, &["--json"]].concat())
}

#[test]
fn a_store_is_made_gone_on_with_and_read_by_eval() {
    let heddle = Heddle::new();
    let made = evolve(&heddle, &["--rounds", "2"]);
    assert_eq!(made["rounds"], 2);
    assert!(made["seeded"]["programs"].as_u64() > Some(30), "{made}");
    assert!(made["programs"].as_u64() > Some(20), "{made}");
    let pairs = made["evaluations"].as_u64().unwrap() / made["programs"].as_u64().unwrap();
    assert!(pairs > 46 * 2, "{made}");
    let more = evolve(
        &heddle,
        &["--rounds", "3", "--html", "found.html", "-c", "64"],
    );
    assert_eq!(more["seeded"]["programs"], 0);
    assert_eq!(more["store"]["rounds"], 5);
    let page = fs::read_to_string(heddle.home.path().join("found.html")).unwrap();
    assert!(page.contains("ARC evolution") && page.ends_with("</html>\n"));
    for improved in more["improved"].as_array().unwrap() {
        assert!(improved["score"].as_u64() > improved["before"].as_u64());
        let program = improved["program"].as_str().unwrap();
        assert!(program.starts_with("def solve_"), "{program}");
        assert!(page.contains(improved["task"].as_str().unwrap()));
    }
    let eval = [
        "arc",
        "eval",
        "--programs",
        "store/solver_md5",
        "--all-pairs",
        "--json",
    ];
    let found = heddle.json(&eval);
    assert_eq!(found["programs_not_read"], 0);
    // Links of subfolders are programs of their tasks.
    let links = heddle.json(&["arc", "eval", "--programs", "store/solver_dir", "--json"]);
    assert_eq!(links["programs"], more["store"]["programs"]);
    // The strict reading fails where the soft one goes on with a default.
    let (solved, soft) = (&found["solved"], &more["store"]["solved"]);
    assert!(
        solved.as_u64() > Some(25) && solved.as_u64() <= soft.as_u64(),
        "{solved} {soft}"
    );
}

#[test]
fn what_cannot_be_used_is_refused_or_noted() {
    let heddle = Heddle::new();
    let home = heddle.home.path();
    fs::write(home.join("file"), "no folder").unwrap();
    let refused = heddle.run(&["arc", "evolve", "--store", "file"]);
    assert_refused(&refused, 1, "cannot create the folder");
    for (option, value, problem) in [
        ("--count", "100001", "100,000"),
        ("--mutants", "18446744073709551615", "100,000"),
        ("--mutation-rate", "1.5", "from 0 to 1"),
        ("--mutation-rate", "nan", "from 0 to 1"),
        ("--rounds", "-1", "--rounds"),
    ] {
        let given = format!("{option}={value}");
        let refused = heddle.run(&[&EVOLVE[..], &[&given]].concat());
        let text = error_text(&refused);
        assert!(
            !refused.status.success() && text.contains(problem),
            "{option}: {text}"
        );
    }
    for count in ["1000000000000", "18446744073709551615"] {
        let refused = heddle.run(&[&EVOLVE[..], &["-c", count, "--mutants", "0"]].concat());
        assert_refused(&refused, 2, "100,000");
    }
    let none = evolve(&heddle, &["--rounds", "0"]);
    assert_eq!(none["rounds"], 0);
    fs::write(
        home.join("bad.py"),
        "def solve_a(S, I, C):\n    O = nothing(I)\n    return O\n",
    )
    .unwrap();
    let refused = heddle.run(&[&EVOLVE[..], &["--programs", "bad.py"]].concat());
    assert_refused(&refused, 1, "no program could be read");
    fs::write(home.join("store/evolve.json"), "rounds").unwrap();
    let output = heddle.run(&[&EVOLVE[..], &["--rounds", "1"]].concat());
    assert!(output.status.success());
    assert!(
        error_text(&output).contains("has no number of rounds"),
        "{}",
        error_text(&output)
    );
}

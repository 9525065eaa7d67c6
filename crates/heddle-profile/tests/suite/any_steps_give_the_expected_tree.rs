//! Scopes and spans that a thread opens, closes and records in any order, under any names,
//! give the expected tree.

use std::panic::{self, AssertUnwindSafe};

use heddle_profile::{Profiler, Recording};
use heddle_testing::recorded::assert_sound;
use proptest::prelude::*;

/// One action of a thread.
#[derive(Clone, Debug)]
enum Step {
    Open(usize),
    Close,
    Record(usize),
    Panic,
    Enable(bool),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0_usize..6).prop_map(Step::Open),
        4 => Just(Step::Close),
        2 => (0_usize..6).prop_map(Step::Record),
        1 => Just(Step::Panic),
        1 => any::<bool>().prop_map(Step::Enable),
    ]
}

proptest! {
    #![proptest_config(heddle_testing::depth::cases(96))]

    /// The recording equals a tree computed with a plain stack.
    #[test]
    fn any_sequence_of_steps_gives_the_tree_it_describes(
        steps in prop::collection::vec(step(), 0..60),
        names in prop::collection::vec(any::<String>(), 6),
    ) {
        let profiler = Profiler::new(4_096);
        let mut guards = Vec::new();
        // The model: open names, and what was recorded with its path.
        let mut open: Vec<Option<usize>> = Vec::new();
        let mut expected: Vec<Vec<String>> = Vec::new();
        let path = |open: &[Option<usize>]| -> Vec<String> {
            open.iter().flatten().map(|&name| names[name].clone()).collect()
        };
        let mut enabled = true;
        for step in steps {
            match step {
                Step::Open(name) => {
                    guards.push(profiler.scope_named(&names[name]));
                    open.push(enabled.then_some(name));
                }
                Step::Close => {
                    if let Some(Some(_)) = open.last() {
                        expected.push(path(&open));
                    }
                    open.pop();
                    drop(guards.pop());
                }
                Step::Record(name) => {
                    profiler.time("recorded", || ());
                    let _ = name;
                    if enabled {
                        let mut path = path(&open);
                        path.push("recorded".to_owned());
                        expected.push(path);
                    }
                }
                Step::Panic => {
                    let caught = panic::catch_unwind(AssertUnwindSafe(|| {
                        let _scope = profiler.scope("panics");
                        panic::resume_unwind(Box::new(()))
                    }));
                    prop_assert!(caught.is_err());
                    if enabled {
                        let mut path = path(&open);
                        path.push("panics".to_owned());
                        expected.push(path);
                    }
                }
                Step::Enable(on) => {
                    profiler.set_enabled(on);
                    enabled = on;
                }
            }
        }
        while let Some(guard) = guards.pop() {
            if let Some(Some(_)) = open.last() {
                expected.push(path(&open));
            }
            open.pop();
            drop(guard);
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("run.json");
        profiler.recording().write(&file).unwrap();
        let spans = Recording::read(&file).unwrap().spans;
        assert_sound(&spans);
        let mut found: Vec<Vec<String>> = spans
            .iter()
            .map(|span| {
                let mut path: Vec<String> = std::iter::successors(Some(span), |span| {
                    span.parent.map(|row| &spans[row as usize])
                })
                .map(|span| span.operation.to_string())
                .collect();
                path.reverse();
                path
            })
            .collect();
        found.sort();
        expected.sort();
        prop_assert_eq!(found, expected);
    }
}

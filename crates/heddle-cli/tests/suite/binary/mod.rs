//! The built command, run as a user runs it.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// The command with a temporary home and cache folder, without GPUs and without this
/// machine's configuration.
pub(crate) struct Heddle {
    pub(crate) home: TempDir,
}

impl Heddle {
    pub(crate) fn new() -> Self {
        Self {
            home: TempDir::new().unwrap(),
        }
    }

    pub(crate) fn cache(&self) -> std::path::PathBuf {
        self.home.path().join("cache")
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
        for (name, _) in std::env::vars() {
            if name.starts_with("HEDDLE_") {
                command.env_remove(name);
            }
        }
        command
            .args(arguments)
            .current_dir(self.home.path())
            .env("HOME", self.home.path())
            .env_remove("XDG_CONFIG_HOME")
            // Hides real GPUs, so that tests behave the same on every machine.
            .env("CUDA_VISIBLE_DEVICES", "-1")
            .env("HEDDLE_CACHE_DIR", self.cache());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let output = self.run(arguments);
        assert!(output.status.success(), "{}", error_text(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

pub(crate) fn error_text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub(crate) fn assert_refused(output: &Output, code: i32, expected: &str) {
    let text = error_text(output);
    assert_eq!(output.status.code(), Some(code), "{text}");
    assert!(text.contains(expected), "{text:?} lacks {expected:?}");
    assert!(!text.contains("panicked"), "{text}");
    assert!(output.stdout.is_empty(), "{:?}", output.stdout);
}

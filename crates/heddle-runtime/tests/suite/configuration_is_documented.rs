//! `docs/configuration.md` lists the settings that the code reads.
//!
//! `HEDDLE_WRITE_DOCS=1 cargo test -p heddle-runtime --test suite configuration_is_documented` writes it.

use std::fmt::Write as _;
use std::path::Path;

use heddle_runtime::Config;

const INTRODUCTION: &str = "\
# Configuration

<!-- Generated from crates/heddle-runtime/src/config/schema.rs; do not edit. Write it anew with
HEDDLE_WRITE_DOCS=1 cargo test -p heddle-runtime --test suite configuration_is_documented -->

Every setting has a default. A file replaces defaults, an environment variable replaces what
the file says, and code or a flag of the command line replaces both.

The file is the one that `--config FILE` or `HEDDLE_CONFIG` names; else `heddle.toml` in the
current folder; else `heddle.toml` in the user's configuration folder (on Linux
`~/.config/heddle`). A dotted key may be written under its table:

```toml
threads = 8

[memory]
host_limit = \"50%\"
```

Sizes are bytes, or text such as `\"1GiB\"`, `\"512MB\"` or `\"90%\"`; a share is of the memory in
question. In a variable, text needs no quotes and lists are separated by commas.

A key that does not exist is an error in the file. A `HEDDLE_*` variable that does not exist is
a warning. `CUDA_VISIBLE_DEVICES` is honoured. `HEDDLE_ARC_DATA` names the ARC tasks that
`heddle arc` reads, `HEDDLE_CUDA_LIBRARIES` a folder to look for cuBLAS in.

| key | variable | default | meaning |
|---|---|---|---|
";

#[test]
fn the_document_matches_the_schema() {
    let mut document = INTRODUCTION.to_owned();
    for key in Config::describe_keys() {
        writeln!(
            document,
            "| `{}` | `{}` | `{}` | {} |",
            key.name, key.variable, key.default, key.meaning
        )
        .unwrap();
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/configuration.md");
    if std::env::var_os("HEDDLE_WRITE_DOCS").is_some() {
        std::fs::write(&path, &document).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == document,
        "docs/configuration.md is not what the schema says; write it with \
         HEDDLE_WRITE_DOCS=1 cargo test -p heddle-runtime --test suite configuration_is_documented"
    );
}

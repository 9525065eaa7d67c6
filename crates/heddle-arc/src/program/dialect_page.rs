//! The tables of `docs/dialects.md`.
//!
//! `HEDDLE_WRITE_DOCS=1 cargo test -p heddle-arc --lib dialect_page` writes them.

use crate::constant::{Constant, read, typed_names};
use crate::prim::{Empty, Prim, Takes};
use crate::reading::{Cells, Reading};
use std::fmt::Write;
use std::path::Path;

const MARK: &str = "--lib dialect_page -->\n";

/// What a typed name is in the classic language.
fn meaning(name: &str) -> [String; 3] {
    let reading = Reading::Strict(Cells::Triple);
    let prim = Prim::read(name, reading).unwrap();
    let view = prim.view().filter(|view| view.base != prim);
    let Some(view) = view else {
        let is_alias = prim.name() != name;
        let ours = if is_alias {
            format!("`{prim}`")
        } else {
            format!("new: {}: {}", prim.signature(), prim.meaning().unwrap())
        };
        return [ours, String::new(), String::new()];
    };
    let takes = match view.takes {
        Takes::Any => "",
        Takes::Grid => "a grid or tuple",
        Takes::Patch => "a patch; a tuple of cells or locations is one",
        Takes::Locations => "locations",
        Takes::Cells | Takes::Colours => "cells",
        Takes::Rows => "rows",
    };
    let empty = match view.empty {
        Empty::Base => "",
        Empty::Fail => "fails",
        Empty::Same => "itself",
        Empty::Zero => "0",
        Empty::Zeros => "(0, 0)",
        Empty::Tuple => "`()`",
        Empty::Set => "`{}`",
        Empty::False => "False",
        Empty::True => "True",
        Empty::Nan => "`nan`, which fails in the strict reading",
    };
    [
        format!("`{}`", view.base),
        takes.to_owned(),
        empty.to_owned(),
    ]
}

#[test]
fn the_page_has_every_typed_name() {
    let mut tables =
        String::from("\n| typed | classic | takes only | of nothing |\n|---|---|---|---|\n");
    let mut names: Vec<&str> = Prim::typed_names().collect();
    names.sort_unstable();
    for name in names {
        let [ours, takes, empty] = meaning(name);
        writeln!(tables, "| `{name}` | {ours} | {takes} | {empty} |").unwrap();
    }
    tables += "\n| constant | value |\n|---|---|\n";
    for name in typed_names() {
        let Some(Constant::Int(value)) = read(name, Reading::Strict(Cells::Triple)) else {
            panic!("{name} is no number");
        };
        writeln!(tables, "| `{name}` | {value} |").unwrap();
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/dialects.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (written, found) = page.split_once(MARK).unwrap();
    if std::env::var_os("HEDDLE_WRITE_DOCS").is_some() {
        std::fs::write(&path, format!("{written}{MARK}{tables}")).unwrap();
    } else {
        assert!(
            found == tables,
            "docs/dialects.md lacks a name; write it with HEDDLE_WRITE_DOCS=1 cargo test -p \
             heddle-arc --lib dialect_page"
        );
    }
}

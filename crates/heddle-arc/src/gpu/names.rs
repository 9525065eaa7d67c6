//! The kernel's list of primitives and nouns, written from the tables of this
//! crate.

use crate::fault::ValueKind;
use crate::prim::Prim;
use std::fmt::Write;

/// Numbers of a table on one line.
const PER_LINE: usize = 20;

/// The text of `kernels/arc/names.cuh`.
#[must_use]
pub fn names_header() -> String {
    let mut text = String::from(
        "// Primitives and nouns by number. Written by `cargo test -p heddle-arc --test\n\
         // gpu_names` from the tables of heddle-arc, which fails where they differ.\n\
         #pragma once\n\nenum Prim {\n",
    );
    // Writing to a string cannot fail.
    for prim in Prim::ALL {
        let _ = writeln!(text, "    Prim_{},", prim.variant());
    }
    text.push_str("    PRIMS\n};\n\nenum Noun {\n");
    for value_kind in ValueKind::ALL {
        let _ = writeln!(text, "    Noun_{value_kind:?},");
    }
    text.push_str("    NOUNS\n};\n\n// How many arguments each primitive takes.\n");
    table(
        &mut text,
        "PRIM_ARITY",
        Prim::ALL.iter().map(|prim| prim.arity()),
    );
    text.push_str("\n// The place of each primitive in the order of their names.\n");
    let mut by_name: Vec<&str> = Prim::ALL.iter().map(|prim| prim.name()).collect();
    by_name.sort_unstable();
    let rank = |prim: &Prim| {
        by_name
            .iter()
            .take_while(|name| **name < prim.name())
            .count()
    };
    table(&mut text, "PRIM_RANK", Prim::ALL.iter().map(rank));
    text
}

fn table(text: &mut String, name: &str, numbers: impl Iterator<Item = usize>) {
    let _ = writeln!(
        text,
        "static __device__ const unsigned char {name}[PRIMS] = {{"
    );
    let numbers: Vec<String> = numbers.map(|number| format!("{number},")).collect();
    for line in numbers.chunks(PER_LINE) {
        let _ = writeln!(text, "    {}", line.join(" "));
    }
    text.push_str("};\n");
}

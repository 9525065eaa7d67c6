//! Golden vectors: known answers that check each primitive (section 9).
//!
//! A [`GoldenVector`] is one line of a file. [`check`] runs vectors against
//! anything that can call a primitive, so that the compact engine, the plain
//! evaluator and, later, a device all answer to the same file.

pub mod notation;

use crate::fault::Fault;
use crate::plain::Plain;
use crate::prim::Prim;
use serde::Serialize;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// How many differences of one primitive a report keeps.
const DIFFERENCES_KEPT: usize = 3;

/// Why vectors could not be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GoldenError {
    /// The file or folder cannot be read.
    #[error("cannot read {path} (name a folder of .jsonl or .vectors files, or one such file)")]
    Read {
        /// What was asked for.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A line is not a vector.
    #[error(
        "{path}:{line}: not a vector: {found}; \
         write {{\"fn\": name, \"args\": [..], \"out\": value}} (or \"err\": true), \
         or primitive args.. -> answer"
    )]
    Line {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// What is wrong with it.
        found: String,
    },
}

/// One known answer.
#[derive(Clone, Debug)]
pub struct GoldenVector {
    /// Where it was written, for messages.
    pub place: String,
    /// The primitive under test.
    pub prim: Prim,
    /// What it is called with.
    pub args: Vec<Plain>,
    /// What the resulting callable is called with, if it is a builder.
    pub apply: Option<Vec<Plain>>,
    /// The answer; `None` means an error.
    pub expected: Option<Plain>,
}

/// Something that can answer vectors.
pub trait Evaluator {
    /// Calls a primitive; with `apply`, calls the resulting function too.
    fn evaluate(
        &mut self,
        prim: Prim,
        args: &[Plain],
        apply: Option<&[Plain]>,
    ) -> Result<Plain, Fault>;
}

/// What became of the vectors of one primitive.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Tally {
    /// Right answers.
    pub passed: usize,
    /// Wrong ones.
    pub failed: usize,
    /// The first few of those, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<String>,
}

/// What became of all vectors.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// Right answers.
    pub passed: usize,
    /// Wrong ones.
    pub failed: usize,
    /// By name of the primitive.
    pub by_primitive: BTreeMap<&'static str, Tally>,
}

impl GoldenVector {
    /// Reads one line.
    pub(crate) fn from_line(line: &str, place: String) -> Result<GoldenVector, String> {
        let json: Json = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let name = json["fn"].as_str().ok_or("\"fn\" is missing")?;
        let prim = Prim::named(name).ok_or_else(|| format!("no primitive is called {name}"))?;
        let list = |json: &Json| -> Result<Vec<Plain>, String> {
            let items = json.as_array().ok_or("a list of arguments is missing")?;
            items.iter().map(Plain::from_json).collect()
        };
        let expected = match (json.get("out"), json["err"].as_bool()) {
            (Some(out), None) => Some(Plain::from_json(out)?),
            (None, Some(true)) => None,
            _ => return Err("neither \"out\" nor \"err\": true".to_owned()),
        };
        Ok(GoldenVector {
            place,
            prim,
            args: list(&json["args"])?,
            apply: json.get("apply").map(list).transpose()?,
            expected,
        })
    }
}

/// Reads the vectors of one file, or of all `.jsonl` and `.vectors` files in a
/// folder by name.
pub fn read(path: &Path) -> Result<Vec<GoldenVector>, GoldenError> {
    let failed = |source| GoldenError::Read {
        path: path.to_owned(),
        source,
    };
    if !path.is_dir() {
        let text = std::fs::read_to_string(path).map_err(failed)?;
        return read_text(&text, path);
    }
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path).map_err(failed)? {
        let file = entry.map_err(failed)?.path();
        let known = |extension: &std::ffi::OsStr| extension == "jsonl" || extension == "vectors";
        if file.extension().is_some_and(known) {
            files.push(file);
        }
    }
    files.sort();
    let mut vectors = Vec::new();
    for file in files {
        vectors.extend(read(&file)?);
    }
    Ok(vectors)
}

/// Reads vectors out of a text, one on each line that is not blank: JSON, or
/// the [short notation](notation). Lines that begin with `#` are comments.
pub fn read_text(text: &str, path: &Path) -> Result<Vec<GoldenVector>, GoldenError> {
    let lines = text.lines().enumerate();
    lines
        .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
        .map(|(at, line)| {
            let place = format!("{}:{}", path.display(), at + 1);
            let vector = if line.starts_with('{') {
                GoldenVector::from_line(line, place)
            } else {
                notation::read(line, place)
            };
            vector.map_err(|found| GoldenError::Line {
                path: path.to_owned(),
                line: at + 1,
                found,
            })
        })
        .collect()
}

/// Runs vectors and counts.
pub fn check(vectors: &[GoldenVector], evaluators: &mut impl Evaluator) -> Report {
    let mut report = Report::default();
    for vector in vectors {
        let tally = report.by_primitive.entry(vector.prim.name()).or_default();
        let evaluate = evaluators.evaluate(vector.prim, &vector.args, vector.apply.as_deref());
        if evaluate.as_ref().ok() == vector.expected.as_ref() {
            tally.passed += 1;
            report.passed += 1;
            continue;
        }
        tally.failed += 1;
        report.failed += 1;
        if tally.differences.len() < DIFFERENCES_KEPT {
            tally.differences.push(difference(vector, &evaluate));
        }
    }
    report
}

fn difference(vector: &GoldenVector, evaluate: &Result<Plain, Fault>) -> String {
    let list = |args: &[Plain]| {
        let args: Vec<String> = args.iter().map(Plain::to_string).collect();
        args.join(", ")
    };
    let mut text = format!("{}: {}({})", vector.place, vector.prim, list(&vector.args));
    if let Some(apply) = &vector.apply {
        // Writing to a string cannot fail.
        let _ = write!(text, "({})", list(apply));
    }
    let expected = match &vector.expected {
        Some(value) => value.to_string(),
        None => "an error".to_owned(),
    };
    let found = match evaluate {
        Ok(value) => value.to_string(),
        Err(fault) => format!("error: {fault}"),
    };
    format!("{text}: expected {expected}, found {found}")
}

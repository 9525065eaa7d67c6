//! Golden vectors: known results that check each primitive.
//!
//! A [`GoldenVector`] is one line of a file. [`check`] runs vectors on an [`Evaluator`], so
//! that compact and plain evaluation are checked against the same files. Section 9 of
//! `docs/arc-language.md` describes their JSON.

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

/// The most differences of one primitive that a report keeps.
const DIFFERENCES_KEPT: usize = 3;

/// An error while reading vectors.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GoldenError {
    /// The file or folder cannot be read.
    #[error("cannot read {path} (name a folder of .jsonl or .vectors files, or one such file)")]
    Read {
        /// The path given.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// A line is not a vector.
    #[error(
        "{path}:{line}: not a vector: {found}; \
         write {{\"fn\": name, \"args\": [..], \"out\": value}} (or \"err\": true), \
         or primitive args.. -> result"
    )]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// The problem found.
        found: String,
    },
}

/// One call of a primitive and its known result.
#[derive(Clone, Debug)]
pub struct GoldenVector {
    /// Its file and line, for messages.
    pub location: String,
    /// The primitive under test.
    pub prim: Prim,
    /// The arguments of the primitive.
    pub args: Vec<Plain>,
    /// The arguments of the function it returns, if it is a builder.
    pub apply: Option<Vec<Plain>>,
    /// The expected result; `None` means an error.
    pub expected: Option<Plain>,
}

/// An implementation of the primitives that vectors can check.
pub trait Evaluator {
    /// Calls a primitive and, with `apply`, calls the function it returns.
    fn evaluate(
        &mut self,
        prim: Prim,
        args: &[Plain],
        apply: Option<&[Plain]>,
    ) -> Result<Plain, Fault>;
}

/// The results of the vectors of one primitive.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PrimitiveResults {
    /// The number of vectors with the expected result.
    pub passed: usize,
    /// The number of other vectors.
    pub failed: usize,
    /// Descriptions of the first differences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<String>,
}

/// The results of all vectors.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct VectorReport {
    /// The number of vectors with the expected result.
    pub passed: usize,
    /// The number of other vectors.
    pub failed: usize,
    /// The results by name of primitive.
    pub by_primitive: BTreeMap<&'static str, PrimitiveResults>,
}

impl GoldenVector {
    /// Reads a vector from one line of JSON.
    pub(crate) fn from_line(line: &str, location: String) -> Result<GoldenVector, String> {
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
            location,
            prim,
            args: list(&json["args"])?,
            apply: json.get("apply").map(list).transpose()?,
            expected,
        })
    }
}

/// Reads the vectors of one file, or of all `.jsonl` and `.vectors` files of a folder in
/// the order of names.
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

/// Reads vectors from a text, one on each line that is not blank, in JSON or in the
/// [short notation](notation). Lines that begin with `#` are comments.
pub fn read_text(text: &str, path: &Path) -> Result<Vec<GoldenVector>, GoldenError> {
    let lines = text.lines().enumerate();
    lines
        .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
        .map(|(at, line)| {
            let location = format!("{}:{}", path.display(), at + 1);
            let vector = if line.starts_with('{') {
                GoldenVector::from_line(line, location)
            } else {
                notation::read(line, location)
            };
            vector.map_err(|found| GoldenError::Line {
                path: path.to_owned(),
                line: at + 1,
                found,
            })
        })
        .collect()
}

/// Runs vectors and counts the expected results.
pub fn check(vectors: &[GoldenVector], evaluator: &mut impl Evaluator) -> VectorReport {
    let mut report = VectorReport::default();
    for vector in vectors {
        let tally = report.by_primitive.entry(vector.prim.name()).or_default();
        let result = evaluator.evaluate(vector.prim, &vector.args, vector.apply.as_deref());
        if result.as_ref().ok() == vector.expected.as_ref() {
            tally.passed += 1;
            report.passed += 1;
            continue;
        }
        tally.failed += 1;
        report.failed += 1;
        if tally.differences.len() < DIFFERENCES_KEPT {
            tally.differences.push(difference(vector, &result));
        }
    }
    report
}

fn difference(vector: &GoldenVector, result: &Result<Plain, Fault>) -> String {
    let list = |args: &[Plain]| {
        let args: Vec<String> = args.iter().map(Plain::to_string).collect();
        args.join(", ")
    };
    let mut text = format!(
        "{}: {}({})",
        vector.location,
        vector.prim,
        list(&vector.args)
    );
    if let Some(apply) = &vector.apply {
        // Writing to a string cannot fail.
        let _ = write!(text, "({})", list(apply));
    }
    let expected = match &vector.expected {
        Some(value) => value.to_string(),
        None => "an error".to_owned(),
    };
    let found = match result {
        Ok(value) => value.to_string(),
        Err(fault) => format!("error: {fault}"),
    };
    format!("{text}: expected {expected}, found {found}")
}

//! Golden vectors: known results that check each primitive.
//!
//! A [`GoldenVector`] is one line of a file. [`check`] runs vectors on an [`Evaluator`], so
//! that compact and plain evaluation are checked against the same files. Section 9 of
//! `docs/arc-language.md` describes their JSON.

pub mod notation;

use crate::fault::Fault;
use crate::limits::{self, MAX_VECTOR_BYTES};
use crate::plain::Plain;
use crate::prim::Prim;
use crate::reading::{Cells, Reading};
use serde::Serialize;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::io;
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
    /// A file is larger than [`MAX_VECTOR_BYTES`].
    #[error(
        "{path} has more than {} MiB, the limit of a file of vectors; split it into several files",
        MAX_VECTOR_BYTES >> 20
    )]
    TooLarge {
        /// The file.
        path: PathBuf,
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
    /// The name under test.
    pub name: &'static str,
    /// The primitive of that name.
    pub prim: Prim,
    /// The arguments of the primitive.
    pub args: Vec<Plain>,
    /// The arguments of the function it returns, if it is a builder.
    pub apply: Option<Vec<Plain>>,
    /// The expected result; `None` means an error.
    pub expected: Option<Plain>,
    /// The expected result in a soft reading, if it is another and known.
    pub soft: Option<Plain>,
}

/// The reading that knows every name of a vector.
pub const NOTATION: Reading = Reading::Soft(Cells::Triple);

/// Returns the primitive of a name in vectors.
fn primitive(name: &str) -> Result<(&'static str, Prim), String> {
    let prim =
        Prim::read(name, NOTATION).ok_or_else(|| format!("no primitive is called {name}"))?;
    let typed = Prim::typed_names().find(|typed| *typed == name);
    Ok((typed.unwrap_or(prim.name()), prim))
}

/// An implementation of the primitives that vectors can check.
pub trait Evaluator {
    /// Sets the reading of the calls to come; an evaluator of the classic language alone ignores
    /// it and fails on what it does not have.
    fn set_reading(&mut self, _reading: Reading) {}

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

impl VectorReport {
    /// Adds the results of another.
    pub(crate) fn add(&mut self, other: VectorReport) {
        self.passed += other.passed;
        self.failed += other.failed;
        for (name, results) in other.by_primitive {
            let tally = self.by_primitive.entry(name).or_default();
            tally.passed += results.passed;
            tally.failed += results.failed;
            tally.differences.extend(results.differences);
            tally.differences.truncate(DIFFERENCES_KEPT);
        }
    }
}

impl GoldenVector {
    /// Reads a vector from one line of JSON.
    pub(crate) fn from_line(line: &str, location: String) -> Result<GoldenVector, String> {
        let json: Json = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let name = json["fn"].as_str().ok_or("\"fn\" is missing")?;
        let (name, prim) = primitive(name)?;
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
            name,
            prim,
            args: list(&json["args"])?,
            apply: json.get("apply").map(list).transpose()?,
            expected,
            soft: json.get("soft").map(Plain::from_json).transpose()?,
        })
    }
}

/// Reads the vectors of one file, or of all `.jsonl` and `.vectors` files of a folder in
/// the order of names. What is no regular file in a folder is left out.
pub fn read(path: &Path) -> Result<Vec<GoldenVector>, GoldenError> {
    let failed = |source| GoldenError::Read {
        path: path.to_owned(),
        source,
    };
    if !path.is_dir() {
        let bytes = limits::read(path, MAX_VECTOR_BYTES).map_err(failed)?;
        let bytes = bytes.ok_or_else(|| GoldenError::TooLarge {
            path: path.to_owned(),
        })?;
        let text = String::from_utf8(bytes).map_err(|error| {
            failed(io::Error::new(
                io::ErrorKind::InvalidData,
                error.utf8_error(),
            ))
        })?;
        return read_text(&text, path);
    }
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path).map_err(failed)? {
        let file = entry.map_err(failed)?.path();
        let known = |extension: &std::ffi::OsStr| extension == "jsonl" || extension == "vectors";
        // A pipe would be waited for.
        if file.extension().is_some_and(known) && file.is_file() {
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

/// Runs vectors, each in the reading its name is of, and counts the expected results.
pub fn check(vectors: &[GoldenVector], evaluator: &mut impl Evaluator) -> VectorReport {
    check_in(vectors, evaluator, None)
}

/// Runs vectors in one reading, or each in the one its name is of: strictly where only the typed
/// dialect has the name, and then softly as well where it says what that gives.
pub fn check_in(
    vectors: &[GoldenVector],
    evaluator: &mut impl Evaluator,
    reading: Option<Reading>,
) -> VectorReport {
    let mut report = VectorReport::default();
    let mut runs = Vec::new();
    for vector in vectors {
        let own = match Prim::named(vector.name) {
            Some(_) => Reading::Classic,
            None => Reading::Strict(Cells::Triple),
        };
        let reading = reading.unwrap_or(own);
        let soft = vector.soft.as_ref();
        runs.clear();
        if soft.is_none() || !reading.is_soft() {
            runs.push((reading, vector.expected.as_ref()));
        }
        if soft.is_some() && reading.is_typed() {
            runs.push((Reading::Soft(reading.cells().unwrap_or_default()), soft));
        }
        let tally = report.by_primitive.entry(vector.name).or_default();
        let wrong = runs.iter().find_map(|(reading, expected)| {
            evaluator.set_reading(*reading);
            let result = evaluator.evaluate(vector.prim, &vector.args, vector.apply.as_deref());
            (result.as_ref().ok() != *expected).then(|| difference(vector, *expected, &result))
        });
        let Some(wrong) = wrong else {
            tally.passed += 1;
            report.passed += 1;
            continue;
        };
        tally.failed += 1;
        report.failed += 1;
        if tally.differences.len() < DIFFERENCES_KEPT {
            tally.differences.push(wrong);
        }
    }
    report
}

fn difference(
    vector: &GoldenVector,
    expected: Option<&Plain>,
    result: &Result<Plain, Fault>,
) -> String {
    let list = |args: &[Plain]| {
        let args: Vec<String> = args.iter().map(Plain::to_string).collect();
        args.join(", ")
    };
    let mut text = format!(
        "{}: {}({})",
        vector.location,
        vector.name,
        list(&vector.args)
    );
    if let Some(apply) = &vector.apply {
        // Writing to a string cannot fail.
        let _ = write!(text, "({})", list(apply));
    }
    let expected = match expected {
        Some(value) => value.to_string(),
        None => "an error".to_owned(),
    };
    let found = match result {
        Ok(value) => value.to_string(),
        Err(fault) => format!("error: {fault}"),
    };
    format!("{text}: expected {expected}, found {found}")
}

//! Spans in a file, and read back from one.
//!
//! The file is JSON: `{"format": "heddle-profile", "version": 1,
//! "overwritten": …, "spans": […]}`. Traces for other programs' viewers are
//! not this format.
//!
//! The one thing to know: a file cannot give `&'static str`, so what is read
//! is a [`RecordedSpan`], which owns its names. It has every figure a
//! [`Span`] has.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tempfile::NamedTempFile;

use crate::error::ProfileError;
use crate::span::Span;
use crate::summary::Summary;

const FORMAT: &str = "heddle-profile";
const VERSION: u64 = 1;

/// One executed operation, owning its names. The fields are those of [`Span`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedSpan {
    /// The operation's name.
    pub operation: String,
    /// The element type.
    pub element: String,
    /// The device: `"cpu"`, `"cuda:0"`.
    pub device: String,
    /// The implementation that ran it.
    pub backend: String,
    /// When it began, in nanoseconds since the profiler's epoch.
    pub start_ns: u64,
    /// The whole operation, by the system clock.
    pub total_ns: u64,
    /// The work on the device, by the device's clock; `None` where it has none.
    pub device_ns: Option<u64>,
    /// Time spent moving operands and results between memories.
    pub transfer_ns: u64,
    /// Time spent on neither work nor transfer.
    pub overhead_ns: u64,
    /// Bytes the operation read.
    pub bytes_in: u64,
    /// Bytes the operation wrote.
    pub bytes_out: u64,
    /// Bytes that had to change memories for it.
    pub bytes_moved: u64,
    /// The operation's work, in its own unit.
    pub work: u64,
    /// The recording thread's number.
    pub thread: u32,
}

impl From<&Span> for RecordedSpan {
    fn from(span: &Span) -> Self {
        Self {
            operation: span.operation.to_owned(),
            element: span.element.to_owned(),
            device: span.device.to_string(),
            backend: span.backend.to_owned(),
            start_ns: span.start_ns,
            total_ns: span.total_ns,
            device_ns: span.device_ns,
            transfer_ns: span.transfer_ns,
            overhead_ns: span.overhead_ns,
            bytes_in: span.bytes_in,
            bytes_out: span.bytes_out,
            bytes_moved: span.bytes_moved,
            work: span.work,
            thread: span.thread,
        }
    }
}

/// The spans of a run, as kept in a file.
///
/// ```
/// use heddle_profile::{Profiler, Recording};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("run.json");
/// let recording = Profiler::new(1_024).recording();
/// recording.write(&path)?;
/// assert_eq!(Recording::read(&path)?, recording);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recording {
    /// How many spans were overwritten before these were taken.
    pub overwritten: u64,
    /// The spans kept, sorted by start and then by thread.
    pub spans: Vec<RecordedSpan>,
}

/// The recording with the two fields that say what the file is.
#[derive(Serialize)]
struct Labelled<'a> {
    format: &'static str,
    version: u64,
    #[serde(flatten)]
    recording: &'a Recording,
}

/// What a file says it is. Any JSON value is taken here, so that a foreign
/// file is called foreign and not damaged.
#[derive(Deserialize)]
struct Label {
    format: Option<Value>,
    version: Option<Value>,
}

impl Recording {
    /// How many spans the run recorded, those overwritten included.
    #[must_use]
    pub fn recorded(&self) -> u64 {
        self.overwritten.saturating_add(self.spans.len() as u64)
    }

    /// The table of these spans.
    #[must_use]
    pub fn summary(&self) -> Summary {
        Summary::of(&self.spans, self.overwritten)
    }

    /// Writes the recording as JSON, in place of what `path` held before.
    ///
    /// The file appears whole or not at all: it is written beside `path` under
    /// another name, and renamed.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), ProfileError> {
        let path = path.as_ref();
        self.replace(path).map_err(|cause| ProfileError::Write {
            path: path.to_owned(),
            cause,
        })
    }

    fn replace(&self, path: &Path) -> io::Result<()> {
        let mut file = beside(path)?;
        self.write_json(file.as_file_mut())?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    }

    fn write_json(&self, file: &mut File) -> io::Result<()> {
        let mut buffer = BufWriter::new(file);
        let labelled = Labelled {
            format: FORMAT,
            version: VERSION,
            recording: self,
        };
        serde_json::to_writer(&mut buffer, &labelled)?;
        buffer.write_all(b"\n")?;
        buffer.flush()
    }

    /// Reads a recording that [`write`](Self::write) wrote.
    ///
    /// Fields it does not know are ignored; a file of a newer version, of
    /// another format or with anything missing is an error.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, ProfileError> {
        let path = path.as_ref();
        let json = fs::read(path).map_err(|cause| ProfileError::Read {
            path: path.to_owned(),
            cause,
        })?;
        Self::from_json(&json, path)
    }

    fn from_json(json: &[u8], path: &Path) -> Result<Self, ProfileError> {
        let foreign = |found| ProfileError::Foreign {
            path: path.to_owned(),
            found,
        };
        let corrupt = |cause| ProfileError::Corrupt {
            path: path.to_owned(),
            cause,
        };

        match json.trim_ascii_start().first() {
            Some(b'{') => {}
            None => return Err(foreign("nothing".to_owned())),
            Some(_) => return Err(foreign("something other than a JSON object".to_owned())),
        }
        let label: Label = serde_json::from_slice(json).map_err(corrupt)?;
        match label.format {
            Some(Value::String(format)) if format == FORMAT => {}
            Some(format) => return Err(foreign(format!("JSON of format {}", shortened(&format)))),
            None => return Err(foreign("JSON without a \"format\"".to_owned())),
        }
        match label
            .version
            .as_ref()
            .map(|version| (version, version.as_u64()))
        {
            Some((_, Some(VERSION))) => {}
            Some((_, Some(found))) if found > VERSION => {
                return Err(ProfileError::TooNew {
                    path: path.to_owned(),
                    found,
                    newest: VERSION,
                });
            }
            Some((version, _)) => {
                return Err(foreign(format!(
                    "a format version {}, which never was",
                    shortened(version)
                )));
            }
            None => return Err(foreign("JSON without a \"version\"".to_owned())),
        }
        serde_json::from_slice(json).map_err(corrupt)
    }
}

/// A value as a message can carry it: one line, and not a whole file.
fn shortened(value: &Value) -> String {
    const LONGEST_CHARS: usize = 40;
    let text = value.to_string();
    match text.char_indices().nth(LONGEST_CHARS) {
        None => text,
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// A new file in the folder of `path`: a rename is atomic only within one file
/// system.
fn beside(path: &Path) -> io::Result<NamedTempFile> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".heddle-profile-");
    // A temporary file is private by default; a recording is a document like
    // any other, and the umask decides who reads it.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(json: &str) -> ProfileError {
        Recording::from_json(json.as_bytes(), Path::new("run.json")).unwrap_err()
    }

    #[test]
    fn a_file_says_what_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        Recording::default().write(&path).unwrap();
        assert_eq!(
            fs::read_to_string(path).unwrap(),
            "{\"format\":\"heddle-profile\",\"version\":1,\"overwritten\":0,\"spans\":[]}\n"
        );
    }

    #[test]
    fn what_is_not_a_profile_is_called_foreign() {
        for (json, found) in [
            ("", "nothing"),
            (" \n", "nothing"),
            ("hello", "other than a JSON object"),
            ("[\"heddle-profile\", 1]", "other than a JSON object"),
            ("{}", "without a \"format\""),
            ("{\"format\": null}", "without a \"format\""),
            ("{\"format\": \"pprof\"}", "format \"pprof\""),
            ("{\"format\": 3}", "format 3"),
            ("{\"format\": \"heddle-profile\"}", "without a \"version\""),
            (
                "{\"format\": \"heddle-profile\", \"version\": 0}",
                "version 0",
            ),
            (
                "{\"format\": \"heddle-profile\", \"version\": -1}",
                "version -1",
            ),
            (
                "{\"format\": \"heddle-profile\", \"version\": \"1\"}",
                "version \"1\"",
            ),
        ] {
            let error = error(json);
            assert!(
                matches!(error, ProfileError::Foreign { .. }),
                "{json}: {error}"
            );
            assert!(error.to_string().contains(found), "{json}: {error}");
        }
    }

    #[test]
    fn a_newer_version_is_named() {
        let error = error("{\"format\": \"heddle-profile\", \"version\": 7, \"lanes\": []}");
        assert!(
            matches!(
                error,
                ProfileError::TooNew {
                    found: 7,
                    newest: 1,
                    ..
                }
            ),
            "{error}"
        );
        assert!(error.to_string().contains("version 7"));
    }

    #[test]
    fn a_profile_cut_short_is_called_damaged() {
        for json in [
            "{\"format\": \"heddle-profile\", \"version\": 1",
            "{\"format\": \"heddle-profile\", \"version\": 1}",
            "{\"format\": \"heddle-profile\", \"version\": 1, \"overwritten\": -1, \"spans\": []}",
            "{\"format\": \"heddle-profile\", \"version\": 1, \"overwritten\": 0, \"spans\": [{}]}",
        ] {
            let error = error(json);
            assert!(
                matches!(error, ProfileError::Corrupt { .. }),
                "{json}: {error}"
            );
        }
    }

    #[test]
    fn a_field_added_later_is_ignored() {
        let json = "{\"format\": \"heddle-profile\", \"version\": 1, \"machine\": \"loom\", \
                    \"overwritten\": 2, \"spans\": []}";
        let recording = Recording::from_json(json.as_bytes(), Path::new("run.json")).unwrap();
        assert_eq!(recording.recorded(), 2);
    }

    #[test]
    fn a_foreign_format_is_named_on_one_short_line() {
        let long = format!("{{\"format\": \"{}\"}}", "é\\n".repeat(10_000));
        let message = error(&long).to_string();
        assert!(message.len() < 300 && !message.contains('\n'), "{message}");
    }
}

//! A recording's file: JSON with a format name and version.
//!
//! The content is in `version2`, which is written, and `version1`, which is only
//! read.
//!
//! A file has a size cap. Where a recording would exceed it, the newest spans are
//! written, and the file says how many were left out.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use serde_json::Value;

use super::weight::FileHeader;
use super::{Recording, version1, version2};
use crate::atomic_file::write_whole;
use crate::bounded_file::{Admit, read_rest};
use crate::error::ProfileError;

pub(super) const FORMAT: &str = "heddle-profile";

/// The default cap of [`Recording::write`]: 64 MiB, some 800,000 spans.
pub(crate) const CAP_BYTES: u64 = 64 << 20;

/// The most bytes of a file that is read.
const MAX_BYTES: u64 = 256 << 20;

/// The bytes at the beginning of a file in which a recording begins.
const BEGIN_BYTES: u64 = 4 << 10;

/// Whether a JSON object begins here.
fn check_begin(json: &[u8], path: &Path) -> Result<(), ProfileError> {
    let found = match json.trim_ascii_start().first() {
        Some(b'{') => return Ok(()),
        None => "nothing",
        Some(_) => "something other than a JSON object",
    };
    Err(ProfileError::Foreign {
        path: path.to_owned(),
        found: found.to_owned(),
    })
}

/// What was written to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct WrittenFile {
    /// The file's size.
    pub bytes: u64,
    /// Spans in it.
    pub spans: u64,
    /// The number of spans the cap left out, the oldest ones.
    pub left_out: u64,
}

impl Recording {
    /// Writes the recording as JSON to `path`, replacing its content, within 64
    /// MiB.
    ///
    /// The write is atomic: the file is written beside `path` under another name,
    /// and renamed. What is no regular file is written to as it is; see
    /// [`write_file`](crate::write_file).
    pub fn write(&self, path: impl AsRef<Path>) -> Result<WrittenFile, ProfileError> {
        self.write_capped(path, CAP_BYTES)
    }

    /// As [`write`](Self::write), within `cap_bytes`, or without a cap for
    /// `u64::MAX`. Everything but spans is always written, except the oldest memory
    /// samples.
    pub fn write_capped(
        &self,
        path: impl AsRef<Path>,
        cap_bytes: u64,
    ) -> Result<WrittenFile, ProfileError> {
        let mut spans = 0;
        let bytes = write_whole(path, |mut file| {
            spans = version2::write(self, cap_bytes, &mut file)?;
            Ok(())
        })?;
        Ok(WrittenFile {
            bytes,
            spans,
            left_out: self.spans.len() as u64 - spans,
        })
    }

    /// Reads a recording that [`write`](Self::write) wrote, of this version or an
    /// earlier one.
    ///
    /// Unknown fields are ignored; a file of a newer version, of another format or
    /// with anything missing is an error. So is one of more than 256 MiB or of more than
    /// 2,097,152 spans: what takes two bytes in a file can take hundreds in memory.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, ProfileError> {
        Ok(Self::read_admitted(path, &|_| Ok(()))?.0)
    }

    /// As [`read`](Self::read), with the text of the file: a pipe can be read only once.
    /// `admit` is asked before memory is taken, with the bytes: for the text, for the recording,
    /// and for as much again as its summaries take. Its error is that of reading the file.
    pub fn read_admitted(
        path: impl AsRef<Path>,
        admit: Admit<'_>,
    ) -> Result<(Self, String), ProfileError> {
        let path = path.as_ref();
        let refused = |cause| ProfileError::Read {
            path: path.to_owned(),
            cause,
        };
        // What is no recording, such as `/dev/zero`, is not read whole to find that out.
        let mut json = Vec::new();
        let mut file = File::open(path).map_err(refused)?;
        let begin = (&mut file).take(BEGIN_BYTES).read_to_end(&mut json);
        begin.map_err(refused)?;
        check_begin(&json, path)?;
        let json = read_rest(json, file, MAX_BYTES, admit).map_err(refused)?;
        let recording = Self::from_json(&json, path, admit)?;
        // JSON that was parsed as bytes may hold other bytes in what was ignored.
        let text = String::from_utf8(json)
            .map_err(|error| refused(io::Error::new(ErrorKind::InvalidData, error.utf8_error())))?;
        Ok((recording, text))
    }

    fn from_json(json: &[u8], path: &Path, admit: Admit<'_>) -> Result<Self, ProfileError> {
        let foreign = |found| ProfileError::Foreign {
            path: path.to_owned(),
            found,
        };
        let corrupt = |cause| ProfileError::Corrupt {
            path: path.to_owned(),
            cause,
        };

        check_begin(json, path)?;
        let label: FileHeader = serde_json::from_slice(json).map_err(corrupt)?;
        match &label.format {
            Some(Value::String(format)) if format == FORMAT => {}
            Some(format) => return Err(foreign(format!("JSON of format {}", shortened(format)))),
            None => return Err(foreign("JSON without a \"format\"".to_owned())),
        }
        let Some(version) = &label.version else {
            return Err(foreign("JSON without a \"version\"".to_owned()));
        };
        admit(label.memory_bytes(json)).map_err(|cause| ProfileError::Read {
            path: path.to_owned(),
            cause,
        })?;
        match version.as_u64() {
            Some(version1::VERSION) => version1::read(json).map_err(corrupt),
            Some(version2::VERSION) => version2::read(json).map_err(corrupt),
            Some(found) if found > version2::VERSION => Err(ProfileError::TooNew {
                path: path.to_owned(),
                found,
                newest: version2::VERSION,
            }),
            _ => Err(foreign(format!(
                "the unknown format version {}",
                shortened(version)
            ))),
        }
    }
}

/// A JSON value for a message: one line, shortened.
fn shortened(value: &Value) -> String {
    const LONGEST_CHARS: usize = 40;
    let text = value.to_string();
    match text.char_indices().nth(LONGEST_CHARS) {
        None => text,
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_is_not_a_profile_is_not_read_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("zeros");
        // More than fits into memory, of which nothing is on the disk.
        File::create(&path).unwrap().set_len(1 << 40).unwrap();
        let refused = Recording::read(&path).unwrap_err();
        assert!(matches!(refused, ProfileError::Foreign { .. }), "{refused}");
    }

    fn from_json(json: &str) -> Result<Recording, ProfileError> {
        Recording::from_json(json.as_bytes(), Path::new("run.json"), &|_| Ok(()))
    }

    fn error(json: &str) -> ProfileError {
        from_json(json).unwrap_err()
    }

    #[test]
    fn a_file_says_what_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        Recording::default().write(&path).unwrap();
        let text = fs::read_to_string(path).unwrap();
        assert!(
            text.starts_with("{\"format\":\"heddle-profile\",\"version\":2,"),
            "{text}"
        );
        assert!(text.ends_with("}\n"), "{text}");
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
                    newest: 2,
                    ..
                }
            ),
            "{error}"
        );
        assert!(error.to_string().contains("version 7"));
    }

    #[test]
    fn a_foreign_format_is_named_on_one_short_line() {
        let long = format!("{{\"format\": \"{}\"}}", "é\\n".repeat(10_000));
        let message = error(&long).to_string();
        assert!(message.len() < 300 && !message.contains('\n'), "{message}");
    }

    #[test]
    fn a_profile_cut_short_or_of_nonsense_is_called_damaged() {
        for rest in [
            "\"version\": 1",
            "\"version\": 1}",
            "\"version\": 1, \"overwritten\": -1, \"spans\": []}",
            "\"version\": 1, \"overwritten\": 0, \"spans\": [{}]}",
            "\"version\": 2",
            "\"version\": 2}",
            // More rows than columns say.
            "\"version\": 2, \"counts\": {}, \"strings\": [], \"spans\": {\"count\": 9}}",
            "\"version\": 2, \"counts\": {}, \"strings\": [\"\"], \
             \"spans\": {\"count\": 2, \"start_ns\": [1], \"total_ns\": [1]}}",
            // A name that is not in the table.
            "\"version\": 2, \"counts\": {}, \"strings\": [], \
             \"spans\": {\"count\": 1, \"start_ns\": [1], \"total_ns\": [1]}}",
            // Its own parent.
            "\"version\": 2, \"counts\": {}, \"strings\": [\"\"], \
             \"spans\": {\"count\": 1, \"start_ns\": [1], \"total_ns\": [1], \"parent\": [0]}}",
        ] {
            let error = error(&format!("{{\"format\": \"heddle-profile\", {rest}"));
            assert!(
                matches!(error, ProfileError::Corrupt { .. }),
                "{rest}: {error}"
            );
        }
    }

    #[test]
    fn lists_that_would_take_hundreds_of_times_their_file_are_refused() {
        let spans = "0,".repeat(1 << 21) + "0";
        let others = "{},".repeat(1 << 19) + "{}";
        for rest in [
            format!("\"spans\": {{\"count\": 2097153, \"start_ns\": [{spans}]}}"),
            format!("\"spans\": {{\"count\": 1, \"start_ns\": [1], \"work\": [{spans}]}}"),
            format!("\"spans\": {{\"count\": 0}}, \"memory\": [{others}]"),
            format!("\"spans\": {{\"count\": 0}}, \"routing\": [{others}]"),
            format!("\"spans\": {{\"count\": 0}}, \"machine\": {{\"devices\": [{others}]}}"),
            format!("\"spans\": {{\"count\": 0}}, \"counters\": {{\"pools\": [{others}]}}"),
        ] {
            let error = error(&format!(
                "{{\"format\": \"heddle-profile\", \"version\": 2, \"counts\": {{}}, \
                 \"strings\": [\"\"], {rest}}}"
            ));
            let why = std::error::Error::source(&error).map(ToString::to_string);
            let why = why.unwrap_or_default();
            assert!(why.contains("the limit of a profile"), "{rest:.80}: {why}");
        }
    }

    #[test]
    fn memory_is_admitted_before_spans_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        let spans = "0,".repeat(9_999) + "0";
        let json = format!(
            "{{\"format\": \"heddle-profile\", \"version\": 2, \"counts\": {{}}, \"strings\": [\"\"], \
             \"spans\": {{\"count\": 10000, \"start_ns\": [{spans}]}}}}"
        );
        fs::write(&path, json).unwrap();
        let within = |limit: u64| {
            let left = std::cell::Cell::new(limit);
            Recording::read_admitted(&path, &|bytes| {
                let rest = left.get().checked_sub(bytes);
                left.set(rest.ok_or(ErrorKind::OutOfMemory)?);
                Ok(())
            })
        };
        let needed = 10_000 * size_of::<crate::RecordedSpan>() as u64;
        assert!(matches!(
            within(needed),
            Err(ProfileError::Read { cause, .. }) if cause.kind() == ErrorKind::OutOfMemory
        ));
        assert_eq!(within(5 * needed).unwrap().0.spans.len(), 10_000);
    }

    #[test]
    fn a_field_added_later_is_ignored() {
        let json = "{\"format\": \"heddle-profile\", \"version\": 2, \"weather\": \"fair\", \
                    \"counts\": {\"overwritten\": 2, \"hue\": 1}, \"strings\": [], \
                    \"spans\": {\"count\": 0, \"colour\": []}}";
        let recording = from_json(json).unwrap();
        assert_eq!(recording.recorded(), 2);
    }
}

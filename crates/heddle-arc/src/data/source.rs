//! JSON files from folders and archives, read one at a time.

use super::DataError;
use super::error::DataLimit;
use super::file_layout::solutions_name;
use super::json::{Json, JsonError};
use crate::limits::{
    self, JSON_VALUE_BYTES, MAX_ARCHIVE_MEMBERS, MAX_ARCHIVE_RATIO, MAX_DATA_BYTES,
};
use std::fs;
use std::io::{self, Cursor};
use std::mem;
use std::path::{Path, PathBuf};
use zip::ZipArchive;

/// The depth to which folders are searched; the ARC repository has two levels.
const MAX_FOLDER_DEPTH: usize = 4;

/// The bytes that an archive of any size may unpack to.
const FREE_UNPACKED_BYTES: u64 = 1 << 20;

/// What begins the entry of a member in an archive's directory.
const MEMBER_SIGNATURE: &[u8] = b"PK\x01\x02";

/// One JSON file.
pub(super) struct Source {
    /// Its path, or its archive's path followed by its name in the archive.
    pub name: String,
    pub bytes: Vec<u8>,
    /// Whether the user named this file; then a wrong layout is an error, not a note.
    pub named: bool,
}

/// The JSON files of a path, in the order of names. Invariant: all that was read and parsed
/// takes at most [`MAX_DATA_BYTES`] as [`limits`] count them.
pub(super) struct Sources {
    files: Vec<ListedFile>,
    archive: Option<Archive>,
    /// The bytes that may still be read or parsed.
    left: u64,
}

struct ListedFile {
    name: String,
    named: bool,
    content: Content,
}

enum Content {
    /// Read before, to know that it is no archive.
    Bytes(Vec<u8>),
    File(PathBuf),
    /// The name in the archive.
    Member(String),
}

struct Archive {
    path: PathBuf,
    members: ZipArchive<Cursor<Vec<u8>>>,
    /// The bytes that its members may still unpack to for its ratio.
    left: u64,
}

impl Sources {
    /// Lists the files of a path. Notes tell what was left out.
    pub(super) fn list(path: &Path, notes: &mut Vec<String>) -> Result<Self, DataError> {
        let mut sources = Sources {
            files: Vec::new(),
            archive: None,
            left: MAX_DATA_BYTES,
        };
        if path.is_dir() {
            let mut files = Vec::new();
            walk(path, 0, &mut files, notes)?;
            files.sort();
            sources.files = files.iter().map(|file| listed(file, false)).collect();
            return Ok(sources);
        }
        if !path.exists()
            && let Some((archive, member)) = inside_archive(path)
        {
            let bytes = sources.contents(&archive)?;
            sources.unpack(&archive, bytes, Some(&member))?;
            return Ok(sources);
        }
        let bytes = sources.contents(path)?;
        if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
            sources.unpack(path, bytes, None)?;
            return Ok(sources);
        }
        sources.files.push(ListedFile {
            content: Content::Bytes(bytes),
            ..listed(path, true)
        });
        let beside = path
            .file_name()
            .map(|name| solutions_name(&name.to_string_lossy()))
            .filter(|name| !name.is_empty())
            .map(|name| path.with_file_name(name))
            .filter(|solutions| solutions.is_file());
        if let Some(solutions) = beside {
            sources.files.push(ListedFile {
                name: solutions_name(&path.display().to_string()),
                ..listed(&solutions, true)
            });
        }
        Ok(sources)
    }

    pub(super) fn len(&self) -> usize {
        self.files.len()
    }

    /// The number of the file of that name.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.files.iter().position(|file| file.name == name)
    }

    /// Reads a file. Its bytes are counted until the end, although they are dropped before.
    pub(super) fn read(&mut self, at: usize) -> Result<Source, DataError> {
        let ListedFile {
            name,
            named,
            content,
        } = &mut self.files[at];
        let (name, named) = (name.clone(), *named);
        let bytes = match content {
            // Counted when it was read.
            Content::Bytes(bytes) => mem::take(bytes),
            Content::File(path) => {
                let path = path.clone();
                self.contents(&path)?
            }
            Content::Member(member) => {
                let member = mem::take(member);
                let bytes = self.member(&member)?;
                self.files[at].content = Content::Member(member);
                bytes
            }
        };
        Ok(Source { name, bytes, named })
    }

    /// Parses a file.
    pub(super) fn parse<'t>(&mut self, source: &'t Source) -> Result<Json<'t>, DataError> {
        let most = self.left / JSON_VALUE_BYTES;
        let (json, values) = Json::parse(&source.bytes, most).map_err(|error| match error {
            JsonError::Memory(error) => DataError::Memory {
                file: source.name.clone(),
                source: *error,
            },
            JsonError::TooLarge => too_large(source.name.clone(), DataLimit::Bytes),
            // serde_json's message ends with the position; this error states it first.
            JsonError::NotJson(error) => {
                let text = error.to_string();
                let found = text
                    .split_once(" at line ")
                    .map_or(text.as_str(), |(found, _)| found);
                DataError::NotJson {
                    file: source.name.clone(),
                    line: error.line(),
                    column: error.column(),
                    found: found.to_owned(),
                }
            }
        })?;
        self.left -= values * JSON_VALUE_BYTES;
        Ok(json)
    }

    fn contents(&mut self, path: &Path) -> Result<Vec<u8>, DataError> {
        let bytes = limits::read(path, self.left).map_err(failed(path))?;
        let bytes = bytes.ok_or_else(|| too_large(path.display().to_string(), DataLimit::Bytes))?;
        self.left -= bytes.len() as u64;
        Ok(bytes)
    }

    /// Lists the JSON files of an archive: all of them, those of one folder, or one file.
    fn unpack(
        &mut self,
        path: &Path,
        bytes: Vec<u8>,
        member: Option<&str>,
    ) -> Result<(), DataError> {
        // Members are counted before the directory of the archive is kept in memory.
        let signatures = bytes.windows(MEMBER_SIGNATURE.len());
        let count = signatures
            .filter(|bytes| *bytes == MEMBER_SIGNATURE)
            .count();
        if count > MAX_ARCHIVE_MEMBERS {
            let limit = DataLimit::Members { asked: count };
            return Err(too_large(path.display().to_string(), limit));
        }
        let left = (bytes.len() as u64)
            .saturating_mul(MAX_ARCHIVE_RATIO)
            .saturating_add(FREE_UNPACKED_BYTES);
        let members = ZipArchive::new(Cursor::new(bytes))
            .map_err(|error| damaged(path, error.to_string()))?;
        // Names that cannot be decoded are skipped: a user cannot have named them.
        let mut names: Vec<String> = members
            .file_names()
            .filter_map(|name| Some(name.ok()?.into_owned()))
            .filter(|name| is_json(Path::new(name)))
            .filter(|name| {
                member.is_none_or(|member| {
                    Path::new(name).starts_with(member) || *name == solutions_name(member)
                })
            })
            .collect();
        names.sort();
        if let (Some(member), true) = (member, names.is_empty()) {
            return Err(damaged(path, format!("it has no JSON file at {member}")));
        }
        let files = names.into_iter().map(|name| ListedFile {
            name: format!("{}/{name}", path.display()),
            named: member == Some(name.as_str()),
            content: Content::Member(name),
        });
        self.files = files.collect();
        self.archive = Some(Archive {
            path: path.to_owned(),
            members,
            left,
        });
        Ok(())
    }

    /// Unpacks a member.
    fn member(&mut self, name: &str) -> Result<Vec<u8>, DataError> {
        let Some(archive) = &mut self.archive else {
            return Ok(Vec::new());
        };
        let Archive {
            path,
            members,
            left,
        } = archive;
        let failed = |error: &dyn std::fmt::Display| damaged(path, format!("{name}: {error}"));
        let file = members.by_name(name).map_err(|error| failed(&error))?;
        let bytes = limits::read_all(file, self.left.min(*left));
        let Some(bytes) = bytes.map_err(|error| failed(&error))? else {
            let limit = if *left < self.left {
                DataLimit::Ratio
            } else {
                DataLimit::Bytes
            };
            return Err(too_large(path.display().to_string(), limit));
        };
        *left -= bytes.len() as u64;
        self.left -= bytes.len() as u64;
        Ok(bytes)
    }
}

fn too_large(file: String, limit: DataLimit) -> DataError {
    DataError::TooLarge { file, limit }
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> DataError {
    let path = path.to_owned();
    move |source| DataError::Read { path, source }
}

fn damaged(path: &Path, found: String) -> DataError {
    DataError::Archive {
        path: path.to_owned(),
        found,
    }
}

fn listed(path: &Path, named: bool) -> ListedFile {
    ListedFile {
        name: path.display().to_string(),
        named,
        content: Content::File(path.to_owned()),
    }
}

fn is_json(name: &Path) -> bool {
    name.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
}

fn walk(
    folder: &Path,
    depth: usize,
    files: &mut Vec<PathBuf>,
    notes: &mut Vec<String>,
) -> Result<(), DataError> {
    for entry in fs::read_dir(folder).map_err(failed(folder))? {
        let path = entry.map_err(failed(folder))?.path();
        if path.is_dir() {
            if depth < MAX_FOLDER_DEPTH {
                walk(&path, depth + 1, files, notes)?;
            }
        } else if is_json(&path) {
            if path.is_file() {
                files.push(path);
            } else {
                // A pipe would be waited for, a device may have no end.
                notes.push(format!("{}: left out, no regular file", path.display()));
            }
        }
    }
    Ok(())
}

/// Splits `tasks.zip/data/training.json` into the archive and the member.
fn inside_archive(path: &Path) -> Option<(PathBuf, String)> {
    let archive = path.ancestors().skip(1).find(|above| above.is_file())?;
    let member = path.strip_prefix(archive).ok()?;
    Some((archive.to_owned(), member.to_string_lossy().into_owned()))
}

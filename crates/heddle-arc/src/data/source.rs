//! JSON files from folders and archives.

use super::DataError;
use super::file_layout::solutions_name;
use std::fs;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use zip::ZipArchive;

/// The depth to which folders are searched; the ARC repository has two levels.
const MAX_FOLDER_DEPTH: usize = 4;

/// The most bytes that a file in an archive may unpack to. All of ARC is a few megabytes.
const MAX_ARCHIVE_MEMBER_BYTES: u64 = 256 << 20;

/// One JSON file.
pub(super) struct Source {
    /// Its path, or its archive's path followed by its name in the archive.
    pub name: String,
    pub bytes: Vec<u8>,
    /// Whether the user named this file; then a wrong layout is an error, not a note.
    pub named: bool,
}

/// The JSON files of a path, in the order of names.
pub(super) fn read(path: &Path) -> Result<Vec<Source>, DataError> {
    if path.is_dir() {
        let mut files = Vec::new();
        walk(path, 0, &mut files)?;
        files.sort();
        return files.iter().map(|file| plain(file, false)).collect();
    }
    if !path.exists()
        && let Some((archive, member)) = inside_archive(path)
    {
        return members(&archive, Some(&member));
    }
    let bytes = contents(path)?;
    if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
        return unpack(path, bytes, None);
    }
    let mut sources = vec![Source {
        name: path.display().to_string(),
        bytes,
        named: true,
    }];
    let beside = path
        .file_name()
        .map(|name| solutions_name(&name.to_string_lossy()))
        .filter(|name| !name.is_empty())
        .map(|name| path.with_file_name(name))
        .filter(|solutions| solutions.is_file());
    if let Some(solutions) = beside {
        let name = solutions_name(&path.display().to_string());
        sources.push(Source {
            name,
            ..plain(&solutions, true)?
        });
    }
    Ok(sources)
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> DataError {
    let path = path.to_owned();
    move |source| DataError::Read { path, source }
}

fn contents(path: &Path) -> Result<Vec<u8>, DataError> {
    fs::read(path).map_err(failed(path))
}

fn plain(path: &Path, named: bool) -> Result<Source, DataError> {
    Ok(Source {
        name: path.display().to_string(),
        bytes: contents(path)?,
        named,
    })
}

fn is_json(name: &Path) -> bool {
    name.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
}

fn walk(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<(), DataError> {
    for entry in fs::read_dir(folder).map_err(failed(folder))? {
        let path = entry.map_err(failed(folder))?.path();
        if path.is_dir() {
            if depth < MAX_FOLDER_DEPTH {
                walk(&path, depth + 1, files)?;
            }
        } else if is_json(&path) {
            files.push(path);
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

fn members(path: &Path, member: Option<&str>) -> Result<Vec<Source>, DataError> {
    unpack(path, contents(path)?, member)
}

/// The JSON files of an archive: all of them, those of one folder, or one file.
fn unpack(path: &Path, bytes: Vec<u8>, member: Option<&str>) -> Result<Vec<Source>, DataError> {
    let damaged = |found: String| DataError::Archive {
        path: path.to_owned(),
        found,
    };
    let mut archive =
        ZipArchive::new(Cursor::new(bytes)).map_err(|error| damaged(error.to_string()))?;
    // Names that cannot be decoded are skipped: a user cannot have named them.
    let mut names: Vec<String> = archive
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
        return Err(damaged(format!("it has no JSON file at {member}")));
    }
    let mut sources = Vec::with_capacity(names.len());
    for name in names {
        let file = archive
            .by_name(&name)
            .map_err(|error| damaged(format!("{name}: {error}")))?;
        let mut bytes = Vec::new();
        file.take(MAX_ARCHIVE_MEMBER_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| damaged(format!("{name}: {error}")))?;
        if bytes.len() as u64 > MAX_ARCHIVE_MEMBER_BYTES {
            let most = MAX_ARCHIVE_MEMBER_BYTES >> 20;
            return Err(damaged(format!("{name} unpacks to more than {most} MiB")));
        }
        sources.push(Source {
            named: member == Some(name.as_str()),
            name: format!("{}/{name}", path.display()),
            bytes,
        });
    }
    Ok(sources)
}

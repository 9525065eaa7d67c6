//! The files that programs are read from.

use super::{Dialect, LoadedPrograms, load_as};
use crate::limits::{self, MAX_PROGRAM_BYTES};
use crate::reading::Cells;
use heddle_runtime::memory::admit_host;
use heddle_runtime::units::Bytes;
use std::path::{Path, PathBuf};
use std::{fs, io};
use thiserror::Error;

/// An error while reading a file of programs.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ProgramFileError {
    /// The file or folder cannot be read.
    #[error("cannot read {}", .path.display())]
    Read {
        /// The path given.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file is larger than [`MAX_PROGRAM_BYTES`].
    #[error(
        "{} has more than {} MiB, the limit of a file of programs; split it into several files",
        .path.display(), MAX_PROGRAM_BYTES >> 20
    )]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// The host has no memory for what the file holds.
    #[error("cannot read {}", .path.display())]
    Memory {
        /// The file.
        path: PathBuf,
        /// What was asked for and what is free.
        source: heddle_runtime::Error,
    },
}

/// What a byte of a file takes in memory once it is read: measured from 13 for files of many
/// programs to 20 for a long chain of calls.
const MEMORY_PER_BYTE: u64 = 20;

/// Reads the programs of a file, or of a pipe that the caller names.
pub fn read(
    path: &Path,
    dialect: Dialect,
    cells: Cells,
) -> Result<LoadedPrograms, ProgramFileError> {
    let text = read_text(path)?;
    let reading = dialect.reading(&text, cells);
    Ok(load_as(&text, &path.display().to_string(), reading))
}

/// Reads the text of a file of programs.
pub fn read_text(path: &Path) -> Result<String, ProgramFileError> {
    let failed = |source| ProgramFileError::Read {
        path: path.to_owned(),
        source,
    };
    let bytes = limits::read(path, MAX_PROGRAM_BYTES).map_err(failed)?;
    let bytes = bytes.ok_or_else(|| ProgramFileError::TooLarge {
        path: path.to_owned(),
    })?;
    let needed = Bytes(bytes.len() as u64 * MEMORY_PER_BYTE);
    admit_host("the programs of a file", needed).map_err(|source| ProgramFileError::Memory {
        path: path.to_owned(),
        source,
    })?;
    String::from_utf8(bytes).map_err(|error| {
        failed(io::Error::new(
            io::ErrorKind::InvalidData,
            error.utf8_error(),
        ))
    })
}

/// The `.py` files of a folder, in the order of names, or the path itself if it is a file.
/// Subfolders are not searched; what is no regular file in a folder is left out.
pub fn files(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(path)? {
        let file = entry?.path();
        if file.extension().is_some_and(|ending| ending == "py") && file.is_file() {
            found.push(file);
        }
    }
    found.sort();
    Ok(found)
}

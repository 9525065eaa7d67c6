//! The files that programs are read from.

use super::{Dialect, LoadedPrograms, load_as};
use crate::limits::{self, MAX_PROGRAM_BYTES};
use crate::reading::Cells;
use heddle_runtime::memory::admit_host;
use heddle_runtime::units::Bytes;
use std::collections::HashSet;
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
    let memory = |source| ProgramFileError::Memory {
        path: path.to_owned(),
        source,
    };
    let bytes = limits::read(path, MAX_PROGRAM_BYTES)
        .map_err(|error| error.downcast().map_or_else(failed, memory))?;
    let bytes = bytes.ok_or_else(|| ProgramFileError::TooLarge {
        path: path.to_owned(),
    })?;
    let needed = Bytes(bytes.len() as u64 * MEMORY_PER_BYTE);
    admit_host("the programs of a file", needed).map_err(memory)?;
    String::from_utf8(bytes).map_err(|error| {
        failed(io::Error::new(
            io::ErrorKind::InvalidData,
            error.utf8_error(),
        ))
    })
}

/// The deepest folder that is searched, below the one named. A store has three.
const MAX_DEPTH: usize = 8;

/// The `.py` files of a folder and its subfolders, in the order of names, or the path itself if it
/// is a file. A folder with several paths is searched once, one whose name begins with a dot never;
/// what is no regular file in a folder is left out.
pub fn files(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    search(path, MAX_DEPTH, &mut HashSet::new(), &mut found)?;
    found.sort();
    Ok(found)
}

fn search(
    folder: &Path,
    depth: usize,
    searched: &mut HashSet<PathBuf>,
    found: &mut Vec<PathBuf>,
) -> io::Result<()> {
    if !searched.insert(folder.canonicalize()?) {
        return Ok(());
    }
    let entries = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut entries = entries.collect::<io::Result<Vec<PathBuf>>>()?;
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap_or_default();
        let is_hidden = name.as_encoded_bytes().starts_with(b".");
        if path.is_dir() && depth > 0 && !is_hidden {
            search(&path, depth - 1, searched, found)?;
        } else if path.extension().is_some_and(|ending| ending == "py") && path.is_file() {
            found.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subfolders_are_searched_once_and_not_without_end() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("solver_dir/solve_a/1000/11");
        fs::create_dir_all(&deep).unwrap();
        fs::create_dir(folder.path().join(".hidden")).unwrap();
        for name in [
            ".hidden/x.py",
            "b.py",
            "solver_dir/notes.txt",
            "solver_dir/solve_a/1000/11/c.py",
        ] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        #[cfg(unix)]
        for name in ["again", "solver_dir/loop"] {
            std::os::unix::fs::symlink(folder.path(), folder.path().join(name)).unwrap();
        }
        let names = [folder.path().join("b.py"), deep.join("c.py")];
        assert_eq!(files(folder.path()).unwrap(), names);
    }
}

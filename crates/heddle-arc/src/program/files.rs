//! Which files programs are read from.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// The files a path stands for: those of a folder that end in `.py`, by name, or the
/// path itself. Folders in it are not searched.
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

//! The files that programs are read from.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// The `.py` files of a folder, in the order of names, or the path itself if it is a file.
/// Subfolders are not searched.
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

//! Files that appear whole or not at all.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use tempfile::NamedTempFile;

use crate::error::ProfileError;

/// Writes a file atomically: it appears whole or not at all, like every file this
/// crate writes. Returns its size.
pub fn write_whole(
    path: impl AsRef<Path>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<u64, ProfileError> {
    replace(path.as_ref(), |file| write(file))
}

/// Writes a file beside `path`, then renames it to `path`. Returns its size.
pub(crate) fn replace(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&mut File>) -> io::Result<()>,
) -> Result<u64, ProfileError> {
    let attempt = || {
        let mut file = temporary_file(path)?;
        let mut buffer = BufWriter::with_capacity(1 << 16, file.as_file_mut());
        write(&mut buffer)?;
        buffer.flush()?;
        drop(buffer);
        file.as_file().sync_all()?;
        let bytes = file.as_file().metadata()?.len();
        file.persist(path)?;
        Ok(bytes)
    };
    attempt().map_err(|cause| ProfileError::Write {
        path: path.to_owned(),
        cause,
    })
}

/// A new file in the folder of `path`: a rename is atomic only within one file
/// system.
fn temporary_file(path: &Path) -> io::Result<NamedTempFile> {
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

//! Reads files that others wrote, up to a limit.
//!
//! The limit is checked while a file is read, not by the size that a file system states: a pipe
//! or a device may have no end.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Reads the file, pipe or device at `path` to its end.
///
/// Fails with [`io::ErrorKind::FileTooLarge`] if it has more bytes than `limit`; then no more
/// than that are read.
pub fn read_file(path: impl AsRef<Path>, limit: u64) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let stated = file.metadata()?;
    if stated.is_file() && stated.len() > limit {
        return Err(too_large(limit));
    }
    read_rest(Vec::new(), file, limit)
}

/// Reads `file` to its end and appends that to what was read of it `before`.
pub(crate) fn read_rest(before: Vec<u8>, file: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = before;
    let left = limit.saturating_sub(bytes.len() as u64);
    file.take(left.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(too_large(limit));
    }
    Ok(bytes)
}

fn too_large(limit: u64) -> io::Error {
    let message = format!("it has more than {limit} bytes, the limit of such a file");
    io::Error::new(io::ErrorKind::FileTooLarge, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "1234").unwrap();
        assert_eq!(read_file(&path, 4).unwrap(), b"1234");
        let refused = |path: &Path, limit| read_file(path, limit).unwrap_err().kind();
        assert_eq!(refused(&path, 3), io::ErrorKind::FileTooLarge);
        assert_eq!(read_rest(b"12".to_vec(), &b"34"[..], 4).unwrap(), b"1234");
        assert!(read_rest(b"12".to_vec(), &b"345"[..], 4).is_err());
        // More than fits into memory.
        std::fs::File::create(&path)
            .unwrap()
            .set_len(1 << 40)
            .unwrap();
        assert_eq!(refused(&path, 1 << 20), io::ErrorKind::FileTooLarge);
    }

    #[cfg(unix)]
    #[test]
    fn a_device_without_an_end_is_refused() {
        let error = read_file("/dev/zero", 1 << 16).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        assert!(error.to_string().contains("65536 bytes"), "{error}");
    }
}

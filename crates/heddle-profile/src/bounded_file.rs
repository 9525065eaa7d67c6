//! Reads files that others wrote, up to a limit.
//!
//! The limit is checked while a file is read, not by the size that a file system states: a pipe
//! or a device may have no end.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Asked with a number of bytes before they are allocated; an error says why they may not be.
pub type Admit<'a> = &'a dyn Fn(u64) -> io::Result<()>;

/// The bytes of the first buffer that a file is read into.
const LEAST_BUFFER: usize = 1 << 16;

/// Reads the file, pipe or device at `path` to its end.
///
/// Fails with [`io::ErrorKind::FileTooLarge`] if it has more bytes than `limit`; then no more
/// than that are read.
pub fn read_file(path: impl AsRef<Path>, limit: u64) -> io::Result<Vec<u8>> {
    read_open(File::open(path)?, limit)
}

/// As [`read_file`], for a file that is read without being asked for each time, such as one of
/// settings: what is no regular file is an error, because a pipe would be waited for.
pub fn read_regular_file(path: impl AsRef<Path>, limit: u64) -> io::Result<Vec<u8>> {
    let path = path.as_ref();
    // Before it is opened, which waits at a pipe. The system says what a folder is.
    let found = fs::metadata(path)?;
    if !found.is_file() && !found.is_dir() {
        return Err(io::Error::other("it is no regular file"));
    }
    read_open(File::open(path)?, limit)
}

fn read_open(file: File, limit: u64) -> io::Result<Vec<u8>> {
    let stated = file.metadata()?;
    if stated.is_file() && stated.len() > limit {
        return Err(too_large(limit));
    }
    read_rest(Vec::new(), file, limit, &|_| Ok(()))
}

/// Reads `file` to its end and appends that to what was read of it `before`. `admit` is asked
/// before memory is taken for it.
///
/// Fails with [`io::ErrorKind::FileTooLarge`] if there are more bytes than `limit` in all.
pub fn read_rest(
    before: Vec<u8>,
    file: impl Read,
    limit: u64,
    admit: Admit<'_>,
) -> io::Result<Vec<u8>> {
    let mut bytes = before;
    let left = limit.saturating_sub(bytes.len() as u64);
    let mut file = file.take(left.saturating_add(1));
    loop {
        if bytes.len() == bytes.capacity() {
            let more = bytes.len().max(LEAST_BUFFER);
            // The old buffer may stay until the new one is filled.
            admit((bytes.len() + more) as u64)?;
            bytes
                .try_reserve_exact(more)
                .map_err(|_| io::ErrorKind::OutOfMemory)?;
        }
        let free = (bytes.capacity() - bytes.len()) as u64;
        if file.by_ref().take(free).read_to_end(&mut bytes)? == 0 {
            break;
        }
    }
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
        let all: Admit<'_> = &|_| Ok(());
        let rest = |rest: &[u8]| read_rest(b"12".to_vec(), rest, 4, all);
        assert_eq!(rest(b"34").unwrap(), b"1234");
        assert!(rest(b"345").is_err());
        let long = vec![7; 3 * LEAST_BUFFER + 1];
        assert_eq!(read_rest(Vec::new(), &*long, u64::MAX, all).unwrap(), long);
        let few: Admit<'_> = &|bytes| match bytes {
            0..=200_000 => Ok(()),
            _ => Err(io::ErrorKind::OutOfMemory.into()),
        };
        let short = read_rest(Vec::new(), &*long, u64::MAX, few).unwrap_err();
        assert_eq!(short.kind(), io::ErrorKind::OutOfMemory);
        // More than fits into memory.
        std::fs::File::create(&path)
            .unwrap()
            .set_len(1 << 40)
            .unwrap();
        assert_eq!(refused(&path, 1 << 20), io::ErrorKind::FileTooLarge);
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        let error = read_regular_file(&path, 4).unwrap_err();
        assert_eq!(error.to_string(), "it is no regular file");
        let error = read_regular_file(folder.path(), 4).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::IsADirectory);
    }

    #[cfg(unix)]
    #[test]
    fn a_device_without_an_end_is_refused() {
        let error = read_file("/dev/zero", 1 << 16).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        assert!(error.to_string().contains("65536 bytes"), "{error}");
    }
}

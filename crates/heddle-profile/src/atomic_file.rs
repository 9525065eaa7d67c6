//! Writes the files that a user named, all in one way.
//!
//! A regular file appears whole or not at all: it is written beside its place under another
//! name and renamed. A symbolic link stays, and its target is written. What is neither, such
//! as a device, a pipe or an open descriptor, is opened and written to, because a rename
//! would replace it. `-` and `/dev/stdout` are standard output. A terminal gets what it obeys
//! escaped.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::error::ProfileError;
use crate::terminal::{opened, standard_output};

/// What the names of unfinished files begin with; six letters and digits follow.
pub const TEMPORARY_PREFIX: &str = ".heddle-";

/// Most links from a path to its file, as in Linux.
const MAX_LINKS: usize = 40;

/// Bytes gathered for one write.
const BUFFER: usize = 1 << 16;

/// As [`write_file`], with the error of this crate.
pub fn write_whole(
    path: impl AsRef<Path>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<u64, ProfileError> {
    let path = path.as_ref();
    write_file(path, write).map_err(|cause| ProfileError::Write {
        path: path.to_owned(),
        cause,
    })
}

/// Writes what `write` writes to the file at `path`, and returns the number of bytes.
///
/// A regular file is replaced once it is complete, with the mode and, where permitted, the
/// owner of the old one; after an error the old one is untouched. A symbolic link is
/// followed. A device or a pipe is written to, and so is standard output for `-` and
/// `/dev/stdout`.
pub fn write_file(
    path: impl AsRef<Path>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<u64> {
    let path = path.as_ref();
    if is_standard_output(path) {
        return pass(standard_output(), write);
    }
    match Destination::of(path)? {
        Destination::Regular(path) => replace(&path, write),
        Destination::Special(path) => {
            let file = OpenOptions::new().append(true).open(path)?;
            pass(opened(file), write)
        }
    }
}

/// Whether [`write_file`] takes this path for standard output.
pub fn is_standard_output(path: impl AsRef<Path>) -> bool {
    const NAMES: [&str; 4] = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];
    NAMES.iter().any(|name| path.as_ref() == Path::new(name))
}

/// Whether [`write_file`] makes or replaces a regular file at this path, beside which there can be
/// others.
pub fn is_regular_output(path: impl AsRef<Path>) -> bool {
    let path = path.as_ref();
    !is_standard_output(path) && matches!(Destination::of(path), Ok(Destination::Regular(_)))
}

/// Where a path leads.
enum Destination {
    /// To a regular file, or to one that is to be created.
    Regular(PathBuf),
    /// To something that is written to as it is.
    Special(PathBuf),
}

impl Destination {
    /// Follows symbolic links. The last may point to a file that does not exist.
    fn of(path: &Path) -> io::Result<Self> {
        let mut path = path.to_owned();
        for _ in 0..=MAX_LINKS {
            // The system's links to open files. The file behind one is open elsewhere, so
            // replacing it would lose what is written there.
            if path.starts_with("/proc") || path.starts_with("/dev/fd") {
                return Ok(Self::Special(path));
            }
            let found = match fs::symlink_metadata(&path) {
                Ok(found) => found,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Ok(Self::Regular(path));
                }
                Err(error) => return Err(error),
            };
            if found.is_file() {
                return Ok(Self::Regular(path));
            }
            if !found.is_symlink() {
                return Ok(Self::Special(path));
            }
            let target = fs::read_link(&path)?;
            path = folder_of(&path).join(target);
        }
        Err(io::Error::other("too many levels of symbolic links"))
    }
}

/// Writes beside `path`, then renames to `path`.
fn replace(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<u64> {
    let mut file = temporary_file(path)?;
    let bytes = pass(file.as_file_mut(), write)?;
    file.as_file().sync_all()?;
    if let Ok(old) = fs::metadata(path) {
        keep_access(file.as_file(), &old)?;
    }
    file.persist(path)?;
    Ok(bytes)
}

/// Writes to `to` through a buffer, and returns the number of bytes.
fn pass(to: impl Write, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<u64> {
    let mut counted = Counted {
        to: BufWriter::with_capacity(BUFFER, to),
        bytes: 0,
    };
    let written = write(&mut counted).and_then(|()| counted.flush());
    if written.is_err() {
        // What is left in the buffer belongs to a file that has failed.
        let _ = counted.to.into_parts();
    }
    written.map(|()| counted.bytes)
}

/// Gives `file` the mode of the old one and, where permitted, its owner.
fn keep_access(file: &File, old: &fs::Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        let new = file.metadata()?;
        if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
            // Only root may give files away; the mode is kept in any case.
            let _ = fchown(file, Some(old.uid()), Some(old.gid()));
        }
    }
    file.set_permissions(old.permissions())
}

/// A new file in the folder of `path`: a rename is atomic only within one file system.
fn temporary_file(path: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new()
        .prefix(TEMPORARY_PREFIX)
        // Not `tempfile_in`: its files are private and its errors name the temporary file.
        .make_in(folder_of(path), |path| {
            OpenOptions::new().write(true).create_new(true).open(path)
        })
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Counts the written bytes: a pipe has no length.
struct Counted<W: Write> {
    to: BufWriter<W>,
    bytes: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
    use std::process::Command;

    use super::*;

    fn write(path: &Path, text: &str) -> io::Result<u64> {
        write_file(path, |to| to.write_all(text.as_bytes()))
    }

    #[test]
    fn a_link_stays_and_its_target_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let [link, middle, target] = ["link", "middle", "target"].map(|it| folder.path().join(it));
        symlink("middle", &link).unwrap();
        symlink(&target, &middle).unwrap();
        // The target of a dangling link is created.
        for text in ["first", "second and longer"] {
            assert_eq!(write(&link, text).unwrap(), text.len() as u64);
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
            assert!(fs::symlink_metadata(&middle).unwrap().is_symlink());
            assert_eq!(fs::read_to_string(&target).unwrap(), text);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
    }

    #[test]
    fn links_in_a_circle_are_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("link");
        symlink("link", &path).unwrap();
        assert!(write(&path, "text").is_err());
        assert!(fs::symlink_metadata(&path).unwrap().is_symlink());
    }

    #[test]
    fn a_pipe_is_written_to_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(
            Command::new("mkfifo")
                .arg(&pipe)
                .status()
                .unwrap()
                .success()
        );
        let reader = {
            let pipe = pipe.clone();
            std::thread::spawn(move || fs::read_to_string(pipe).unwrap())
        };
        assert_eq!(write(&pipe, "through").unwrap(), 7);
        assert!(fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo());
        assert_eq!(reader.join().unwrap(), "through");
    }

    #[test]
    fn a_link_to_a_device_is_written_through() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        symlink("/dev/full", &link).unwrap();
        let error = write(&link, "text").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        symlink("/dev/null", folder.path().join("null")).unwrap();
        assert_eq!(write(&folder.path().join("null"), "text").unwrap(), 4);
        assert!(
            fs::symlink_metadata("/dev/null")
                .unwrap()
                .file_type()
                .is_char_device()
        );
    }

    #[test]
    fn the_mode_of_the_old_file_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "old").unwrap();
        for mode in [0o600, 0o751] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            write(&path, "new").unwrap();
            assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, mode);
        }
    }

    #[test]
    fn a_failure_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "old").unwrap();
        let error = write_file(&path, |to| {
            to.write_all(&vec![0; 3 * BUFFER])?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert!(error.is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn an_open_descriptor_is_written_to_after_what_it_holds() {
        use std::os::fd::AsRawFd;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        fs::write(&path, "before ").unwrap();
        let open = File::open(&path).unwrap();
        let inode = fs::metadata(&path).unwrap().ino();
        let name = format!("/proc/self/fd/{}", open.as_raw_fd());
        write(Path::new(&name), "after").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "before after");
        assert_eq!(fs::metadata(&path).unwrap().ino(), inode);
    }
}

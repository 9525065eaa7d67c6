//! Model files: one per machine, device, driver and kernel version.
//!
//! A file is readable JSON and safe to delete. It is only ever replaced as a whole, and used
//! only if its header names this machine and device. An unusable file is renamed, never
//! overwritten.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use heddle_profile::{TEMPORARY_PREFIX, read_regular_file, write_file};
use serde::{Deserialize, Serialize};

use super::saved_model::DeviceModel;
use crate::device::{DeviceId, DeviceProperties};
use crate::error::Error;
use crate::machine::Machine;
use crate::units::Bytes;

/// The version of the file format. It is raised when the format changes.
const FORMAT: u32 = 1;

/// The most bytes of a file that is read. One of every kind of operation takes some 100 KiB.
const MAX_BYTES: u64 = 16 << 20;

/// The age from which a temporary file belongs to a process that was killed.
const ABANDONED_AFTER: Duration = Duration::from_hours(24);

/// What the names of temporary files in this folder begin with, now and in version 0.1.
const OWN_PREFIXES: [&str; 2] = [TEMPORARY_PREFIX, ".tmp"];

/// The random letters and digits that end such a name.
const RANDOM_LETTERS: usize = 6;

/// The folder of the model files.
#[derive(Clone, Debug)]
pub struct ModelStore {
    folder: PathBuf,
}

/// The result of loading a device's model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadedModel {
    /// The model, if the file was usable.
    pub model: Option<DeviceModel>,
    /// A message for the user: the file that was ignored or renamed, and why.
    pub note: Option<String>,
}

/// What a model was measured on. A model is used only where every field is equal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelIdentity {
    machine: Machine,
    device: DeviceId,
    name: String,
    backend: String,
    driver: String,
    units: usize,
    memory: Bytes,
    kernel_version: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: u32,
    measured_on: ModelIdentity,
    model: DeviceModel,
}

impl ModelStore {
    /// Creates a store in this folder, which is created when a model is saved.
    #[must_use]
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The path of a device's model file.
    #[must_use]
    pub fn path(
        &self,
        machine: &Machine,
        device: DeviceId,
        properties: &DeviceProperties,
    ) -> PathBuf {
        let identity = ModelIdentity::of(machine, device, properties);
        self.folder
            .join(identity.file_name(&identity.kernel_version.to_string()))
    }

    /// Loads the saved model of a device on this machine. Never fails: an unusable file is
    /// reported in the note, and the model is measured again.
    #[must_use]
    pub fn load(
        &self,
        machine: &Machine,
        device: DeviceId,
        properties: &DeviceProperties,
    ) -> LoadedModel {
        let expected = ModelIdentity::of(machine, device, properties);
        let path = self.path(machine, device, properties);
        let text = match read_regular_file(&path, MAX_BYTES) {
            Ok(text) => text,
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                return LoadedModel {
                    model: None,
                    note: self.other_kernel_version(&expected),
                };
            }
            Err(error) => {
                return LoadedModel {
                    model: None,
                    note: Some(format!("cannot read {}: {error}", path.display())),
                };
            }
        };
        match validated_model(&text, &expected) {
            Ok(model) => LoadedModel {
                model: Some(model),
                note: None,
            },
            Err(ModelRejection::KernelVersion(found)) => LoadedModel {
                model: None,
                note: Some(kernel_version_note(&path, found, &expected)),
            },
            Err(ModelRejection::Corrupt(why)) => LoadedModel {
                model: None,
                note: Some(set_aside(&path, &why)),
            },
        }
    }

    /// Saves a device's model, replacing the whole file, and returns its path.
    pub fn save(
        &self,
        machine: &Machine,
        device: DeviceId,
        properties: &DeviceProperties,
        model: &DeviceModel,
    ) -> Result<PathBuf, Error> {
        let path = self.path(machine, device, properties);
        let file = File {
            format: FORMAT,
            measured_on: ModelIdentity::of(machine, device, properties),
            model: model.clone(),
        };
        fs::create_dir_all(&self.folder).map_err(|source| Error::File {
            action: "create",
            path: self.folder.clone(),
            source,
        })?;
        self.replace(&path, &file).map_err(|source| Error::File {
            action: "write",
            path: path.clone(),
            source,
        })?;
        Ok(path)
    }

    fn replace(&self, path: &Path, file: &File) -> io::Result<()> {
        self.collect_temporary_files();
        write_file(path, |to| {
            serde_json::to_writer_pretty(&mut *to, file)?;
            to.write_all(b"\n")
        })?;
        Ok(())
    }

    /// Deletes what processes that were killed while they wrote a file left in this folder and
    /// in the one around it, which holds recordings.
    fn collect_temporary_files(&self) {
        let folders = [
            (Some(&*self.folder), &OWN_PREFIXES[..]),
            // Other programs may write there too.
            (self.folder.parent(), &[TEMPORARY_PREFIX][..]),
        ];
        for (folder, prefixes) in folders {
            // What cannot be listed or deleted stays, until a later run or the user can.
            let entries = folder.and_then(|folder| fs::read_dir(folder).ok());
            let entries = entries.into_iter().flatten().flatten();
            for entry in entries.filter(|entry| is_abandoned(entry, prefixes)) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// A note about a model of the same device with other kernels, if there is one.
    fn other_kernel_version(&self, expected: &ModelIdentity) -> Option<String> {
        let (before, after) = expected.name_around_version();
        let mut versions: Vec<u32> = fs::read_dir(&self.folder)
            .ok()?
            .filter_map(|entry| {
                let name = entry.ok()?.file_name().into_string().ok()?;
                let version = name.strip_prefix(&before)?.strip_suffix(&after)?;
                version.parse().ok()
            })
            .collect();
        versions.sort_unstable();
        let found = versions.pop()?;
        let path = self.folder.join(expected.file_name(&found.to_string()));
        Some(kernel_version_note(&path, found, expected))
    }
}

/// Whether this is a temporary file of ours that no process can still be writing.
fn is_abandoned(entry: &fs::DirEntry, prefixes: &[&str]) -> bool {
    let name = entry.file_name();
    let is_ours = name.to_str().is_some_and(|name| {
        prefixes.iter().any(|prefix| {
            name.strip_prefix(prefix).is_some_and(|random| {
                random.len() == RANDOM_LETTERS
                    && random.bytes().all(|letter| letter.is_ascii_alphanumeric())
            })
        })
    });
    // Of a link, this is what is known of the link itself.
    is_ours
        && entry.metadata().is_ok_and(|found| {
            let age = found.modified().ok().and_then(|time| time.elapsed().ok());
            found.is_file() && age.is_some_and(|age| age > ABANDONED_AFTER)
        })
}

enum ModelRejection {
    KernelVersion(u32),
    Corrupt(String),
}

fn validated_model(text: &[u8], expected: &ModelIdentity) -> Result<DeviceModel, ModelRejection> {
    let corrupt = |why: String| ModelRejection::Corrupt(why);
    let file: File = serde_json::from_slice(text)
        .map_err(|error| corrupt(format!("is not a model file: {error}")))?;
    if file.format != FORMAT {
        return Err(corrupt(format!(
            "has format {}, where {FORMAT} is read",
            file.format
        )));
    }
    let found = file.measured_on;
    if let Some(field) = found.differs_from(expected) {
        return Err(corrupt(format!("was measured on another {field}")));
    }
    if found.kernel_version != expected.kernel_version {
        return Err(ModelRejection::KernelVersion(found.kernel_version));
    }
    if !file.model.is_sound() {
        return Err(corrupt("has numbers that no measurement gives".to_owned()));
    }
    Ok(file.model)
}

fn kernel_version_note(path: &Path, found: u32, expected: &ModelIdentity) -> String {
    format!(
        "{} was measured with kernel version {found}, and {} has version {} now: ignored",
        path.display(),
        expected.device,
        expected.kernel_version
    )
}

/// Renames a file to a name that no other file has.
fn set_aside(path: &Path, why: &str) -> String {
    let free = (1..u32::MAX)
        .map(|number| path.with_extension(format!("corrupt-{number}.json")))
        .find(|aside| !aside.exists());
    let outcome = free.map(|aside| (fs::rename(path, &aside), aside));
    match outcome {
        Some((Ok(()), aside)) => {
            format!("{} {why}; kept as {}", path.display(), aside.display())
        }
        Some((Err(error), _)) => {
            format!("{} {why}, and cannot be set aside: {error}", path.display())
        }
        None => format!("{} {why}", path.display()),
    }
}

impl ModelIdentity {
    fn of(machine: &Machine, device: DeviceId, properties: &DeviceProperties) -> Self {
        Self {
            machine: machine.clone(),
            device,
            name: properties.name.clone(),
            backend: properties.backend.to_owned(),
            driver: properties.driver.clone(),
            units: properties.units,
            memory: properties.memory,
            kernel_version: properties.kernel_version,
        }
    }

    /// The first field, in words, that differs from another identity, the kernel version aside.
    fn differs_from(&self, other: &Self) -> Option<&'static str> {
        [
            (self.machine != other.machine, "machine"),
            (self.device != other.device, "device"),
            (self.name != other.name, "device model"),
            (self.backend != other.backend, "backend"),
            (self.driver != other.driver, "driver"),
            (self.units != other.units, "number of CPUs"),
            (self.memory != other.memory, "memory size"),
        ]
        .into_iter()
        .find_map(|(differs, field)| differs.then_some(field))
    }

    fn file_name(&self, kernel_version: &str) -> String {
        let (before, after) = self.name_around_version();
        format!("{before}{kernel_version}{after}")
    }

    /// The file name up to the kernel version, and the rest. The hash covers everything else,
    /// so that all versions of one device have names side by side.
    fn name_around_version(&self) -> (String, String) {
        let machine = &self.machine;
        let hash = fnv1a(&format!(
            "{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}",
            machine.cpu,
            machine.arch,
            machine.system,
            machine.threads,
            machine.memory.0,
            self.device,
            self.name,
            self.backend,
            self.driver,
            self.units,
            self.memory.0
        ));
        (
            format!("{}-{}-k", slug(&self.device.to_string()), slug(&self.name)),
            format!("-{:08x}.json", (hash >> 32) ^ (hash & 0xffff_ffff)),
        )
    }
}

/// Lower-case letters and digits, with each run of other characters as one hyphen, shortened.
fn slug(text: &str) -> String {
    let mut slug = String::new();
    for letter in text.chars().take(48) {
        if letter.is_ascii_alphanumeric() {
            slug.push(letter.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.trim_end_matches('-').to_owned()
}

/// FNV-1a. The standard library's hashes differ between processes, and file names must not.
fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn a_pipe_is_not_waited_for_and_a_huge_file_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.json");
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        let error = read_regular_file(&path, MAX_BYTES).unwrap_err().to_string();
        assert_eq!(error, "it is no regular file");
        fs::remove_file(&path).unwrap();
        // More than fits into memory.
        let file = fs::File::create(&path).unwrap();
        file.set_len(1 << 40).unwrap();
        let error = read_regular_file(&path, MAX_BYTES).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
    }

    #[test]
    fn only_our_own_old_temporary_files_are_deleted() {
        let cache = tempfile::tempdir().unwrap();
        let models = cache.path().join("models");
        fs::create_dir(&models).unwrap();
        let place = |path: PathBuf, age: Duration| {
            let file = fs::File::create(&path).unwrap();
            file.set_modified(SystemTime::now() - age).unwrap();
            path
        };
        let old = ABANDONED_AFTER + Duration::from_mins(1);
        let abandoned = [
            models.join(".tmpA1b2C3"),
            models.join(".heddle-A1b2C3"),
            cache.path().join(".heddle-A1b2C3"),
        ]
        .map(|path| place(path, old));
        let kept = [
            // Of another program, where the cache folder is one that others use.
            place(cache.path().join(".tmpA1b2C3"), old),
            place(models.join("cpu-k1-0123.json"), old),
            place(models.join(".tmp"), old),
            place(models.join(".tmpA1b2C3.json"), old),
            place(models.join(".tmpA1-2C3"), old),
            // Still being written.
            place(models.join(".heddle-D4e5F6"), Duration::ZERO),
        ];
        fs::create_dir(models.join(".heddle-folder")).unwrap();
        ModelStore::new(models.clone()).collect_temporary_files();
        for path in abandoned {
            assert!(!path.exists(), "{}", path.display());
        }
        for path in kept {
            assert!(path.exists(), "{}", path.display());
        }
        assert!(models.join(".heddle-folder").is_dir());
    }
}

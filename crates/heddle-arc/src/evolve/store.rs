//! The store of an evolution on disk.
//!
//! `solver_md5/DIGEST.py` is a program; `solver_dir/solve_TASK/SCORE/SPEED/DIGEST.py` links to it
//! and says how it scores on a task. Every file is complete when it appears, and a link appears
//! after the program that it names.

use crate::limits;
use heddle_profile::write_file;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

/// The most programs of a task.
pub const MAX_STORED: usize = 32;

const PROGRAMS: &str = "solver_md5";
const TASKS: &str = "solver_dir";
const STATE: &str = "evolve.json";

/// The most bytes of the number of rounds and the seed.
const MAX_STATE_BYTES: u64 = 4096;

/// A store could not be read or written.
#[derive(Debug, Error)]
#[error("cannot {what} {path:?}")]
#[non_exhaustive]
pub struct StoreError {
    /// What was tried.
    pub what: &'static str,
    /// The file or folder.
    pub path: PathBuf,
    /// The system's error.
    #[source]
    pub source: io::Error,
}

/// A program as it is stored under a task. The least is the first to leave.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StoredProgram {
    /// 1000 for each right pair of the task.
    pub score: u64,
    /// 11 - ln(seconds) without its fraction; greater is faster.
    pub speed: i32,
    /// The digest that its file is named after.
    pub digest: Arc<str>,
}

/// A store and what is in it.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    /// The programs of every task, the least first.
    tasks: BTreeMap<Arc<str>, Vec<StoredProgram>>,
    /// The number of tasks that a program is stored under.
    uses: HashMap<Arc<str>, usize>,
    /// The number of rounds that were made.
    pub(super) rounds: u64,
    /// What was found and could not be used.
    notes: Vec<String>,
}

impl Store {
    /// Opens the store in a folder, which is created if it does not exist.
    pub fn open(folder: &Path) -> Result<Store, StoreError> {
        for part in [PROGRAMS, TASKS] {
            let path = folder.join(part);
            fs::create_dir_all(&path).map_err(failed("create the folder", &path))?;
        }
        let mut store = Store {
            folder: folder.to_owned(),
            tasks: BTreeMap::new(),
            uses: HashMap::new(),
            rounds: 0,
            notes: Vec::new(),
        };
        store.read_state()?;
        for task in entries(&folder.join(TASKS))? {
            let name = task.file_name().and_then(OsStr::to_str);
            if let Some(id) = name.and_then(|name| name.strip_prefix("solve_")) {
                store.read_task(id.into(), &task)?;
            }
        }
        Ok(store)
    }

    fn read_state(&mut self) -> Result<(), StoreError> {
        let path = self.folder.join(STATE);
        let bytes = match limits::read(&path, MAX_STATE_BYTES) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            bytes => bytes.map_err(failed("read", &path))?,
        };
        let rounds = bytes
            .and_then(|bytes| serde_json::from_slice::<serde_json::Value>(&bytes).ok())
            .and_then(|state| state["rounds"].as_u64());
        match rounds {
            Some(rounds) => self.rounds = rounds,
            None => self.notes.push(format!(
                "{} has no number of rounds; the next round is the first",
                path.display()
            )),
        }
        Ok(())
    }

    fn read_task(&mut self, task: Arc<str>, folder: &Path) -> Result<(), StoreError> {
        let mut found = Vec::new();
        for score in entries(folder)? {
            for speed in entries(&score)? {
                for file in entries(&speed)? {
                    match stored_program(&score, &speed, &file) {
                        Some(stored) => found.push(stored),
                        None => self.notes.push(format!(
                            "{} is left out: programs are SCORE/SPEED/DIGEST.py",
                            file.display()
                        )),
                    }
                }
            }
        }
        found.sort_unstable();
        // A killed run may leave two scores of one program.
        let mut digests = HashSet::new();
        found.retain(|stored| digests.insert(Arc::clone(&stored.digest)));
        for stored in &found {
            *self.uses.entry(Arc::clone(&stored.digest)).or_default() += 1;
        }
        if !found.is_empty() {
            self.tasks.insert(task, found);
        }
        Ok(())
    }

    /// The programs of every task, the least first.
    #[must_use]
    pub fn tasks(&self) -> &BTreeMap<Arc<str>, Vec<StoredProgram>> {
        &self.tasks
    }

    /// The number of rounds that were made.
    #[must_use]
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// What was found and could not be used, once.
    pub fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    pub(super) fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    /// The best score of a task.
    #[must_use]
    pub fn best(&self, task: &str) -> u64 {
        let best = self.tasks.get(task).and_then(|programs| programs.last());
        best.map_or(0, |stored| stored.score)
    }

    /// Whether a program is stored under any task.
    #[must_use]
    pub fn holds(&self, digest: &str) -> bool {
        self.uses.contains_key(digest)
    }

    /// The file of a program.
    #[must_use]
    pub fn file(&self, digest: &str) -> PathBuf {
        self.folder.join(PROGRAMS).join(format!("{digest}.py"))
    }

    fn link(&self, task: &str, stored: &StoredProgram) -> PathBuf {
        let folder = self.folder.join(TASKS).join(format!("solve_{task}"));
        let folder = folder.join(stored.score.to_string());
        let folder = folder.join(stored.speed.to_string());
        folder.join(format!("{}.py", stored.digest))
    }

    /// Stores a program under a task. Of more than [`MAX_STORED`] the least leaves; returns
    /// whether the new one stayed.
    pub(super) fn add(
        &mut self,
        task: &Arc<str>,
        stored: &StoredProgram,
        text: &str,
    ) -> Result<bool, StoreError> {
        let programs = self.tasks.entry(Arc::clone(task)).or_default();
        if programs.iter().any(|known| known.digest == stored.digest) {
            return Ok(false);
        }
        let mut leaving = None;
        if programs.len() >= MAX_STORED {
            if stored.score < programs[0].score {
                return Ok(false);
            }
            leaving = Some(programs.remove(0));
        }
        // In order, as they are read from the disk.
        let place = programs.partition_point(|known| known < stored);
        programs.insert(place, stored.clone());
        *self.uses.entry(Arc::clone(&stored.digest)).or_default() += 1;
        let file = self.file(&stored.digest);
        if !file.exists() {
            write(&file, text.as_bytes())?;
        }
        link(&file, &self.link(task, stored))?;
        if let Some(leaving) = leaving {
            self.remove(task, &leaving)?;
        }
        Ok(true)
    }

    /// Removes the link of a program, and the program with its last link.
    fn remove(&mut self, task: &str, stored: &StoredProgram) -> Result<(), StoreError> {
        let link = self.link(task, stored);
        removed(&link)?;
        // A folder that is not empty stays.
        let _ = link.parent().map(fs::remove_dir);
        let _ = link.parent().and_then(Path::parent).map(fs::remove_dir);
        let uses = self.uses.entry(Arc::clone(&stored.digest)).or_default();
        *uses = uses.saturating_sub(1);
        if *uses == 0 {
            self.uses.remove(&stored.digest);
            removed(&self.file(&stored.digest))?;
        }
        Ok(())
    }

    /// Writes that another round was made.
    pub(super) fn finish_round(&mut self, seed: u64) -> Result<(), StoreError> {
        self.rounds += 1;
        let state = serde_json::json!({"rounds": self.rounds, "seed": seed});
        write(&self.folder.join(STATE), format!("{state}\n").as_bytes())
    }
}

fn failed<'a>(what: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> StoreError + 'a {
    move |source| StoreError {
        what,
        path: path.to_owned(),
        source,
    }
}

/// The paths in a folder, in the order of names; none if it is no folder.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let read = || -> io::Result<Vec<PathBuf>> {
        fs::read_dir(folder)?
            .map(|entry| Ok(entry?.path()))
            .collect()
    };
    let mut found = read().map_err(failed("read the folder", folder))?;
    found.sort_unstable();
    Ok(found)
}

/// What a path says of a program. Digests are lower-case hexadecimal, so that a name from
/// outside cannot lead out of the store.
fn stored_program(score: &Path, speed: &Path, file: &Path) -> Option<StoredProgram> {
    let name = |path: &Path| path.file_name()?.to_str().map(str::to_owned);
    let file = name(file)?;
    let digest = file.strip_suffix(".py")?;
    let is_digest = |c: u8| c.is_ascii_digit() || (b'a'..=b'f').contains(&c);
    (digest.len() == 32 && digest.bytes().all(is_digest)).then_some(())?;
    Some(StoredProgram {
        score: name(score)?.parse().ok()?,
        speed: name(speed)?.parse().ok()?,
        digest: digest.into(),
    })
}

/// Writes a file that appears when it is complete.
fn write(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    write_file(path, |to| to.write_all(bytes)).map_err(failed("write", path))?;
    Ok(())
}

/// Links to a program; where there are no symbolic links, copies it.
fn link(program: &Path, link: &Path) -> Result<(), StoreError> {
    let linked = || -> io::Result<()> {
        link.parent().map_or(Ok(()), fs::create_dir_all)?;
        #[cfg(unix)]
        {
            let name = program.file_name().unwrap_or_default();
            let target = Path::new("../../../..").join(PROGRAMS).join(name);
            std::os::unix::fs::symlink(target, link)
        }
        #[cfg(not(unix))]
        {
            fs::copy(program, link).map(|_| ())
        }
    };
    match linked() {
        // A killed run may have left it.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        result => result.map_err(failed("link", link)),
    }
}

fn removed(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result.map_err(failed("remove", path)),
    }
}

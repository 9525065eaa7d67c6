//! The store of an evolution on disk.
//!
//! `solver_md5/DIGEST.py` is a program; `solver_dir/solve_TASK/SCORE/SPEED/DIGEST.py` links to it
//! and says how it scores on a task. Every file is complete when it appears, and a link appears
//! after the program that it names.
//!
//! The changes of a round are written to one file before they are made. A store that a killed run
//! leaves is opened with all of them or none.

use crate::limits;
use heddle_profile::{TEMPORARY_PREFIX, write_file};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;

/// The most programs of a task.
pub const MAX_STORED: usize = 32;

const PROGRAMS: &str = "solver_md5";
const TASKS: &str = "solver_dir";
const STATE: &str = "evolve.json";

const PENDING: &str = "evolve.pending.json";

/// The most bytes of the state: a program of it takes 35.
const MAX_STATE_BYTES: u64 = 16 << 20;

/// The most bytes of the changes of a round.
const MAX_PENDING_BYTES: u64 = 256 << 20;

/// The age of a temporary file that no running command writes.
const ABANDONED: Duration = Duration::from_hours(24);

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

/// Changes that are not on the disk yet. Links are paths in the folder of tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Changes {
    state: State,
    /// The texts of new programs, by digest.
    programs: BTreeMap<String, String>,
    links: BTreeSet<PathBuf>,
    leaving: BTreeSet<PathBuf>,
}

/// What is known of a store apart from its programs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct State {
    /// The number of rounds that were made.
    rounds: u64,
    /// The seed of the last.
    #[serde(default)]
    seed: u64,
    /// The digest of the tasks that programs ran on.
    #[serde(default)]
    tasks: String,
    /// The stored programs that ran on all of these tasks.
    #[serde(default)]
    evaluated: BTreeSet<String>,
}

/// A store and what is in it.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    /// The programs of every task, the least first.
    tasks: BTreeMap<Arc<str>, Vec<StoredProgram>>,
    /// The number of tasks that a program is stored under.
    uses: HashMap<Arc<str>, usize>,
    state: State,
    changes: Changes,
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
            state: State::default(),
            changes: Changes::default(),
            notes: Vec::new(),
        };
        for part in [folder, &folder.join(PROGRAMS)] {
            collect(part)?;
        }
        store.state = store.read(STATE, MAX_STATE_BYTES)?.unwrap_or_default();
        let pending: Option<Changes> = store.read(PENDING, MAX_PENDING_BYTES)?;
        if let Some(pending) = &pending {
            store.make(pending)?;
        }
        for task in entries(&folder.join(TASKS))? {
            let name = task.file_name().and_then(OsStr::to_str);
            if let Some(id) = name.and_then(|name| name.strip_prefix("solve_")) {
                store.read_task(id.into(), &task)?;
            }
        }
        if let Some(pending) = &pending {
            store.finish(pending)?;
        }
        Ok(store)
    }

    /// Reads a file of the store, if it is there.
    fn read<T: DeserializeOwned>(
        &mut self,
        name: &str,
        limit: u64,
    ) -> Result<Option<T>, StoreError> {
        let path = self.folder.join(name);
        if !path.exists() {
            return Ok(None);
        }
        // A pipe would be waited for.
        if !path.is_file() {
            let source = io::Error::new(io::ErrorKind::InvalidInput, "it is no file");
            return Err(failed("use", &path)(source));
        }
        let bytes = limits::read(&path, limit).map_err(failed("read", &path))?;
        let read = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        if read.is_none() {
            self.notes.push(format!(
                "{} has no number of rounds; what it says is left out",
                path.display()
            ));
        }
        Ok(read)
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
        self.state.rounds
    }

    /// Says which tasks programs run on from now on.
    pub(super) fn set_tasks(&mut self, digest: String) {
        if self.state.tasks != digest {
            self.state.tasks = digest;
            self.state.evaluated.clear();
        }
    }

    /// Whether a program is stored and ran on all tasks.
    pub(super) fn is_evaluated(&self, digest: &str) -> bool {
        self.state.evaluated.contains(digest) && self.holds(digest)
    }

    /// Says that a program ran on all tasks.
    pub(super) fn set_evaluated(&mut self, digest: &str) {
        self.state.evaluated.insert(digest.to_owned());
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

    /// Stores a program under a task, on the disk with the next `commit`. Of more than
    /// [`MAX_STORED`] the least leaves; returns whether the new one stayed.
    pub(super) fn add(&mut self, task: &Arc<str>, stored: &StoredProgram, text: &str) -> bool {
        let programs = self.tasks.entry(Arc::clone(task)).or_default();
        if programs.iter().any(|known| known.digest == stored.digest) {
            return false;
        }
        let mut leaving = None;
        if programs.len() >= MAX_STORED {
            if stored.score < programs[0].score {
                return false;
            }
            leaving = Some(programs.remove(0));
        }
        // In order, as they are read from the disk.
        let place = programs.partition_point(|known| known < stored);
        programs.insert(place, stored.clone());
        *self.uses.entry(Arc::clone(&stored.digest)).or_default() += 1;
        if !text.is_empty() {
            let (digest, text) = (stored.digest.to_string(), text.to_owned());
            self.changes.programs.insert(digest, text);
        }
        let path = link(task, stored);
        if !self.changes.leaving.remove(&path) {
            self.changes.links.insert(path);
        }
        if let Some(leaving) = leaving {
            let path = link(task, &leaving);
            if !self.changes.links.remove(&path) {
                self.changes.leaving.insert(path);
            }
            let uses = self.uses.entry(Arc::clone(&leaving.digest)).or_default();
            *uses = uses.saturating_sub(1);
            if *uses == 0 {
                self.uses.remove(&leaving.digest);
            }
        }
        true
    }

    /// Writes that another round was made, and its changes.
    pub(super) fn finish_round(&mut self, seed: u64) -> Result<(), StoreError> {
        self.state.rounds = self.state.rounds.saturating_add(1);
        self.state.seed = seed;
        self.commit()
    }

    /// Writes all changes.
    pub(super) fn commit(&mut self) -> Result<(), StoreError> {
        let mut changes = std::mem::take(&mut self.changes);
        let uses = &self.uses;
        let is_used = |digest: &String| uses.contains_key(digest.as_str());
        changes.programs.retain(|digest, _| is_used(digest));
        self.state.evaluated.retain(is_used);
        changes.state = self.state.clone();
        if !changes.links.is_empty() || !changes.leaving.is_empty() {
            write_json(&self.folder.join(PENDING), &changes)?;
        }
        self.make(&changes)?;
        self.finish(&changes)
    }

    /// Writes new programs and links, and removes the links that leave. What is made already
    /// stays, so a killed run can be gone on with.
    fn make(&self, changes: &Changes) -> Result<(), StoreError> {
        for (digest, text) in changes
            .programs
            .iter()
            .filter(|(digest, _)| is_digest(digest))
        {
            let file = self.file(digest);
            if !file.exists() {
                write(&file, text.as_bytes())?;
            }
        }
        let tasks = self.folder.join(TASKS);
        for path in changes
            .links
            .iter()
            .filter(|path| digest_of(path).is_some())
        {
            let digest = digest_of(path).unwrap_or_default();
            make_link(&self.file(digest), &tasks.join(path))?;
        }
        for path in changes
            .leaving
            .iter()
            .filter(|path| digest_of(path).is_some())
        {
            let path = tasks.join(path);
            removed(&path)?;
            // A folder that is not empty stays.
            let _ = path.parent().map(fs::remove_dir);
            let _ = path.parent().and_then(Path::parent).map(fs::remove_dir);
        }
        Ok(())
    }

    /// Removes the programs of the last links that left, and writes the state.
    fn finish(&mut self, changes: &Changes) -> Result<(), StoreError> {
        for digest in changes.leaving.iter().filter_map(|path| digest_of(path)) {
            if !self.holds(digest) {
                removed(&self.file(digest))?;
            }
        }
        self.state = changes.state.clone();
        write_json(&self.folder.join(STATE), &self.state)?;
        removed(&self.folder.join(PENDING))
    }
}

/// The path of a program's link in the folder of tasks.
fn link(task: &str, stored: &StoredProgram) -> PathBuf {
    let StoredProgram {
        score,
        speed,
        digest,
    } = stored;
    PathBuf::from(format!("solve_{task}/{score}/{speed}/{digest}.py"))
}

/// The digest in the path of a link; `None` for a path that could lead out of the folder.
fn digest_of(path: &Path) -> Option<&str> {
    let parts: Vec<&str> = path.to_str()?.split('/').collect();
    let [task, score, speed, file] = parts[..] else {
        return None;
    };
    let digest = file.strip_suffix(".py")?;
    let is_link = super::is_name(task.strip_prefix("solve_")?)
        && score.parse::<u64>().is_ok()
        && speed.parse::<i32>().is_ok();
    (is_link && is_digest(digest)).then_some(digest)
}

/// Whether a name is an MD5 digest. Digests are lower-case hexadecimal, so that a name from
/// outside cannot lead out of the store.
fn is_digest(name: &str) -> bool {
    let is_digit = |c: u8| c.is_ascii_digit() || (b'a'..=b'f').contains(&c);
    name.len() == 32 && name.bytes().all(is_digit)
}

/// Removes the temporary files that killed commands left in a folder.
fn collect(folder: &Path) -> Result<(), StoreError> {
    for path in entries(folder)? {
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or("");
        let modified = fs::symlink_metadata(&path).and_then(|found| found.modified());
        let age = modified.ok().and_then(|time| time.elapsed().ok());
        if name.starts_with(TEMPORARY_PREFIX) && age.is_some_and(|age| age > ABANDONED) {
            removed(&path)?;
        }
    }
    Ok(())
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

/// What a path says of a program.
fn stored_program(score: &Path, speed: &Path, file: &Path) -> Option<StoredProgram> {
    let name = |path: &Path| path.file_name()?.to_str().map(str::to_owned);
    let file = name(file)?;
    let digest = file.strip_suffix(".py")?;
    is_digest(digest).then_some(())?;
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

fn write_json(path: &Path, value: &impl Serialize) -> Result<(), StoreError> {
    let text = serde_json::to_string(value).map_err(io::Error::from);
    let text = text.map_err(failed("write", path))?;
    write(path, format!("{text}\n").as_bytes())
}

/// Links to a program; where there are no symbolic links, copies it.
fn make_link(program: &Path, link: &Path) -> Result<(), StoreError> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(number: u64) -> StoredProgram {
        StoredProgram {
            score: 1000 + number,
            speed: 11,
            digest: format!("{number:032x}").into(),
        }
    }

    /// A store in which later programs push out earlier ones, with changes that are not written.
    fn changed(folder: &Path) -> Store {
        let mut store = Store::open(folder).unwrap();
        for number in 0..60 {
            if number == 40 {
                store.finish_round(1).unwrap();
            }
            for task in ["a", "b"].into_iter().take(1 + number as usize % 2) {
                store.add(&task.into(), &stored(number), "O = I\n");
            }
            store.set_evaluated(&stored(number).digest);
        }
        store
    }

    fn paths(folder: &Path) -> Vec<String> {
        let mut found = Vec::new();
        for path in entries(folder).unwrap() {
            if path.is_dir() {
                found.extend(paths(&path));
            } else {
                let text = fs::read_to_string(&path).unwrap();
                let name = path.file_name().unwrap().to_string_lossy();
                found.push(format!("{name}: {text}"));
            }
        }
        found
    }

    #[test]
    fn a_run_that_is_killed_while_it_stores_is_gone_on_with() {
        let whole = tempfile::tempdir().unwrap();
        changed(whole.path()).finish_round(2).unwrap();
        let wanted = paths(whole.path());
        assert_eq!(
            wanted.iter().filter(|it| it.ends_with("O = I\n")).count(),
            32 + 30 + 46
        );
        for made in [0, 1, 7, 28] {
            let folder = tempfile::tempdir().unwrap();
            let mut store = changed(folder.path());
            store.state.rounds += 1;
            store.state.seed = 2;
            let uses = &store.uses;
            let is_used = |digest: &String| uses.contains_key(digest.as_str());
            store.state.evaluated.retain(is_used);
            let mut changes = store.changes.clone();
            changes.programs.retain(|digest, _| is_used(digest));
            changes.state = store.state.clone();
            write_json(&folder.path().join(PENDING), &changes).unwrap();
            // The first changes are made, and some of the removals.
            changes.links = changes.links.into_iter().take(made).collect();
            changes.leaving = changes.leaving.into_iter().take(made / 2).collect();
            store.make(&changes).unwrap();
            drop(store);
            let again = Store::open(folder.path()).unwrap();
            assert_eq!(paths(folder.path()), wanted, "{made}");
            assert_eq!(again.rounds(), 2);
            let fresh = Store::open(whole.path()).unwrap();
            assert_eq!(again.tasks(), fresh.tasks());
            assert_eq!(again.uses, fresh.uses);
        }
    }

    #[test]
    fn changes_of_others_do_not_lead_out_of_the_store() {
        for path in [
            "solve_a/1/2/../../x.py",
            "../solve_a/1/2/0123456789abcdef0123456789abcdef.py",
            "solve_../1/2/0123456789abcdef0123456789abcdef.py",
            "solve_a/1/2/0123456789abcdef0123456789abcde/.py",
        ] {
            assert_eq!(digest_of(Path::new(path)), None, "{path}");
        }
        let folder = tempfile::tempdir().unwrap();
        let changes = "{\"state\": {\"rounds\": 1}, \"programs\": {\"../../x\": \"\"}, \
                       \"links\": [\"/tmp/x/y/z.py\"], \"leaving\": [\"../../../x\"]}";
        fs::write(folder.path().join(PENDING), changes).unwrap();
        let store = Store::open(folder.path()).unwrap();
        assert_eq!((store.rounds(), paths(folder.path()).len()), (1, 1));
    }
}

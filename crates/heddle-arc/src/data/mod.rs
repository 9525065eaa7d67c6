//! ARC tasks, read from files, folders and archives.
//!
//! [`load`] reads a folder of task files, a challenges file with its solutions file beside
//! it, a file of whole sets (`{"train": {id: …}, "eval": …}`), or a zip or wheel of these.
//! A path may continue inside an archive. A file's layout is recognised by its contents,
//! not by its name.
//!
//! Invariant: every pair of a [`Task`] has an output. A test pair without an output cannot
//! be graded, so reading it is an error. Files and members of archives are read one at a time
//! and within the [`limits`](crate::limits).

mod error;
mod file_layout;
mod grid;
mod json;
mod source;

pub use error::{DataError, DataLimit, PairSide, Problem, Role, TaskLocation};

use crate::engine::{Example, Grid};
use source::Sources;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The largest side of a grid in ARC.
pub const MAX_GRID_SIDE: usize = 30;

/// One task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Its name, such as `007bbfb7`.
    pub id: Arc<str>,
    /// The training pairs: inputs and outputs that explain the task.
    pub train: Vec<(Grid, Grid)>,
    /// The test pairs: inputs and the outputs to be found.
    pub test: Vec<(Grid, Grid)>,
}

impl Task {
    /// All pairs, training pairs first.
    pub fn pairs(&self) -> impl Iterator<Item = &(Grid, Grid)> {
        self.train.iter().chain(&self.test)
    }

    /// The inputs of programs: the input of each pair, with the training pairs as `S`.
    pub fn examples(&self) -> impl Iterator<Item = Example<'_>> {
        self.pairs().map(|(input, _)| Example {
            input,
            pairs: &self.train,
            candidate: None,
        })
    }
}

/// Tasks, and notes about reading them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dataset {
    /// The tasks in the order of names.
    pub tasks: Vec<Task>,
    /// Notes for the user: files left out, tasks found twice.
    pub notes: Vec<String>,
}

impl Dataset {
    /// The task of that name.
    #[must_use]
    pub fn task(&self, id: &str) -> Option<&Task> {
        let place = self
            .tasks
            .binary_search_by(|task| (*task.id).cmp(id))
            .ok()?;
        self.tasks.get(place)
    }
}

/// Reads the tasks of a file, folder or archive.
pub fn load(path: &Path) -> Result<Dataset, DataError> {
    let mut notes = Vec::new();
    let sources = Sources::list(path, &mut notes)?;
    let mut tasks: BTreeMap<Arc<str>, Task> = BTreeMap::new();
    // The number of tasks of each file that a later file replaced.
    let mut replaced: BTreeMap<Arc<str>, usize> = BTreeMap::new();
    let mut origin: BTreeMap<Arc<str>, Arc<str>> = BTreeMap::new();
    for (file, found) in file_layout::tasks(sources, &mut notes)? {
        for task in found {
            // Versions of a data set have dates or numbers in their names, so the last
            // by name is the newest.
            let id = Arc::clone(&task.id);
            let before = tasks.insert(Arc::clone(&id), task);
            let earlier = origin.insert(Arc::clone(&id), Arc::clone(&file));
            if let (Some(before), Some(earlier)) = (before, earlier)
                && tasks.get(&id) != Some(&before)
            {
                *replaced.entry(earlier).or_default() += 1;
            }
        }
    }
    for (file, count) in replaced {
        notes.push(format!(
            "{file}: {count} tasks are different in a later file, and were taken from there; \
             name one file to have it as it is"
        ));
    }
    if tasks.is_empty() {
        return Err(DataError::NoTasks {
            path: path.to_owned(),
        });
    }
    Ok(Dataset {
        tasks: tasks.into_values().collect(),
        notes,
    })
}

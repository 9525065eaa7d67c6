//! The options that name programs and tasks, and their loading.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use heddle::arc::data::{self, Dataset, Task};
use heddle::arc::program::{Program, ProgramFileError, SourceError, files, load, read};
use heddle::arc::{solvers, tasks};
use heddle::error::with_causes;

use crate::cli::Failure;

/// Seed of the built-in tasks, so that they are the same in every run.
const BUILT_IN_SEED: u64 = 1;

#[derive(Debug, clap::Args)]
pub(super) struct Inputs {
    /// Files of programs, or folders of them (default: Heddle's own for the tasks).
    #[arg(long, value_name = "PATH", num_args = 1..)]
    programs: Vec<PathBuf>,

    /// Tasks: a folder, a file, or a zip or wheel of these (default: built-in
    /// tasks).
    #[arg(long, value_name = "PATH", env = "HEDDLE_ARC_DATA")]
    data: Option<PathBuf>,

    /// Only these tasks.
    #[arg(long, value_name = "ID", num_args = 1.., value_delimiter = ',')]
    tasks: Vec<String>,
}

/// The programs and tasks that the options name.
pub(super) struct LoadedInputs {
    pub(super) programs: Vec<Program>,
    /// Programs that could not be parsed.
    pub(super) errors: Vec<SourceError>,
    pub(super) dataset: Dataset,
    /// The time of reading them.
    pub(super) time: Duration,
}

impl LoadedInputs {
    /// Returns the selected tasks.
    pub(super) fn tasks(&self) -> Vec<&Task> {
        self.dataset.tasks.iter().collect()
    }
}

impl Inputs {
    /// Reads the programs and tasks.
    pub(super) fn read(&self) -> Result<LoadedInputs, Failure> {
        let start = Instant::now();
        let mut dataset = match &self.data {
            Some(path) => data::load(path).map_err(|error| failure(&error))?,
            None => tasks::dataset(BUILT_IN_SEED),
        };
        if !self.tasks.is_empty() {
            let unknown = self.tasks.iter().find(|id| dataset.task(id).is_none());
            if let Some(id) = unknown {
                return Err(Failure::Usage {
                    message: format!("no task is called {id}"),
                    hint: format!(
                        "there are {} tasks, such as {}",
                        dataset.tasks.len(),
                        dataset.tasks.first().map_or("none", |task| &task.id)
                    ),
                });
            }
            let asked = |task: &Task| self.tasks.iter().any(|id| *id == *task.id);
            dataset.tasks.retain(asked);
        }
        let (programs, errors) = self.read_programs()?;
        Ok(LoadedInputs {
            programs,
            errors,
            dataset,
            time: start.elapsed(),
        })
    }

    fn read_programs(&self) -> Result<(Vec<Program>, Vec<SourceError>), Failure> {
        if !self.programs.is_empty() {
            return read_programs(&self.programs);
        }
        let mut programs = Vec::new();
        let mut errors = Vec::new();
        let texts = match &self.data {
            Some(_) => solvers::FILES.to_vec(),
            None => vec![("built-in", tasks::PROGRAMS)],
        };
        for (file, text) in texts {
            let loaded = load(text, file);
            programs.extend(loaded.programs);
            errors.extend(loaded.errors);
        }
        Ok((programs, errors))
    }
}

/// Returns the programs of files and folders, and the errors of those that could not be
/// parsed.
pub(super) fn read_programs(
    paths: &[PathBuf],
) -> Result<(Vec<Program>, Vec<SourceError>), Failure> {
    let mut programs = Vec::new();
    let mut errors = Vec::new();
    for path in paths {
        for file in files(path).map_err(|error| unreadable(path, &error))? {
            let loaded = read(&file).map_err(|error| match error {
                ProgramFileError::Read { source, .. } => unreadable(&file, &source),
                error => failure(&error),
            })?;
            programs.extend(loaded.programs);
            errors.extend(loaded.errors);
        }
    }
    if programs.is_empty() {
        return Err(Failure::Arc {
            message: match errors.first() {
                Some(error) => format!("no program could be read: {error}"),
                None => "the files hold no programs".to_owned(),
            },
            hint: Some("a program begins with def solve_NAME(I):".to_owned()),
        });
    }
    Ok((programs, errors))
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Arc {
        message: format!("cannot read {}: {error}", path.display()),
        hint: Some("name files of programs, such as programs/*.py, or their folder".to_owned()),
    }
}

/// Returns a failure with the error's own message and causes.
pub(super) fn failure(error: &(dyn std::error::Error + 'static)) -> Failure {
    Failure::Arc {
        message: with_causes(error).to_string(),
        hint: None,
    }
}

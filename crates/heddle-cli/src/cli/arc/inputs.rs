//! The options that name programs and tasks, and their loading.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{Duration, Instant};

use heddle::arc::data::{self, Dataset, Task};
use heddle::arc::program::{
    Dialect, Program, ProgramFileError, SourceError, files, load, read, read_text as text_of,
};
use heddle::arc::reading::Cells;
use heddle::arc::{solvers, tasks};
use heddle::config::Config;
use heddle::error::with_causes;

use crate::cli::{Failure, hint_within};

/// Seed of the built-in tasks, so that they are the same in every run.
const BUILT_IN_SEED: u64 = 1;

#[derive(Debug, clap::Args)]
pub(super) struct Inputs {
    /// Files of programs, or folders of them (default: Heddle's own for the tasks).
    #[arg(long, value_name = "PATH", num_args = 1..)]
    programs: Vec<PathBuf>,

    #[command(flatten)]
    dialect: DialectInputs,

    #[command(flatten)]
    tasks: TaskInputs,
}

/// The options that say how programs are understood.
#[derive(Debug, clap::Args)]
pub(super) struct DialectInputs {
    /// Dialect of the programs: typed, classic, or auto (that of each file; the default).
    #[arg(long, value_name = "DIALECT")]
    dialect: Option<Dialect>,

    #[command(flatten)]
    cells: CellsInput,
}

/// The option that says how typed programs see cells.
#[derive(Debug, clap::Args)]
pub(super) struct CellsInput {
    /// How typed programs see a cell: triple (row, column, colour; the default) or classic
    /// (colour, (row, column)).
    #[arg(long, value_name = "VIEW")]
    cells: Option<Cells>,
}

impl CellsInput {
    pub(super) fn cells(&self, config: &Config) -> Result<Cells, Failure> {
        chosen(self.cells, "cells", config.arc.cells.as_deref())
    }
}

impl DialectInputs {
    fn dialect(&self, config: &Config) -> Result<Dialect, Failure> {
        chosen(self.dialect, "dialect", config.arc.dialect.as_deref())
    }

    fn cells(&self, config: &Config) -> Result<Cells, Failure> {
        self.cells.cells(config)
    }
}

/// Returns the value of an option, else of the configuration, else the default.
fn chosen<T: FromStr<Err = String> + Default>(
    option: Option<T>,
    key: &str,
    configured: Option<&str>,
) -> Result<T, Failure> {
    let read = |text: &str| {
        text.parse().map_err(|why| Failure::Usage {
            message: format!("arc.{key} = \"{text}\": {why}"),
            hint: format!("set it in heddle.toml or with --{key}"),
        })
    };
    let configured = configured.map(read).transpose()?;
    Ok(option.or(configured).unwrap_or_default())
}

/// The options that name tasks.
#[derive(Debug, clap::Args)]
pub(super) struct TaskInputs {
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

impl TaskInputs {
    /// Reads the tasks.
    pub(super) fn read(&self) -> Result<Dataset, Failure> {
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
        Ok(dataset)
    }
}

impl Inputs {
    /// Whether programs are named.
    pub(super) fn names_programs(&self) -> bool {
        !self.programs.is_empty()
    }

    pub(super) fn cells(&self, config: &Config) -> Result<Cells, Failure> {
        self.dialect.cells(config)
    }

    /// Reads the tasks alone.
    pub(super) fn read_tasks(&self) -> Result<Dataset, Failure> {
        self.tasks.read()
    }

    /// Reads the programs and tasks.
    pub(super) fn read(&self, config: &Config) -> Result<LoadedInputs, Failure> {
        let start = Instant::now();
        let dataset = self.tasks.read()?;
        let (programs, errors) = self.read_programs(config)?;
        Ok(LoadedInputs {
            programs,
            errors,
            dataset,
            time: start.elapsed(),
        })
    }

    fn read_programs(&self, config: &Config) -> Result<(Vec<Program>, Vec<SourceError>), Failure> {
        if !self.programs.is_empty() {
            return read_programs(&self.programs, &self.dialect, config);
        }
        let mut programs = Vec::new();
        let mut errors = Vec::new();
        let texts = match &self.tasks.data {
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
    dialect: &DialectInputs,
    config: &Config,
) -> Result<(Vec<Program>, Vec<SourceError>), Failure> {
    let mut programs = Vec::new();
    let mut errors = Vec::new();
    let (dialect, cells) = (dialect.dialect(config)?, dialect.cells(config)?);
    for path in paths {
        for file in files(path).map_err(|error| unreadable(path, &error))? {
            let loaded = read(&file, dialect, cells);
            let loaded = loaded.map_err(|error| unread(&file, error))?;
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

/// Returns the text of a file of programs.
pub(super) fn read_text(file: &Path) -> Result<String, Failure> {
    text_of(file).map_err(|error| unread(file, error))
}

fn unread(file: &Path, error: ProgramFileError) -> Failure {
    match error {
        ProgramFileError::Read { source, .. } if hint_within(&source).is_none() => {
            unreadable(file, &source)
        }
        error => failure(&error),
    }
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
        hint: hint_within(error),
    }
}

//! `heddle arc generate`: writes random programs, or mutants of given ones.

use std::fmt;
use std::path::PathBuf;

use heddle::arc::data;
use heddle::arc::program::{Form, Program};
use heddle::arc::rng::Rng;
use heddle::arc::search::{Mutation, ProgramShape, generate, mutate};
use heddle::batch::CancelToken;
use heddle::config::Config;
use heddle::memory::admit_host;
use heddle::profile::write_whole;
use heddle::units::Bytes;
use serde_json::json;

use super::inputs::{DialectInputs, failure, read_programs};
use super::{MAX_GENERATED, grouped, print_notes, refuse_above};
use crate::cli::output::Output;
use crate::cli::progress::GenerationBar;
use crate::cli::{Failure, interrupt};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Number of programs.
    #[arg(long, default_value_t = 10, value_name = "N")]
    count: usize,

    /// Seed of the programs.
    #[arg(long, default_value_t = 0, value_name = "S")]
    seed: u64,

    /// Lines of each program, if possible.
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=200))]
    lines: u16,

    /// Write programs that take the examples: (S, I, C) instead of (I).
    #[arg(long)]
    examples: bool,

    /// Change these programs instead of writing new ones.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    programs: Vec<PathBuf>,

    #[command(flatten)]
    dialect: DialectInputs,

    /// Tasks of those programs: colours are then replaced by expressions that compute
    /// them from the examples.
    #[arg(long, value_name = "PATH", env = "HEDDLE_ARC_DATA")]
    data: Option<PathBuf>,

    /// Write to this file instead of standard output.
    #[arg(short, long, value_name = "OUT")]
    out: Option<PathBuf>,
}

/// The most lines of all programs of one run: some minutes, as a program of 200 lines takes far
/// longer than 20 of ten.
const MAX_LINES: usize = 10_000_000;

/// What a generated program takes in memory beside its lines, and for each line asked for.
const BYTES_PER_PROGRAM: usize = 192;
const BYTES_PER_LINE: usize = 24;

/// The text of a program and its origin. Texts take a quarter of the memory of programs.
struct GeneratedProgram {
    program: String,
    from: Option<(String, Mutation)>,
}

impl fmt::Display for GeneratedProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((name, mutation)) = &self.from {
            let what = format!("{mutation:?}").to_lowercase();
            writeln!(f, "# {name}, another {what}")?;
        }
        f.write_str(self.program.trim_end())
    }
}

pub(super) fn run(
    config: &Config,
    arguments: &Arguments,
    output: &mut Output,
) -> Result<(), Failure> {
    refuse_above("--count", arguments.count, MAX_GENERATED)?;
    let made = if arguments.programs.is_empty() {
        random(arguments)?
    } else {
        mutants(config, arguments)?
    };
    if let Some(file) = &arguments.out {
        output.leave_standard_output_to(file);
        write_whole(file, |to| {
            let mut between = "";
            for made in &made {
                writeln!(to, "{between}{made}")?;
                between = "\n";
            }
            Ok(())
        })?;
    }
    if output.is_json() {
        let texts: Vec<&str> = made.iter().map(|made| &*made.program).collect();
        return Ok(output.object(&json!({
            "count": made.len(),
            "seed": arguments.seed,
            "file": arguments.out,
            "programs": texts,
        }))?);
    }
    if let Some(file) = &arguments.out {
        let programs = made.len();
        return Ok(output.line(format_args!("{}: {programs} programs", file.display()))?);
    }
    let mut between = "";
    for made in &made {
        output.line(format_args!("{between}{made}"))?;
        between = "\n";
    }
    Ok(())
}

/// The programs made so far, with a bar on a terminal. Ctrl-C ends it with an error.
struct Generation {
    made: Vec<GeneratedProgram>,
    count: usize,
    cancel: CancelToken,
    bar: GenerationBar,
}

impl Generation {
    /// Refuses what would take hours, or more memory than there is, before the first program.
    fn new(count: usize, lines: usize) -> Result<Self, Failure> {
        if count.saturating_mul(lines) > MAX_LINES {
            return Err(Failure::Usage {
                message: format!(
                    "{count} programs of {lines} lines are more than {} lines, the limit of one run",
                    grouped(MAX_LINES as u64)
                ),
                hint: "run it several times, each with another --seed".to_owned(),
            });
        }
        let each = BYTES_PER_PROGRAM + BYTES_PER_LINE * lines;
        admit_host("the generated programs", Bytes::of::<u8>(count * each))?;
        Ok(Self {
            made: Vec::with_capacity(count),
            count,
            cancel: interrupt::token(),
            bar: GenerationBar::new(count as u64),
        })
    }

    fn add(&mut self, program: &Program, from: Option<(String, Mutation)>) {
        self.made.push(GeneratedProgram {
            program: program.to_string(),
            from,
        });
        self.bar.add(1);
    }

    /// Whether programs are missing. Fails after Ctrl-C.
    fn goes_on(&self) -> Result<bool, Failure> {
        if self.cancel.is_stopped() {
            return Err(Failure::GenerationInterrupted {
                done: self.made.len(),
                of: self.count,
            });
        }
        Ok(self.made.len() < self.count)
    }
}

fn random(arguments: &Arguments) -> Result<Vec<GeneratedProgram>, Failure> {
    let shape = ProgramShape {
        lines: usize::from(arguments.lines),
        form: if arguments.examples {
            Form::Examples
        } else {
            Form::Input
        },
    };
    let seed = arguments.seed;
    let mut generation = Generation::new(arguments.count, shape.lines)?;
    while generation.goes_on()? {
        let number = generation.made.len() as u64;
        let name = format!("solve_random_{seed}_{number}");
        generation.add(&generate(&name, shape, &mut Rng::of(seed, number)), None);
    }
    Ok(generation.made)
}

fn mutants(config: &Config, arguments: &Arguments) -> Result<Vec<GeneratedProgram>, Failure> {
    let (programs, errors) = read_programs(&arguments.programs, &arguments.dialect, config)?;
    print_notes(&errors.iter().map(ToString::to_string).collect::<Vec<_>>());
    let tasks = match &arguments.data {
        Some(path) => Some(data::load(path).map_err(|error| failure(&error))?),
        None => None,
    };
    let lines: usize = programs.iter().map(|program| program.calls.len()).sum();
    let mut generation = Generation::new(arguments.count, lines.div_ceil(programs.len().max(1)))?;
    let mut number = 0;
    // Some programs have no mutant, so there are ten times as many attempts.
    while generation.goes_on()? && number < 10 * arguments.count as u64 + 100 {
        let mut rng = Rng::of(arguments.seed, number);
        number += 1;
        let Some(program) = rng.pick(&programs) else {
            break;
        };
        let task = tasks.as_ref().and_then(|tasks| tasks.task(program.task()));
        let examples = task.map_or(&[][..], |task| &task.train);
        if let Some((mut mutant, mutation)) = mutate(program, examples, &mut rng) {
            mutant.name = format!("{}_{}", program.name, generation.made.len()).into();
            generation.add(&mutant, Some((program.name.to_string(), mutation)));
        }
    }
    let made = generation.made;
    if made.len() < arguments.count {
        print_notes(&[format!(
            "{} mutants were requested, but {} were found",
            arguments.count,
            made.len()
        )]);
    }
    Ok(made)
}

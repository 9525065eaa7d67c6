//! `heddle arc generate`: writes random programs, or mutants of given ones.

use std::path::PathBuf;

use heddle::arc::data;
use heddle::arc::program::Form;
use heddle::arc::rng::Rng;
use heddle::arc::search::{Mutation, ProgramShape, generate, mutate};
use heddle::config::Config;
use heddle::profile::write_whole;
use serde_json::json;

use super::inputs::{DialectInputs, failure, read_programs};
use super::{MAX_GENERATED, print_notes, refuse_above};
use crate::cli::Failure;
use crate::cli::output::Output;

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

/// The text of a program and its origin. Texts take a quarter of the memory of programs.
struct GeneratedProgram {
    program: String,
    from: Option<(String, Mutation)>,
}

pub(super) fn run(
    config: &Config,
    arguments: &Arguments,
    output: &mut Output,
) -> Result<(), Failure> {
    refuse_above("--count", arguments.count, MAX_GENERATED)?;
    let made = if arguments.programs.is_empty() {
        random(arguments)
    } else {
        mutants(config, arguments)?
    };
    let text: String = made
        .iter()
        .map(|made| match &made.from {
            Some((name, mutation)) => {
                let what = format!("{mutation:?}").to_lowercase();
                format!("# {name}, another {what}\n{}\n\n", made.program)
            }
            None => format!("{}\n\n", made.program),
        })
        .collect();
    let text = text.trim_end();
    if let Some(file) = &arguments.out {
        output.leave_standard_output_to(file);
        write_whole(file, |to| writeln!(to, "{text}"))?;
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
    match &arguments.out {
        Some(file) => output.line(format_args!("{}: {} programs", file.display(), made.len()))?,
        None => output.line(text)?,
    }
    Ok(())
}

fn random(arguments: &Arguments) -> Vec<GeneratedProgram> {
    let shape = ProgramShape {
        lines: usize::from(arguments.lines),
        form: if arguments.examples {
            Form::Examples
        } else {
            Form::Input
        },
    };
    let seed = arguments.seed;
    (0..arguments.count)
        .map(|number| GeneratedProgram {
            program: generate(
                &format!("solve_random_{seed}_{number}"),
                shape,
                &mut Rng::of(seed, number as u64),
            )
            .to_string(),
            from: None,
        })
        .collect()
}

fn mutants(config: &Config, arguments: &Arguments) -> Result<Vec<GeneratedProgram>, Failure> {
    let (programs, errors) = read_programs(&arguments.programs, &arguments.dialect, config)?;
    print_notes(&errors.iter().map(ToString::to_string).collect::<Vec<_>>());
    let tasks = match &arguments.data {
        Some(path) => Some(data::load(path).map_err(|error| failure(&error))?),
        None => None,
    };
    let mut made = Vec::with_capacity(arguments.count);
    let mut number = 0;
    // Some programs have no mutant, so there are ten times as many attempts.
    while made.len() < arguments.count && number < 10 * arguments.count as u64 + 100 {
        let mut rng = Rng::of(arguments.seed, number);
        number += 1;
        let Some(program) = rng.pick(&programs) else {
            break;
        };
        let task = tasks.as_ref().and_then(|tasks| tasks.task(program.task()));
        let examples = task.map_or(&[][..], |task| &task.train);
        if let Some((mut mutant, mutation)) = mutate(program, examples, &mut rng) {
            mutant.name = format!("{}_{}", program.name, made.len()).into();
            made.push(GeneratedProgram {
                program: mutant.to_string(),
                from: Some((program.name.to_string(), mutation)),
            });
        }
    }
    if made.len() < arguments.count {
        print_notes(&[format!(
            "{} mutants were requested, but {} were found",
            arguments.count,
            made.len()
        )]);
    }
    Ok(made)
}

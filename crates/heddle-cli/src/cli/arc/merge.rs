//! `heddle arc merge`: merges programs into one plan and writes it as text.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use heddle::arc::batt;
use heddle::arc::gpu::{Bytecode, disassemble};
use heddle::arc::plan::{CallGraph, Plan, patterns, write};
use heddle::arc::program::Program;
use heddle::arc::rng::Rng;
use heddle::config::Config;
use heddle::profile::{is_regular_output, write_whole};
use serde_json::json;

use super::inputs::{DialectInputs, read_programs};
use super::{grouped, print_notes};
use crate::cli::Failure;
use crate::cli::output::Output;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Files of programs.
    #[arg(long, value_name = "FILE", num_args = 1.., required = true)]
    programs: Vec<PathBuf>,

    #[command(flatten)]
    dialect: DialectInputs,

    /// Merge this many of them, chosen at random (default: all).
    #[arg(short = 'c', long, value_name = "N")]
    count: Option<usize>,

    /// Seed of the choice.
    #[arg(long, default_value_t = 0, value_name = "S")]
    seed: u64,

    /// What to write: a plan, or a merged file of the typed dialect with its call table beside it
    /// (…_call.py). There programs called differ... judge the others, and each call is bound to
    /// the line that makes it; that system's generator binds repeated calls to the newest line.
    #[arg(long = "as", value_name = "FORM", value_enum, default_value = "plan")]
    form: WrittenForm,

    /// Write to this file.
    #[arg(short, long, value_name = "OUT", required_unless_present = "bytecode")]
    out: Option<PathBuf>,

    /// Print the GPU bytecode of each program.
    #[arg(long)]
    bytecode: bool,
}

/// The most lines of a merged file that is written, before equal ones are written once.
const MAX_BATT_LINES: usize = 1 << 20;

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum WrittenForm {
    Plan,
    Batt,
}

pub(super) fn run(
    config: &Config,
    arguments: &Arguments,
    output: &mut Output,
) -> Result<(), Failure> {
    let (programs, errors) = read_programs(&arguments.programs, &arguments.dialect, config)?;
    print_notes(&errors.iter().map(ToString::to_string).collect::<Vec<_>>());
    let programs = match arguments.count {
        Some(count) if count > programs.len() => {
            return Err(Failure::Usage {
                message: format!(
                    "{count} programs were requested, but {} were read",
                    programs.len()
                ),
                hint: "leave -c out to merge all of them".to_owned(),
            });
        }
        Some(count) => chosen(programs, count, arguments.seed),
        None => programs,
    };
    let graph = CallGraph::merge(&programs);
    if let Some(out) = &arguments.out {
        output.leave_standard_output_to(out);
        match arguments.form {
            WrittenForm::Plan => {
                refuse_typed(&programs)?;
                write_whole(out, |to| to.write_all(write(&graph).as_bytes()))?;
            }
            WrittenForm::Batt => write_batt(&programs, out)?,
        }
    }
    let mut found: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for pattern in patterns(&graph) {
        let (groups, lines) = found.entry(pattern.kind.name()).or_default();
        *groups += 1;
        *lines += pattern.nodes.len();
    }
    let plan = Plan::of(graph);
    let sharing = plan.sharing();
    let listing = arguments.bytecode.then(|| {
        let code = Bytecode::of(&plan);
        let text = |program| disassemble(&code, program, plan.name(program));
        (0..plan.len()).map(text).collect::<Vec<String>>()
    });
    if output.is_json() {
        let patterns: BTreeMap<&str, _> = found
            .iter()
            .map(|(name, (groups, lines))| (*name, json!({"groups": groups, "lines": lines})))
            .collect();
        return Ok(output.object(&json!({
            "file": arguments.out,
            "programs": programs.len(),
            "calls": sharing.calls,
            "distinct_calls": sharing.distinct_calls,
            "steps": sharing.steps,
            "distinct_steps": sharing.distinct_steps,
            "bodies": sharing.bodies,
            "patterns": patterns,
            "bytecode": listing,
        }))?);
    }
    for text in listing.iter().flatten() {
        output.line(text)?;
    }
    let file = arguments
        .out
        .as_ref()
        .map(|out| format!("{}: ", out.display()));
    output.line(format_args!(
        "{}{} programs, {} calls, {} distinct ({:.0} % shared)",
        file.unwrap_or_default(),
        grouped(programs.len() as u64),
        grouped(sharing.calls as u64),
        grouped(sharing.distinct_calls as u64),
        100.0 * (1.0 - sharing.distinct_calls as f64 / sharing.calls.max(1) as f64),
    ))?;
    for (name, (groups, lines)) in found {
        output.line(format_args!("  {name}: {groups} groups, {lines} lines"))?;
    }
    Ok(())
}

/// Refuses to write a plan of typed programs as text, which has no dialect.
fn refuse_typed(programs: &[Program]) -> Result<(), Failure> {
    let typed = programs.iter().find(|program| program.reading.is_typed());
    typed.map_or(Ok(()), |program| {
        Err(Failure::Usage {
            message: format!(
                "{} is typed, and the text of a plan is classic",
                program.name
            ),
            hint: "write a merged file with --as batt".to_owned(),
        })
    })
}

/// Refuses programs that would make a merged file of very many lines: every differ is written
/// once for every solver.
fn refuse_many_lines(programs: &[Program]) -> Result<(), Failure> {
    let (differs, solvers): (Vec<_>, Vec<_>) = programs
        .iter()
        .partition(|program| program.name.starts_with("differ"));
    let lines = |programs: &[&Program]| programs.iter().map(|it| it.calls.len()).sum::<usize>();
    let asked = lines(&differs)
        .saturating_mul(solvers.len() + 1)
        .saturating_add(lines(&solvers));
    if asked <= MAX_BATT_LINES {
        return Ok(());
    }
    Err(Failure::Usage {
        message: format!(
            "{} solvers and {} differs make a merged file of {} lines, where {} is the limit",
            grouped(solvers.len() as u64),
            grouped(differs.len() as u64),
            grouped(asked as u64),
            grouped(MAX_BATT_LINES as u64)
        ),
        hint: "merge fewer of them, such as with -c".to_owned(),
    })
}

/// Writes a merged file and its call table; notes name the programs that cannot be in it.
fn write_batt(programs: &[Program], out: &Path) -> Result<(), Failure> {
    refuse_many_lines(programs)?;
    let written = batt::write(programs);
    let errors = written.errors.iter().map(ToString::to_string);
    print_notes(&errors.chain(written.notes).collect::<Vec<_>>());
    let stem = out.file_stem().unwrap_or_default().to_string_lossy();
    let calls = out.with_file_name(format!("{stem}_call.py"));
    write_whole(out, |to| to.write_all(written.text.as_bytes()))?;
    if !is_regular_output(out) {
        let why = format!(
            "the call table is not written: {} is no file",
            out.display()
        );
        print_notes(&[why]);
        return Ok(());
    }
    write_whole(&calls, |to| to.write_all(written.calls.write().as_bytes()))?;
    Ok(())
}

/// Returns `count` programs chosen at random, in the order they were read.
fn chosen(programs: Vec<Program>, count: usize, seed: u64) -> Vec<Program> {
    let mut rng = Rng::new(seed);
    let mut left = programs.len();
    let mut wanted = count;
    programs
        .into_iter()
        .filter(|_| {
            let takes = rng.below(left) < wanted;
            left -= 1;
            wanted -= usize::from(takes);
            takes
        })
        .collect()
}

//! `heddle arc`: programs over coloured grids.
//!
//! One file per subcommand. All computation is in `heddle-arc`; this module reads files,
//! prints and draws.

mod batt;
mod bench;
mod check;
mod eval;
mod evolve;
mod generate;
mod gpu;
mod inputs;
mod merge;

use heddle::config::Config;
use heddle::{DiscoveredDevices, Runtime};

pub(super) use gpu::arc_launch;

use super::output::{self, Output};
use super::{Failure, with_gpu_hint};

/// The most programs that one run generates. They are kept in memory, a few kilobytes each.
const MAX_GENERATED: usize = 1_000_000;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Check every primitive against known results; exits 1 if any is wrong.
    Check(check::Arguments),
    /// Run programs on tasks and list which are solved.
    Eval(eval::Arguments),
    /// Run a merged file of the typed dialect and score its solvers and differs.
    Batt(batt::Arguments),
    /// Evolve a store of programs: draw, mutate, run on every task, keep what scores.
    Evolve(evolve::Arguments),
    /// Merge programs into one plan and write it as text.
    Merge(merge::Arguments),
    /// Write random programs, or mutants of given ones.
    Generate(generate::Arguments),
    /// Time programs one by one, merged, on all cores and on a GPU; time a search.
    Bench(bench::Arguments),
}

pub(super) fn run(
    config: &Config,
    arguments: &Arguments,
    output: &mut Output,
) -> Result<(), Failure> {
    match &arguments.command {
        Command::Check(check) => check::run(config, check, output),
        Command::Eval(eval) => eval::run(config, eval, output),
        Command::Batt(batt) => batt::run(config, batt, output),
        Command::Evolve(evolve) => evolve::run(config, evolve, output),
        Command::Merge(merge) => merge::run(config, merge, output),
        Command::Generate(generate) => generate::run(config, generate, output),
        Command::Bench(bench) => bench::run(config, bench, output),
    }
}

/// Opens a runtime on all devices of this machine with the profiler on. Its notes are
/// added to `notes`.
fn open(config: &Config, notes: &mut Vec<String>) -> Result<Runtime, Failure> {
    let mut config = config.clone();
    config.profile.enabled = true;
    let discovery = DiscoveredDevices::find(&config)?;
    let built = discovery.builder(config).build();
    let runtime = built.map_err(|error| with_gpu_hint(error, &discovery))?;
    notes.extend(runtime.notes().iter().cloned());
    Ok(runtime)
}

/// Refuses a number of generated programs above a limit.
fn refuse_above(option: &str, asked: usize, limit: usize) -> Result<(), Failure> {
    if asked <= limit {
        return Ok(());
    }
    Err(Failure::Usage {
        message: format!(
            "{option} {asked} is more than {}, the limit of one run",
            grouped(limit as u64)
        ),
        hint: "run it several times, each with another --seed".to_owned(),
    })
}

/// Prints notes on standard error.
fn print_notes(notes: &[String]) {
    for note in notes {
        output::note(note);
    }
}

/// Formats `1234567` as `1,234,567`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn thousands_are_grouped() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1000), "1,000");
        assert_eq!(grouped(1_234_567), "1,234,567");
    }
}

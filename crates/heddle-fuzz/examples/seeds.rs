//! Writes the seeds of every target: `cargo run -p heddle-fuzz --example seeds FOLDER`.
//!
//! Each target gets a folder of its own, and each seed a file named by its number.

use std::process::ExitCode;
use std::{env, fs, io};

use heddle_fuzz::TARGETS;

fn main() -> ExitCode {
    let Some(folder) = env::args_os().nth(1) else {
        eprintln!("usage: seeds FOLDER");
        return ExitCode::from(2);
    };
    match write(folder.as_ref()) {
        Ok(count) => {
            eprintln!("{count} seeds for {} targets", TARGETS.len());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: the seeds cannot be written: {error}");
            ExitCode::FAILURE
        }
    }
}

fn write(folder: &std::path::Path) -> io::Result<usize> {
    let mut count = 0;
    for target in TARGETS {
        let own = folder.join(target.name);
        fs::create_dir_all(&own)?;
        for (number, seed) in (target.seeds)().iter().enumerate() {
            fs::write(own.join(format!("seed-{number:03}")), seed)?;
            count += 1;
        }
    }
    Ok(count)
}

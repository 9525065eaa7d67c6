//! Compares two recordings and prints everything about it as JSON: `compare
//! BEFORE.json AFTER.json`.

use std::error::Error;
use std::io::Write;

use heddle_profile::{CompareSettings, Recording};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [before, after] = arguments.as_slice() else {
        return Err("usage: compare BEFORE.json AFTER.json".into());
    };
    let before = Recording::read(before)?;
    let comparison = before.compare(&Recording::read(after)?, CompareSettings::default());
    serde_json::to_writer(std::io::stdout().lock(), &comparison)?;
    Ok(writeln!(std::io::stdout())?)
}

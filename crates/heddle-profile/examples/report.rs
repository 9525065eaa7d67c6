//! Turns a recording into a page: `report run.json report.html`. With one argument
//! it writes the page with made-up figures.

use std::error::Error;
use std::fs;

use heddle_profile::report;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [page] => fs::write(page, report::render_demo())?,
        [recording, page] => {
            let json = fs::read_to_string(recording)?;
            fs::write(page, report::render(&json, recording))?;
        }
        _ => return Err("usage: report [RECORDING.json] PAGE.html".into()),
    }
    Ok(())
}

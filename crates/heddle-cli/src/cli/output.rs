//! What the command prints: results on standard output, as text or one JSON object, and
//! notes and errors on standard error.
//!
//! Nothing else writes to a terminal. Text is escaped here, so that no command can print a
//! control character that it read somewhere.

#![allow(
    clippy::disallowed_methods,
    reason = "text is escaped before it is printed here"
)]

use std::fmt;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use anstream::AutoStream;
use anstyle::{AnsiColor, Style};
use heddle::profile::is_standard_output;
use serde::Serialize;

use super::escape::{JsonFilter, Mark, write_line};

/// The style of headings.
pub(super) const HEADING: Mark = Mark(Style::new().bold());
/// The style of the most important text.
pub(super) const ACCENT: Mark = Mark(AnsiColor::Cyan.on_default());
/// The style of secondary text.
pub(super) const FAINT: Mark = Mark(Style::new().dimmed());

/// Standard output, with colours only on a terminal.
pub(super) struct Output {
    json: bool,
    stream: BufWriter<Box<dyn Write>>,
}

impl Output {
    pub(super) fn new(json: bool) -> Self {
        Self {
            json,
            stream: BufWriter::new(Box::new(AutoStream::auto(io::stdout()))),
        }
    }

    /// Prints on standard error from now on if `file`, which the command writes, is standard
    /// output.
    pub(super) fn leave_standard_output_to(&mut self, file: &Path) {
        if is_standard_output(file) {
            self.stream = BufWriter::new(Box::new(AutoStream::auto(io::stderr())));
        }
    }

    /// Whether the result is printed as JSON.
    pub(super) fn is_json(&self) -> bool {
        self.json
    }

    /// Prints the result as one JSON object.
    pub(super) fn object(&mut self, value: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer_pretty(JsonFilter(&mut self.stream), value)?;
        self.stream.write_all(b"\n")
    }

    /// Prints one line.
    pub(super) fn line(&mut self, text: impl fmt::Display) -> io::Result<()> {
        write_line(&mut self.stream, &text.to_string())
    }

    /// Prints a heading after an empty line.
    pub(super) fn heading(&mut self, text: impl fmt::Display) -> io::Result<()> {
        self.line(format_args!("\n{HEADING}{text}{HEADING:#}"))
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// Prints what `clap` has to say: help and the version on standard output, mistakes on
/// standard error.
pub(super) fn print_unparsed(unparsed: &clap::Error) -> io::Result<()> {
    use clap::error::ErrorKind::{
        DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion,
    };
    let text = unparsed.render();
    match unparsed.kind() {
        DisplayHelp | DisplayVersion => {
            let mut screen = AutoStream::auto(io::stdout());
            write!(screen, "{}", text.ansi())?;
            screen.flush()
        }
        DisplayHelpOnMissingArgumentOrSubcommand => {
            write!(AutoStream::auto(io::stderr()), "{}", text.ansi())
        }
        // It repeats arguments, such as names of files, so it has no colours.
        _ => write_line(&mut io::stderr(), text.to_string().trim_end()),
    }
}

/// Prints a note on standard error.
pub(super) fn note(text: impl fmt::Display) {
    report("note", text);
}

/// Prints a message of this kind, such as `error`, on standard error.
pub(super) fn report(kind: &'static str, text: impl fmt::Display) {
    // A failed write to standard error cannot be reported.
    let _ = write_line(
        &mut AutoStream::auto(io::stderr().lock()),
        &format!("{kind}: {text}"),
    );
}

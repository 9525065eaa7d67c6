//! Results on standard output: text, or one JSON object.

use std::fmt;
use std::io::{self, BufWriter, Write};

use anstream::AutoStream;
use anstyle::{AnsiColor, Style};
use serde::Serialize;

/// The style of headings.
pub(super) const HEADING: Style = Style::new().bold();
/// The style of the most important text.
pub(super) const ACCENT: Style = AnsiColor::Cyan.on_default();
/// The style of secondary text.
pub(super) const FAINT: Style = Style::new().dimmed();

/// Standard output, with colours only on a terminal.
pub(super) struct Output {
    json: bool,
    stream: BufWriter<AutoStream<io::StdoutLock<'static>>>,
}

impl Output {
    pub(super) fn new(json: bool) -> Self {
        Self {
            json,
            stream: BufWriter::new(AutoStream::auto(io::stdout().lock())),
        }
    }

    /// Whether the result is printed as JSON.
    pub(super) fn is_json(&self) -> bool {
        self.json
    }

    /// Prints the result as one JSON object.
    pub(super) fn object(&mut self, value: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut self.stream, value)?;
        self.stream.write_all(b"\n")
    }

    /// Prints one line.
    pub(super) fn line(&mut self, text: impl fmt::Display) -> io::Result<()> {
        writeln!(self.stream, "{text}")
    }

    /// Prints a heading after an empty line.
    pub(super) fn heading(&mut self, text: impl fmt::Display) -> io::Result<()> {
        writeln!(self.stream, "\n{HEADING}{text}{HEADING:#}")
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

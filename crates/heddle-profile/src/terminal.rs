//! Files that are written to a terminal: what a terminal obeys is escaped.
//!
//! A file or a pipe gets the bytes as they are. On a terminal, a name in a recording could set the
//! title or delete lines, so control characters are written as `\u001b`, which JSON and Python read
//! as the same text.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, IsTerminal, Write};

/// Whether a terminal obeys this character instead of printing it, line ends and tabs included.
#[must_use]
pub fn is_obeyed_by_terminals(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            // Marks, embeddings, overrides and isolates of direction; ends of lines and
            // paragraphs.
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

/// Returns standard output, escaped where it is a terminal.
#[must_use]
pub fn standard_output() -> Box<dyn Write + Send> {
    let stdout = io::stdout();
    if stdout.is_terminal() {
        Box::new(TerminalWriter::new(stdout))
    } else {
        Box::new(stdout)
    }
}

/// Returns an opened file, escaped where it is a terminal.
pub(crate) fn opened(file: File) -> Box<dyn Write + Send> {
    if file.is_terminal() {
        Box::new(TerminalWriter::new(file))
    } else {
        Box::new(file)
    }
}

/// Passes text on with everything escaped that a terminal obeys, but for line ends and tabs. Bytes
/// that are no text are escaped as `\x9b`.
struct TerminalWriter<W: Write> {
    to: W,
    /// The first bytes of a character whose others are not written yet.
    begun: Vec<u8>,
}

impl<W: Write> TerminalWriter<W> {
    fn new(to: W) -> Self {
        Self {
            to,
            begun: Vec::new(),
        }
    }
}

impl<W: Write> Write for TerminalWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut text = std::mem::take(&mut self.begun);
        text.extend_from_slice(bytes);
        // Writing to a string does not fail.
        let mut escaped = String::with_capacity(text.len());
        let mut chunks = text.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            for letter in chunk.valid().chars() {
                if is_obeyed_by_terminals(letter) && !matches!(letter, '\n' | '\t') {
                    // All of them have numbers of at most four digits.
                    let _ = write!(escaped, "\\u{:04x}", u32::from(letter));
                } else {
                    escaped.push(letter);
                }
            }
            if chunks.peek().is_none() && is_begun(chunk.invalid()) {
                chunk.invalid().clone_into(&mut self.begun);
            } else {
                for byte in chunk.invalid() {
                    let _ = write!(escaped, "\\x{byte:02x}");
                }
            }
        }
        self.to.write_all(escaped.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// Whether more bytes could make a character of these.
fn is_begun(bytes: &[u8]) -> bool {
    str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a terminal gets of bytes that are written in pieces.
    fn shown(bytes: &[u8], piece: usize) -> String {
        let mut writer = TerminalWriter::new(Vec::new());
        for piece in bytes.chunks(piece) {
            writer.write_all(piece).unwrap();
        }
        String::from_utf8(writer.to).unwrap()
    }

    #[test]
    fn what_a_terminal_obeys_is_escaped_however_it_is_cut() {
        let text = "naïve 🧵\t\x1b]0;title\x07 \u{9b}31m \u{202e}é\n";
        let escaped = "naïve 🧵\t\\u001b]0;title\\u0007 \\u009b31m \\u202eé\n";
        for piece in 1..text.len() {
            assert_eq!(shown(text.as_bytes(), piece), escaped, "{piece}");
        }
        assert_eq!(shown(b"a\x9bb\xff\xe2\x82c", 2), "a\\x9bb\\xff\\xe2\\x82c");
    }

    #[test]
    fn json_stays_json_with_the_same_text() {
        let text = "a\u{9b}31mb\u{202e}c\x7f\x1b[1m\n🧵";
        let json = serde_json::to_string(&[text]).unwrap();
        let read: Vec<String> = serde_json::from_str(&shown(json.as_bytes(), 3)).unwrap();
        assert_eq!(read, [text]);
    }
}

//! Text of files, names and errors, made safe for a terminal.
//!
//! A terminal obeys control characters, so a name in a recording could set the title or
//! delete lines. [`foreign`] is the only function that decides which characters are escaped;
//! everything that the command prints passes it in [`output`](super::output), also text of the
//! command's own. Its colours are [`Mark`]s, which hold a number that no file can know.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::sync::LazyLock;

use anstyle::Style;
use heddle::profile::is_obeyed_by_terminals as is_obeyed;

/// What begins a mark in this process: an escape character and a random number.
static MARK: LazyLock<String> =
    LazyLock::new(|| format!("\x1b{:016x}", RandomState::new().hash_one("mark")));

/// A style of the command's own: `{MARK}text{MARK:#}`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark(pub(super) Style);

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A style is a list of sequences that each begin with an escape character.
        let codes = if f.alternate() {
            format!("{:#}", self.0)
        } else {
            self.0.to_string()
        };
        f.write_str(&codes.replace('\x1b', &MARK))
    }
}

/// Writes a text with its control characters escaped, and with the command's own colours.
pub(super) fn write_line(to: &mut impl io::Write, text: &str) -> io::Result<()> {
    let mut pieces = text.split(MARK.as_str());
    write!(to, "{}", foreign(pieces.next().unwrap_or_default()))?;
    for piece in pieces {
        write!(to, "\x1b{}", foreign(piece))?;
    }
    writeln!(to)
}

/// A text with the characters escaped that a terminal obeys: control characters but for line
/// ends and tabs, and those that change the direction of text.
pub(super) fn foreign(text: &str) -> impl fmt::Display + '_ {
    fmt::from_fn(move |f| {
        text.split_inclusive(|letter| is_obeyed(letter) && !"\n\t".contains(letter))
            .try_for_each(|piece| match piece.chars().next_back() {
                Some(last) if is_obeyed(last) && !"\n\t".contains(last) => {
                    let before = &piece[..piece.len() - last.len_utf8()];
                    write!(f, "{before}{}", last.escape_default())
                }
                _ => f.write_str(piece),
            })
    })
}

/// As [`foreign`], on one line: line ends and tabs are escaped too.
pub(super) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_obeyed(letter) {
            line.extend(letter.escape_default());
        } else {
            line.push(letter);
        }
    }
    line
}

/// Passes JSON on with what JSON itself does not escape escaped as `\u009b`.
pub(super) struct JsonFilter<W>(pub(super) W);

impl<W: io::Write> io::Write for JsonFilter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // `serde_json` writes whole characters, and those obeyed only within strings but for
        // the line ends between them.
        let Ok(mut rest) = str::from_utf8(bytes) else {
            return self.0.write(bytes);
        };
        while let Some(at) = rest.find(|letter| is_obeyed(letter) && letter != '\n') {
            self.0.write_all(&rest.as_bytes()[..at])?;
            let mut letters = rest[at..].chars();
            if let Some(letter) = letters.next() {
                // All of them have numbers of at most four digits.
                write!(self.0, "\\u{:04x}", u32::from(letter))?;
            }
            rest = letters.as_str();
        }
        self.0.write_all(rest.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOLD: Mark = Mark(Style::new().bold());

    fn line(text: &str) -> String {
        let mut written = Vec::new();
        write_line(&mut written, text).unwrap();
        String::from_utf8(written).unwrap()
    }

    #[test]
    fn own_styles_survive_and_those_of_names_do_not() {
        let printed = line(&format!("{BOLD}\x1b[1ma\x1b]0;b\x07{BOLD:#}"));
        assert_eq!(printed, "\x1b[1m\\u{1b}[1ma\\u{1b}]0;b\\u{7}\x1b[0m\n");
    }

    #[test]
    fn everything_a_terminal_obeys_is_escaped() {
        for letter in (0..=0x9f_u32).chain(0x2028..=0x202e).chain(0x2066..=0x2069) {
            let letter = char::from_u32(letter).unwrap();
            let obeyed =
                letter < ' ' || ('\x7f'..='\u{9f}').contains(&letter) || letter > '\u{2000}';
            let text = letter.to_string();
            assert_eq!(one_line(&text) != text, obeyed, "{letter:?}");
            let kept = !obeyed || "\n\t".contains(letter);
            assert_eq!(foreign(&text).to_string() == text, kept, "{letter:?}");
        }
        assert_eq!(line("naïve 🧵 é"), "naïve 🧵 é\n");
    }

    #[test]
    fn json_stays_json_with_the_same_text() {
        let text = "a\u{9b}31mb\u{202e}c\x7f\x1b[1m\n🧵";
        let mut written = Vec::new();
        serde_json::to_writer_pretty(JsonFilter(&mut written), &[text]).unwrap();
        let printed = String::from_utf8(written).unwrap();
        assert!(
            printed
                .chars()
                .all(|letter| letter == '\n' || !is_obeyed(letter)),
            "{printed:?}"
        );
        assert_eq!(
            serde_json::from_str::<Vec<String>>(&printed).unwrap(),
            [text]
        );
    }
}

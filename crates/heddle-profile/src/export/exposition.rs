//! The text format of Prometheus, version 0.0.4: families, samples and labels.

use std::fmt::{self, Write as _};

/// A metric family being written.
pub(super) struct Family<'a> {
    text: &'a mut String,
    name: &'static str,
}

impl<'a> Family<'a> {
    pub(super) fn new(text: &'a mut String, name: &'static str, kind: &str, help: &str) -> Self {
        // Writing to a `String` does not fail.
        let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
        Self { text, name }
    }

    pub(super) fn sample(&mut self, labels: &[(&str, &str)], value: impl fmt::Display) {
        self.text.push_str(self.name);
        for (index, (label, text)) in labels.iter().enumerate() {
            let before = if index == 0 { '{' } else { ',' };
            let _ = write!(self.text, "{before}{label}=\"{}\"", Escaped(text));
        }
        if !labels.is_empty() {
            self.text.push('}');
        }
        let _ = writeln!(self.text, " {value}");
    }
}

/// A label's value: backslash, quote and line feed are escaped, nothing else.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            match character {
                '\\' => f.write_str("\\\\")?,
                '"' => f.write_str("\\\"")?,
                '\n' => f.write_str("\\n")?,
                other => f.write_char(other)?,
            }
        }
        Ok(())
    }
}

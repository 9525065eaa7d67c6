//! One line of a program file, split into tokens.

/// The most tokens of a line that are read. No line of the language has as many, so what is read
/// of a longer one is wrong too.
const MAX_TOKENS: usize = 64;

/// A token and the column where it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub text: &'a str,
    pub column: u32,
    pub kind: TokenKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Name,
    /// A number literal, which the language does not have.
    Number,
    Text,
    /// One of `( ) , = :`.
    Mark,
    /// Anything else.
    Stray,
}

/// The tokens of a line, without spaces and without a comment at its end; at most
/// [`MAX_TOKENS`].
pub(crate) fn tokens(line: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut rest = line;
    let mut column = 1;
    while let Some(letter) = rest.chars().next() {
        if letter == '#' || found.len() == MAX_TOKENS {
            break;
        }
        let (kind, length) = if letter.is_whitespace() {
            (None, letter.len_utf8())
        } else if letter.is_alphabetic() || letter == '_' {
            (
                Some(TokenKind::Name),
                span(rest, |c| c.is_alphanumeric() || c == '_'),
            )
        } else if letter.is_ascii_digit() {
            (
                Some(TokenKind::Number),
                span(rest, |c| c.is_alphanumeric() || c == '.'),
            )
        } else if letter == '"' || letter == '\'' {
            let closing = rest[1..].find(letter).map_or(rest.len(), |end| end + 2);
            (Some(TokenKind::Text), closing)
        } else if "(),=:".contains(letter) {
            (Some(TokenKind::Mark), 1)
        } else {
            (Some(TokenKind::Stray), letter.len_utf8())
        };
        let (text, later) = rest.split_at(length);
        if let Some(kind) = kind {
            found.push(Token { text, column, kind });
        }
        column += text.chars().count() as u32;
        rest = later;
    }
    found
}

fn span(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|letter| !belongs(letter)).unwrap_or(text.len())
}

/// The lines of a file outside docstrings, each with its number from 1. A byte order mark, with
/// which editors of some systems begin a file, is skipped.
pub(crate) fn code_lines(text: &str) -> impl Iterator<Item = (u32, &str)> {
    let mut quote: Option<&str> = None;
    let lines = text.trim_start_matches('\u{feff}').lines().enumerate();
    lines.filter_map(move |(at, line)| {
        // Inside a docstring, only its end matters.
        if let Some(mark) = quote {
            quote = quote.filter(|_| !line.contains(mark));
            return None;
        }
        let trimmed = line.trim_start();
        let mut marks = ["\"\"\"", "'''"].into_iter();
        if let Some(mark) = marks.find(|mark| trimmed.starts_with(mark)) {
            quote = Some(mark).filter(|_| !trimmed[3..].contains(mark));
            return None;
        }
        Some((at as u32 + 1, line))
    })
}

/// The indentation of a line in characters; a tab counts as one.
pub(crate) fn indent(line: &str) -> usize {
    line.chars()
        .take_while(|letter| letter.is_whitespace())
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        let found = tokens("  é = rot90(I)  # turn");
        let columns: Vec<(u32, &str)> = found.iter().map(|t| (t.column, t.text)).collect();
        assert_eq!(
            columns,
            [
                (3, "é"),
                (5, "="),
                (7, "rot90"),
                (12, "("),
                (13, "I"),
                (14, ")")
            ]
        );
    }

    #[test]
    fn a_line_of_any_length_has_few_tokens() {
        assert_eq!(tokens(&"\0".repeat(1 << 20)).len(), MAX_TOKENS);
    }

    #[test]
    fn an_open_quote_runs_to_the_end() {
        assert_eq!(tokens("x = 'abc")[2].text, "'abc");
    }
}

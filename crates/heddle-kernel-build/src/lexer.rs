//! Lexical functions for C++ declarations: removes comments, finds tokens.

/// The text with every comment replaced by spaces; line numbers and columns stay.
pub(crate) fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("//").into_iter().chain(rest.find("/*")).min() {
        let (before, comment) = rest.split_at(at);
        out.push_str(before);
        let end = if comment.starts_with("//") {
            comment.find('\n').unwrap_or(comment.len())
        } else {
            comment.find("*/").map_or(comment.len(), |end| end + 2)
        };
        let blank = |c: char| if c == '\n' { '\n' } else { ' ' };
        out.extend(comment[..end].chars().map(blank));
        rest = &comment[end..];
    }
    out.push_str(rest);
    out
}

/// Whether `c` can be part of a name.
pub(crate) fn in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The position of `word` in `text` as a token of its own, from `from` on.
pub(crate) fn find_word(text: &str, word: &str, from: usize) -> Option<usize> {
    let mut start = from;
    while let Some(offset) = text.get(start..)?.find(word) {
        let at = start + offset;
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        if !before.is_some_and(in_name) && !after.is_some_and(in_name) {
            return Some(at);
        }
        start = at + word.len();
    }
    None
}

/// The content of the parentheses that open at `open`, and the position where they close.
pub(crate) fn parenthesised(text: &str, open: usize) -> Option<(&str, usize)> {
    let mut depth = 0;
    for (offset, c) in text.get(open..)?.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => {
                depth -= 1;
                if depth == 0 {
                    return Some((&text[open + 1..open + offset], open + offset));
                }
            }
            _ => {}
        }
    }
    None
}

//! Shared memory for the host compiler.
//!
//! C++ has no storage with the lifetime of a block of fibers, so each declaration becomes a
//! reference into the block's memory: `__shared__ T name[n];` becomes a reference to the
//! memory found under the declaration's own key, `extern __shared__ T name[];` a pointer to
//! the dynamic part.

use std::fmt::Write;

use crate::lexer::{find_word, without_comments};
use crate::signature::last_name;

/// Rewrites the source's shared declarations; line numbers stay.
pub(crate) fn rewrite(file: &str, text: &str) -> Result<String, String> {
    let text = without_comments(text);
    let bad = |what: &str| format!("kernels/{file}.cu: {what}");
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    while let Some(at) = find_word(&text, "__shared__", done) {
        let before = text[done..at].trim_end();
        let dynamic = before.ends_with("extern");
        out.push_str(before.strip_suffix("extern").unwrap_or(&text[done..at]));
        let depth = text[..at].matches('{').count() - text[..at].matches('}').count();
        if depth == 0 {
            return Err(bad("__shared__ outside a function"));
        }
        let start = at + "__shared__".len();
        let end = start
            + text[start..]
                .find(';')
                .ok_or_else(|| bad("an unclosed __shared__"))?;
        let declaration = &text[start..end];
        if declaration.contains([',', '=']) {
            return Err(bad("a __shared__ declaration takes one name and no value"));
        }
        let (left, extents) =
            declaration.split_at(declaration.find('[').unwrap_or(declaration.len()));
        let name = last_name(left);
        let ty = left[..left.trim_end().len() - name.len()].trim();
        let written = if dynamic {
            write!(out, "{ty} *{name} = ({ty} *)simt_dynamic_shared();")
        } else {
            write!(
                out,
                "typedef {ty} {name}_shared{extents}; static char {name}_key; \
                 {name}_shared &{name} = \
                 *({name}_shared *)simt_shared(&{name}_key, sizeof({name}_shared));"
            )
        };
        written.map_err(|error| error.to_string())?;
        // A declaration over several lines still ends on the line it ended on.
        out.extend(std::iter::repeat_n(
            '\n',
            text[at..end].matches('\n').count(),
        ));
        done = end + 1;
    }
    out.push_str(&text[done..]);
    Ok(out)
}

//! The report: one self-contained HTML file that shows a recording.
//!
//! A page is assembled from the template, the style, the script, plotly and the
//! recording. The page itself, in `assets/page`, computes what it shows from the
//! JSON of the file, so a second recording that is dropped onto it is treated like
//! the first.
//!
//! A recording may hold any text, and the page must remain valid HTML: `embed.rs`
//! escapes it.

mod embed;
mod page;

/// A page that shows the recording given as JSON.
///
/// The text is the content of a recording's file. It is not parsed here: a page
/// made from something else opens and says what is wrong with it.
///
/// ```
/// use heddle_profile::report;
///
/// let page = report::render(r#"{"format": "heddle-profile", "version": 1, "overwritten": 0, "spans": []}"#, "a run");
/// assert!(page.starts_with("<!doctype html>"));
/// assert!(page.contains("<title>a run</title>"));
/// ```
#[must_use]
pub fn render(recording_json: &str, title: &str) -> String {
    page::assemble(recording_json, title)
}

/// A page without a recording. It shows made-up figures, says so, and waits for a
/// recording to be dropped onto it.
#[must_use]
pub fn render_demo() -> String {
    page::assemble("", "Heddle profile")
}

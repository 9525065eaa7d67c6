//! The report: one HTML file that shows a recording and needs nothing else.
//!
//! Here a page is put together from its parts: the template, the style, the
//! script, plotly and the recording itself. What the page shows is computed in
//! the page, in `assets/page`, from the same JSON that the file holds. So a
//! second recording that a reader drops onto it is treated like the first.
//!
//! The one thing to know: a recording may hold any text, and the page must stay
//! a page. `embed.rs` is where that is made sure of.

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

/// A page with no recording in it. It shows made-up figures, says so, and waits
/// for a recording to be dropped onto it.
#[must_use]
pub fn render_demo() -> String {
    page::assemble("", "Heddle profile")
}

//! The page template and its placeholders.

use super::embed;
use crate::compare::Rules;

const TEMPLATE: &str = include_str!("../../assets/page.html");
const STYLE: &str = include_str!("../../assets/page.css");
/// Plotly's licence, which must accompany every copy of it.
const LICENCE: &str = include_str!("../../assets/plotly/LICENSE");
const PLOTLY: &str = include_str!("../../assets/plotly/plotly-basic.min.js");

/// The script's files in the order they run. They share one scope; only the last
/// one runs code at load.
const SCRIPT: &[&str] = &[
    include_str!("../../assets/page/units.js"),
    include_str!("../../assets/page/element.js"),
    include_str!("../../assets/page/palette.js"),
    include_str!("../../assets/page/recording.js"),
    include_str!("../../assets/page/demo.js"),
    include_str!("../../assets/page/operations.js"),
    include_str!("../../assets/page/tree.js"),
    include_str!("../../assets/page/tracks.js"),
    include_str!("../../assets/page/ratio.js"),
    include_str!("../../assets/page/comparison.js"),
    include_str!("../../assets/page/figure.js"),
    include_str!("../../assets/page/chart.js"),
    include_str!("../../assets/page/stage.js"),
    include_str!("../../assets/page/table.js"),
    include_str!("../../assets/page/cards.js"),
    include_str!("../../assets/page/bottlenecks.js"),
    include_str!("../../assets/page/shares.js"),
    include_str!("../../assets/page/means.js"),
    include_str!("../../assets/page/breakdown.js"),
    include_str!("../../assets/page/memory.js"),
    include_str!("../../assets/page/gestures.js"),
    include_str!("../../assets/page/timeline.js"),
    include_str!("../../assets/page/flame.js"),
    include_str!("../../assets/page/routing.js"),
    include_str!("../../assets/page/counters.js"),
    include_str!("../../assets/page/change.js"),
    include_str!("../../assets/page/theme.js"),
    include_str!("../../assets/page/files.js"),
    include_str!("../../assets/page/page.js"),
];

/// Assembles the page. Placeholders are replaced in one pass over the template, so
/// that inserted text is never searched for placeholders.
pub(super) fn assemble(recording_json: &str, title: &str) -> String {
    let script_len: usize = SCRIPT.iter().map(|file| file.len()).sum();
    let mut page = String::with_capacity(
        TEMPLATE.len() + STYLE.len() + PLOTLY.len() + script_len + recording_json.len() + 1_024,
    );
    let mut rest = TEMPLATE;
    while let Some((before, after)) = rest.split_once("{{") {
        page.push_str(before);
        let Some((gap, after)) = after.split_once("}}") else {
            break;
        };
        fill(gap, recording_json, title, &mut page);
        rest = after;
    }
    page.push_str(rest);
    page
}

/// The constants of the page's comparison: the same as [`Recording::compare`]'s.
///
/// [`Recording::compare`]: crate::Recording::compare
fn rules() -> String {
    // Numbers only: this cannot fail, and a page without it would not start.
    serde_json::to_string(&Rules::default()).unwrap_or_default()
}

fn fill(gap: &str, recording_json: &str, title: &str, page: &mut String) {
    match gap {
        "title" => embed::text(title, page),
        "style" => page.push_str(STYLE),
        "licence" => page.push_str(LICENCE),
        "plotly" => page.push_str(PLOTLY),
        "script" => SCRIPT.iter().for_each(|file| page.push_str(file)),
        "rules" => embed::json(&rules(), page),
        "recording" => embed::json(recording_json, page),
        // A test checks that the template has only the placeholders above.
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn template_has_each_gap_and_no_other() {
        let mut gaps: Vec<&str> = TEMPLATE
            .split("{{")
            .skip(1)
            .map(|piece| piece.split_once("}}").unwrap().0)
            .collect();
        gaps.sort_unstable();
        gaps.dedup();
        assert_eq!(
            gaps,
            [
                "licence",
                "plotly",
                "recording",
                "rules",
                "script",
                "style",
                "title"
            ]
        );
    }

    #[test]
    fn embedded_text_does_not_end_its_element() {
        for script in SCRIPT.iter().chain([&PLOTLY]) {
            let script = script.to_lowercase();
            assert!(!script.contains("</script"));
            assert!(!script.contains("<!--"));
        }
        assert!(!STYLE.to_lowercase().contains("</style"));
        assert!(!LICENCE.contains("*/"));
    }

    #[test]
    fn every_file_of_the_script_is_in_the_page() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/page");
        let page = assemble("", "");
        let files: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        assert_eq!(files.len(), SCRIPT.len());
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            assert!(page.contains(&text), "{} is left out", file.display());
        }
    }

    #[test]
    fn gaps_in_what_is_put_in_stay_text() {
        let page = assemble("[\"{{style}}\"]", "{{script}}");
        assert!(page.contains("<title>{{script}}</title>"));
        assert!(page.contains("[\"{{style}}\"]</script>"));
    }

    #[test]
    fn names_no_other_machine() {
        let ours: String = SCRIPT.concat() + STYLE + TEMPLATE;
        assert!(!ours.contains("http:"));
        assert!(!ours.contains("https:"));
    }
}

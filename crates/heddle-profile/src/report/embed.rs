//! Text from a recording, written so that the page around it stays whole.

const DANGEROUS: [char; 3] = ['<', '\u{2028}', '\u{2029}'];

/// Appends JSON for the inside of a `<script>` element.
///
/// Such an element ends at the first `</script`, and `<!--` changes how it is
/// parsed, anywhere in it. In JSON a `<` occurs only inside strings, where `\u003c`
/// means the same, so replacing every `<` preserves the value. Some script parsers
/// end a line at U+2028 and U+2029, so these are escaped too.
pub(super) fn json(json: &str, page: &mut String) {
    let mut rest = json;
    while let Some(at) = rest.find(DANGEROUS) {
        let (before, from) = rest.split_at(at);
        page.push_str(before);
        let mut characters = from.chars();
        page.push_str(match characters.next() {
            Some('\u{2028}') => "\\u2028",
            Some('\u{2029}') => "\\u2029",
            _ => "\\u003c",
        });
        rest = characters.as_str();
    }
    page.push_str(rest);
}

/// Appends text for the inside of an element.
pub(super) fn text(text: &str, page: &mut String) {
    for character in text.chars() {
        match character {
            '&' => page.push_str("&amp;"),
            '<' => page.push_str("&lt;"),
            '>' => page.push_str("&gt;"),
            '"' => page.push_str("&quot;"),
            '\'' => page.push_str("&#39;"),
            _ => page.push(character),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn embedded(value: &Value) -> String {
        let mut page = String::new();
        json(&value.to_string(), &mut page);
        page
    }

    #[test]
    fn a_name_cannot_leave_the_element() {
        let name = "</script><script>alert(\"1\")</script><!-- \u{2028}\u{2029} 🧵 \\ ' \n";
        let page = embedded(&Value::from(name));
        assert!(!page.contains('<'));
        assert_eq!(serde_json::from_str::<Value>(&page).unwrap(), name);
    }

    #[test]
    fn a_title_is_text() {
        let mut page = String::new();
        text("</title>&\"'🧵", &mut page);
        assert_eq!(page, "&lt;/title&gt;&amp;&quot;&#39;🧵");
    }

    /// Strings that are likely to contain such sequences.
    fn dangerous() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just("<".to_owned()),
            Just("</script>".to_owned()),
            Just("</SCRIPT >".to_owned()),
            Just("<!--".to_owned()),
            Just("\u{2028}".to_owned()),
            Just("\u{2029}".to_owned()),
            Just("\\".to_owned()),
            Just("\"".to_owned()),
            Just("\\u003c".to_owned()),
            any::<String>(),
        ];
        prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn embedding_keeps_the_value_and_the_element(key in dangerous(), name in dangerous(), figure in any::<i64>()) {
            let value = serde_json::json!({ key: [name, figure] });
            let page = embedded(&value);
            prop_assert!(!page.contains(DANGEROUS));
            prop_assert_eq!(serde_json::from_str::<Value>(&page).unwrap(), value);
        }

        #[test]
        fn text_never_opens_or_ends_anything(title in dangerous()) {
            let mut page = String::new();
            text(&title, &mut page);
            prop_assert!(!page.contains(['<', '>', '"', '\'']));
        }
    }
}

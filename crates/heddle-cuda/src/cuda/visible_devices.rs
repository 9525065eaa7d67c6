//! `CUDA_VISIBLE_DEVICES`: the driver obeys it; this module detects a value that hides
//! every GPU.

/// Whether this value of the variable hides every GPU.
///
/// The driver reads a comma-separated list of indices or identifiers up to the
/// first entry it does not understand, so `"-1"` and `""` both mean none.
pub(super) fn hides_all(value: Option<&str>) -> bool {
    value.is_some_and(|list| {
        let first = list.split(',').next().unwrap_or_default().trim();
        !is_entry(first)
    })
}

fn is_entry(text: &str) -> bool {
    let is_index = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_index || text.starts_with("GPU-") || text.starts_with("MIG-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unset_variable_hides_nothing() {
        assert!(!hides_all(None));
    }

    #[test]
    fn an_empty_or_unreadable_first_entry_hides_everything() {
        for value in ["", " ", "-1", "-1,0", ",0", "NoDevFiles", "none"] {
            assert!(hides_all(Some(value)), "{value:?}");
        }
    }

    #[test]
    fn a_readable_first_entry_leaves_something() {
        for value in ["0", " 1 ", "2,-1", "0,1,2", "GPU-8932f937", "MIG-1234/0/0"] {
            assert!(!hides_all(Some(value)), "{value:?}");
        }
    }
}

//! Programs over grids, as text: `programs.py` has them all.

/// Returns the text of the programs with these names, in this order.
pub fn programs(names: &[&str]) -> String {
    let definition = |name: &&str| {
        let head = format!("def solve_{name}(");
        let mut all = include_str!("programs.py").split("\n\n\n");
        let text = all.find(|text| text.starts_with(&head));
        text.unwrap_or_else(|| panic!("no program {name}"))
    };
    names.iter().map(definition).collect::<Vec<_>>().join("\n")
}

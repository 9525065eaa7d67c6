//! The table of settings in the README is the table the code reads.

use heddle::Config;

#[test]
fn every_key_has_its_row_and_every_row_its_key() {
    let readme = include_str!("../../../README.md");
    let rows: Vec<&str> = readme
        .lines()
        .skip_while(|line| !line.starts_with("| key | variable |"))
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .collect();
    let expected: Vec<String> = Config::describe_keys()
        .iter()
        .map(|key| {
            format!(
                "| `{}` | `{}` | `{}` | {} |",
                key.name, key.variable, key.default, key.meaning
            )
        })
        .collect();
    assert_eq!(rows, expected, "paste:\n{}\n", expected.join("\n"));
}

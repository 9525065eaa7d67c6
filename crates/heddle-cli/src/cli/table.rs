//! Plain columns that line up, without lines around them.

use comfy_table::{CellAlignment, Table, presets};

/// A table with these column titles; a title that ends in a space is a column
/// of text, the others are numbers and go to the right.
pub(super) fn table(titles: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(titles.iter().map(|title| title.trim_end()));
    for (index, title) in titles.iter().enumerate() {
        if let Some(column) = table.column_mut(index) {
            column.set_padding((if index == 0 { 2 } else { 1 }, 1));
            column.set_cell_alignment(if title.ends_with(' ') {
                CellAlignment::Left
            } else {
                CellAlignment::Right
            });
        }
    }
    table
}

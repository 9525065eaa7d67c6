//! Tables of aligned columns without borders.

use comfy_table::{CellAlignment, Table, presets};

/// Returns a table with these column titles. A title that ends in a space marks a column
/// of text, aligned left; the others hold numbers, aligned right.
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

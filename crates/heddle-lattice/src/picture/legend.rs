//! The legend and the colour scale of a drawing.

use std::fmt::Write as _;

use super::slice::LatticeSlice;
use super::svg::{DrawingSize, LEFT, TOP, ValueRange, escape, number, put, shape};
use super::{Picture, colour};

/// The legend below the drawing, with only the symbols that occur.
pub(super) fn key(
    out: &mut String,
    picture: &Picture<'_>,
    slice: &LatticeSlice,
    frame: &DrawingSize,
) {
    let lattice = picture.lattice;
    let y = frame.y(slice.rows) + 34.0;
    let mut x = LEFT;
    let mut word = |out: &mut String, width: f64, text: &str, sign: &dyn Fn(&mut String, f64)| {
        sign(out, x);
        put!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\">{text}</text>",
            x + 20.0,
            y + 4.0
        );
        x += 20.0 + width;
    };
    let square = |paint: &'static str| {
        move |out: &mut String, x: f64| {
            put!(
                out,
                "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"13\" height=\"13\" style=\"fill:{paint}\"/>",
                y - 6.5
            );
        }
    };
    if !lattice.is_regular() {
        word(out, 62.0, "blocked", &square("url(#hd-wall)"));
    }
    if let Some((_, values)) = picture.values
        && (0..slice.rows).any(|row| {
            (0..slice.columns).any(|column| {
                let site = slice.site(lattice, row, column);
                !values[site as usize].is_finite() && !lattice.blocked().contains(site)
            })
        })
    {
        word(out, 66.0, "no value", &square("var(--free)"));
    }
    let (Some(&start), Some(&end)) = (picture.path.first(), picture.path.last()) else {
        return;
    };
    for (name, site) in [("start", start), ("end", end)] {
        if slice.place(lattice, site).is_some() {
            word(out, 42.0, name, &|out, x| shape(out, name, x + 6.0, y, 5.0));
        }
    }
    if picture
        .path
        .iter()
        .any(|&site| slice.place(lattice, site).is_none())
    {
        word(out, 120.0, "leaves the slice", &|out, x| {
            put!(
                out,
                "<circle class=\"leaves\" cx=\"{:.1}\" cy=\"{y:.1}\" r=\"4.5\"/>",
                x + 6.0
            );
        });
    }
}

/// The colour scale on the right.
pub(super) fn scale(
    out: &mut String,
    label: &str,
    range: ValueRange,
    slice: &LatticeSlice,
    frame: &DrawingSize,
) {
    let x = LEFT + slice.columns as f64 * frame.cell + 22.0;
    let height = (slice.rows as f64 * frame.cell).clamp(24.0, 260.0);
    put!(
        out,
        "<defs><linearGradient id=\"hd-scale\" x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\">"
    );
    for stop in 0..=8 {
        let place = f64::from(stop) / 8.0;
        put!(
            out,
            "<stop offset=\"{place}\" stop-color=\"{}\"/>",
            colour::css(colour::at(place))
        );
    }
    put!(out, "</linearGradient></defs>");
    put!(
        out,
        "<rect x=\"{x:.1}\" y=\"{TOP}\" width=\"16\" height=\"{height:.1}\" \
         style=\"fill:url(#hd-scale)\"/>"
    );
    put!(
        out,
        "<text class=\"axis\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
        TOP - 10.0,
        escape(label)
    );
    let marks = if height >= 120.0 { 4 } else { 1 };
    for mark in 0..=marks {
        let part = f64::from(mark) / f64::from(marks);
        let value = range.0 + (range.1 - range.0) * part;
        let y = TOP + height * (1.0 - part) + if mark == marks { 10.0 } else { 4.0 * part };
        put!(
            out,
            "<text x=\"{:.1}\" y=\"{y:.1}\">{}</text>",
            x + 23.0,
            number(value)
        );
        if range.0.total_cmp(&range.1).is_eq() {
            break;
        }
    }
}

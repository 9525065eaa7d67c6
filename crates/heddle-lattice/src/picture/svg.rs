//! The SVG drawing.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::slice::LatticeSlice;
use super::{Picture, colour, legend};
use crate::lattice::Site;

/// The longer side of the drawn sites in pixels, where their number allows it.
const SIDE: f64 = 640.0;
/// Up to this many cells every site is its own shape with a tooltip of its
/// coordinates and value; beyond, equal neighbours in a row are drawn as one.
const MAX_DESCRIBED_CELLS: u64 = 4096;

pub(super) const LEFT: f64 = 56.0;
pub(super) const TOP: f64 = 106.0;
const BOTTOM: f64 = 64.0;
const LEGEND: f64 = 128.0;
/// The least width for the texts.
const MIN_WIDTH: f64 = 420.0;

const STYLE: &str = "\
.hd{--ground:#ffffff;--ink:#1c2127;--faint:#66707d;--free:#eef1f4;--line:#d3d9e0;\
--wall:#8a94a1;--wall-line:#4a525d}\
@media(prefers-color-scheme:dark){.hd{--ground:#14171c;--ink:#e8ebef;--faint:#9aa4b1;\
--free:#232830;--line:#353c47;--wall:#4b5563;--wall-line:#9aa4b1}}\
.hd text{font:12px system-ui,sans-serif;fill:var(--faint)}\
.hd .title{font-size:17px;font-weight:600;fill:var(--ink)}\
.hd .axis{fill:var(--ink)}\
.hd .halo{fill:none;stroke:#ffffff;stroke-linejoin:round;stroke-linecap:round}\
.hd .way{fill:none;stroke:#e4312b;stroke-linejoin:round;stroke-linecap:round}\
.hd .mark{fill:#ffffff;stroke:#e4312b}\
.hd .leaves{fill:#e4312b;stroke:#ffffff}";

/// Writing to a string cannot fail; this discards the result in one place.
macro_rules! put {
    ($out:expr, $($part:tt)*) => { let _ = writeln!($out, $($part)*); };
}
pub(super) use put;

pub(super) struct DrawingSize {
    pub(super) cell: f64,
    width: f64,
    height: f64,
}

impl DrawingSize {
    fn x(&self, column: u64) -> f64 {
        LEFT + column as f64 * self.cell
    }

    pub(super) fn y(&self, row: u64) -> f64 {
        TOP + row as f64 * self.cell
    }

    fn middle(&self, (row, column): (u64, u64)) -> (f64, f64) {
        (
            self.x(column) + self.cell / 2.0,
            self.y(row) + self.cell / 2.0,
        )
    }
}

pub(super) fn draw(picture: &Picture<'_>, slice: &LatticeSlice) -> String {
    let longest = slice.rows.max(slice.columns) as f64;
    // Whole pixels: between fractional ones the background would show.
    let cell = (SIDE / longest).floor().clamp(2.0, 44.0);
    let legend = if picture.values.is_some() {
        LEGEND
    } else {
        24.0
    };
    let frame = DrawingSize {
        cell,
        width: (LEFT + slice.columns as f64 * cell + legend).max(MIN_WIDTH),
        height: TOP + slice.rows as f64 * cell + BOTTOM,
    };
    let mut out = String::new();
    open(&mut out, picture, slice, &frame);
    let range = cells(&mut out, picture, slice, &frame);
    ticks(&mut out, slice, &frame);
    way(&mut out, picture, slice, &frame);
    legend::key(&mut out, picture, slice, &frame);
    if let (Some((label, _)), Some(range)) = (picture.values, range) {
        legend::scale(&mut out, label, range, slice, &frame);
    }
    out.push_str("</svg>");
    out
}

fn open(out: &mut String, picture: &Picture<'_>, slice: &LatticeSlice, frame: &DrawingSize) {
    let (width, height) = (frame.width, frame.height);
    let direction = escape(&picture.direction());
    put!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"hd\" role=\"img\" \
         width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\">"
    );
    put!(out, "<title>{direction}</title><style>{STYLE}</style>");
    put!(
        out,
        "<defs><pattern id=\"hd-wall\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" \
         patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" \
         style=\"fill:var(--wall)\"/><rect width=\"2\" height=\"6\" \
         style=\"fill:var(--wall-line)\"/></pattern></defs>"
    );
    put!(
        out,
        "<rect width=\"100%\" height=\"100%\" style=\"fill:var(--ground)\"/>"
    );
    put!(
        out,
        "<text class=\"title\" x=\"{LEFT}\" y=\"30\">{direction}</text>"
    );
    put!(
        out,
        "<text x=\"{LEFT}\" y=\"50\">{}</text>",
        subtitle(picture, slice)
    );
}

fn subtitle(picture: &Picture<'_>, slice: &LatticeSlice) -> String {
    let mut parts = Vec::new();
    let cut = slice.cut();
    if !cut.is_empty() {
        parts.push(cut);
    }
    if !picture.path.is_empty() {
        let inside = picture
            .path
            .iter()
            .filter(|&&site| slice.place(picture.lattice, site).is_some())
            .count();
        let steps = picture.path.len() - 1;
        parts.push(if inside == picture.path.len() {
            format!("path of {steps} steps")
        } else {
            format!(
                "path of {steps} steps, {inside} of its {} sites in this slice",
                picture.path.len()
            )
        });
    }
    escape(&parts.join(" \u{b7} "))
}

/// The smallest and the largest value shown.
pub(super) type ValueRange = (f64, f64);

fn cells(
    out: &mut String,
    picture: &Picture<'_>,
    slice: &LatticeSlice,
    frame: &DrawingSize,
) -> Option<ValueRange> {
    let lattice = picture.lattice;
    let value = |site: Site| {
        picture
            .values
            .map(|(_, values)| values[site as usize])
            .filter(|value| value.is_finite() && !lattice.blocked().contains(site))
    };
    let sites = |row: u64| (0..slice.columns).map(move |column| slice.site(lattice, row, column));
    let range = (0..slice.rows).flat_map(sites).filter_map(value).fold(
        None,
        |range: Option<ValueRange>, value| {
            Some(range.map_or((value, value), |(least, most)| {
                (least.min(value), most.max(value))
            }))
        },
    );
    let fill = |site: Site| -> String {
        if lattice.blocked().contains(site) {
            return "url(#hd-wall)".to_owned();
        }
        match (value(site), range) {
            (Some(value), Some((least, most))) if most > least => {
                colour::css(colour::at((value - least) / (most - least)))
            }
            (Some(_), _) => colour::css(colour::at(0.5)),
            (None, _) => "var(--free)".to_owned(),
        }
    };
    if slice.rows * slice.columns <= MAX_DESCRIBED_CELLS {
        one_by_one(out, slice, frame, |row, column| {
            let site = slice.site(lattice, row, column);
            (fill(site), described_cells(picture, site, value(site)))
        });
    } else {
        by_colour(out, slice, frame, |row, column| {
            fill(slice.site(lattice, row, column))
        });
    }
    range
}

/// Draws each site as a shape with a tooltip.
fn one_by_one(
    out: &mut String,
    slice: &LatticeSlice,
    frame: &DrawingSize,
    shown: impl Fn(u64, u64) -> (String, String),
) {
    // One pixel of background between sites that are large enough.
    let side = frame.cell - if frame.cell >= 8.0 { 1.0 } else { 0.0 };
    for row in 0..slice.rows {
        for column in 0..slice.columns {
            let (x, y) = (frame.x(column), frame.y(row));
            let (paint, text) = shown(row, column);
            put!(
                out,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{side}\" height=\"{side}\" \
                 style=\"fill:{paint}\"><title>{text}</title></rect>"
            );
        }
    }
}

/// Draws one shape per colour, in a fifth of the bytes.
fn by_colour(
    out: &mut String,
    slice: &LatticeSlice,
    frame: &DrawingSize,
    paint: impl Fn(u64, u64) -> String,
) {
    let mut shapes: BTreeMap<String, String> = BTreeMap::new();
    for row in 0..slice.rows {
        let mut column = 0;
        while column < slice.columns {
            let colour = paint(row, column);
            let mut run = 1;
            while column + run < slice.columns && paint(row, column + run) == colour {
                run += 1;
            }
            let (x, y) = (frame.x(column), frame.y(row));
            let (width, height) = (run as f64 * frame.cell, frame.cell);
            let shape = shapes.entry(colour).or_default();
            let _ = write!(shape, "M{x} {y}h{width}v{height}h-{width}z");
            column += run;
        }
    }
    for (colour, shape) in shapes {
        put!(
            out,
            "<path shape-rendering=\"crispEdges\" style=\"fill:{colour}\" d=\"{shape}\"/>"
        );
    }
}

fn described_cells(picture: &Picture<'_>, site: Site, value: Option<f64>) -> String {
    let at = picture
        .lattice
        .coordinates(site)
        .map_or_else(|_| site.to_string(), |at| at.to_string());
    let says = if picture.lattice.blocked().contains(site) {
        ": blocked".to_owned()
    } else {
        match (value, picture.values) {
            (Some(value), Some((label, _))) => format!(": {} {}", escape(label), number(value)),
            (None, Some((label, _))) => format!(": no {}", escape(label)),
            (_, None) => String::new(),
        }
    };
    format!("{at}{says}")
}

fn ticks(out: &mut String, slice: &LatticeSlice, frame: &DrawingSize) {
    let every = tick_step(frame.cell);
    for column in (0..slice.columns).step_by(every) {
        let (x, _) = frame.middle((0, column));
        let y = TOP - 8.0;
        put!(
            out,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{column}</text>"
        );
    }
    let right = slice.right;
    put!(
        out,
        "<text class=\"axis\" x=\"{LEFT}\" y=\"{:.1}\">axis {right} \u{2192}</text>",
        TOP - 28.0
    );
    let Some(down) = slice.down else {
        return;
    };
    for row in (0..slice.rows).step_by(every) {
        let (_, y) = frame.middle((row, 0));
        let (x, y) = (LEFT - 8.0, y + 4.0);
        put!(
            out,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"end\">{row}</text>"
        );
    }
    let (x, y) = (16.0, TOP + 2.0);
    put!(
        out,
        "<text class=\"axis\" transform=\"translate({x} {y}) rotate(90)\">axis {down} \u{2192}</text>"
    );
}

/// The number of sites between two coordinate labels: 1, 2 or 5 times a power of
/// ten.
fn tick_step(cell: f64) -> usize {
    let mut power = 1;
    loop {
        for factor in [1, 2, 5] {
            if (factor * power) as f64 * cell >= 26.0 {
                return factor * power;
            }
        }
        power *= 10;
    }
}

/// Draws the path, interrupted where it leaves the slice or crosses a seam.
fn way(out: &mut String, picture: &Picture<'_>, slice: &LatticeSlice, frame: &DrawingSize) {
    let places: Vec<Option<(u64, u64)>> = picture
        .path
        .iter()
        .map(|&site| slice.place(picture.lattice, site))
        .collect();
    let mut strokes = String::new();
    let mut pen: Option<(u64, u64)> = None;
    for place in &places {
        if let Some(place) = *place {
            let (x, y) = frame.middle(place);
            let beside =
                pen.is_some_and(|from| from.0.abs_diff(place.0) + from.1.abs_diff(place.1) <= 1);
            let _ = write!(strokes, "{}{x:.2} {y:.2}", if beside { 'L' } else { 'M' });
        }
        pen = *place;
    }
    if strokes.is_empty() {
        return;
    }
    let width = (frame.cell * 0.22).clamp(1.5, 5.0);
    let halo = width + (frame.cell * 0.12).clamp(1.0, 3.0);
    put!(
        out,
        "<path class=\"halo\" stroke-width=\"{halo:.1}\" d=\"{strokes}\"/>"
    );
    put!(
        out,
        "<path class=\"way\" stroke-width=\"{width:.1}\" d=\"{strokes}\"/>"
    );
    let radius = (frame.cell * 0.28).clamp(3.0, 9.0);
    // Marks where the path enters or leaves the slice.
    for (position, place) in places.iter().enumerate() {
        let outside = |other: Option<&Option<(u64, u64)>>| other.is_some_and(Option::is_none);
        let before = position
            .checked_sub(1)
            .and_then(|before| places.get(before));
        if let Some(place) = *place
            && (outside(before) || outside(places.get(position + 1)))
        {
            let (x, y) = frame.middle(place);
            put!(
                out,
                "<circle class=\"leaves\" cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{:.1}\"/>",
                radius * 0.7
            );
        }
    }
    for (name, place) in [("start", places.first()), ("end", places.last())] {
        if let Some(&Some(place)) = place {
            let (x, y) = frame.middle(place);
            shape(out, name, x, y, radius);
        }
    }
}

/// Draws a circle for the start, a diamond for the end.
pub(super) fn shape(out: &mut String, name: &str, x: f64, y: f64, radius: f64) {
    let stroke = (radius * 0.4).clamp(1.5, 3.0);
    if name == "start" {
        put!(
            out,
            "<circle class=\"mark\" stroke-width=\"{stroke:.1}\" cx=\"{x:.2}\" cy=\"{y:.2}\" \
             r=\"{radius:.1}\"><title>start</title></circle>"
        );
    } else {
        let reach = radius * 1.25;
        put!(
            out,
            "<path class=\"mark\" stroke-width=\"{stroke:.1}\" d=\"M{x:.2} {:.2}l{reach:.2} \
             {reach:.2}l-{reach:.2} {reach:.2}l-{reach:.2} -{reach:.2}z\"><title>end</title></path>",
            y - reach
        );
    }
}

/// A number in a short form.
pub(super) fn number(value: f64) -> String {
    let size = value.abs();
    if value.fract() == 0.0 && size < 1e9 {
        format!("{value:.0}")
    } else if (1e-3..1e6).contains(&size) {
        let decimals = (3 - size.log10().floor() as i32).clamp(0, 6) as usize;
        let long = format!("{value:.decimals$}");
        if long.contains('.') {
            long.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            long
        }
    } else {
        format!("{value:.3e}")
    }
}

/// Text escaped for XML.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shortened() {
        for (value, expected) in [
            (0.0, "0"),
            (12.0, "12"),
            (0.123_456, "0.1235"),
            (1234.5678, "1235"),
            (1.5, "1.5"),
            (1e-9, "1.000e-9"),
        ] {
            assert_eq!(number(value), expected);
        }
    }

    #[test]
    fn ticks_do_not_overlap() {
        assert_eq!(tick_step(40.0), 1);
        assert_eq!(tick_step(13.0), 2);
        assert_eq!(tick_step(2.5), 20);
    }
}

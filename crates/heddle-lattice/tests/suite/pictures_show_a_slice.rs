//! Pictures are complete, well formed and bounded.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use heddle_lattice::{Axis, Error, Lattice, Picture};

fn lattice() -> Lattice {
    Lattice::new([Axis::open(3), Axis::open(6), Axis::periodic(8)])
        .unwrap()
        .with_blocked([9, 10, 58, 59])
        .unwrap()
}

/// Whether every element that is opened is closed, in order.
fn is_well_formed(svg: &str) -> bool {
    let mut open = Vec::new();
    for tag in svg.split('<').skip(1) {
        let (inside, _) = tag.split_once('>').unwrap();
        let name = inside.split_whitespace().next().unwrap_or(inside);
        if let Some(closed) = name.strip_prefix('/') {
            if open.pop() != Some(closed) {
                return false;
            }
        } else if !inside.ends_with('/') {
            open.push(name);
        }
    }
    open.is_empty()
}

#[test]
fn pictures_show_blocked_sites_path_and_values() {
    let lattice = lattice();
    let path = lattice.shortest_path(0, 100).unwrap();
    let distances = lattice.distances(&[0]).unwrap().to_costs().unwrap();
    let picture = Picture::new(&lattice)
        .axes(1, 2)
        .at(&[1, 0, 0])
        .path(&path.vertices)
        .values("steps", &distances)
        .title("a < b & \"c\"");
    let svg = picture.svg().unwrap();
    assert!(is_well_formed(&svg));
    // Two of the blocked sites lie in the slice at 1, and the legend shows one.
    assert_eq!(svg.matches("fill:url(#hd-wall)").count(), 2 + 1);
    assert!(svg.contains("a &lt; b &amp; &quot;c&quot;"));
    assert!(svg.contains("axis 0 at 1"));
    assert!(svg.contains("(1, 1, 2): blocked"));
    assert!(svg.contains("prefers-color-scheme:dark"));
    let html = picture.html().unwrap();
    assert!(html.starts_with("<!doctype html>") && html.contains(&svg));
    assert!(
        !html.contains("http://") || html.matches("http").count() == 1,
        "only the SVG name space"
    );
}

#[test]
fn large_slices_merge_cells_by_colour() {
    let wide = Lattice::new([Axis::open(200), Axis::open(300)]).unwrap();
    let wide = wide.with_blocked([7, 8, 9]).unwrap();
    let steps = wide.distances(&[0]).unwrap().to_costs().unwrap();
    let svg = Picture::new(&wide).values("steps", &steps).svg().unwrap();
    assert!(is_well_formed(&svg));
    assert!(svg.len() < 2_000_000, "{} bytes", svg.len());
    // The three blocked sites are one run.
    assert!(svg.contains("fill:url(#hd-wall)\" d=\"M70 106h6v2h-6z\""));
}

#[test]
fn a_line_is_drawn_as_one_row() {
    let line = Lattice::cubic(1, 12).unwrap();
    let svg = Picture::new(&line).path(&[3, 4, 5]).svg().unwrap();
    assert!(is_well_formed(&svg));
    assert_eq!(svg.matches("<title>(").count(), 12);
}

#[test]
fn constant_values_have_a_scale() {
    let point = Lattice::cubic(2, 1).unwrap();
    let svg = Picture::new(&point).values("degree", &[0.0]).svg().unwrap();
    assert!(is_well_formed(&svg) && !svg.contains("NaN"));
    let nothing = Picture::new(&point)
        .values("degree", &[f64::NAN])
        .svg()
        .unwrap();
    assert!(is_well_formed(&nothing) && !nothing.contains("NaN"));
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let lattice = lattice();
    let picture = Picture::new(&lattice);
    for (down, right) in [(1, 1), (3, 0), (0, 3)] {
        let refused = picture.clone().axes(down, right).svg();
        assert!(matches!(refused, Err(Error::BadSlice { .. })));
    }
    assert!(matches!(
        picture.clone().at(&[3, 0, 0]).svg(),
        Err(Error::OutsideAxis { axis: 0, .. })
    ));
    assert!(matches!(
        picture.clone().at(&[0]).svg(),
        Err(Error::WrongCoordinates { .. })
    ));
    assert!(matches!(
        picture.clone().values("x", &[1.0]).svg(),
        Err(Error::WrongValues {
            needed: 144,
            found: 1
        })
    ));
    assert!(matches!(
        picture.path(&[144]).svg(),
        Err(Error::NoSuchSite { .. })
    ));
    let wide = Lattice::cubic(2, 300).unwrap();
    let error = Picture::new(&wide).html().unwrap_err();
    assert_eq!(
        error.to_string(),
        "a picture of 300 x 300 sites is too large: at most 65536 sites are drawn; choose shorter axes"
    );
}

//! Computes paths, distances and properties of lattices.
//!
//! `cargo run --release -p heddle --example lattices`

use heddle::lattice::path::PathMethod;
use heddle::lattice::structure::AnalysisLimits;
use heddle::lattice::{Axis, Error, Lattice, LatticeBatch, Site, analyze};

// `pub(crate)` so that a test can call it; a program of your own writes `fn main`.
pub(crate) fn main() -> Result<(), Error> {
    let runtime = heddle::open()?;

    // A lattice is a description: this one has 10^12 sites and takes no memory for them.
    // With nothing blocked, a shortest path is a formula.
    let huge = Lattice::cubic(4, 1000)?;
    let across = huge.shortest_path(0, huge.sites() - 1)?;
    println!("{} sites: {} steps across", huge.sites(), across.steps());
    assert_eq!(across.steps(), 4 * 999);
    assert_eq!(across.expanded, 0);

    // Twenty rows, thirty periodic columns, a fifth of the sites blocked.
    // Sites are numbered in C order, the last axis fastest.
    let maze = Lattice::new([Axis::open(20), Axis::periodic(30)])?.with_random_blocked(0.2, 7)?;
    let end = maze.sites() - 1;
    let path = maze.shortest_path(0, end)?;
    println!(
        "through the maze: {} steps by {:?}",
        path.steps(),
        path.method
    );
    assert!(path.is_of(&maze));
    assert_ne!(path.method, PathMethod::WeightedAStar);

    // Distances from one site to all others agree with the path.
    let distances = maze.distances(&[0])?;
    println!("{} sites can be reached", distances.reached());
    assert_eq!(distances.get(end), Some(path.steps() as f64));

    // All properties at once, each with the method that computed it.
    let analysis = analyze(&runtime, &maze, &AnalysisLimits::default())?;
    println!(
        "{} vertices, diameter {}",
        analysis.vertices, analysis.diameter
    );
    assert_eq!(analysis.vertices, maze.free_sites());

    // A batch of lattices is one operation, routed by its total work.
    let squares: LatticeBatch = (5..25)
        .map(|side| Lattice::cubic(2, side))
        .collect::<Result<_, _>>()?;
    let corners: Vec<(Site, Site)> = squares
        .lattices()
        .iter()
        .map(|lattice| (0, lattice.sites() - 1))
        .collect();
    let paths = squares.shortest_paths(&runtime, &corners)?;
    for (side, path) in (5..25).zip(paths) {
        assert_eq!(path?.steps(), 2 * (side - 1));
    }
    Ok(())
}

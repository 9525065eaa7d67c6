//! A catalytic search allocates as much beside the borrowed memory on a large
//! lattice as on a small one.
//!
//! A program of its own: the allocator of the whole process counts.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use heddle_lattice::{Axis, Lattice};

/// The most bytes alive at once during a search of a path of four steps, beyond
/// those alive before, and what the search says it used.
fn peak_bytes(axes: impl IntoIterator<Item = Axis>) -> (u64, u64) {
    let lattice = Lattice::new(axes).unwrap();
    let sites = lattice.sites();
    let lattice = lattice.with_blocked([1]).unwrap();
    let end = lattice.site(&[0, 0, 2]).unwrap();
    let mut borrowed: Vec<u64> = (0..lattice.catalytic_words())
        .map(|next_u64| next_u64 * next_u64)
        .collect();
    let mut found = None;
    let used = allocation_counter::measure(|| {
        found = Some(lattice.catalytic_path(0, end, &mut borrowed).unwrap());
    });
    let found = found.unwrap();
    assert_eq!(found.path.steps(), 4);
    assert_eq!(found.borrowed_bytes, 16 * sites);
    assert!(
        borrowed
            .into_iter()
            .eq((0..2 * sites).map(|next_u64| next_u64 * next_u64))
    );
    (
        used.bytes_max - found.path.vertices.capacity() as u64 * 8,
        found.ordinary_bytes,
    )
}

#[test]
fn ordinary_memory_does_not_grow_with_sites() {
    let small = peak_bytes([Axis::open(3); 3]);
    let large = peak_bytes([Axis::open(40); 3]);
    assert_eq!(small, large);
    // Nothing at all from the heap up to eight dimensions, and little reported.
    assert_eq!(small.0, 0);
    assert!(small.1 < 2048, "{} bytes", small.1);
}

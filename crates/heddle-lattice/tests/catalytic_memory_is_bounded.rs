//! A catalytic search allocates no more memory on a large lattice than on a small one,
//! besides the borrowed memory.
//!
//! This is a test binary of its own because it counts the allocations of the process.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use heddle_lattice::{Axis, Lattice};

/// The peak of allocated bytes during a search for a path of four steps, without those
/// allocated before, and the bytes that the search reports.
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
    // Up to eight dimensions the search allocates nothing and reports little.
    assert_eq!(small.0, 0);
    assert!(small.1 < 2048, "{} bytes", small.1);
}

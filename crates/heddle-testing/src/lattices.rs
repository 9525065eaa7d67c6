//! Random lattices of all kinds, from a seed.

use heddle_lattice::{Axis, Lattice, Weights};

use crate::Random;

impl Random {
    /// A cost from 0.5 to 2.5 in quarters, so that sums are exact.
    fn cost(&mut self) -> f64 {
        0.5 + self.below(9) as f64 / 4.0
    }

    /// A lattice of one to six axes with mixed boundaries and at most `most` sites, of which none,
    /// some or many are blocked; steps cost 1, by axis or by site.
    pub fn lattice(&mut self, most: u64) -> Lattice {
        let dimensions = 1 + self.below(6);
        let mut sites = 1;
        let mut axes = Vec::new();
        for left in (0..dimensions).rev() {
            // Leaves two sites for each of the remaining axes.
            let longest = (most / sites / (1 << left)).clamp(1, 9);
            let size = 1 + self.below(longest);
            sites *= size;
            axes.push(match self.below(2) {
                0 => Axis::open(size),
                _ => Axis::periodic(size),
            });
        }
        let share = [0, 0, 10, 30][self.below(4) as usize];
        let blocked: Vec<u64> = (0..sites).filter(|_| self.below(100) < share).collect();
        let weights = match self.below(4) {
            0 => Weights::Axes(axes.iter().map(|_| self.cost()).collect()),
            1 => Weights::Sites((0..sites).map(|_| self.cost()).collect()),
            _ => Weights::Unit,
        };
        let lattice = Lattice::new(axes).unwrap().with_blocked(blocked).unwrap();
        lattice.with_weights(weights).unwrap()
    }
}

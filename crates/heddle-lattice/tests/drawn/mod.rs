//! Lattices of all sorts, drawn from a seed.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![allow(dead_code, reason = "each test file uses some of it")]

use heddle_lattice::{Axis, Lattice, Weights};

/// Words by splitmix64.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        word ^ (word >> 31)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.word() % bound
    }

    /// Between a half and two and a half, in quarters: sums are exact.
    fn cost(&mut self) -> f64 {
        0.5 + self.below(9) as f64 / 4.0
    }

    /// One to six axes of mixed boundaries and at most `most` sites, of which none,
    /// some or many are blocked; steps cost 1, by axis or by site.
    pub(crate) fn lattice(&mut self, most: u64) -> Lattice {
        let dimensions = 1 + self.below(6);
        let mut sites = 1;
        let mut axes = Vec::new();
        for left in (0..dimensions).rev() {
            // Room for two sites on every axis that is still to come.
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

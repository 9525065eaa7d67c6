//! Random blocked sites and costs: the same for the same seed on every machine and
//! in any order of sites.

use std::ops::Range;

use super::{Lattice, Site, Weights};
use crate::admission::admit;
use crate::error::Error;

/// Each site is visited once, so larger lattices, which would take minutes, are
/// refused.
const MAX_RANDOM_SITES: u64 = 1 << 30;

impl Lattice {
    /// The same lattice with each site blocked with probability `share`.
    ///
    /// ```
    /// use heddle_lattice::Lattice;
    ///
    /// let maze = Lattice::cubic(2, 100)?.with_random_blocked(0.25, 7)?;
    /// assert!((2_300..2_700).contains(&maze.blocked().len()));
    /// # Ok::<(), heddle_lattice::Error>(())
    /// ```
    pub fn with_random_blocked(self, share: f64, seed: u64) -> Result<Self, Error> {
        if !(0.0..=1.0).contains(&share) {
            return Err(Error::BadShare { found: share });
        }
        self.check_random_sites()?;
        let sites = self.sites();
        self.with_blocked((0..sites).filter(|&site| draw(seed, site) < share))
    }

    /// The same lattice with a random cost from `costs` for every site.
    pub fn with_random_weights(self, costs: Range<f64>, seed: u64) -> Result<Self, Error> {
        self.check_random_sites()?;
        admit("a random cost for each site", self.sites(), 8)?;
        let width = costs.end - costs.start;
        // A different stream than the one that blocks sites.
        let weights = (0..self.sites()).map(|site| costs.start + width * draw(!seed, site));
        let weights = Weights::Sites(weights.collect());
        self.with_weights(weights)
    }

    fn check_random_sites(&self) -> Result<(), Error> {
        if self.sites() <= MAX_RANDOM_SITES {
            return Ok(());
        }
        Err(Error::TooManyToStore {
            what: "a random lattice",
            sites: self.sites(),
            most: MAX_RANDOM_SITES,
        })
    }
}

/// A number from 0 up to 1, by seed and site: Steele, Lea and Flood's `SplitMix`
/// (2014), as a hash.
fn draw(seed: u64, site: Site) -> f64 {
    let mut word = seed
        .wrapping_add(1)
        .wrapping_mul(0x9E37_79B9_7F4A_7C15)
        .wrapping_add(site.wrapping_mul(0xD1B5_4A32_D192_ED03));
    for multiplier in [0xBF58_476D_1CE4_E5B9, 0x94D0_49BB_1331_11EB_u64] {
        word = (word ^ (word >> 30)).wrapping_mul(multiplier);
    }
    word ^= word >> 31;
    // A float holds the upper 53 bits.
    (word >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_zero_and_one_block_none_and_all() {
        let lattice = || Lattice::cubic(2, 20).unwrap();
        assert!(lattice().with_random_blocked(0.0, 3).unwrap().is_regular());
        let full = lattice().with_random_blocked(1.0, 3).unwrap();
        assert_eq!(full.free_sites(), 0);
        for share in [-0.1, 1.1, f64::NAN] {
            assert!(matches!(
                lattice().with_random_blocked(share, 3),
                Err(Error::BadShare { .. })
            ));
        }
    }

    #[test]
    fn other_seeds_give_other_sites() {
        let drawn = |seed| {
            let lattice = Lattice::cubic(2, 50).unwrap();
            let lattice = lattice.with_random_blocked(0.1, seed).unwrap();
            lattice.blocked().iter().collect::<Vec<_>>()
        };
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1), drawn(2));
    }

    #[test]
    fn random_costs_stay_in_range() {
        let lattice = Lattice::cubic(2, 50).unwrap();
        let Weights::Sites(costs) = lattice
            .with_random_weights(1.0..2.0, 5)
            .unwrap()
            .weights()
            .clone()
        else {
            panic!("not one cost per site");
        };
        assert!(costs.iter().all(|cost| (1.0..2.0).contains(cost)));
        let mean = costs.iter().sum::<f64>() / 2500.0;
        assert!((1.45..1.55).contains(&mean), "{mean}");
    }

    #[test]
    fn random_sites_of_too_large_lattices_are_refused() {
        assert!(matches!(
            Lattice::cubic(40, 2).unwrap().with_random_blocked(0.1, 1),
            Err(Error::TooManyToStore { .. })
        ));
    }
}

//! The set of blocked sites.
//!
//! Searches query it once per step, so it is one bit per site where that is small;
//! a larger lattice stores the list of blocked sites.

use std::sync::Arc;

use super::Site;
use crate::admission::{admit, collected};
use crate::error::Error;

const BLOCKED: &str = "a set of blocked sites";

/// The largest number of sites stored as bits: 128 MiB.
const MAX_BITS: u64 = 1 << 30;

/// Blocked sites. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Blocked {
    form: BlockedForm,
    count: u64,
}

#[derive(Clone, Debug)]
enum BlockedForm {
    None,
    Bits(Arc<[u64]>),
    Sorted(Arc<[Site]>),
}

impl Blocked {
    /// The empty set.
    #[must_use]
    pub const fn none() -> Self {
        Self {
            form: BlockedForm::None,
            count: 0,
        }
    }

    pub(super) fn new(sites: u64, named: impl IntoIterator<Item = Site>) -> Result<Self, Error> {
        let check = |site: Site| {
            if site < sites {
                Ok(site)
            } else {
                Err(Error::NoSuchSite { site, sites })
            }
        };
        if sites <= MAX_BITS {
            // Twice: they are moved into shared memory.
            admit(BLOCKED, sites.div_ceil(64), 2 * 8)?;
            let mut bits = vec![0_u64; sites.div_ceil(64) as usize];
            for site in named {
                let site = check(site)?;
                bits[(site / 64) as usize] |= 1 << (site % 64);
            }
            let count = bits.iter().map(|word| u64::from(word.count_ones())).sum();
            return Ok(Self::counted(BlockedForm::Bits(bits.into()), count));
        }
        let mut sorted = collected(BLOCKED, named.into_iter().map(check))?;
        sorted.sort_unstable();
        sorted.dedup();
        admit(BLOCKED, sorted.len() as u64, 8)?;
        let count = sorted.len() as u64;
        Ok(Self::counted(BlockedForm::Sorted(sorted.into()), count))
    }

    fn counted(form: BlockedForm, count: u64) -> Self {
        if count == 0 {
            return Self::none();
        }
        Self { form, count }
    }

    /// Whether `site` is blocked; `false` for a site that does not exist.
    #[inline]
    #[must_use]
    pub fn contains(&self, site: Site) -> bool {
        match &self.form {
            BlockedForm::None => false,
            BlockedForm::Bits(bits) => bits
                .get((site / 64) as usize)
                .is_some_and(|word| word >> (site % 64) & 1 == 1),
            BlockedForm::Sorted(sorted) => sorted.binary_search(&site).is_ok(),
        }
    }

    /// The number of blocked sites.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.count
    }

    /// Whether no site is blocked.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// One bit per site, lowest first, if stored in that form.
    #[must_use]
    pub fn bits(&self) -> Option<&[u64]> {
        match &self.form {
            BlockedForm::Bits(bits) => Some(bits),
            BlockedForm::None | BlockedForm::Sorted(_) => None,
        }
    }

    /// The blocked sites, ascending.
    pub fn iter(&self) -> impl Iterator<Item = Site> + '_ {
        let sorted: &[Site] = match &self.form {
            BlockedForm::Sorted(sorted) => sorted,
            BlockedForm::None | BlockedForm::Bits(_) => &[],
        };
        let bits = self.bits().unwrap_or_default();
        let from_bits = bits.iter().enumerate().flat_map(|(word, &bits)| {
            (0..64_u64)
                .filter(move |bit| bits >> bit & 1 == 1)
                .map(move |bit| word as u64 * 64 + bit)
        });
        sorted.iter().copied().chain(from_bits)
    }

    /// The size in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        match &self.form {
            BlockedForm::None => 0,
            BlockedForm::Bits(words) | BlockedForm::Sorted(words) => {
                size_of_val::<[u64]>(words) as u64
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_and_sparse_sets_are_equal() {
        let named = [5, 63, 64, 5, 99];
        let few = Blocked::new(100, named).unwrap();
        let many = Blocked::new(MAX_BITS + 1, named).unwrap();
        for blocked in [&few, &many] {
            assert_eq!(blocked.iter().collect::<Vec<_>>(), [5, 63, 64, 99]);
            assert_eq!(blocked.len(), 4);
            assert!(blocked.contains(64) && !blocked.contains(65));
            assert!(!blocked.contains(u64::MAX));
        }
        assert!(few.bits().is_some() && many.bits().is_none());
    }

    #[test]
    fn a_site_beyond_the_last_is_refused() {
        assert!(matches!(
            Blocked::new(100, [100]),
            Err(Error::NoSuchSite {
                site: 100,
                sites: 100
            })
        ));
    }
}

//! The visited sites of a search, in memory that is reused.
//!
//! A small lattice has a slot per site, stamped with the number of the search, so
//! clearing is one addition. A large one stores only the sites seen.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::lattice::Site;

/// Site numbers are already distributed; one multiplication mixes them enough. The
/// map is queried by site and never iterated, so its order is never visible.
#[derive(Clone, Debug, Default)]
pub(crate) struct SiteHasher(u64);

impl Hasher for SiteHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, site: u64) {
        let mixed = (self.0 ^ site).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        // The table takes its slot from the low bits and its tag from the high.
        self.0 = mixed ^ (mixed >> 32);
    }
}

pub(crate) type SiteMap<V> = HashMap<Site, V, BuildHasherDefault<SiteHasher>>;

/// A value for each site seen since the last [`SiteTable::forget`].
#[derive(Clone, Debug)]
pub(crate) struct SiteTable<V> {
    form: TableForm<V>,
}

#[derive(Clone, Debug)]
enum TableForm<V> {
    Dense { slots: Vec<(u32, V)>, now: u32 },
    Sparse(SiteMap<V>),
}

impl<V: Copy + Default> SiteTable<V> {
    /// A table for a lattice of `sites` sites, with a slot per site up to
    /// `dense_up_to`.
    pub(crate) fn new(sites: u64, dense_up_to: u64) -> Self {
        let form = if sites <= dense_up_to {
            TableForm::Dense {
                slots: vec![(0, V::default()); sites as usize],
                now: 1,
            }
        } else {
            TableForm::Sparse(SiteMap::default())
        };
        Self { form }
    }

    pub(crate) fn forget(&mut self) {
        match &mut self.form {
            TableForm::Dense { slots, now } => {
                if *now == u32::MAX {
                    slots.fill((0, V::default()));
                    *now = 0;
                }
                *now += 1;
            }
            TableForm::Sparse(map) => map.clear(),
        }
    }

    #[inline]
    pub(crate) fn get(&self, site: Site) -> Option<V> {
        match &self.form {
            TableForm::Dense { slots, now } => {
                let (stamp, value) = slots[site as usize];
                (stamp == *now).then_some(value)
            }
            TableForm::Sparse(map) => map.get(&site).copied(),
        }
    }

    #[inline]
    pub(crate) fn set(&mut self, site: Site, value: V) {
        match &mut self.form {
            TableForm::Dense { slots, now } => slots[site as usize] = (*now, value),
            TableForm::Sparse(map) => {
                map.insert(site, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clearing_leaves_nothing() {
        for dense_up_to in [0, 100] {
            let mut site_table = SiteTable::<u8>::new(100, dense_up_to);
            site_table.set(7, 3);
            assert_eq!(site_table.get(7), Some(3));
            assert_eq!(site_table.get(8), None);
            site_table.forget();
            assert_eq!(site_table.get(7), None);
        }
    }

    #[test]
    fn stamps_wrap_around() {
        let mut site_table = SiteTable::<u8>::new(2, 2);
        site_table.set(0, 1);
        if let TableForm::Dense { now, .. } = &mut site_table.form {
            *now = u32::MAX;
        }
        site_table.set(1, 1);
        site_table.forget();
        assert_eq!((site_table.get(0), site_table.get(1)), (None, None));
    }
}

//! The numbering of vertices: free sites in ascending order.

use crate::admission::admit;
use crate::error::Error;
use crate::lattice::{Blocked, Lattice, Site};

/// The largest number of sites that can be numbered: a rank fits 32 bits, and one
/// bit per blocked site is still stored.
pub(crate) const MAX_VISITED: u64 = 1 << 30;

/// The free sites of a lattice in ascending order, numbered from 0.
#[derive(Clone, Debug)]
pub struct Numbering {
    sites: u64,
    blocked: Blocked,
    /// The number of free sites before each word of blocked bits; empty where no
    /// site is blocked.
    rank_before_word: Vec<u32>,
    /// The site of each vertex; empty where every site is a vertex.
    vertex_sites: Vec<u32>,
}

impl Numbering {
    /// Fails for more than 2^30 sites; `asked` names the operation.
    pub fn of(lattice: &Lattice, asked: &'static str) -> Result<Self, Error> {
        let sites = lattice.sites();
        if sites > MAX_VISITED {
            return Err(Error::TooLargeToVisit {
                asked,
                sites,
                most: MAX_VISITED,
            });
        }
        let blocked = lattice.blocked().clone();
        let bits = blocked.bits().unwrap_or_default();
        if !bits.is_empty() {
            admit(
                "a numbering of free sites",
                bits.len() as u64 + lattice.free_sites(),
                4,
            )?;
        }
        let mut rank_before_word = Vec::with_capacity(bits.len());
        let mut vertex_sites = Vec::with_capacity(if bits.is_empty() {
            0
        } else {
            lattice.free_sites() as usize
        });
        for (word, &bits) in bits.iter().enumerate() {
            rank_before_word.push(vertex_sites.len() as u32);
            let first = word as u64 * 64;
            let mut free = !bits & below(sites - first);
            while free != 0 {
                vertex_sites.push((first + u64::from(free.trailing_zeros())) as u32);
                free &= free - 1;
            }
        }
        Ok(Self {
            sites,
            blocked,
            rank_before_word,
            vertex_sites,
        })
    }

    /// The number of vertices.
    #[must_use]
    pub fn len(&self) -> usize {
        if self.rank_before_word.is_empty() {
            self.sites as usize
        } else {
            self.vertex_sites.len()
        }
    }

    /// Whether every site is blocked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The site of a vertex, or `None` if there is no such vertex.
    #[must_use]
    pub fn site(&self, vertex: usize) -> Option<Site> {
        if self.rank_before_word.is_empty() {
            return ((vertex as u64) < self.sites).then_some(vertex as u64);
        }
        self.vertex_sites.get(vertex).map(|&site| u64::from(site))
    }

    /// The vertex of a site; `None` if it is blocked or does not exist.
    #[must_use]
    pub fn vertex(&self, site: Site) -> Option<usize> {
        (site < self.sites && !self.blocked.contains(site)).then(|| self.rank(site) as usize)
    }

    /// The vertex of a free site.
    #[inline]
    pub(crate) fn rank(&self, site: Site) -> u32 {
        let word = (site / 64) as usize;
        match (self.rank_before_word.get(word), self.blocked.bits()) {
            (Some(rank_before_word), Some(bits)) => {
                rank_before_word + (!bits[word] & below(site % 64)).count_ones()
            }
            _ => site as u32,
        }
    }

    /// The number of free sites before each group of 64 sites.
    pub(crate) fn before_words(&self) -> Vec<u32> {
        if self.rank_before_word.is_empty() {
            return (0..self.sites as u32).step_by(64).collect();
        }
        self.rank_before_word.clone()
    }

    /// The size in bytes, without the lattice's own.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        4 * (self.rank_before_word.len() + self.vertex_sites.len()) as u64
    }
}

/// The lowest `count` bits, all of them from 64 on.
const fn below(count: u64) -> u64 {
    if count >= 64 {
        u64::MAX
    } else {
        (1 << count) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn site_and_vertex_are_inverse() {
        let lattice = Lattice::cubic(2, 10).unwrap();
        for blocked in [vec![], vec![0, 63, 64, 99], (0..100).collect()] {
            let lattice = lattice.clone().with_blocked(blocked.clone()).unwrap();
            let numbering = Numbering::of(&lattice, "a test").unwrap();
            assert_eq!(numbering.len(), 100 - blocked.len());
            let free = (0..100).filter(|site| !blocked.contains(site));
            for (vertex, site) in free.enumerate() {
                assert_eq!(numbering.site(vertex), Some(site));
                assert_eq!(numbering.vertex(site), Some(vertex));
            }
            assert_eq!(numbering.site(numbering.len()), None);
            assert_eq!(numbering.vertex(100), None);
            assert!(blocked.iter().all(|&site| numbering.vertex(site).is_none()));
        }
    }

    #[test]
    fn too_large_lattices_are_refused() {
        let lattice = Lattice::cubic(1, MAX_VISITED + 1).unwrap();
        assert!(matches!(
            Numbering::of(&lattice, "a test"),
            Err(Error::TooLargeToVisit { .. })
        ));
    }
}

//! A bounded cache of paths, by start and end.

use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasherDefault;
use std::sync::Arc;

use super::site_table::SiteHasher;
use super::{Path, PathFinder};
use crate::error::Error;
use crate::lattice::{Lattice, Site};

/// Start and end.
type Endpoints = (Site, Site);

/// The time of the last query, and the path.
type CacheEntry = (u64, Arc<Path>);

/// The most recently queried paths, by start and end. It borrows its lattice, so
/// the lattice cannot change while it exists.
#[derive(Clone, Debug)]
pub struct PathCache<'a> {
    finder: PathFinder<'a>,
    most: usize,
    entries: HashMap<Endpoints, CacheEntry, BuildHasherDefault<SiteHasher>>,
    /// The time of each entry's last query; the first is the oldest.
    by_age: BTreeMap<u64, Endpoints>,
    clock: u64,
    hits: u64,
    misses: u64,
}

impl<'a> PathCache<'a> {
    /// A cache of at most `most` paths; 0 keeps none.
    #[must_use]
    pub fn new(lattice: &'a Lattice, most: usize) -> Self {
        Self {
            finder: PathFinder::new(lattice),
            most,
            entries: HashMap::default(),
            by_age: BTreeMap::new(),
            clock: 0,
            hits: 0,
            misses: 0,
        }
    }

    /// A shortest path, from the cache or searched. A query without a path is not
    /// cached.
    pub fn shortest_path(&mut self, start: Site, end: Site) -> Result<Arc<Path>, Error> {
        let question = (start, end);
        self.clock += 1;
        if let Some((age, path)) = self.entries.get_mut(&question) {
            self.hits += 1;
            self.by_age.remove(age);
            *age = self.clock;
            self.by_age.insert(self.clock, question);
            return Ok(Arc::clone(path));
        }
        self.misses += 1;
        let path = Arc::new(self.finder.shortest_path(start, end)?);
        if self.most == 0 {
            return Ok(path);
        }
        if self.entries.len() == self.most
            && let Some((_, oldest)) = self.by_age.pop_first()
        {
            self.entries.remove(&oldest);
        }
        self.by_age.insert(self.clock, question);
        self.entries
            .insert(question, (self.clock, Arc::clone(&path)));
        Ok(path)
    }

    /// The number of cached paths.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether the cache is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The number of queries served from the cache.
    #[must_use]
    pub fn hits(&self) -> u64 {
        self.hits
    }

    /// The number of queries that were searched.
    #[must_use]
    pub fn misses(&self) -> u64 {
        self.misses
    }
}

//! A bounded cache of paths, by start and end.

use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasherDefault;
use std::sync::Arc;

use super::marks::SiteHasher;
use super::{Path, PathFinder};
use crate::error::Error;
use crate::lattice::{Lattice, Site};

/// Start and end.
type Question = (Site, Site);

/// The time of the last query, and the path.
type Answer = (u64, Arc<Path>);

/// The most recently queried paths, by start and end. It borrows its lattice, so
/// the lattice cannot change while it exists.
#[derive(Clone, Debug)]
pub struct PathCache<'a> {
    finder: PathFinder<'a>,
    most: usize,
    answers: HashMap<Question, Answer, BuildHasherDefault<SiteHasher>>,
    /// The time of each entry's last query; the first is the oldest.
    ages: BTreeMap<u64, Question>,
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
            answers: HashMap::default(),
            ages: BTreeMap::new(),
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
        if let Some((age, path)) = self.answers.get_mut(&question) {
            self.hits += 1;
            self.ages.remove(age);
            *age = self.clock;
            self.ages.insert(self.clock, question);
            return Ok(Arc::clone(path));
        }
        self.misses += 1;
        let path = Arc::new(self.finder.shortest_path(start, end)?);
        if self.most == 0 {
            return Ok(path);
        }
        if self.answers.len() == self.most
            && let Some((_, oldest)) = self.ages.pop_first()
        {
            self.answers.remove(&oldest);
        }
        self.ages.insert(self.clock, question);
        self.answers
            .insert(question, (self.clock, Arc::clone(&path)));
        Ok(path)
    }

    /// The number of cached paths.
    #[must_use]
    pub fn len(&self) -> usize {
        self.answers.len()
    }

    /// Whether the cache is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.answers.is_empty()
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

//! Detects sites that hold more and more memory.
//!
//! The value followed is not what a site holds but the least it held within each twelfth of the
//! window: a sawtooth comes back to the same floor, a leak does not. A floor that rises by more
//! than a fifth through the whole window, to its very end, is reported until it falls or a
//! window passes without a further rise. A rise that ends before the window does is not a leak,
//! which excludes warm-up. A rise with a fall in it is not a leak either, which excludes any
//! sawtooth shorter than eleven twelfths of the window. The cost: a sawtooth longer than a
//! twelfth hides a leak that is smaller than itself.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use serde::Serialize;

use super::live_allocations::CountedNoun;
use super::site::AllocationSite;
use super::statistics::{SiteMinimum, SiteUsage};
use crate::units::{Bytes, Nanos};

/// The number of parts of a window.
const PARTS: u64 = 12;
/// The number of parts in a third. Each third must have some of the rise.
const THIRD: usize = PARTS as usize / 3;
/// The least share of the rise in each third: half of a steady rise's third.
const SHARE_PER_THIRD: f64 = 1.0 / 6.0;
/// The number of parts at the end that must have some of the rise too: [`SHARE_AT_END`], half of
/// what a steady rise would bring.
const END: usize = 2;
const SHARE_AT_END: f64 = 1.0 / 24.0;
/// A fall of more than this share of the rise means it is not a leak.
const TOLERATED_FALL: f64 = 0.25;

/// The criteria of a leak.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct LeakSettings {
    /// How long a rise must last.
    pub window: Duration,
    /// The least rise, as a share of the floor it began at.
    pub growth: f64,
    /// The least rise in bytes.
    pub least: Bytes,
}

/// A site whose floor keeps rising.
#[derive(Clone, Copy, Debug, Serialize)]
#[non_exhaustive]
pub struct Leak {
    /// The site.
    pub site: AllocationSite,
    /// The bytes it holds now.
    pub bytes: Bytes,
    /// The number of its blocks.
    pub blocks: u64,
    /// The rise of its floor within the window.
    pub growth: Bytes,
    /// The age of its oldest block.
    pub oldest_age: Nanos,
}

type Key = (&'static str, &'static str, u32, u32);

/// Follows the floors of all sites of one device.
#[derive(Debug)]
pub(crate) struct Leaks {
    settings: RwLock<LeakSettings>,
    histories: Mutex<BTreeMap<Key, MinimaHistory>>,
}

/// The floors of one site, by the index of their part of time.
#[derive(Debug, Default)]
struct MinimaHistory {
    floors: VecDeque<(u64, u64)>,
    suspicion: Option<SuspectedRise>,
}

/// A rise that was detected.
#[derive(Clone, Copy, Debug)]
struct SuspectedRise {
    /// The part of time it was detected in.
    part: u64,
    growth: Bytes,
    /// The floor it rose to. Below it, some memory was freed after all.
    floor: u64,
}

impl fmt::Display for Leak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            site,
            bytes,
            growth,
            oldest_age,
            ..
        } = self;
        let blocks = CountedNoun(self.blocks, "block");
        write!(
            f,
            "{site} holds {bytes} in {blocks}, {growth} more than a window ago; the oldest is {oldest_age} old"
        )
    }
}

impl Default for LeakSettings {
    fn default() -> Self {
        Self {
            window: Duration::from_mins(5),
            growth: 0.2,
            least: Bytes(64 << 10),
        }
    }
}

/// The index of the part of time that `now` is in.
fn part(settings: &LeakSettings, now: Nanos) -> u64 {
    let part = Nanos::from(settings.window).0 / PARTS;
    now.0 / part.max(1)
}

impl Leaks {
    /// Creates a detector without history.
    #[must_use]
    pub(crate) fn new(settings: LeakSettings) -> Self {
        Self {
            settings: RwLock::new(settings),
            histories: Mutex::default(),
        }
    }

    /// Changes the criteria. Histories of another window are discarded.
    pub(crate) fn set(&self, settings: LeakSettings) {
        let mut now = self
            .settings
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        if now.window != settings.window {
            self.lock().clear();
        }
        *now = settings;
    }

    fn settings(&self) -> LeakSettings {
        *self.settings.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the least each site held since the last call.
    pub(super) fn observe(&self, now: Nanos, floors: &[SiteMinimum]) {
        let settings = self.settings();
        let part = part(&settings, now);
        let mut sums = BTreeMap::<Key, u64>::new();
        for floor in floors {
            *sums.entry(floor.site.key()).or_default() += floor.least.0;
        }
        let mut histories = self.lock();
        for (key, least) in sums {
            let history = histories.entry(key).or_default();
            history.add(part, least);
            history.suspect(part, &settings);
        }
    }

    /// The suspected sites, the fastest growing first. `holders` has what each site holds now.
    pub(super) fn suspects(&self, now: Nanos, holders: &[SiteUsage]) -> Vec<Leak> {
        let part = part(&self.settings(), now);
        let histories = self.lock();
        let mut leaks: Vec<_> = holders
            .iter()
            .filter_map(|holder| {
                let history = histories.get(&holder.site.key())?;
                Some(Leak {
                    site: holder.site,
                    bytes: holder.bytes,
                    blocks: holder.blocks,
                    growth: history.suspected(part)?,
                    oldest_age: now.saturating_sub(holder.oldest),
                })
            })
            .collect();
        leaks.sort_by_key(|leak| (std::cmp::Reverse(leak.growth), leak.site.key()));
        leaks
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Key, MinimaHistory>> {
        self.histories
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl MinimaHistory {
    fn add(&mut self, part: u64, least: u64) {
        match self.floors.back_mut() {
            Some((last, floor)) if *last == part => *floor = least.min(*floor),
            _ => self.floors.push_back((part, least)),
        }
        // One more than a window: the current part does not count yet.
        while self.floors.len() > PARTS as usize + 1 {
            self.floors.pop_front();
        }
        self.suspicion = self.suspicion.filter(|rise| least >= rise.floor);
    }

    fn suspect(&mut self, part: u64, settings: &LeakSettings) {
        if let Some((growth, floor)) = self.rise(part, settings) {
            self.suspicion = Some(SuspectedRise {
                part,
                growth,
                floor,
            });
        }
    }

    /// The rise of the floor, if the site is suspected.
    fn suspected(&self, now: u64) -> Option<Bytes> {
        let rise = self.suspicion.as_ref()?;
        (rise.part + PARTS >= now).then_some(rise.growth)
    }

    /// The rise of the floor in the window that ends with the last whole part, and the floor it
    /// rose to, if that is a leak.
    fn rise(&self, now: u64, settings: &LeakSettings) -> Option<(Bytes, u64)> {
        let first = now.checked_sub(PARTS)?;
        let floors: Vec<f64> = (first..now)
            .map(|part| self.floor(part))
            .collect::<Option<_>>()?;
        let (&from, &to) = (floors.first()?, floors.last()?);
        let growth = to - from;
        let enough = growth > from * settings.growth && growth >= settings.least.0 as f64;
        let falls = floors
            .windows(2)
            .any(|pair| matches!(pair, [a, b] if a - b > growth * TOLERATED_FALL));
        let rises = |from: usize, to: usize, share: f64| match (floors.get(from), floors.get(to)) {
            (Some(from), Some(to)) => to - from >= growth * share,
            _ => false,
        };
        let last = floors.len() - 1;
        let sustained = (0..3).all(|third| {
            let end = last.min((third + 1) * THIRD);
            rises(third * THIRD, end, SHARE_PER_THIRD)
        });
        let goes_on = rises(floors.len() - END, last, SHARE_AT_END);
        (enough && sustained && goes_on && !falls).then_some((Bytes(growth as u64), to as u64))
    }

    /// The floor of a part of time. A part without an observation has the floor of the next
    /// one, which covers all the time since the observation before.
    fn floor(&self, part: u64) -> Option<f64> {
        let began = self.floors.front()?.0;
        let next = self.floors.iter().find(|(observed, _)| *observed >= part)?;
        (began <= part).then_some(next.1 as f64)
    }
}

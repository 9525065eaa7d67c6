//! The reversible program that runs on borrowed words.
//!
//! Two registers per site are used in turns: layer t adds to one register of every
//! free site its weight times the sum of its neighbours' other registers. The sum
//! depends only on registers the layer does not change, so subtracting it undoes
//! the layer, from any site on. The program tracks its position, and runs all the
//! way back when it is dropped.

use std::ops::ControlFlow;

use heddle_runtime::ops::SplitMix64;

use super::field;
use crate::lattice::{Lattice, Site, Stepper};

/// The position of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CatalyticProgress {
    /// The number of layers applied now.
    pub layer: u64,
    /// The number of layers run so far, forwards and backwards.
    pub layers_run: u64,
    /// The number of sites of the current layer that are done.
    pub site: Site,
}

/// Called every so many sites; returns whether to continue.
pub(super) type ProgressCallback<'w> = &'w mut dyn FnMut(CatalyticProgress) -> ControlFlow<()>;

/// The callback cancelled the search.
pub(super) struct Cancelled;

pub(super) struct ReversibleProgram<'a> {
    lattice: &'a Lattice,
    stepper: Stepper,
    words: &'a mut [u64],
    start: Site,
    seed: u64,
    /// Added to every word, so that each is an element of the field.
    offset: u64,
    /// The number of words it was added to.
    shifted: usize,
    /// Whether 1 was added to the start's register.
    start_flipped: bool,
    /// The number of layers applied.
    layer: u64,
    /// The number of sites of the next layer that are applied already.
    site: Site,
    layers_run: u64,
    report_every: u64,
}

impl<'a> ReversibleProgram<'a> {
    /// Takes the first two words per site of `words`, which must have that many.
    pub(super) fn new(
        lattice: &'a Lattice,
        words: &'a mut [u64],
        start: Site,
        seed: u64,
        report_every: u64,
    ) -> Self {
        let words = &mut words[..2 * lattice.sites() as usize];
        let offset = offset_for(words, seed);
        let mut program = Self {
            lattice,
            stepper: Stepper::of(lattice),
            words,
            start,
            seed,
            offset,
            shifted: 0,
            start_flipped: false,
            layer: 0,
            site: 0,
            layers_run: 0,
            report_every: report_every.max(1),
        };
        program.shift();
        program
    }

    /// The heap memory used, in bytes.
    pub(super) fn spilled_bytes(&self) -> usize {
        self.stepper.spilled_bytes()
    }

    pub(super) fn layers_run(&self) -> u64 {
        self.layers_run
    }

    /// The register of `site` that the last layer wrote.
    pub(super) fn register(&self, site: Site) -> u64 {
        self.words[self.half(self.layer) + site as usize]
    }

    /// Runs forwards or backwards until `layer` layers are applied.
    pub(super) fn run_to_layer(
        &mut self,
        layer: u64,
        on_progress: ProgressCallback<'_>,
    ) -> Result<(), Cancelled> {
        while self.layer < layer {
            self.forwards(on_progress)?;
        }
        while self.layer > layer {
            self.backwards(Some(&mut *on_progress))?;
        }
        Ok(())
    }

    /// Switches between the run as found and the run with 1 added at the start,
    /// with as many layers applied as before.
    pub(super) fn toggle(&mut self, on_progress: ProgressCallback<'_>) -> Result<(), Cancelled> {
        let layer = self.layer;
        self.run_to_layer(0, on_progress)?;
        self.flip_start();
        self.run_to_layer(layer, on_progress)
    }

    fn forwards(&mut self, on_progress: ProgressCallback<'_>) -> Result<(), Cancelled> {
        self.layers_run += 1;
        while self.site < self.lattice.sites() {
            let amount = self.amount(self.site);
            let word = &mut self.words[self.half(self.layer + 1) + self.site as usize];
            *word = field::add(*word, amount);
            self.site += 1;
            self.report(on_progress)?;
        }
        self.layer += 1;
        self.site = 0;
        Ok(())
    }

    /// Undoes the layer that is partly applied, or else the last one.
    fn backwards(
        &mut self,
        mut on_progress: Option<ProgressCallback<'_>>,
    ) -> Result<(), Cancelled> {
        if self.site == 0 {
            self.layers_run += 1;
            self.layer -= 1;
            self.site = self.lattice.sites();
        }
        while self.site > 0 {
            let site = self.site - 1;
            let amount = self.amount(site);
            let word = &mut self.words[self.half(self.layer + 1) + site as usize];
            *word = field::sub(*word, amount);
            self.site = site;
            if let Some(on_progress) = on_progress.as_mut() {
                self.report(&mut **on_progress)?;
            }
        }
        Ok(())
    }

    /// The amount the layer adds to `site`'s register. A blocked site's registers
    /// never change, so its neighbours see the same in both runs.
    fn amount(&self, site: Site) -> u64 {
        if self.lattice.blocked().contains(site) {
            return 0;
        }
        let read = self.half(self.layer);
        let mut sum = 0_u128;
        self.stepper.around(site, |neighbour, _, _, _| {
            sum += u128::from(self.words[read + neighbour as usize]);
        });
        field::mul(field::reduce(sum), weight(site, self.seed))
    }

    /// The index of the first register that layer `layer` wrote.
    fn half(&self, layer: u64) -> usize {
        if layer.is_multiple_of(2) {
            0
        } else {
            self.lattice.sites() as usize
        }
    }

    fn report(&self, on_progress: ProgressCallback<'_>) -> Result<(), Cancelled> {
        if !self.site.is_multiple_of(self.report_every) {
            return Ok(());
        }
        let progress = CatalyticProgress {
            layer: self.layer,
            layers_run: self.layers_run,
            site: self.site,
        };
        match on_progress(progress) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Cancelled),
        }
    }

    fn flip_start(&mut self) {
        let word = &mut self.words[self.start as usize];
        *word = if self.start_flipped {
            field::sub(*word, 1)
        } else {
            field::add(*word, 1)
        };
        self.start_flipped = !self.start_flipped;
    }

    fn shift(&mut self) {
        while self.shifted < self.words.len() {
            let word = &mut self.words[self.shifted];
            *word = word.wrapping_add(self.offset);
            self.shifted += 1;
        }
    }

    fn unshift(&mut self) {
        while self.shifted > 0 {
            self.shifted -= 1;
            let word = &mut self.words[self.shifted];
            *word = word.wrapping_sub(self.offset);
        }
    }
}

impl Drop for ReversibleProgram<'_> {
    fn drop(&mut self) {
        while self.layer > 0 || self.site > 0 {
            // Without a callback it cannot be cancelled.
            if self.backwards(None).is_err() {
                return;
            }
        }
        if self.start_flipped {
            self.flip_start();
        }
        self.unshift();
    }
}

/// An offset that, added to all words, makes each of them less than the prime.
/// Every word excludes 59 of 2^64 offsets, so one of the first few works.
fn offset_for(words: &[u64], seed: u64) -> u64 {
    let mut offset = 0_u64;
    let mut tried = 0_u64;
    while words
        .iter()
        .any(|word| word.wrapping_add(offset) >= field::PRIME)
    {
        tried += 1;
        offset = mix(seed.wrapping_add(tried));
    }
    offset
}

/// A site's weight: a nonzero, pseudo-random element of the field.
fn weight(site: Site, seed: u64) -> u64 {
    let hashed = mix(site ^ seed);
    if hashed == 0 || hashed >= field::PRIME {
        1
    } else {
        hashed
    }
}

/// A mix in which every output bit depends on every input bit.
pub(super) fn mix(value: u64) -> u64 {
    SplitMix64::new(value).next_u64()
}

//! Random numbers for tests and benches: one generator, seeded, its seed printed.

use rand::{Rng, RngCore, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// A stream of random numbers that depends only on its seed.
#[derive(Clone, Debug)]
pub struct Random(Pcg64Mcg);

impl Random {
    pub fn seeded(seed: u64) -> Self {
        Self(Pcg64Mcg::seed_from_u64(seed))
    }

    /// A generator with a new seed in each run, printed with a failing test; `HEDDLE_TEST_SEED`
    /// repeats it.
    pub fn fresh() -> Self {
        let seed = std::env::var("HEDDLE_TEST_SEED")
            .map_or_else(|_| rand::random(), |seed| seed.parse().unwrap());
        println!("HEDDLE_TEST_SEED={seed}");
        Self::seeded(seed)
    }

    pub fn word(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform in `0..bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0.random_range(0..bound)
    }

    /// Uniform in `0..len`, for use as an index.
    pub fn index(&mut self, len: usize) -> usize {
        self.0.random_range(0..len)
    }

    /// Uniform in `0..1`.
    pub fn unit(&mut self) -> f64 {
        self.0.random()
    }

    /// Uniform in `-1..1`.
    pub fn signed(&mut self) -> f64 {
        self.0.random_range(-1.0..1.0)
    }

    /// Of magnitudes from 1e-3 to 1e3, both signs.
    pub fn any_magnitude(&mut self) -> f64 {
        self.signed() * 10_f64.powf(3.0 * self.signed())
    }

    /// Uniform in the exponent between the two, as sizes of real workloads are.
    pub fn size(&mut self, least: u64, most: u64) -> u64 {
        let (low, high) = ((least as f64).ln(), (most as f64).ln());
        (low + self.unit() * (high - low)).exp() as u64
    }

    /// Approximately normal with deviation one: the sum of twelve uniforms.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }

    pub fn bytes(&mut self, len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len];
        self.0.fill_bytes(&mut bytes);
        bytes
    }
}

/// Returns the word of `seed`, for values that are random by position.
pub fn word_of(seed: u64) -> u64 {
    Random::seeded(seed).word()
}

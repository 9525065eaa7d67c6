//! The sweep on the CPU: batches of sources, each on one thread.

use std::sync::Mutex;

use heddle_runtime::Error;
use heddle_runtime::cpu::CpuPool;
use heddle_runtime::memory::admit_host;
use heddle_runtime::units::Bytes;
use pulp::{Arch, Simd, WithSimd};

use super::column_counter::{BitPlanes, BitRow, ColumnCounter};
use super::{ReachTotals, SWEEP, Sweep};
use crate::graph::{Build, Graph};

/// The number of words of sources per site for many sources: one cache line, and
/// one register where there are wide ones.
const WIDE: usize = 8;

impl Sweep<'_> {
    pub(super) fn run_on_cpu(&self, pool: &CpuPool, sources: &[u32]) -> Result<ReachTotals, Error> {
        let graph = Build::over(self.lattice, self.numbering.clone()).on(pool)?;
        let sources: Vec<u32> = sources
            .iter()
            .map(|&site| self.numbering.rank(u64::from(site)))
            .collect();
        // Few sources are distributed over the threads before words are filled.
        let share = sources.len().div_ceil(pool.threads());
        match share.div_ceil(64) {
            0 => Ok(ReachTotals::default()),
            1 => all::<1>(pool, &graph, &sources),
            2..=4 => all::<4>(pool, &graph, &sources),
            _ => all::<WIDE>(pool, &graph, &sources),
        }
    }
}

fn all<const W: usize>(
    pool: &CpuPool,
    graph: &Graph,
    sources: &[u32],
) -> Result<ReachTotals, Error> {
    // Each thread has bits of its own.
    let bits = pool.threads().min(sources.len().div_ceil(64 * W)) * 3 * size_of::<BitRow<W>>();
    let bits = Bytes::of::<u8>(bits.saturating_mul(graph.vertices()));
    admit_host(SWEEP.name(), bits + Bytes(20 * sources.len() as u64))?;
    let mut reach = ReachTotals::of(sources.len());
    let size = 64 * W;
    let batches = sources
        .chunks(size)
        .zip(reach.reached.chunks_mut(size))
        .zip(reach.total.chunks_mut(size))
        .zip(reach.eccentricity.chunks_mut(size))
        .map(
            |(((sources, reached), total), eccentricity)| SourceBatch::<W> {
                graph,
                sources,
                reached,
                total,
                eccentricity,
            },
        );
    // The bits of a finished thread are used for the next batch.
    let spare = Mutex::new(Vec::new());
    let cost = Bytes((graph.targets().len() * sources.len() / 8) as u64);
    pool.each(cost, batches, |batch| {
        let kept = spare.lock().ok().and_then(|mut spare| spare.pop());
        let mut bits = kept.unwrap_or_else(|| SearchBits::<W>::of(graph.vertices()));
        Arch::new().dispatch(SweepPass {
            batch,
            bits: &mut bits,
        });
        if let Ok(mut spare) = spare.lock() {
            spare.push(bits);
        }
    });
    Ok(reach)
}

/// One bit per vertex and source.
struct SearchBits<const W: usize> {
    seen: Vec<BitRow<W>>,
    front: Vec<BitRow<W>>,
    next: Vec<BitRow<W>>,
}

impl<const W: usize> SearchBits<W> {
    fn of(vertices: usize) -> Self {
        let rows = || vec![[0; W]; vertices];
        Self {
            seen: rows(),
            front: rows(),
            next: rows(),
        }
    }
}

/// Up to `64 * W` sources and the places of their figures.
struct SourceBatch<'a, const W: usize> {
    graph: &'a Graph,
    sources: &'a [u32],
    reached: &'a mut [u64],
    total: &'a mut [u64],
    eccentricity: &'a mut [u32],
}

struct SweepPass<'a, 'b, const W: usize> {
    batch: SourceBatch<'a, W>,
    bits: &'b mut SearchBits<W>,
}

impl<const W: usize> WithSimd for SweepPass<'_, '_, W> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.batch.run(self.bits);
    }
}

impl<const W: usize> SourceBatch<'_, W> {
    #[inline(always)]
    fn run(self, bits: &mut SearchBits<W>) {
        let mut running = self.begin(bits);
        // The number of sites each source has reached, and the sum of that over the
        // levels so far.
        let mut column_counter = ColumnCounter::<W>::new();
        let mut sums = BitPlanes::<W>::new();
        let mut level = 0_u32;
        loop {
            sums.add_all(&column_counter.planes);
            let found = step(self.graph, bits, &mut column_counter);
            column_counter.flush();
            for word in 0..W {
                let mut done = running[word] & !found[word];
                while done != 0 {
                    let source = word * 64 + done.trailing_zeros() as usize;
                    self.eccentricity[source] = level;
                    done &= done - 1;
                }
            }
            level += 1;
            running = found;
            if running == [0; W] {
                break;
            }
            std::mem::swap(&mut bits.front, &mut bits.next);
        }
        // With R(l) sites within l steps, sum l (R(l) - R(l-1)) over l = 1..=L is
        // L R(L) minus the sum of R(l) over l < L; R does not count the source.
        for source in 0..self.sources.len() {
            let (word, bit) = (source / 64, source % 64);
            let reached = column_counter.planes.column(word, bit);
            self.reached[source] = reached;
            self.total[source] = u64::from(level) * reached - sums.column(word, bit);
        }
    }

    /// Sets each source's own bit as seen and current; unused bits are set as seen
    /// everywhere. Returns which bits are used.
    #[inline(always)]
    fn begin(&self, bits: &mut SearchBits<W>) -> BitRow<W> {
        let mut there = [0_u64; W];
        for source in 0..self.sources.len() {
            there[source / 64] |= 1 << (source % 64);
        }
        let absent = there.map(|word| !word);
        bits.seen.fill(absent);
        bits.front.fill([0; W]);
        for (source, &at) in self.sources.iter().enumerate() {
            let (word, bit) = (source / 64, 1 << (source % 64));
            bits.seen[at as usize][word] |= bit;
            bits.front[at as usize][word] |= bit;
        }
        there
    }
}

/// Advances all searches one step. Returns which found something, and counts what.
#[inline(always)]
fn step<const W: usize>(
    graph: &Graph,
    bits: &mut SearchBits<W>,
    column_counter: &mut ColumnCounter<W>,
) -> BitRow<W> {
    let mut found = [0; W];
    let rows = bits.next.iter_mut().zip(&mut bits.seen);
    for (vertex, (next, seen)) in rows.enumerate() {
        if *seen == [u64::MAX; W] {
            *next = [0; W];
            continue;
        }
        let mut around = [0; W];
        for &from in graph.neighbours(vertex) {
            let front = &bits.front[from as usize];
            for word in 0..W {
                around[word] |= front[word];
            }
        }
        let mut some = 0;
        for word in 0..W {
            around[word] &= !seen[word];
            seen[word] |= around[word];
            found[word] |= around[word];
            some |= around[word];
        }
        *next = around;
        if some != 0 {
            column_counter.add(around);
        }
    }
    found
}

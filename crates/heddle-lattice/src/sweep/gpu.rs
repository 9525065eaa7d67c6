//! The sweep on a GPU: a word of 64 sources per site and thread, one launch per
//! level.
//!
//! Neighbours are computed by arithmetic, so memory holds three bits per site and
//! source. Up to 32 words of a site are adjacent: a warp reads a neighbour as one
//! line of 256 bytes.

use heddle_runtime::device::{
    Accelerator, Argument, DeviceBuffer, ExecutionContext, Kernel, Launch,
};
use heddle_runtime::memory::admit_host;
use heddle_runtime::units::Bytes;
use heddle_runtime::{Array, Description, Error};

use super::{ReachTotals, SWEEP, Sweep};
use crate::graph::gpu as graph;
use crate::kernels::KERNELS;
use crate::lattice::Lattice;

const BLOCK: u32 = 256;
const MAX_BLOCKS: u64 = 4096;
const ZERO: &Kernel = Kernel::named(&KERNELS, "frontier_zero");
const BEGIN: &Kernel = Kernel::named(&KERNELS, "frontier_begin");
const SEED: &Kernel = Kernel::named(&KERNELS, "frontier_seed");
const STEP: &Kernel = Kernel::named(&KERNELS, "frontier_step");
/// The largest number of words of a site.
const MAX_WORDS: u64 = 32;
/// The largest size of the bits when memory is not short.
const MAX_BYTES: u64 = 4 << 30;
/// The largest number of sites a thread counts before it must add up its columns,
/// and the smallest number that is worth it.
const MAX_PER_THREAD: u64 = 63;
const MIN_PER_THREAD: u64 = 8;
/// Blocks that fill any GPU: 132 multiprocessors of an H200 hold eight each.
const FILLING: u64 = 132 * 8;
/// The number of levels between two checks whether all searches have ended.
const LEVELS: u32 = 8;

/// The layout of a sweep on a GPU.
#[derive(Clone, Copy, Debug)]
pub(super) struct SweepLayout {
    sites: u64,
    dimensions: u64,
    sources: u64,
    words: u64,
}

impl SweepLayout {
    pub(super) fn of(lattice: &Lattice, sources: usize) -> Self {
        let sources = sources as u64;
        let wanted = sources.div_ceil(64).max(1).next_power_of_two();
        let plan = Self {
            sites: lattice.sites(),
            dimensions: lattice.dimensions() as u64,
            sources,
            words: wanted.min(MAX_WORDS),
        };
        plan.within(Bytes(MAX_BYTES))
    }

    /// The same with as many words a site as fit, at least one.
    fn within(mut self, limit: Bytes) -> Self {
        while self.words > 1 && self.bytes() > limit {
            self.words /= 2;
        }
        self
    }

    /// The memory used on the GPU, without the sources.
    fn bytes(&self) -> Bytes {
        let bits = 3 * 8 * self.sites * self.words;
        let lattice = self.sites.div_ceil(64) * 8 + 12 * self.dimensions;
        Bytes(bits + lattice + 20 * self.sources + 4)
    }

    pub(super) fn describe(&self, mut description: Description) -> Description {
        let bytes = self.bytes();
        description.scratch = Bytes(bytes.0 - 20 * self.sources);
        let least = Self { words: 1, ..*self };
        if least.words == self.words {
            return description;
        }
        description.splits_to(Bytes(least.bytes().0 + 4 * self.sources))
    }

    /// The number of sites of one thread, and of blocks.
    fn grid(&self) -> (u64, u64) {
        let lanes = u64::from(BLOCK) / self.words;
        let per_thread = (self.sites / (lanes * FILLING)).clamp(MIN_PER_THREAD, MAX_PER_THREAD);
        (per_thread, self.sites.div_ceil(lanes * per_thread))
    }
}

/// The buffers on the GPU.
struct SweepBuffers<'a> {
    accelerator: &'a dyn Accelerator,
    plan: SweepLayout,
    geometry: Array<u32>,
    blocked: Array<u32>,
    seen: DeviceBuffer,
    fronts: [DeviceBuffer; 2],
    reached: DeviceBuffer,
    total: DeviceBuffer,
    eccentricity: DeviceBuffer,
    /// The last level at which anything was found.
    last: DeviceBuffer,
}

impl Sweep<'_> {
    pub(super) fn run_on_gpu(
        &self,
        context: &ExecutionContext<'_>,
        accelerator: &dyn Accelerator,
    ) -> Result<ReachTotals, Error> {
        let count = self.sources.len();
        if count == 0 {
            return Ok(ReachTotals::default());
        }
        let sources = context.resident(&self.sources, accelerator)?;
        let plan = self.plan.within(context.budget());
        let buffers = SweepBuffers::new(accelerator, plan, self.lattice)?;
        let size = (64 * plan.words) as usize;
        for first in (0..count).step_by(size) {
            buffers.begin(context, &sources, first, size.min(count - first))?;
            buffers.search(context, first)?;
        }
        // The figures, and a column of them as bytes.
        admit_host(SWEEP.name(), Bytes(28 * count as u64))?;
        let mut reach = ReachTotals::of(count);
        let words = |to: &mut [u64], from: &DeviceBuffer| {
            let mut bytes = vec![0_u8; 8 * to.len()];
            context.download(&**from, &mut bytes)?;
            for (word, bytes) in to.iter_mut().zip(bytes.as_chunks().0) {
                *word = u64::from_ne_bytes(*bytes);
            }
            Ok::<(), Error>(())
        };
        words(&mut reach.reached, &buffers.reached)?;
        words(&mut reach.total, &buffers.total)?;
        let mut bytes = vec![0_u8; 4 * count];
        context.download(&*buffers.eccentricity, &mut bytes)?;
        for (word, bytes) in reach.eccentricity.iter_mut().zip(bytes.as_chunks().0) {
            *word = u32::from_ne_bytes(*bytes);
        }
        Ok(reach)
    }
}

impl<'a> SweepBuffers<'a> {
    fn new(
        accelerator: &'a dyn Accelerator,
        plan: SweepLayout,
        lattice: &Lattice,
    ) -> Result<Self, Error> {
        let allocate = |bytes: u64| accelerator.allocate(Bytes(bytes));
        let bits = 8 * plan.sites * plan.words;
        let buffers = Self {
            accelerator,
            plan,
            geometry: graph::geometry(lattice),
            blocked: {
                admit_host(SWEEP.name(), Bytes(plan.sites / 8))?;
                graph::blocked(lattice)
            },
            seen: allocate(bits)?,
            fronts: [allocate(bits)?, allocate(bits)?],
            reached: allocate(8 * plan.sources)?,
            total: allocate(8 * plan.sources)?,
            eccentricity: allocate(4 * plan.sources)?,
            last: allocate(4)?,
        };
        buffers.over(
            ZERO,
            plan.sources,
            &[
                Argument::Buffer(&*buffers.reached),
                Argument::Buffer(&*buffers.total),
                Argument::Buffer(&*buffers.eccentricity),
                Argument::U64(plan.sources),
            ],
        )?;
        Ok(buffers)
    }

    /// A launch with one thread for each of `threads`, limited to what fills a GPU.
    fn over(
        &self,
        kernel: &'static Kernel,
        threads: u64,
        arguments: &[Argument<'_>],
    ) -> Result<(), Error> {
        let blocks = threads.div_ceil(BLOCK.into()).clamp(1, MAX_BLOCKS);
        self.accelerator
            .launch(&Launch::new(kernel, blocks as u32, BLOCK, arguments))
    }

    /// Sets the bits of `count` sources from `first` on.
    fn begin(
        &self,
        context: &ExecutionContext<'_>,
        sources: &DeviceBuffer,
        first: usize,
        count: usize,
    ) -> Result<(), Error> {
        let blocked = context.resident(&self.blocked, self.accelerator)?;
        self.over(
            BEGIN,
            self.plan.sites * self.plan.words,
            &[
                Argument::Buffer(&*self.fronts[0]),
                Argument::Buffer(&*self.seen),
                Argument::Buffer(&**blocked),
                Argument::U64(self.plan.sites),
                Argument::U32(self.plan.words as u32),
                Argument::U32(count as u32),
                Argument::Buffer(&*self.last),
            ],
        )?;
        self.over(
            SEED,
            count as u64,
            &[
                Argument::Buffer(&*self.fronts[0]),
                Argument::Buffer(&*self.seen),
                Argument::Buffer(&**sources),
                Argument::U64(first as u64),
                Argument::U32(count as u32),
                Argument::U32(self.plan.words as u32),
            ],
        )
    }

    /// Runs level by level until a level finds nothing.
    fn search(&self, context: &ExecutionContext<'_>, first: usize) -> Result<(), Error> {
        let geometry = context.resident(&self.geometry, self.accelerator)?;
        let (per_thread, blocks) = self.plan.grid();
        let mut level = 0;
        loop {
            for _ in 0..LEVELS {
                let [front, next] =
                    [level % 2, (level + 1) % 2].map(|at| &*self.fronts[at as usize]);
                level += 1;
                self.accelerator.launch(&Launch::new(
                    STEP,
                    blocks as u32,
                    BLOCK,
                    &[
                        Argument::Buffer(front),
                        Argument::Buffer(next),
                        Argument::Buffer(&*self.seen),
                        Argument::Buffer(&**geometry),
                        Argument::U32(self.plan.dimensions as u32),
                        Argument::U32(self.plan.sites as u32),
                        Argument::U32(self.plan.words as u32),
                        Argument::U32(per_thread as u32),
                        Argument::U32(level),
                        Argument::U64(first as u64),
                        Argument::Buffer(&*self.reached),
                        Argument::Buffer(&*self.total),
                        Argument::Buffer(&*self.eccentricity),
                        Argument::Buffer(&*self.last),
                    ],
                ))?;
            }
            let mut last = [0; 4];
            context.download(&*self.last, &mut last)?;
            if u32::from_ne_bytes(last) < level {
                return Ok(());
            }
        }
    }
}

//! Kernel launches with timestamps: a graph of a stamp, the kernel and a stamp.
//!
//! On an H200 with driver 580, launching one small kernel between two events and waiting
//! for the second takes 11.5 µs, the launch alone with a wait 8.9. A graph whose last node
//! writes to pinned memory, which the host polls, takes 7.2. Its stamps lie at the kernel's
//! own edges, where events on an idle device include the latency of the launch itself
//! (benchmarks/launch.cu).
//!
//! There is one graph per lease. Its middle node is changed for every launch; queued
//! launches keep the parameters they were queued with.

#![allow(unsafe_code)]

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use cudarc::driver::sys::{
    self, CUDA_KERNEL_NODE_PARAMS, CUdeviceptr, CUgraph, CUgraphExec, CUgraphNode,
};
use heddle_runtime::Error;
use heddle_runtime::device::Kernel;
use heddle_runtime::units::Nanos;

use super::context::Context;
use super::driver;
use super::driver_error::check;
use super::drop_failures;
use super::kernels::{LoadedKernel, LoadedKernels};
use super::pinned::Pinned;
use super::stream::{Event, EventPurpose, Stream};
use crate::kernels::KERNELS;

const BEGIN: &Kernel = Kernel::named(&KERNELS, "stamp_begin");
const END: &Kernel = Kernel::named(&KERNELS, "stamp_end");
const STEP: &Kernel = Kernel::named(&KERNELS, "stamp_step");

/// The coarsest step of a clock, in nanoseconds, that is as good as an event.
const COARSEST_STEP: u64 = 1_000;
/// The number of readings, some 16 ns each, enough to show the step of a usable clock.
const READINGS: u32 = 4_096;
/// How long the host polls before it sleeps. Polling spares a small operation some
/// microseconds; during a long one, other threads may want the core.
const POLL: Duration = Duration::from_millis(1);
/// Polls between readings of the host's clock.
const POLLS: u32 = 64;

/// The bits of the timing word that hold nanoseconds; the others count kernels.
const SPENT_BITS: u32 = 48;
const SPENT: u64 = (1 << SPENT_BITS) - 1;

/// The most parameters a kernel of ours may have.
pub(super) const MOST_ARGUMENTS: usize = 32;

/// One kernel with its arguments.
pub(super) struct KernelLaunch<'a> {
    pub(super) kernel: &'a LoadedKernel,
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
    pub(super) shared: u32,
    /// Eight bytes each, whatever the type: the driver reads as many as the parameter has,
    /// from the low end.
    pub(super) arguments: &'a [u64],
}

/// Kernel launches of one stream that are timed by stamps.
#[derive(Debug)]
pub(super) struct TimestampedLaunches {
    context: Arc<Context>,
    graph: CUgraph,
    exec: CUgraphExec,
    /// The node between the stamps.
    kernel: CUgraphNode,
    clock_words: DeviceWords,
    timing_word: Pinned,
    /// The event that the host sleeps on.
    end_event: Event,
    /// Launches queued so far.
    queued: u64,
}

// SAFETY: a graph may be used by any thread, by one at a time; only `&mut self` and drop use
// it, and it lies behind the lock of its lease.
unsafe impl Send for TimestampedLaunches {}

impl TimestampedLaunches {
    /// Whether the device's clock is fine enough to time kernels.
    pub(super) fn is_clock_fine(
        context: &Arc<Context>,
        kernels: &LoadedKernels,
        stream: &Stream,
    ) -> Result<bool, Error> {
        let least = Pinned::new(context, size_of::<u64>())?;
        let arguments = [
            least.address(0, size_of::<u64>()),
            u64::from(READINGS).to_le(),
        ];
        let kernel_launch = single(kernels, STEP, &arguments)?;
        // SAFETY: the kernel takes an address and a number of 32 bits; the stream is waited
        // for before the memory is dropped.
        unsafe { kernel_launch.launch(context, stream)? };
        stream.synchronize()?;
        let step = least.word().load(Ordering::Acquire);
        Ok((1..=COARSEST_STEP).contains(&step))
    }

    /// Creates the graph of a stream whose first launch is `first`. Nothing is queued yet.
    pub(super) fn new(
        context: &Arc<Context>,
        kernels: &LoadedKernels,
        first: &KernelLaunch<'_>,
        stream: &Stream,
    ) -> Result<Self, Error> {
        let mut timestamped = Self {
            context: Arc::clone(context),
            graph: ptr::null_mut(),
            exec: ptr::null_mut(),
            kernel: ptr::null_mut(),
            clock_words: DeviceWords::zeroed(context, 3, stream)?,
            timing_word: Pinned::new(context, size_of::<u64>())?,
            end_event: Event::new(context, EventPurpose::Rest)?,
            queued: 0,
        };
        // SAFETY: the argument outlives the call; the context is current.
        context.check("cuGraphCreate", unsafe {
            sys::cuGraphCreate(&raw mut timestamped.graph, 0)
        })?;
        let stamps = [
            timestamped.clock_words.start,
            timestamped.timing_word.address(0, size_of::<u64>()),
        ];
        let begin = timestamped.add(None, &single(kernels, BEGIN, &stamps[..1])?)?;
        timestamped.kernel = timestamped.add(Some(begin), first)?;
        let kernel = timestamped.kernel;
        timestamped.add(Some(kernel), &single(kernels, END, &stamps)?)?;
        // SAFETY: the graph lives; the first argument outlives the call.
        context.check("cuGraphInstantiateWithFlags", unsafe {
            sys::cuGraphInstantiateWithFlags(&raw mut timestamped.exec, timestamped.graph, 0)
        })?;
        Ok(timestamped)
    }

    /// Adds a node after `before`.
    fn add(
        &self,
        before: Option<CUgraphNode>,
        kernel_launch: &KernelLaunch<'_>,
    ) -> Result<CUgraphNode, Error> {
        let mut pointers = kernel_launch.pointers(&self.context)?;
        let parameters = kernel_launch.parameters(&mut pointers);
        let (before, count) = match &before {
            Some(node) => (ptr::from_ref(node), 1),
            None => (ptr::null(), 0),
        };
        let mut node = ptr::null_mut();
        // SAFETY: the graph and its node live; the driver copies the arguments, of which
        // `pointers` has as many as the kernel, before it returns.
        self.context.check("cuGraphAddKernelNode", unsafe {
            sys::cuGraphAddKernelNode_v2(
                &raw mut node,
                self.graph,
                before,
                count,
                &raw const parameters,
            )
        })?;
        Ok(node)
    }

    /// Queues the kernel between two stamps.
    ///
    /// # Safety
    /// The arguments are those the kernel takes, and what they point to on the
    /// device is neither freed nor reused before the stream has passed it.
    pub(super) unsafe fn launch(
        &mut self,
        kernel_launch: &KernelLaunch<'_>,
        stream: &Stream,
    ) -> Result<(), Error> {
        let mut pointers = kernel_launch.pointers(&self.context)?;
        let parameters = kernel_launch.parameters(&mut pointers);
        // SAFETY: graph and node live; the driver copies the arguments, of which `pointers`
        // has as many as the kernel, before it returns.
        let set = unsafe {
            sys::cuGraphExecKernelNodeSetParams_v2(self.exec, self.kernel, &raw const parameters)
        };
        self.context.check("cuGraphExecKernelNodeSetParams", set)?;
        // SAFETY: both live, and one thread at a time holds the lease. The caller promises
        // what the kernel will find.
        self.context.check("cuGraphLaunch", unsafe {
            sys::cuGraphLaunch(self.exec, stream.raw())
        })?;
        self.queued += 1;
        Ok(())
    }

    /// Waits until the last kernel queued has ended.
    pub(super) fn wait(&self, stream: &Stream) -> Result<(), Error> {
        let start = Instant::now();
        while start.elapsed() < POLL {
            for _ in 0..POLLS {
                if self.is_over() {
                    return Ok(());
                }
                std::hint::spin_loop();
            }
        }
        self.end_event.record(stream)?;
        self.end_event.synchronize()?;
        if self.is_over() {
            return Ok(());
        }
        Err(self
            .context
            .refuse("a kernel ended without its stamp being written"))
    }

    /// The device time of every kernel that has ended so far; wraps after 78 hours.
    pub(super) fn spent(&self) -> u64 {
        self.read() & SPENT
    }

    /// The device time since [`spent`](Self::spent) returned `before`.
    pub(super) fn since(&self, before: u64) -> Nanos {
        Nanos(self.spent().wrapping_sub(before) & SPENT)
    }

    /// Whether the last launch queued has written its time. The count wraps, but the driver
    /// does not let that many launches be queued.
    fn is_over(&self) -> bool {
        self.read() >> SPENT_BITS == self.queued & (u64::MAX >> SPENT_BITS)
    }

    /// The acquire ordering keeps reads of the kernel's output after this one.
    fn read(&self) -> u64 {
        self.timing_word.word().load(Ordering::Acquire)
    }
}

impl Drop for TimestampedLaunches {
    fn drop(&mut self) {
        drop_failures::note(self.context.make_current());
        if !self.exec.is_null() {
            // SAFETY: instantiated in `new`, destroyed once; the lease is synchronized.
            drop_failures::note(check("cuGraphExecDestroy", unsafe {
                sys::cuGraphExecDestroy(self.exec)
            }));
        }
        if !self.graph.is_null() {
            // SAFETY: created in `new`, destroyed once.
            drop_failures::note(check("cuGraphDestroy", unsafe {
                sys::cuGraphDestroy(self.graph)
            }));
        }
    }
}

impl KernelLaunch<'_> {
    /// A pointer to each argument, as the driver takes them. It reads one for each of the
    /// kernel's parameters, so their number is checked.
    fn pointers(&self, context: &Context) -> Result<[*mut c_void; MOST_ARGUMENTS], Error> {
        let mut pointers = [ptr::null_mut(); MOST_ARGUMENTS];
        if !self.kernel.signature.takes_words(self.arguments.len())
            || self.arguments.len() > MOST_ARGUMENTS
        {
            return Err(context.refuse("a kernel with other parameters than its arguments"));
        }
        for (pointer, argument) in pointers.iter_mut().zip(self.arguments) {
            *pointer = ptr::from_ref(argument).cast_mut().cast();
        }
        Ok(pointers)
    }

    fn parameters(&self, pointers: &mut [*mut c_void; MOST_ARGUMENTS]) -> CUDA_KERNEL_NODE_PARAMS {
        let ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]) = (self.grid, self.block);
        CUDA_KERNEL_NODE_PARAMS {
            func: self.kernel.function,
            gridDimX: grid_x,
            gridDimY: grid_y,
            gridDimZ: grid_z,
            blockDimX: block_x,
            blockDimY: block_y,
            blockDimZ: block_z,
            sharedMemBytes: self.shared,
            kernelParams: pointers.as_mut_ptr(),
            extra: ptr::null_mut(),
            kern: ptr::null_mut(),
            ctx: ptr::null_mut(),
        }
    }

    /// Queues the kernel without stamps.
    ///
    /// # Safety
    /// As [`TimestampedLaunches::launch`].
    pub(super) unsafe fn launch(self, context: &Context, stream: &Stream) -> Result<(), Error> {
        let ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]) = (self.grid, self.block);
        let mut pointers = self.pointers(context)?;
        // SAFETY: function and stream live; the driver copies the arguments, of which
        // `pointers` has as many as the kernel, before it returns. The caller promises what
        // the kernel will find.
        context.check("cuLaunchKernel", unsafe {
            sys::cuLaunchKernel(
                self.kernel.function,
                grid_x,
                grid_y,
                grid_z,
                block_x,
                block_y,
                block_z,
                self.shared,
                stream.raw(),
                pointers.as_mut_ptr(),
                ptr::null_mut(),
            )
        })
    }
}

/// A launch of one thread.
fn single<'a>(
    kernels: &'a LoadedKernels,
    kernel: &'static Kernel,
    arguments: &'a [u64],
) -> Result<KernelLaunch<'a>, Error> {
    Ok(KernelLaunch {
        kernel: kernels.get(kernel)?,
        grid: [1; 3],
        block: [1; 3],
        shared: 0,
        arguments,
    })
}

/// A few words of device memory.
#[derive(Debug)]
struct DeviceWords {
    context: Arc<Context>,
    start: CUdeviceptr,
}

impl DeviceWords {
    /// Allocates words that are zero before the stream reaches what is queued next.
    fn zeroed(context: &Arc<Context>, count: usize, stream: &Stream) -> Result<Self, Error> {
        let start =
            driver::allocate(count * size_of::<u64>()).map_err(|error| context.error(error))?;
        let words = Self {
            context: Arc::clone(context),
            start,
        };
        // SAFETY: this many words were just allocated there.
        context.check("cuMemsetD32Async", unsafe {
            sys::cuMemsetD32Async(start, 0, count * 2, stream.raw())
        })?;
        Ok(words)
    }
}

impl Drop for DeviceWords {
    fn drop(&mut self) {
        drop_failures::note(self.context.make_current());
        // SAFETY: allocated in `zeroed`, freed once; the lease is synchronized.
        drop_failures::note(check("cuMemFree", unsafe { sys::cuMemFree_v2(self.start) }));
    }
}

//! Launches, checked against their kernel and the limits of every GPU.

use heddle_runtime::device::{Argument, HostEntry, Kernel, Launch, ParameterKind};

use super::block::MAX_THREADS;
use super::device::SimtState;
use super::mapped_results::SimtMappedResults;
use super::memory::SimtBuffer;
use super::shared_memory::SHARED_BYTES;

/// A checked launch.
pub(super) struct GridLaunch<'a> {
    pub(super) entry: HostEntry,
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
    pub(super) shared: u32,
    /// The bytes of each argument, at the start of a word: kernels read them where they are, so
    /// they are aligned for any type.
    pub(super) values: Vec<u64>,
    /// The buffers among the arguments.
    pub(super) buffers: Vec<&'a SimtBuffer>,
}

impl<'a> GridLaunch<'a> {
    /// Checks `launch` for this device; the error is the reason why it cannot run.
    pub(super) fn new(launch: &Launch<'a>, device: &SimtState) -> Result<Self, String> {
        let kernel = launch.kernel;
        let entry = kernel.entry.ok_or_else(|| {
            format!(
                "kernel {} is not compiled for the host; its crate is built with the feature \
                 `emulator` where it is",
                kernel.name
            )
        })?;
        check_size(kernel, launch)?;
        let (expected, found) = (kernel.parameters.len(), launch.arguments.len());
        if expected != found {
            return Err(format!(
                "{} takes {expected} arguments, but got {found}",
                kernel.name
            ));
        }
        let mut task = Self {
            entry,
            grid: launch.grid,
            block: launch.block,
            shared: launch.shared,
            values: Vec::with_capacity(expected),
            buffers: Vec::new(),
        };
        for (index, (argument, &kind)) in launch.arguments.iter().zip(kernel.parameters).enumerate()
        {
            task.add(argument, kind, device)
                .map_err(|what| format!("argument {index} of {} {what}", kernel.name))?;
        }
        Ok(task)
    }

    fn add(
        &mut self,
        argument: &Argument<'a>,
        kind: ParameterKind,
        device: &SimtState,
    ) -> Result<(), String> {
        let (found, value) = match *argument {
            Argument::Buffer(memory) => {
                let buffer = memory
                    .as_any()
                    .downcast_ref::<SimtBuffer>()
                    .filter(|buffer| buffer.belongs_to(device))
                    .ok_or_else(|| {
                        let other = if memory.device() == device.id {
                            "another "
                        } else {
                            ""
                        };
                        format!("lives on {other}{}", memory.device())
                    })?;
                self.buffers.push(buffer);
                (
                    ParameterKind::Buffer,
                    value(&buffer.address().to_ne_bytes()),
                )
            }
            Argument::MappedResults(mapped_results) => {
                let own = mapped_results.as_any().downcast_ref::<SimtMappedResults>();
                let own = own.ok_or_else(|| "lives on another device".to_owned())?;
                (ParameterKind::Buffer, value(&own.address().to_ne_bytes()))
            }
            Argument::U32(number) => (ParameterKind::U32, value(&number.to_ne_bytes())),
            Argument::I32(number) => (ParameterKind::I32, value(&number.to_ne_bytes())),
            Argument::U64(number) => (ParameterKind::U64, value(&number.to_ne_bytes())),
            Argument::F32(number) => (ParameterKind::F32, value(&number.to_ne_bytes())),
            Argument::F64(number) => (ParameterKind::F64, value(&number.to_ne_bytes())),
        };
        if found != kind {
            return Err(format!("must be {kind:?}, but is {found:?}"));
        }
        self.values.push(value);
        Ok(())
    }

    /// The number of threads of a block.
    pub(super) fn threads(&self) -> usize {
        self.block.iter().map(|&extent| extent as usize).product()
    }

    /// The number of blocks of the grid.
    pub(super) fn blocks(&self) -> u64 {
        self.grid.iter().map(|&extent| u64::from(extent)).product()
    }

    /// The coordinates of block `index`, counted along x first.
    pub(super) fn block_at(&self, index: u64) -> [u32; 3] {
        let [x, y, _] = self.grid.map(u64::from);
        [index % x, index / x % y, index / x / y].map(|extent| extent as u32)
    }
}

fn value(bytes: &[u8]) -> u64 {
    let mut value = [0; size_of::<u64>()];
    value[..bytes.len()].copy_from_slice(bytes);
    u64::from_ne_bytes(value)
}

fn check_size(kernel: &Kernel, launch: &Launch<'_>) -> Result<(), String> {
    const GRID: [u32; 3] = [i32::MAX as u32, 65535, 65535];
    const BLOCK: [u32; 3] = [1024, 1024, 64];
    let name = kernel.name;
    let within = |extents: [u32; 3], limits: [u32; 3]| {
        extents
            .iter()
            .zip(limits)
            .all(|(extent, limit)| (1..=limit).contains(extent))
    };
    if !within(launch.grid, GRID) {
        let grid = launch.grid;
        return Err(format!(
            "{name} was given a grid of {grid:?}; each extent is 1 to {GRID:?}"
        ));
    }
    let threads: u64 = launch
        .block
        .iter()
        .map(|&extent| u64::from(extent))
        .product();
    let most = kernel.max_threads.min(MAX_THREADS as u32);
    if !within(launch.block, BLOCK) || threads > u64::from(most) {
        let block = launch.block;
        return Err(format!(
            "{name} was given blocks of {block:?}; it runs with 1 to {most} threads"
        ));
    }
    if launch.shared as usize > SHARED_BYTES {
        return Err(format!(
            "{name} was given {} bytes of dynamic shared memory; a block has {SHARED_BYTES}",
            launch.shared
        ));
    }
    Ok(())
}

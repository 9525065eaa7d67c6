//! The host side of the GPU engine.
//!
//! One launch of the kernel `arc_evaluate` interprets many programs on many examples, one
//! warp for each evaluation. This module writes the kernel's input and reads its results:
//! examples become images of a [`Space`](crate::value::Space) ([`Examples`]), plans become
//! bytecode ([`Bytecode`]), and the operation [`Interpret`] launches the kernel on a device
//! that runs kernels. The kernel is `kernels/arc.cu`, in CUDA C++.
//!
//! Invariant: an [`Answer`] equals the result of the CPU engine, including the fault of an
//! undefined evaluation, or it is *flagged*: the warp could not do the evaluation, usually
//! for lack of memory, and the CPU must repeat it.
//!
//! # What the buffers of the kernel hold
//!
//! Words are 32 bits, little-endian. A value is sixteen bytes, as
//! `kernels/arc/value.cuh` lists them by tag.
//!
//! **code**: programs, bodies and constants. A program begins with six words: the number of
//! steps, the argument that is its result, flags (bit 0: it reads inputs other than the
//! grid), the offset of the table of bodies (word `b` of it is the offset of body `b`), the
//! offset of the constants (a multiple of 4), the number of registers. Its steps follow. A
//! step is a word `operation | arguments << 8 | register << 16`, then its arguments. The
//! operation is the number of a primitive, 254 (call the first argument with the others) or
//! 255 (close a body, whose number is the next word, over the arguments). The two highest
//! bits of an argument are 0 for a parameter, 1 for a register, 2 for a captured value, 3
//! for a constant; the other bits are its number. A body begins with arity, number of steps,
//! result, fingerprint (two words), number of registers; its step `n` writes register `n`.
//!
//! **data**: for each example a record of 128 bytes: the offset of its cells, their number
//! in all and the number of those of the grid (which come first); offset and number of its
//! rows; offset and number of its values; the offset, height and width of the wanted grid
//! (zero: none); and from byte 64 on the four inputs `I`, `S`, `C` and one unused. Offsets
//! are in bytes, multiples of 16. Handles count from the start of the image, which the
//! kernel copies to the start of the warp's memory.
//!
//! **schedule**: the evaluations to run. Four words for each program: its offset, the
//! number of its first row, the index of its first example below, its index among the
//! programs that have results. Then four words for each example of the programs' lists: its
//! number, the index of its first program's result, the distance between the results of
//! consecutive programs, a zero. Row `n` belongs to the last program whose first row is not
//! after it. The kernel counts the rows taken in the first word of **queue**.
//!
//! **caps**: seven words, in the order of [`Caps`]. The memory of a warp has, in this
//! order, rows, values, stack, frame (16 bytes each), 64 activations of 128 bytes, cells,
//! spare bytes.
//!
//! **results**, in host memory, which the host reads while the kernel runs: 64 bits each,
//! written at once and never zero. The highest byte of the lower half is the kind. 192: a
//! value, with the steps below that byte, and in the upper half the number of matching
//! cells, bit 30 for the wanted shape and bit 31 for the wanted grid. 128: no value, with
//! the fault below that byte (its kind, then up to two nouns, a byte each), and in the upper
//! half the primitive (255: none) and from bit 8 on the step (all ones: none). After the
//! results come the numbers of flagged results in the order of flagging, with the flag in
//! the upper half; the kernel counts them in the second word of **queue**.
//!
//! **dumps**, if values are requested: the result, the lengths of cells, rows and values, a
//! zero, then rows, values and cells.

mod answer;
mod assembly;
mod caps;
mod conformance;
mod constants;
mod cpu_fallback;
mod device_group;
mod disassemble;
mod dump;
mod flag_monitor;
mod grade;
mod grid_features;
mod image;
mod joined_code;
mod kernels;
mod launch;
mod layout;
mod lower;
mod lowered_tiles;
#[doc(hidden)]
pub mod names;
mod parallel_map;
mod preparation;
mod probe;
mod program_estimate;
mod program_queue;
mod program_selection;
mod queue;
mod result_slot;
mod sample;
mod schedule;
mod selected_evaluations;
mod shared_job;
mod single;
mod tile_group;
mod vectors;

pub use answer::{Answer, Flag, Flags};
pub use assembly::{Assessed, CpuReason};
pub use caps::Caps;
pub use conformance::cases;
pub use disassemble::disassemble;
pub use dump::{DumpError, read_dump};
pub use grade::{Findings, FlaggedEvaluation, Found, GradeBlocks};
pub use image::Examples;
pub use launch::{Interpret, Job, LaunchSettings, Ran, ScheduleRow};
pub use lower::Bytecode;
pub use lowered_tiles::{Batch, LoweredBlocks, LoweredTiles, ResultError};
pub use probe::{EvaluateProbe, probes};
pub use shared_job::grade;
pub use single::{Singles, alone};
pub use tile_group::TileGroup;
pub use vectors::check_vectors;

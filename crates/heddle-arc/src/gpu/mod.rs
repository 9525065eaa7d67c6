//! The GPU engine, host side: programs and examples as bytes, and answers back.
//!
//! One launch of the kernel `arc_evaluate` interprets many programs on many
//! examples, one warp for each evaluation. What it reads is made here: examples
//! as images of a [`Space`](crate::value::Space) ([`Examples`]), plans as
//! bytecode ([`Bytecode`]); [`Interpret`] is the operation that launches it, on
//! whatever device has kernels. The kernel itself is written in CUDA C++ and lives
//! with the devices.
//!
//! The one thing to know: an [`Answer`] is that of the processor's engine, to the
//! last reason of an undefined evaluation, or it is *flagged*: the warp did not
//! have the room, and the processor has to do that evaluation again.
//!
//! # What the buffers of the kernel hold
//!
//! Words are 32 bits, little-endian. A value is sixteen bytes, as
//! `kernels/arc/value.cuh` lists them by tag.
//!
//! **code**: programs, bodies and constants. A program begins with six words: steps,
//! the argument that is its result, flags (bit 0: it looks at more of an example than
//! the grid), where the table of bodies begins (word `b` of it says where body `b`
//! does), where the constants begin (a multiple of 4), registers. Its steps follow. A
//! step is a word `operation | arguments << 8 | register << 16`, where the operation is
//! the number of a primitive, 254 (call the first argument with the others) or 255
//! (close a body, whose number is the next word, over the arguments), and then its
//! arguments: in the two highest bits 0 a parameter, 1 a register, 2 a captured value,
//! 3 a constant, below them which. A body begins with arity, steps, result,
//! fingerprint (two words), registers; its step `n` writes register `n`.
//!
//! **data**: for each example a record of 128 bytes: where its cells lie, how many in
//! all and how many of the grid alone (these first); where its rows lie, how many;
//! values likewise; where the wanted grid lies, its height and width (zero: none); and
//! from byte 64 on the four inputs `I`, `S`, `C` and one to spare. Places are bytes,
//! multiples of 16. Handles count from the start of the image, which the kernel copies
//! to the start of the warp's memory.
//!
//! **schedule**: what is to be run. Four words for each program: where it begins, the
//! number of its first row, the first of its examples below, its place among the programs
//! that have results. Then four for each example of the lists that programs are run on:
//! its number, its first program's result, how far apart those of the others are, a zero.
//! Row `n` is that of the last program whose first row is not after it. The kernel counts
//! the rows taken in the first word of **queue**.
//!
//! **caps**: seven words, in the order of [`Caps`]. The memory of a warp has, in this
//! order, rows, values, stack, frame (16 bytes each), 64 activations of 128 bytes, cells,
//! spare bytes.
//!
//! **results**, in memory of the host, which reads them as they come: 64 bits each, written
//! at once and never zero. The highest byte of the lower half says what it is. 192, a
//! value: the steps below that byte, and in the upper half cells that match with bit 30 for
//! the wanted shape and bit 31 for the wanted grid. 128, none: the fault below it (its
//! kind, then up to two nouns, a byte each), and in the upper half the primitive (255:
//! none) and from bit 8 on the step (all ones: none). Behind them come the numbers of
//! flagged results as they are flagged, with the flag in the upper half; the kernel counts
//! them in the second word of **queue**.
//!
//! **dumps**, where values are wanted: the result, the lengths of cells, rows and values,
//! a zero, then rows, values and cells.

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

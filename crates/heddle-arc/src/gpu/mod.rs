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

mod answer;
mod caps;
mod conformance;
mod disassemble;
mod dump;
mod ground;
mod image;
mod judge;
mod launch;
mod lot;
mod lower;
#[doc(hidden)]
pub mod names;
mod probe;
mod sample;
mod single;

pub use answer::{Answer, Flag, Flags};
pub use conformance::cases;
pub use disassemble::disassemble;
pub use dump::{DumpError, read_dump};
pub use ground::{Batch, Ground, Portion, Unread};
pub use image::Examples;
pub use judge::{Assessed, Judge, WhyCpu, judge};
pub use launch::{Caps, Interpret, Job, LaunchSettings, Ran, Row};
pub use lot::Lot;
pub use lower::Bytecode;
pub use probe::{EvaluateProbe, probes};
pub use single::{Singles, alone};

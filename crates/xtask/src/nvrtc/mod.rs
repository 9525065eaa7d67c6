//! NVRTC, NVIDIA's run-time compiler: its installation, and the functions called.

mod install;
mod library;

pub(crate) use install::folder;
pub(crate) use library::Nvrtc;

/// The release that PTX is written with: the newest whose PTX every driver from 530 on
/// accepts.
const VERSION: (i32, i32) = (12, 1);

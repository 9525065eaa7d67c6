//! NVIDIA's run-time compiler: where it comes from, and the five calls we make.

mod install;
mod library;

pub(crate) use install::folder;
pub(crate) use library::Nvrtc;

/// The release PTX is written with: the newest whose PTX every driver from 530
/// on accepts.
const VERSION: (i32, i32) = (12, 1);

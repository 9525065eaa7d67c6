//! Generates the table of a crate's kernels from its CUDA sources, in its build script.
//!
//! A kernel is every function that `kernels/*.cu` declares `extern "C" __global__`. Each
//! signature produces the entry that the emulated GPU calls and the table row that names
//! the PTX, so neither can exist without the other. The crate's features `cuda` and
//! `emulator` decide what a row holds; code that uses the table is the same with and
//! without them.
//!
//! ```no_run
//! heddle_kernel_build::build(&["kernels"])?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "emulator")]
mod host;
mod lexer;
#[cfg(feature = "emulator")]
mod shared_memory;
mod signature;
mod source;
mod table;

use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};

pub use signature::{KernelDeclaration, Parameter};
pub use source::KernelSource;

/// The folder of the headers that make a kernel source host C++.
const SHIM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/shim");

/// Writes `$OUT_DIR/<name>.rs` for each of these folders of the crate being built, where
/// `<name>` is the folder's name. The file holds `pub static KERNELS`; it is included where
/// `heddle_runtime::device` is in scope as `device`.
pub fn build(folders: &[&str]) -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var("OUT_DIR")?);
    for watched in ["kernels", "ptx", SHIM] {
        println!("cargo::rerun-if-changed={watched}");
    }
    let has = |feature| env::var_os(feature).is_some();
    let contents = table::Contents {
        images: has("CARGO_FEATURE_CUDA"),
        entries: has("CARGO_FEATURE_EMULATOR"),
    };
    let mut all = Vec::new();
    for folder in folders {
        let sources = KernelSource::read_folder(&root.join(folder))?;
        let name = Path::new(folder).with_extension("rs");
        let name = name.file_name().ok_or("a folder without a name")?;
        std::fs::write(out.join(name), table::rust(&root, &sources, contents)?)?;
        all.extend(sources);
    }
    if contents.entries {
        compile(&out, &all)?;
    }
    Ok(())
}

#[cfg(feature = "emulator")]
fn compile(out: &Path, sources: &[KernelSource]) -> Result<(), Box<dyn Error>> {
    host::compile(out, sources)
}

#[cfg(not(feature = "emulator"))]
fn compile(_: &Path, _: &[KernelSource]) -> Result<(), Box<dyn Error>> {
    Err("a crate's feature `emulator` must turn on `heddle-kernel-build/emulator`".into())
}

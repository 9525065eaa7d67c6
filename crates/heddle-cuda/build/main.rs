//! Compiles the kernels for the host and writes the one list of kernels.
//!
//! The CUDA sources are the list: a kernel is whatever `kernels/*.cu` declares
//! `extern "C" __global__`. From each signature come the entry the emulated GPU
//! calls and the row that names the PTX, so neither can exist without the other.

mod host;
mod lexer;
mod shared;
mod signature;
mod source;
mod table;

use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};

use signature::Kernel;
use source::Source;

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var("OUT_DIR")?);
    for folder in ["build", "kernels", "ptx"] {
        println!("cargo::rerun-if-changed={folder}");
    }

    let mut folders = vec![root.join("kernels")];
    if env::var_os("CARGO_FEATURE_TRIAL").is_some() {
        folders.push(root.join("kernels/trial"));
    }
    let mut modules = Vec::new();
    for folder in folders {
        for source in Source::read_folder(&folder)? {
            let kernels = signature::kernels(&source.name, &source.text)?;
            modules.push((source, kernels));
        }
    }

    compile(&root, &out, &modules)?;
    std::fs::write(out.join("kernels.rs"), table::rust(&root, &modules)?)?;
    Ok(())
}

/// Compiles every module, and the shim, into one static library.
fn compile(
    root: &Path,
    out: &Path,
    modules: &[(Source, Vec<Kernel>)],
) -> Result<(), Box<dyn Error>> {
    let mut library = cc::Build::new();
    library
        .cpp(true)
        .std("c++14")
        // A test of GPU code in a debug build still runs millions of threads.
        .opt_level(2)
        .include(root.join("kernels/host"))
        .cpp_link_stdlib(None)
        .flag("-fno-exceptions")
        .flag("-fno-rtti")
        // The GPU's compiler fuses a multiplication and an addition where it can,
        // so floats agree within a tolerance there. Here nothing is fused that the
        // processor's own code does not fuse.
        .flag("-ffp-contract=off")
        // Sources are plain CUDA; what the host compiler thinks of unused
        // parameters and the like is noise.
        .warnings(false)
        .flag("-fsanitize=alignment,bounds,null,shift-exponent,integer-divide-by-zero")
        .file(root.join("kernels/host/simt.cpp"));
    for (source, kernels) in modules {
        let path = out.join(format!("{}.cpp", source.name.replace('/', "_")));
        std::fs::write(&path, host::cpp(source, kernels)?)?;
        library.file(path);
    }
    library.try_compile("heddle_kernels")?;
    Ok(())
}

//! Kernel sources as host C++: each with the shim before it and an entry per kernel after
//! it.

use std::env;
use std::error::Error;
use std::fmt::Write;
use std::path::Path;

use crate::source::KernelSource;
use crate::{SHIM, shared_memory};

/// Compiles every source, and the shim, into one static library of this crate.
pub(crate) fn compile(out: &Path, sources: &[KernelSource]) -> Result<(), Box<dyn Error>> {
    let mut library = cc::Build::new();
    library
        .cpp(true)
        .std("c++14")
        // Even in a debug build, tests of GPU code run millions of threads.
        .opt_level(2)
        .include(SHIM)
        .cpp_link_stdlib(None)
        .flag("-fno-exceptions")
        .flag("-fno-rtti")
        // The GPU's compiler fuses a multiplication and an addition where it can, so floats
        // agree within a tolerance there. Here nothing is fused that the CPU's own code
        // does not fuse.
        .flag("-ffp-contract=off")
        // Sources are plain CUDA; the host compiler's warnings about unused parameters and
        // the like do not matter.
        .warnings(false)
        .flag("-fsanitize=alignment,bounds,null,shift-exponent,integer-divide-by-zero")
        .file(Path::new(SHIM).join("simt.cpp"));
    for source in sources {
        let path = out.join(format!("{}.cpp", source.name.replace('/', "_")));
        std::fs::write(&path, cpp(source)?)?;
        library.file(path);
    }
    let package = env::var("CARGO_PKG_NAME")?.replace('-', "_");
    library.try_compile(&format!("{package}_kernels"))?;
    Ok(())
}

/// The translation unit of one source.
fn cpp(source: &KernelSource) -> Result<String, Box<dyn Error>> {
    let mut out = String::from("#include \"simt.h\"\n");
    // Kernels have C names; the prefix keeps them apart from other symbols in the final
    // link.
    for kernel in &source.kernels {
        writeln!(out, "#define {0} heddle_kernel_{0}", kernel.name)?;
    }
    out.push_str(&shared_memory::rewrite(&source.name, &source.text)?);
    for kernel in &source.kernels {
        let arguments: Vec<String> = kernel
            .parameters
            .iter()
            .enumerate()
            .map(|(index, parameter)| format!("*({} *)arguments[{index}]", parameter.cpp))
            .collect();
        writeln!(
            out,
            "#undef {0}\nextern \"C\" void heddle_enter_{0}(void *const *arguments) {{ \
             heddle_kernel_{0}({1}); }}",
            kernel.name,
            arguments.join(", ")
        )?;
    }
    Ok(out)
}

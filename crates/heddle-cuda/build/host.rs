//! A kernel source as host C++: the shim before it, an entry per kernel after it.

use std::fmt::Write;

use crate::shared;
use crate::signature::Kernel;
use crate::source::Source;

/// The translation unit for one source.
pub(crate) fn cpp(
    source: &Source,
    kernels: &[Kernel],
) -> Result<String, Box<dyn std::error::Error>> {
    let mut out = String::from("#include \"simt.h\"\n");
    // Kernels have C names; these cannot meet anyone else's in the final link.
    for kernel in kernels {
        writeln!(out, "#define {0} heddle_kernel_{0}", kernel.name)?;
    }
    out.push_str(&shared::rewrite(&source.name, &source.text)?);
    for kernel in kernels {
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

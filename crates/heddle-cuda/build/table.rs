//! The list of kernels as Rust: `$OUT_DIR/kernels.rs`, included by `src/kernels.rs`.

use std::error::Error;
use std::fmt::Write;
use std::path::Path;

use crate::signature::Kernel;
use crate::source::Source;

/// Declarations of the host entries and the table `ALL`.
pub(crate) fn rust(
    root: &Path,
    modules: &[(Source, Vec<Kernel>)],
) -> Result<String, Box<dyn Error>> {
    let mut entries = String::from("unsafe extern \"C\" {\n");
    let mut rows = String::from("pub(crate) static ALL: &[Kernel] = &[\n");
    for (source, kernels) in modules {
        let ptx = ptx(root, source)?;
        let machines = machines(root, source)?;
        for kernel in kernels {
            let kinds: Vec<String> = kernel
                .parameters
                .iter()
                .map(|parameter| format!("ArgumentKind::{}", parameter.kind))
                .collect();
            writeln!(
                entries,
                "    fn heddle_enter_{}(arguments: *const *const c_void);",
                kernel.name
            )?;
            writeln!(
                rows,
                "    Kernel {{ name: {:?}, source: {:?}, source_hash: \"{:016x}\", max_threads: {}, \
                 arguments: &[{}], ptx: &[{ptx}], machines: &[{machines}], \
                 entry: heddle_enter_{} }},",
                kernel.name,
                source.name,
                source.hash(),
                kernel.max_threads,
                kinds.join(", "),
                kernel.name,
            )?;
        }
    }
    Ok(format!("{entries}}}\n\n{rows}];\n"))
}

/// The `MachineCode` rows of one source; like PTX, it may be behind its source.
fn machines(root: &Path, source: &Source) -> Result<String, Box<dyn Error>> {
    let mut rows = String::new();
    for &target in &source.machines {
        let path = root.join("ptx").join(source.machine_name(target));
        if !path.exists() {
            return Err(format!("{} is missing: run `cargo xtask ptx`", path.display()).into());
        }
        write!(
            rows,
            "MachineCode {{ target: {target}, image: include_bytes!({:?}) }}, ",
            path.display().to_string()
        )?;
    }
    Ok(rows)
}

/// The `Ptx` rows of one source. PTX that does not exist yet stops the build; PTX
/// that is out of date only warns, so that a kernel can be tried on the emulated
/// GPU before its PTX is written. `tests/ptx_matches_its_source.rs` then fails.
fn ptx(root: &Path, source: &Source) -> Result<String, Box<dyn Error>> {
    let mut rows = String::new();
    for &target in &source.targets {
        let path = root.join("ptx").join(source.ptx_name(target));
        let Ok(text) = std::fs::read_to_string(&path) else {
            return Err(format!("{} is missing: run `cargo xtask ptx`", path.display()).into());
        };
        if text.lines().next() != Some(&source.ptx_header(target)) {
            println!(
                "cargo::warning=ptx/{} is older than its source: run `cargo xtask ptx`",
                source.ptx_name(target)
            );
        }
        write!(
            rows,
            "Ptx {{ target: {target}, text: include_str!({:?}) }}, ",
            path.display().to_string()
        )?;
    }
    Ok(rows)
}

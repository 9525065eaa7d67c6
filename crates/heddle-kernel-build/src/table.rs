//! The table of a crate's kernels as Rust source.

use std::error::Error;
use std::fmt::Write;
use std::path::Path;

use crate::signature::KernelDeclaration;
use crate::source::KernelSource;

/// The parts of a row beside name and signature.
#[derive(Clone, Copy)]
pub(crate) struct Contents {
    /// PTX and machine code.
    pub(crate) images: bool,
    /// The kernels compiled for the host.
    pub(crate) entries: bool,
}

/// The Rust source of the modules, the host entries and the table `KERNELS`.
pub(crate) fn rust(
    root: &Path,
    sources: &[KernelSource],
    contents: Contents,
) -> Result<String, Box<dyn Error>> {
    let mut modules = String::new();
    let mut entries = String::new();
    let mut rows = String::new();
    let mut count = 0;
    for (index, source) in sources.iter().enumerate() {
        let (ptx, machine_code) = if contents.images {
            (ptx(root, source)?, machine_code(root, source)?)
        } else {
            Default::default()
        };
        writeln!(
            modules,
            "static MODULE_{index}: device::KernelModule = device::KernelModule {{ \
             source: {:?}, source_hash: \"{:016x}\", ptx: &[{ptx}], \
             machine_code: &[{machine_code}] }};",
            source.name,
            source.hash(),
        )?;
        for kernel in &source.kernels {
            let entry = if contents.entries {
                writeln!(
                    entries,
                    "    fn heddle_enter_{}(arguments: *const *const ::core::ffi::c_void);",
                    kernel.name
                )?;
                format!("Some(heddle_enter_{})", kernel.name)
            } else {
                "None".to_owned()
            };
            writeln!(rows, "    {},", row(kernel, index, &entry))?;
            count += 1;
        }
    }
    if !entries.is_empty() {
        entries = format!("#[allow(unsafe_code)]\nunsafe extern \"C\" {{\n{entries}}}\n\n");
    }
    Ok(format!(
        "{entries}{modules}\n/// The kernels of this crate, by source.\n\
         #[allow(unreachable_pub, reason = \"some crates export their kernels, some do not\")]\n\
         #[allow(unsafe_code, reason = \"generated from the sources\")]\n\
         pub static KERNELS: [device::Kernel; {count}] = [\n{rows}];\n"
    ))
}

fn row(kernel: &KernelDeclaration, module: usize, entry: &str) -> String {
    let kinds: Vec<String> = kernel
        .parameters
        .iter()
        .map(|parameter| format!("device::ParameterKind::{}", parameter.kind))
        .collect();
    format!(
        "// SAFETY: the parameters were read from the source that all its forms are compiled \
         from.\n    unsafe {{ device::Kernel::new({:?}, &MODULE_{module}, {}, &[{}], {entry}) }}",
        kernel.name,
        kernel.max_threads,
        kinds.join(", "),
    )
}

/// The rows of one source's machine code, which like PTX may be older than its source.
fn machine_code(root: &Path, source: &KernelSource) -> Result<String, Box<dyn Error>> {
    let mut rows = String::new();
    for &target in &source.machines {
        let path = root.join("ptx").join(source.machine_name(target));
        if !path.exists() {
            return Err(format!("{} is missing: run `cargo xtask ptx`", path.display()).into());
        }
        write!(
            rows,
            "device::MachineCode {{ target: {target}, image: include_bytes!({:?}) }}, ",
            path.display().to_string()
        )?;
    }
    Ok(rows)
}

/// The rows of one source's PTX. Missing PTX fails the build; PTX that is out of date only
/// warns, so that a kernel can be tried on the emulated GPU before its PTX is written.
/// `tests/ptx_matches_its_source.rs` then fails.
fn ptx(root: &Path, source: &KernelSource) -> Result<String, Box<dyn Error>> {
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
            "device::Ptx {{ target: {target}, text: include_str!({:?}) }}, ",
            path.display().to_string()
        )?;
    }
    Ok(rows)
}

//! One kernel source with its includes expanded, as NVRTC and the host compiler both
//! receive it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::signature::{self, KernelDeclaration};

/// A source file, ready to compile.
#[derive(Debug)]
pub struct KernelSource {
    /// The path under `kernels/` without the extension: `xor`, `trial/warp`.
    pub name: String,
    /// The text with every `#include "…"` replaced by that file's text.
    pub text: String,
    /// The virtual architectures it is compiled for: `60`, and those of lines `// also for
    /// compute_90`.
    pub targets: Vec<u32>,
    /// The GPUs it is also compiled to machine code for, from lines `// machine code for
    /// sm_90`: for sources that a driver would compile for half a minute.
    pub machines: Vec<u32>,
    /// The kernels it declares, in order.
    pub kernels: Vec<KernelDeclaration>,
}

/// The virtual architecture that every GPU from the P100 on loads.
const BASELINE: u32 = 60;

impl KernelSource {
    /// Reads every source of a crate, by name: the files of its folder `kernels` and of
    /// that folder's subfolders. Empty for a crate without the folder.
    pub fn read_crate(root: &Path) -> io::Result<Vec<Self>> {
        let kernels = root.join("kernels");
        if !kernels.is_dir() {
            return Ok(Vec::new());
        }
        let mut sources = Self::read_folder(&kernels)?;
        let mut folders = entries(&kernels)?;
        folders.retain(|path| path.is_dir());
        for folder in folders {
            sources.extend(Self::read_folder(&folder)?);
        }
        Ok(sources)
    }

    /// Reads the `.cu` files of a folder, by name.
    pub fn read_folder(folder: &Path) -> io::Result<Vec<Self>> {
        let prefix = match folder.file_name().and_then(|name| name.to_str()) {
            None | Some("kernels") => String::new(),
            Some(name) => format!("{name}/"),
        };
        let mut paths = entries(folder)?;
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "cu"));
        paths
            .iter()
            .map(|path| {
                let stem = path.file_stem().unwrap_or_default().to_string_lossy();
                Self::read(path, format!("{prefix}{stem}"))
            })
            .collect()
    }

    fn read(path: &Path, name: String) -> io::Result<Self> {
        let mut text = String::new();
        expand(path, &mut Vec::new(), &mut text)?;
        let named = |prefix: &str| -> Vec<u32> {
            text.lines()
                .filter_map(|line| line.trim().strip_prefix(prefix)?.parse().ok())
                .collect()
        };
        let mut targets = vec![BASELINE];
        targets.extend(named("// also for compute_"));
        let machines = named("// machine code for sm_");
        let kernels = signature::kernels(&name, &text)
            .map_err(|what| io::Error::new(io::ErrorKind::InvalidData, what))?;
        Ok(Self {
            name,
            text,
            targets,
            machines,
            kernels,
        })
    }

    /// The file name of the PTX for one architecture.
    #[must_use]
    pub fn ptx_name(&self, target: u32) -> String {
        format!("{}.compute_{target}.ptx", self.name)
    }

    /// The file name of the machine code for one GPU.
    #[must_use]
    pub fn machine_name(&self, target: u32) -> String {
        format!("{}.sm_{target}.cubin", self.name)
    }

    /// The text compiled to machine code: the source, and a symbol with its hash.
    #[must_use]
    pub fn machine_text(&self) -> String {
        format!(
            "extern \"C\" __device__ char heddle_source[17] = \"{:016x}\";\n{}",
            self.hash(),
            self.text
        )
    }

    /// FNV-1a over the text, which only needs to detect an edit.
    #[must_use]
    pub fn hash(&self) -> u64 {
        self.text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        })
    }

    /// The first line of the PTX: names the source and its hash.
    #[must_use]
    pub fn ptx_header(&self, target: u32) -> String {
        format!(
            "// kernels/{}.cu, source hash {:016x}, compute_{target}; written by `cargo xtask ptx`",
            self.name,
            self.hash()
        )
    }
}

/// The entries of a folder, by name.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

/// Appends a file to `text`, its quoted includes expanded, each file once.
fn expand(path: &Path, seen: &mut Vec<PathBuf>, text: &mut String) -> io::Result<()> {
    if seen.iter().any(|other| other == path) {
        return Ok(());
    }
    seen.push(path.to_owned());
    let content = fs::read_to_string(path)
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    push_line_marker(text, 1, &name);
    for (number, line) in content.lines().enumerate() {
        let included = line
            .strip_prefix("#include \"")
            .and_then(|rest| rest.strip_suffix('"'));
        if let (Some(included), Some(folder)) = (included, path.parent()) {
            expand(&folder.join(included), seen, text)?;
            push_line_marker(text, number + 2, &name);
        } else {
            text.push_str(line);
            text.push('\n');
        }
    }
    Ok(())
}

/// Appends a `#line` directive, so that messages name the real file and line.
fn push_line_marker(text: &mut String, line: usize, name: &str) {
    text.extend(["#line ", &line.to_string(), " \"", name, "\"\n"]);
}

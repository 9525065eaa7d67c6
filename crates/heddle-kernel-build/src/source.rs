//! One kernel source with its includes in place, as NVRTC and the host compiler
//! both get it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::signature::{self, KernelDeclaration};

/// A source file, ready to compile.
#[derive(Debug)]
pub struct KernelSource {
    /// Its path under `kernels/` without the extension: `xor`, `trial/warp`.
    pub name: String,
    /// Its text with every `#include "…"` replaced by that file's text.
    pub text: String,
    /// The virtual architectures it is compiled for: `60`, and what a line
    /// `// also for compute_90` adds.
    pub targets: Vec<u32>,
    /// The GPUs it is compiled to machine code for as well, by lines
    /// `// machine code for sm_90`: where a driver would take half a minute.
    pub machines: Vec<u32>,
    /// The kernels it declares, in order.
    pub kernels: Vec<KernelDeclaration>,
}

/// What every GPU from the P100 on loads.
const BASELINE: u32 = 60;

impl KernelSource {
    /// Every source of a crate: those of its folder `kernels` and of the folders in
    /// it, by name. None for a crate without that folder.
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

    /// The `.cu` files of a folder, by name.
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

    /// The file name of its PTX for one architecture.
    #[must_use]
    pub fn ptx_name(&self, target: u32) -> String {
        format!("{}.compute_{target}.ptx", self.name)
    }

    /// The file name of its machine code for one GPU.
    #[must_use]
    pub fn machine_name(&self, target: u32) -> String {
        format!("{}.sm_{target}.cubin", self.name)
    }

    /// What is compiled to machine code: the text, and a symbol that says which.
    #[must_use]
    pub fn machine_text(&self) -> String {
        format!(
            "extern \"C\" __device__ char heddle_source[17] = \"{:016x}\";\n{}",
            self.hash(),
            self.text
        )
    }

    /// FNV-1a over the text: enough to notice an edit, which is all it is for.
    #[must_use]
    pub fn hash(&self) -> u64 {
        self.text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        })
    }

    /// The first line of its PTX: says what it was made from.
    #[must_use]
    pub fn ptx_header(&self, target: u32) -> String {
        format!(
            "// kernels/{}.cu, source hash {:016x}, compute_{target}; written by `cargo xtask ptx`",
            self.name,
            self.hash()
        )
    }
}

/// What is in a folder, by name.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

/// Appends a file to `text`, its quoted includes in place, each file once.
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

/// Says which line of which file follows, so that messages name the real one.
fn push_line_marker(text: &mut String, line: usize, name: &str) {
    text.extend(["#line ", &line.to_string(), " \"", name, "\"\n"]);
}

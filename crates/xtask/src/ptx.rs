//! `cargo xtask ptx`: every kernel source to PTX, and some to machine code, or a
//! check that it was done.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::nvrtc::{self, Nvrtc};
use crate::source::Source;

/// Writes the PTX of every kernel source and removes what no source gives.
pub(crate) fn write() -> Result<String, Error> {
    let folder = crate_folder().join("ptx");
    let wanted = compile_all()?;
    for (name, text) in &wanted {
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(&folder);
        fs::create_dir_all(parent)
            .and_then(|()| fs::write(&path, text))
            .map_err(|source| Error::File {
                action: "write",
                path: path.clone(),
                source,
            })?;
    }
    for name in found(&folder)?.into_keys() {
        if !wanted.contains_key(&name) {
            let path = folder.join(&name);
            fs::remove_file(&path).map_err(|source| Error::File {
                action: "remove",
                path,
                source,
            })?;
        }
    }
    Ok(format!("wrote {} files", wanted.len()))
}

/// Compares the PTX on disk with what the sources give.
pub(crate) fn check() -> Result<String, Error> {
    let wanted = compile_all()?;
    let found = found(&crate_folder().join("ptx"))?;
    let mut stale: Vec<String> = wanted
        .iter()
        .filter(|(name, text)| found.get(*name) != Some(*text))
        .map(|(name, _)| format!("ptx/{name}"))
        .collect();
    stale.extend(
        found
            .keys()
            .filter(|name| !wanted.contains_key(*name))
            .map(|name| format!("ptx/{name} (no source)")),
    );
    if stale.is_empty() {
        Ok(format!("{} files match their sources", wanted.len()))
    } else {
        Err(Error::Stale(stale))
    }
}

fn crate_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../heddle-cuda")
}

/// Files by name, in order.
fn compile_all() -> Result<BTreeMap<String, Vec<u8>>, Error> {
    let nvrtc = Nvrtc::load(&nvrtc::folder()?)?;
    let kernels = crate_folder().join("kernels");
    let mut texts = BTreeMap::new();
    for folder in [kernels.clone(), kernels.join("trial")] {
        let sources = Source::read_folder(&folder).map_err(|source| Error::File {
            action: "read",
            path: folder.clone(),
            source,
        })?;
        for source in sources {
            for &target in &source.targets {
                let ptx = nvrtc.compile(&source.name, &source.text, target)?;
                texts.insert(
                    source.ptx_name(target),
                    format!("{}\n{}", source.ptx_header(target), tidy(&ptx)).into_bytes(),
                );
            }
            for &target in &source.machines {
                let code = nvrtc.machine(&source.name, &source.machine_text(), target)?;
                texts.insert(source.machine_name(target), code);
            }
        }
    }
    Ok(texts)
}

/// Comments name the compiler's build and nothing else; without them and their
/// blank lines the text depends on source and version alone. Every module also
/// gets a copy of the constants of NVIDIA's `nv::target`, which nothing uses.
fn tidy(ptx: &str) -> String {
    let mut text = String::with_capacity(ptx.len());
    for line in ptx.trim_end_matches('\0').lines() {
        let line = line.trim_end();
        let unused = line.starts_with(".global") && line.contains("2nv6target");
        if !line.is_empty() && !line.trim_start().starts_with("//") && !unused {
            text.push_str(line);
            text.push('\n');
        }
    }
    text
}

/// Files on disk, by name relative to `ptx/`.
fn found(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>, Error> {
    let mut texts = BTreeMap::new();
    for (prefix, folder) in [("", folder.to_owned()), ("trial/", folder.join("trial"))] {
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        for path in entries.flatten().map(|entry| entry.path()) {
            if path
                .extension()
                .is_some_and(|extension| extension == "ptx" || extension == "cubin")
            {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                let text = fs::read(&path).map_err(|source| Error::File {
                    action: "read",
                    path: path.clone(),
                    source,
                })?;
                texts.insert(format!("{prefix}{name}"), text);
            }
        }
    }
    Ok(texts)
}

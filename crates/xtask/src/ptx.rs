//! `cargo xtask ptx`: compiles every kernel source to PTX, and some to machine code, or
//! checks the committed files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use heddle_kernel_build::KernelSource;

use crate::error::Error;
use crate::nvrtc::{self, Nvrtc};

/// Writes the PTX of every kernel source and removes files without a source.
pub(crate) fn write() -> Result<String, Error> {
    let wanted = compile_all()?;
    for (path, text) in &wanted {
        let parent = path.parent().unwrap_or(path);
        fs::create_dir_all(parent)
            .and_then(|()| fs::write(path, text))
            .map_err(|source| Error::file("write", path, source))?;
    }
    for path in found()?.keys() {
        if !wanted.contains_key(path) {
            fs::remove_file(path).map_err(|source| Error::file("remove", path, source))?;
        }
    }
    Ok(format!("wrote {} files", wanted.len()))
}

/// Compares the PTX on disk with the output of the sources.
pub(crate) fn check() -> Result<String, Error> {
    let wanted = compile_all()?;
    let found = found()?;
    let shown = |path: &Path| {
        let shown = path.strip_prefix(crates_folder()).unwrap_or(path);
        shown.display().to_string()
    };
    let mut stale: Vec<String> = wanted
        .iter()
        .filter(|(path, text)| found.get(*path) != Some(*text))
        .map(|(path, _)| shown(path))
        .collect();
    stale.extend(
        found
            .keys()
            .filter(|path| !wanted.contains_key(*path))
            .map(|path| format!("{} (no source)", shown(path))),
    );
    if stale.is_empty() {
        Ok(format!("{} files match their sources", wanted.len()))
    } else {
        Err(Error::Stale(stale))
    }
}

fn crates_folder() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own).to_owned()
}

/// The crates of this workspace, in order.
fn crates() -> Result<Vec<PathBuf>, Error> {
    let folder = crates_folder();
    let mut crates = entries(&folder)?;
    crates.retain(|path| path.is_dir());
    Ok(crates)
}

/// Compiles every source; the files by path.
fn compile_all() -> Result<BTreeMap<PathBuf, Vec<u8>>, Error> {
    let nvrtc = Nvrtc::load(&nvrtc::folder()?)?;
    let mut texts = BTreeMap::new();
    for root in crates()? {
        let sources =
            KernelSource::read_crate(&root).map_err(|source| Error::file("read", &root, source))?;
        let folder = root.join("ptx");
        for source in sources {
            for &target in &source.targets {
                let ptx = nvrtc.compile(&source.name, &source.text, target)?;
                texts.insert(
                    folder.join(source.ptx_name(target)),
                    format!("{}\n{}", source.ptx_header(target), tidy(&ptx)).into_bytes(),
                );
            }
            for &target in &source.machines {
                let code = nvrtc.machine(&source.name, &source.machine_text(), target)?;
                texts.insert(folder.join(source.machine_name(target)), code);
            }
        }
    }
    Ok(texts)
}

/// Removes comments and their blank lines, which name the compiler's build, so that the
/// text depends on source and version alone. Also removes the unused constants of NVIDIA's
/// `nv::target`, which every module gets a copy of.
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

/// The files on disk, by path: those of every `ptx` folder and of its subfolders.
fn found() -> Result<BTreeMap<PathBuf, Vec<u8>>, Error> {
    let mut texts = BTreeMap::new();
    let mut folders: Vec<PathBuf> = crates()?.iter().map(|root| root.join("ptx")).collect();
    while let Some(folder) = folders.pop() {
        if !folder.is_dir() {
            continue;
        }
        for path in entries(&folder)? {
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "ptx" || extension == "cubin")
            {
                let text = fs::read(&path).map_err(|source| Error::file("read", &path, source))?;
                texts.insert(path, text);
            }
        }
    }
    Ok(texts)
}

/// The entries of a folder, in order.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut paths = fs::read_dir(folder)
        .and_then(|entries| {
            let paths = entries.map(|entry| entry.map(|entry| entry.path()));
            paths.collect::<std::io::Result<Vec<_>>>()
        })
        .map_err(|source| Error::file("read", folder, source))?;
    paths.sort();
    Ok(paths)
}

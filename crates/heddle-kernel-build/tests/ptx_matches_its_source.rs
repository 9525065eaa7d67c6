//! Every kernel source matches its committed PTX, in every crate of this workspace that has
//! kernels.
//!
//! `cargo xtask ptx --check` compares the PTX with NVRTC's output; this test needs no NVRTC
//! and detects a source edited without running it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};

use heddle_kernel_build::KernelSource;

/// The crates with kernels, and their sources.
fn crates() -> Vec<(PathBuf, Vec<KernelSource>)> {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut roots: Vec<PathBuf> = fs::read_dir(all)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    roots.sort();
    let found: Vec<_> = roots
        .into_iter()
        .map(|root| (KernelSource::read_crate(&root).unwrap(), root))
        .filter(|(sources, _)| !sources.is_empty())
        .map(|(sources, root)| (root, sources))
        .collect();
    assert!(found.len() >= 4, "{found:?}");
    found
}

/// Calls `with` for each PTX file: its source, its target and its text.
fn each_ptx(with: impl Fn(&KernelSource, u32, &str)) {
    for (root, sources) in crates() {
        for source in &sources {
            for &target in &source.targets {
                let path = root.join("ptx").join(source.ptx_name(target));
                let text = fs::read_to_string(&path)
                    .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                with(source, target, &text);
            }
        }
    }
}

/// The parameters of `.entry name(…)`, as PTX types.
fn parameters<'a>(ptx: &'a str, name: &str) -> Vec<&'a str> {
    let (_, rest) = ptx
        .split_once(&format!(".entry {name}("))
        .unwrap_or_else(|| panic!("no entry {name}; run `cargo xtask ptx`"));
    let (list, _) = rest.split_once(')').unwrap();
    list.split(',')
        .map(|parameter| parameter.split_whitespace().nth(1).unwrap())
        .collect()
}

#[test]
fn every_kernel_is_an_entry_with_its_parameters() {
    each_ptx(|source, _, ptx| {
        for kernel in &source.kernels {
            let expected: Vec<&str> = kernel
                .parameters
                .iter()
                .map(|parameter| match parameter.kind {
                    "Buffer" | "U64" => ".u64",
                    "U32" | "I32" => ".u32",
                    "F32" => ".f32",
                    "F64" => ".f64",
                    other => panic!("{other}"),
                })
                .collect();
            assert_eq!(parameters(ptx, &kernel.name), expected, "{}", kernel.name);
        }
    });
}

#[test]
fn every_entry_is_a_kernel() {
    each_ptx(|source, _, ptx| {
        let entries = ptx.matches(".entry ").count();
        assert_eq!(entries, source.kernels.len(), "{}", source.name);
    });
}

#[test]
fn ptx_was_made_from_the_source_as_it_is() {
    each_ptx(|source, target, ptx| {
        assert_eq!(
            ptx.lines().next().unwrap(),
            source.ptx_header(target),
            "kernels/{}.cu changed: run `cargo xtask ptx`",
            source.name
        );
    });
}

#[test]
fn machine_code_was_made_from_the_source_as_it_is() {
    let mut files = 0;
    for (root, sources) in crates() {
        for source in &sources {
            let hash = format!("{:016x}", source.hash());
            for &target in &source.machines {
                let image = fs::read(root.join("ptx").join(source.machine_name(target))).unwrap();
                assert!(
                    image.windows(16).any(|bytes| bytes == hash.as_bytes()),
                    "kernels/{}.cu changed: run `cargo xtask ptx`",
                    source.name
                );
                files += 1;
            }
        }
    }
    assert!(files > 0);
}

#[test]
fn ptx_loads_on_every_gpu_we_name() {
    each_ptx(|source, target, ptx| {
        // Drivers from 530 on accept ISA 8.1; compute_60 is a P100's.
        assert!(ptx.contains("\n.version 8.1\n"), "{}", source.name);
        assert!(ptx.contains(&format!("\n.target sm_{target}\n")));
        assert!(source.targets.contains(&60));
    });
}

/// Host entries are C symbols of one program.
#[test]
fn names_are_unique() {
    let crates = crates();
    let mut names: Vec<&str> = crates
        .iter()
        .flat_map(|(_, sources)| sources)
        .flat_map(|source| &source.kernels)
        .map(|kernel| kernel.name.as_str())
        .collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

//! The list of kernels and the committed PTX say the same.
//!
//! Whether the PTX is what NVRTC makes of its source is for `cargo xtask ptx
//! --check`; this needs no NVRTC and catches the edit that forgot to run it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use heddle_cuda::kernels::{self, ArgumentKind};

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
    for kernel in kernels::all() {
        let expected: Vec<&str> = kernel
            .arguments
            .iter()
            .map(|kind| match kind {
                ArgumentKind::Buffer | ArgumentKind::U64 => ".u64",
                ArgumentKind::U32 | ArgumentKind::I32 => ".u32",
                ArgumentKind::F32 => ".f32",
                ArgumentKind::F64 => ".f64",
            })
            .collect();
        for ptx in kernel.ptx {
            assert_eq!(
                parameters(ptx.text, kernel.name),
                expected,
                "{}",
                kernel.name
            );
        }
    }
}

#[test]
fn every_entry_is_a_kernel() {
    for kernel in kernels::all() {
        for ptx in kernel.ptx {
            let siblings = kernels::all()
                .iter()
                .filter(|other| other.source == kernel.source)
                .count();
            assert_eq!(ptx.text.matches(".entry ").count(), siblings);
        }
    }
}

#[test]
fn ptx_was_made_from_the_source_as_it_is() {
    for kernel in kernels::all() {
        let hash = format!("source hash {}", kernel.source_hash);
        for ptx in kernel.ptx {
            assert!(
                ptx.text.lines().next().unwrap().contains(&hash),
                "kernels/{}.cu changed: run `cargo xtask ptx`",
                kernel.source
            );
        }
    }
}

#[test]
fn machine_code_was_made_from_the_source_as_it_is() {
    let kernel = kernels::find("arc_evaluate").unwrap();
    for code in kernel.machines {
        let hash = kernel.source_hash.as_bytes();
        let found = code.image.windows(hash.len()).any(|bytes| bytes == hash);
        assert!(
            found,
            "kernels/{}.cu changed: run `cargo xtask ptx`",
            kernel.source
        );
    }
    assert!(!kernel.machines.is_empty());
}

#[test]
fn ptx_loads_on_every_gpu_we_name() {
    for kernel in kernels::all() {
        for ptx in kernel.ptx {
            // ISA 8.1 is what drivers from 530 on accept.
            assert!(ptx.text.contains("\n.version 8.1\n"), "{}", kernel.name);
            assert!(ptx.text.contains(&format!("\n.target sm_{}\n", ptx.target)));
        }
        assert!(kernel.ptx_for(52).is_none());
        for p100_t4_l4_h100 in [60, 75, 89, 90] {
            assert!(kernel.ptx_for(p100_t4_l4_h100).is_some());
        }
    }
}

#[test]
fn names_are_unique() {
    let mut names: Vec<_> = kernels::all().iter().map(|kernel| kernel.name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

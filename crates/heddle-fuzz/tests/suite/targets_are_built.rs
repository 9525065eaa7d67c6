//! Every target has a program that cargo-fuzz builds, and no other program is there.

use std::fs;
use std::path::Path;

use heddle_fuzz::TARGETS;

#[test]
fn every_target_has_its_program() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    for target in TARGETS {
        let name = target.name;
        let line = format!("name = \"{name}\"\npath = \"fuzz_targets/{name}.rs\"\n");
        assert!(manifest.contains(&line), "{name} is not in fuzz/Cargo.toml");
        let program = folder.join(format!("fuzz_targets/{name}.rs"));
        let program = fs::read_to_string(program).unwrap();
        assert!(program.contains(&format!("{name}::check")), "{name}");
    }
    let programs = fs::read_dir(folder.join("fuzz_targets")).unwrap();
    assert_eq!(programs.count(), TARGETS.len());
}

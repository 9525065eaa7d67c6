//! Whatever is wrong with a model file, routing to the device works and the file is kept.

// Helpers outside a `#[test]` function count as shipped code to the lint.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use heddle_runtime::device::{Device, DeviceProperties};
use heddle_runtime::machine::Machine;
use heddle_runtime::route::{DeviceModel, ModelStore, RouteSettings};
use heddle_runtime::units::Bytes;
use heddle_runtime::{Description, Error, Residency};
use heddle_testing::fake::{CPU, Cost, FakeDevice, GPU, SUM, SimulatedMachine, describe};

fn machine() -> Machine {
    let mut machine = Machine::read();
    machine.cpu = String::from("Fake CPU @ 3 GHz");
    machine.arch = String::from("x86_64");
    machine.system = String::from("linux 6.1");
    machine.threads = 8;
    machine.memory = Bytes(1 << 36);
    machine
}

fn simulated_machine() -> SimulatedMachine {
    let costs = [(SUM.name(), Cost::new(100.0, 0.2))];
    SimulatedMachine::new(
        vec![FakeDevice::new(CPU, &costs), FakeDevice::new(GPU, &costs)],
        RouteSettings::default(),
    )
}

fn operation() -> Description {
    describe(&SUM, 1 << 20, 1 << 16, Residency::Host)
}

/// Returns a model with an entry in every part, and the properties of its device.
fn measured() -> (DeviceModel, DeviceProperties) {
    let simulated = simulated_machine();
    simulated.measure_everywhere(&operation(), 5);
    simulated.measure_everywhere(&describe(&SUM, 1 << 24, 1 << 20, Residency::Host), 5);
    (
        simulated.router.device_model(GPU),
        simulated.device(GPU).properties().clone(),
    )
}

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Saves a good model, lets `spoil` change its text, and loads it again.
fn load_spoiled(
    spoil: impl Fn(&str) -> Vec<u8>,
) -> (tempfile::TempDir, ModelStore, Option<String>) {
    let folder = tempfile::tempdir().unwrap();
    let store = ModelStore::new(folder.path().to_owned());
    let (model, properties) = measured();
    let path = store.save(&machine(), GPU, &properties, &model).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let spoiled = spoil(&text);
    fs::write(&path, &spoiled).unwrap();
    let loaded = store.load(&machine(), GPU, &properties);
    assert_eq!(loaded.model, None);
    // The old content is kept, byte for byte, and the name is free again.
    let aside = path.with_extension("corrupt-1.json");
    assert_eq!(fs::read(aside).unwrap(), spoiled);
    store.save(&machine(), GPU, &properties, &model).unwrap();
    assert_eq!(store.load(&machine(), GPU, &properties).model, Some(model));
    (folder, store, loaded.note)
}

#[test]
fn a_saved_model_is_loaded_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let store = ModelStore::new(folder.path().join("made/when/needed"));
    let (model, properties) = measured();
    assert!(!model.up.bins.is_empty() && !model.down.bins.is_empty() && !model.kinds.is_empty());
    let path = store.save(&machine(), GPU, &properties, &model).unwrap();
    let name = path.file_name().unwrap().to_str().unwrap().to_owned();
    assert!(name.starts_with("cuda-0-fake-cuda-0-k1-"), "{name}");
    let loaded = store.load(&machine(), GPU, &properties);
    assert_eq!((loaded.model.as_ref(), loaded.note), (Some(&model), None));

    let fresh = simulated_machine();
    fresh.router.adopt(GPU, loaded.model.unwrap());
    assert_eq!(
        fresh.router.device_model(GPU),
        model,
        "unused, it is still there"
    );
    let cost = fresh.router.candidate(&operation(), GPU).cost.unwrap();
    let truth = fresh.true_ns(&operation(), GPU);
    assert!(
        (cost.total_ns() / truth - 1.0).abs() < 0.01,
        "{cost:?} for {truth}"
    );
}

#[test]
fn a_file_truncated_at_any_length_is_set_aside() {
    for share in [0.0, 0.1, 0.5, 0.99] {
        let cut = |text: &str| text.as_bytes()[..(text.len() as f64 * share) as usize].to_vec();
        let (_folder, _, note) = load_spoiled(cut);
        assert!(note.unwrap().contains("corrupt-1"), "{share}");
    }
}

#[test]
fn garbage_and_other_json_are_set_aside() {
    for garbage in [
        b"\xff\xfe\x00garbage".as_slice(),
        b"[1, 2, 3]",
        b"{\"model\": 1}",
    ] {
        let (_folder, _, note) = load_spoiled(|_| garbage.to_vec());
        assert!(note.unwrap().contains("is not a model file"));
    }
}

#[test]
fn a_model_of_another_machine_or_driver_is_set_aside() {
    let (_folder, _, note) = load_spoiled(|text| {
        text.replace("Fake CPU @ 3 GHz", "Other CPU @ 2 GHz")
            .into_bytes()
    });
    assert!(note.unwrap().contains("another machine"));
    let (_folder, _, note) = load_spoiled(|text| text.replace("\"1.0\"", "\"2.0\"").into_bytes());
    assert!(note.unwrap().contains("another driver"));
}

#[test]
fn impossible_numbers_are_set_aside() {
    for number in ["NaN", "null", "1e999", "-1.0", "0.0"] {
        let (_folder, _, note) = load_spoiled(|text| {
            let at = text.find("\"ns\": ").unwrap() + 6;
            let end = at + text[at..].find(',').unwrap();
            format!("{}{number}{}", &text[..at], &text[end..]).into_bytes()
        });
        assert!(note.is_some(), "{number}");
    }
}

#[test]
fn earlier_files_set_aside_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let store = ModelStore::new(folder.path().to_owned());
    let (_, properties) = measured();
    for number in 1..=3 {
        let path = store.path(&machine(), GPU, &properties);
        fs::write(&path, format!("garbage {number}")).unwrap();
        assert!(store.load(&machine(), GPU, &properties).note.is_some());
    }
    let kept: Vec<String> = files(folder.path())
        .iter()
        .map(|name| fs::read_to_string(folder.path().join(name)).unwrap())
        .collect();
    assert_eq!(kept, ["garbage 1", "garbage 2", "garbage 3"]);
}

#[test]
fn a_model_of_other_kernels_is_ignored_with_a_note() {
    let folder = tempfile::tempdir().unwrap();
    let store = ModelStore::new(folder.path().to_owned());
    let (model, properties) = measured();
    store.save(&machine(), GPU, &properties, &model).unwrap();
    let newer = properties.clone().with(|it| it.kernel_version = 2);
    let loaded = store.load(&machine(), GPU, &newer);
    assert_eq!(loaded.model, None);
    assert!(loaded.note.unwrap().contains("kernel version 1"));
    // A file renamed to the newer version's name is neither used nor changed.
    let path = store.path(&machine(), GPU, &newer);
    fs::copy(store.path(&machine(), GPU, &properties), &path).unwrap();
    assert!(
        store
            .load(&machine(), GPU, &newer)
            .note
            .unwrap()
            .contains("ignored")
    );
    assert_eq!(files(folder.path()).len(), 2);
    assert_eq!(store.load(&machine(), GPU, &properties).model, Some(model));
}

#[test]
fn a_missing_folder_is_empty_and_models_cannot_be_saved_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let (model, properties) = measured();
    let absent = ModelStore::new(folder.path().join("absent"));
    assert_eq!(
        absent.load(&machine(), GPU, &properties),
        heddle_runtime::route::LoadedModel::default()
    );
    let file = folder.path().join("file");
    fs::write(&file, "not a folder").unwrap();
    // Service accounts have `/dev/null` as their home.
    let blocked = ModelStore::new(file.clone());
    assert!(matches!(
        blocked.save(&machine(), GPU, &properties, &model),
        Err(Error::File { .. })
    ));
    assert_eq!(
        blocked.load(&machine(), GPU, &properties),
        heddle_runtime::route::LoadedModel::default()
    );
    assert_eq!(fs::read_to_string(file).unwrap(), "not a folder");
}

#[cfg(unix)]
#[test]
fn an_unwritable_folder_is_an_error_and_can_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let store = ModelStore::new(folder.path().to_owned());
    let (model, properties) = measured();
    let path = store.save(&machine(), GPU, &properties, &model).unwrap();
    let set = |mode| fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).unwrap();
    set(0o555);
    // A superuser can write anywhere, so nothing is checked then.
    let is_barred = tempfile::NamedTempFile::new_in(folder.path()).is_err();
    let saved = store.save(&machine(), GPU, &properties, &DeviceModel::default());
    let loaded = store.load(&machine(), GPU, &properties);
    set(0o755);
    if is_barred {
        assert!(matches!(
            saved,
            Err(Error::File {
                action: "write",
                ..
            })
        ));
        assert_eq!(loaded.model, Some(model));
        assert_eq!(
            files(folder.path()),
            [path.file_name().unwrap().to_str().unwrap()]
        );
    }
}

//! Files of learned models. The first byte says whether the rest is a whole file, or the
//! model of a file that is otherwise right.
//!
//! A file is used or set aside, never changed; a model that is used gives costs that are
//! finite and not negative, and is saved and loaded unchanged.

use std::fs;
use std::sync::LazyLock;

use heddle_runtime::Residency;
use heddle_runtime::device::{Device as _, DeviceProperties};
use heddle_runtime::machine::Machine;
use heddle_runtime::route::{DeviceModel, ModelStore, RouteSettings};
use heddle_testing::fake::{CPU, Cost, FakeDevice, GPU, SUM, SimulatedMachine, describe};

use crate::scratch;

/// The machine of the files; any will do.
static MACHINE: LazyLock<Machine> = LazyLock::new(Machine::read);

pub fn check(bytes: &[u8]) {
    let Some((form, rest)) = bytes.split_first() else {
        return;
    };
    let folder = scratch();
    let store = ModelStore::new(folder.path().to_owned());
    let properties = properties();
    let path = store
        .save(&MACHINE, GPU, &properties, &DeviceModel::default())
        .expect("the scratch folder can be written");
    let text = if form % 2 == 0 {
        rest.to_vec()
    } else {
        with_model(&fs::read(&path).expect("it was just written"), rest)
    };
    fs::write(&path, &text).expect("the scratch folder can be written");
    let loaded = store.load(&MACHINE, GPU, &properties);
    assert!(loaded.model.is_some() || loaded.note.is_some());
    let Some(model) = loaded.model else {
        let names = fs::read_dir(folder.path()).expect("it can be listed");
        let mut kept = names.map(|entry| fs::read(entry.expect("an entry").path()));
        assert!(kept.any(|kept| kept.expect("a file") == text));
        return;
    };
    store
        .save(&MACHINE, GPU, &properties, &model)
        .expect("the scratch folder can be written");
    let again = store.load(&MACHINE, GPU, &properties).model;
    assert_eq!(again.as_ref(), Some(&model));
    check_costs(model);
}

/// A file with another model in it.
fn with_model(file: &[u8], model: &[u8]) -> Vec<u8> {
    let key = b"\"model\":";
    let at = file
        .windows(key.len())
        .position(|window| window == key)
        .expect("a file has a model");
    [&file[..at + key.len()], model, b"}"].concat()
}

fn check_costs(model: DeviceModel) {
    let simulated = simulated();
    simulated.router.adopt(GPU, model);
    for residency in [Residency::Host, Residency::Both(GPU)] {
        for size in [0, 1, 1 << 16, 1 << 40, u64::MAX] {
            let operation = describe(&SUM, size, size, residency);
            let candidate = simulated.router.candidate(&operation, GPU);
            assert!((0.0..=1.0).contains(&candidate.confidence), "{candidate:?}");
            if let Some(cost) = candidate.cost {
                for part in [cost.transfer_ns, cost.overhead_ns, cost.work_ns] {
                    assert!(part.is_finite() && part >= 0.0, "{cost:?} of {size}");
                }
            }
            let decision = simulated.router.preview(&operation, &|_| true, None);
            decision.expect("there is a device");
        }
    }
}

/// Two devices of the same costs.
fn simulated() -> SimulatedMachine {
    let costs = [(SUM.name(), Cost::new(50.0, 1.0))];
    let devices = [CPU, GPU].map(|device| FakeDevice::new(device, &costs));
    SimulatedMachine::new(devices.into(), RouteSettings::default())
}

fn properties() -> DeviceProperties {
    FakeDevice::new(GPU, &[]).properties().clone()
}

pub fn seeds() -> Vec<Vec<u8>> {
    let simulated = simulated();
    for size in [1 << 12, 1 << 20, 1 << 24] {
        let operation = describe(&SUM, size, size / 2, Residency::Host);
        simulated.measure_everywhere(&operation, 3);
    }
    let model = simulated.router.device_model(GPU);
    let folder = scratch();
    let store = ModelStore::new(folder.path().to_owned());
    let file = store
        .save(&MACHINE, GPU, &properties(), &model)
        .map(fs::read)
        .expect("the scratch folder can be written")
        .expect("it was just written");
    let model = serde_json::to_vec(&model).expect("a model is JSON");
    let empty = serde_json::to_vec(&DeviceModel::default()).expect("a model is JSON");
    vec![
        [&[0], file.as_slice()].concat(),
        [&[1], model.as_slice()].concat(),
        [&[1], empty.as_slice()].concat(),
        b"\x01{\"up\":[{\"amount\":1.0,\"ns\":1e308,\"spread\":1e308,\"samples\":4294967295}],\"down\":[],\"kinds\":[]}".to_vec(),
    ]
}

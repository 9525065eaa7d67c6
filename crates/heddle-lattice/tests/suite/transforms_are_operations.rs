//! Transforms are operations of the runtime, and xor is its own inverse.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use heddle_lattice::Error;
use heddle_lattice::transform::{
    TransformArguments, TransformValues, XorKey, apply_transformation, xor_transform,
    xor_transform_in_place,
};
use heddle_runtime::ops::NormalizeMode;
use heddle_runtime::{Array, Runtime};
use proptest::prelude::*;

fn runtime() -> Runtime {
    Runtime::builder().without_model_cache().build().unwrap()
}

proptest! {
    #![proptest_config(heddle_testing::depth::cases(32))]

    #[test]
    fn xor_is_its_own_inverse(data in prop::collection::vec(any::<u8>(), 0..300), key in prop::collection::vec(any::<u8>(), 1..20), seed in any::<u64>()) {
        let runtime = runtime();
        let array = Array::from_slice(&data);
        for key in [XorKey::Bytes(&key), XorKey::Seed(seed)] {
            let mut there = xor_transform(&runtime, &array, key).unwrap();
            xor_transform_in_place(&runtime, &mut there, key).unwrap();
            prop_assert_eq!(there.as_slice().unwrap(), &data[..]);
        }
        let there = xor_transform(&runtime, &array, XorKey::Bytes(&key)).unwrap();
        let expected: Vec<u8> = data.iter().zip(key.iter().cycle()).map(|(data, key)| data ^ key).collect();
        prop_assert_eq!(there.to_vec().unwrap(), expected);
    }
}

#[test]
fn a_seeded_key_changes_the_data() {
    let runtime = runtime();
    let data = Array::from_slice(&[0_u32; 1000]);
    let hidden = xor_transform(&runtime, &data, XorKey::Seed(7))
        .unwrap()
        .to_vec()
        .unwrap();
    let other = xor_transform(&runtime, &data, XorKey::Seed(8))
        .unwrap()
        .to_vec()
        .unwrap();
    let same = hidden
        .iter()
        .zip(&other)
        .filter(|(one, two)| one == two)
        .count();
    assert!(same < 3, "{same} words are the same under two seeds");
    // Two operations of random and two of xor were recorded.
    assert_eq!(runtime.report().summary.totals.count, 4);
}

#[test]
fn an_empty_key_is_refused() {
    let runtime = runtime();
    let mut data = Array::from_slice(b"data");
    assert!(matches!(
        xor_transform(&runtime, &data, XorKey::Bytes(&[])),
        Err(Error::EmptyKey)
    ));
    assert!(matches!(
        xor_transform_in_place(&runtime, &mut data, XorKey::Bytes(&[])),
        Err(Error::EmptyKey)
    ));
    assert_eq!(data.as_slice().unwrap(), b"data");
}

#[test]
fn transformations_are_found_by_name() {
    let runtime = runtime();
    let floats = TransformValues::Float64(Array::from_slice(&[1.0, 2.0, 5.0]));
    let arguments = TransformArguments::default().with(|it| {
        it.mode = NormalizeMode::MinMax;
        it.factor = 2.0;
        it.offset = 1.0;
    });
    let values = |name| match apply_transformation(&runtime, name, &floats, &arguments) {
        Ok(TransformValues::Float64(array)) => array.to_vec().unwrap(),
        other => panic!("{other:?}"),
    };
    assert_eq!(values("normalize"), [0.0, 0.25, 1.0]);
    assert_eq!(values("scale"), [3.0, 5.0, 11.0]);
    let bytes = TransformValues::Bytes(Array::from_slice(&[1, 2, 3]));
    let keyed = arguments.with(|it| it.key = Some(XorKey::Bytes(&[255])));
    match apply_transformation(&runtime, "xor", &bytes, &keyed) {
        Ok(TransformValues::Bytes(array)) => assert_eq!(array.to_vec().unwrap(), [254, 253, 252]),
        other => panic!("{other:?}"),
    }
}

#[test]
fn invalid_transformations_are_refused() {
    let runtime = runtime();
    let bytes = TransformValues::Bytes(Array::from_slice(&[1, 2, 3]));
    let floats = TransformValues::Float32(Array::from_slice(&[1.0]));
    let message = |name: &str, signal: &TransformValues| {
        apply_transformation(&runtime, name, signal, &TransformArguments::default())
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        message("normalise", &floats),
        "no transformation is called `normalise`; known are xor, normalize, scale; did you mean `normalize`?"
    );
    assert_eq!(
        message("fourier", &floats),
        "no transformation is called `fourier`; known are xor, normalize, scale"
    );
    assert_eq!(
        message("xor", &floats),
        "transformation `xor` needs bytes, but got floats"
    );
    assert_eq!(
        message("xor", &bytes),
        "transformation `xor` needs a key or a seed, but got neither"
    );
    assert_eq!(
        message("scale", &bytes),
        "transformation `scale` needs floats, but got bytes"
    );
}

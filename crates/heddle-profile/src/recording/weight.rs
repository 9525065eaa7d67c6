//! What a recording would take in memory, found by reading its file once without keeping it.
//!
//! An element that takes two bytes in a file can take hundreds in memory, so the length of a file
//! says little. The figures are measured from files of spans with one column and with all of them,
//! with what the summaries take beside them.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// Bytes for each row of the longest list, which are the spans, and for each object.
const BYTES_PER_ROW: u64 = 800;

/// Bytes for each text and number.
const BYTES_PER_SCALAR: u64 = 16;

/// The format name, the version and the values of a file. Any JSON value is accepted here, so that
/// a foreign file is reported as foreign and not as damaged.
#[derive(Default)]
pub(super) struct FileHeader {
    pub(super) format: Option<Value>,
    pub(super) version: Option<Value>,
    weight: Weight,
}

/// The numbers of values of some JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Weight {
    scalars: u64,
    objects: u64,
    longest_list: u64,
}

impl FileHeader {
    /// Returns the bytes that the recording and its summaries take, beside the text of the file.
    pub(super) fn memory_bytes(&self, json: &[u8]) -> u64 {
        let Weight {
            scalars,
            objects,
            longest_list,
        } = self.weight;
        BYTES_PER_ROW * (objects + longest_list) + BYTES_PER_SCALAR * scalars + json.len() as u64
    }
}

impl Weight {
    fn add(&mut self, other: Self) {
        self.scalars += other.scalars;
        self.objects += other.objects;
        self.longest_list = self.longest_list.max(other.longest_list);
    }
}

impl<'de> Deserialize<'de> for FileHeader {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(HeaderVisitor)
    }
}

struct HeaderVisitor;

impl<'de> Visitor<'de> for HeaderVisitor {
    type Value = FileHeader;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<FileHeader, A::Error> {
        let mut header = FileHeader::default();
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "format" => header.format = map.next_value::<Scalar>()?.0,
                "version" => header.version = map.next_value::<Scalar>()?.0,
                _ => header.weight.add(map.next_value()?),
            }
        }
        Ok(header)
    }
}

/// A text, a number or a truth value; a list and an object without their elements; `None` for
/// null.
struct Scalar(Option<Value>);

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(ScalarVisitor)
    }
}

struct ScalarVisitor;

impl<'de> Visitor<'de> for ScalarVisitor {
    type Value = Scalar;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Scalar, E> {
        Ok(Scalar(None))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Scalar, E> {
        Ok(Scalar(Some(value.into())))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Scalar, E> {
        Ok(Scalar(Some(value.into())))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Scalar, E> {
        Ok(Scalar(Some(value.into())))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Scalar, E> {
        Ok(Scalar(Some(value.into())))
    }

    fn visit_str<E>(self, value: &str) -> Result<Scalar, E> {
        Ok(Scalar(Some(value.into())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Scalar, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Scalar(Some(Value::Array(Vec::new()))))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Scalar, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Scalar(Some(Value::Object(serde_json::Map::new()))))
    }
}

impl<'de> Deserialize<'de> for Weight {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(WeightVisitor)
    }
}

struct WeightVisitor;

const SCALAR: Weight = Weight {
    scalars: 1,
    objects: 0,
    longest_list: 0,
};

impl<'de> Visitor<'de> for WeightVisitor {
    type Value = Weight;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Weight, E> {
        Ok(SCALAR)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Weight, E> {
        Ok(SCALAR)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Weight, E> {
        Ok(SCALAR)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Weight, E> {
        Ok(SCALAR)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Weight, E> {
        Ok(SCALAR)
    }

    fn visit_str<E>(self, _: &str) -> Result<Weight, E> {
        Ok(SCALAR)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Weight, A::Error> {
        let (mut weight, mut length) = (Weight::default(), 0);
        while let Some(element) = list.next_element()? {
            weight.add(element);
            length += 1;
        }
        weight.longest_list = weight.longest_list.max(length);
        Ok(weight)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Weight, A::Error> {
        let mut weight = Weight {
            objects: 1,
            ..Weight::default()
        };
        while let Some((IgnoredAny, value)) = map.next_entry()? {
            weight.add(value);
        }
        Ok(weight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_counted_and_none_is_kept() {
        let json =
            r#"{"format": [1, [2]], "version": 2, "a": [1, null, {"b": [true, "c"]}], "d": -0.5}"#;
        let header: FileHeader = serde_json::from_str(json).unwrap();
        assert_eq!(header.format, Some(Value::Array(Vec::new())));
        assert_eq!(header.version, Some(2.into()));
        let weight = Weight {
            scalars: 5,
            objects: 1,
            longest_list: 3,
        };
        assert_eq!(header.weight, weight);
        assert_eq!(
            header.memory_bytes(json.as_bytes()),
            4 * BYTES_PER_ROW + 5 * BYTES_PER_SCALAR + json.len() as u64
        );
    }
}

//! The kinds of merged work: one for packed items and one for items left where
//! they live, because the two cost differently.

use crate::operation::{Kind, WorkUnit};

/// The merged kinds of one kind of operation.
#[derive(Debug)]
pub(crate) struct Family {
    /// The name of the operation's own kind.
    of: &'static str,
    /// Items packed into one buffer, launched once.
    pub(crate) packed: Kind,
    /// Items on a device already, launched one after another.
    pub(crate) resident: Kind,
}

macro_rules! families {
    ($($name:literal, $unit:ident;)*) => {
        [$(Family {
            of: $name,
            packed: Kind::new(concat!($name, "-batch"), WorkUnit::$unit),
            resident: Kind::new(concat!($name, "-batch-resident"), WorkUnit::$unit),
        },)*]
    };
}

static FAMILIES: [Family; 10] = families! {
    "xor", Bytes;
    "add", Bytes;
    "sub", Bytes;
    "mul", Bytes;
    "div", Bytes;
    "square", Bytes;
    "abs", Bytes;
    "sqrt", Bytes;
    "exp", Bytes;
    "matmul", MultiplyAdds;
};

/// Functions from outside this crate share one model.
static OTHER: Family = Family {
    of: "",
    packed: Kind::new("elementwise-batch", WorkUnit::Bytes),
    resident: Kind::new("elementwise-batch-resident", WorkUnit::Bytes),
};

/// Every merged kind of an operation of this crate.
#[cfg(test)]
pub(crate) fn all() -> impl Iterator<Item = &'static Kind> {
    FAMILIES
        .iter()
        .flat_map(|family| [&family.packed, &family.resident])
}

/// The merged kinds of operations of `kind`.
pub(crate) fn family(kind: &'static Kind) -> &'static Family {
    FAMILIES
        .iter()
        .find(|family| family.of == kind.name())
        .unwrap_or(&OTHER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::{ADD, MATMUL, SUM};

    #[test]
    fn a_merged_kind_has_a_name_of_its_own() {
        assert_eq!(family(&ADD).packed.name(), "add-batch");
        assert_eq!(family(&MATMUL).resident.name(), "matmul-batch-resident");
        assert_eq!(family(&MATMUL).packed.unit(), WorkUnit::MultiplyAdds);
        assert_eq!(family(&SUM).packed.name(), "elementwise-batch");
    }
}

//! The kinds of merged work. Packed items and items left on their device have separate kinds,
//! because their costs differ.

use crate::operation::{Kind, WorkUnit};
use crate::ops;

/// The merged kinds of one kind of operation.
#[derive(Debug)]
pub(crate) struct MergedKinds {
    /// Items packed into one buffer, launched once.
    pub(crate) packed: Kind,
    /// Items that are on a device already, launched one after another.
    pub(crate) resident: Kind,
}

/// The merged kinds of the operation of this name.
macro_rules! merged_kinds {
    ($name:literal, $unit:expr) => {
        $crate::batch::MergedKinds {
            packed: Kind::new(concat!($name, "-batch"), $unit),
            resident: Kind::new(concat!($name, "-batch-resident"), $unit),
        }
    };
}
pub(crate) use merged_kinds;

/// Functions from outside this crate share one model.
static OTHER: MergedKinds = merged_kinds!("elementwise", WorkUnit::Bytes);

/// The merged kinds of operations of `kind`.
pub(crate) fn family(kind: &'static Kind) -> &'static MergedKinds {
    ops::entries()
        .find(|entry| entry.kind.name() == kind.name())
        .and_then(|entry| entry.merged)
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

//! Changing fields of settings that other crates cannot write as literals.

heddle_runtime::with! {
    crate::catalytic::CatalyticSettings,
    crate::community::GirvanNewman,
    crate::community::LabelPropagation,
    crate::path::SimplePathsLimits,
    crate::structure::AnalysisLimits,
    crate::transform::TransformArguments<'_>,
}

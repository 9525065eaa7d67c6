//! The conformance cases of sweeps, for [`heddle_runtime::conformance`].

use heddle_runtime::DType;
use heddle_runtime::conformance::Case;

use super::{SWEEP, Sweep};
use crate::lattice::{Axis, Lattice};

/// Lattices of several shapes, swept from some or all of their sites.
#[must_use]
pub fn cases() -> Vec<Case> {
    let lattices: [(&str, Vec<Axis>, u64); 6] = [
        ("a line", vec![Axis::open(130)], u64::MAX),
        ("a ring with gaps", vec![Axis::periodic(200)], 9),
        (
            "a torus",
            vec![Axis::periodic(3), Axis::periodic(2), Axis::periodic(7)],
            u64::MAX,
        ),
        (
            "a mixed cube with walls",
            vec![Axis::open(9), Axis::periodic(8), Axis::open(7)],
            4,
        ),
        (
            "more than a batch of sources",
            vec![Axis::open(13), Axis::periodic(17), Axis::open(11)],
            10,
        ),
        ("a site", vec![Axis::open(1)], u64::MAX),
    ];
    let case = |(what, axes, every): (&'static str, Vec<Axis>, u64)| {
        Case::new(&SWEEP, DType::U32, what, move |trial| {
            let drawn = trial.seed(0);
            let lattice = Lattice::new(axes.iter().copied())
                .and_then(|lattice| {
                    let sites = lattice.sites();
                    let blocked = (0..sites).filter(|site| {
                        let word = (site ^ drawn).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
                        word % every == 0 && every != u64::MAX
                    });
                    lattice.with_blocked(blocked.collect::<Vec<_>>())
                })
                .map_err(|error| failure(&error))?;
            Ok(trial.check(|_| Sweep::from_all(&lattice).map_err(|error| failure(&error))))
        })
        .on_host_only()
    };
    lattices.into_iter().map(case).collect()
}

fn failure(error: &crate::Error) -> heddle_runtime::Error {
    heddle_runtime::Error::BadParameter {
        operation: SWEEP.name(),
        parameter: "lattice",
        expected: "one that can be swept",
        found: error.to_string(),
    }
}

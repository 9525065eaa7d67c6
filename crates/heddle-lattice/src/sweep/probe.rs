//! The calibration probe of sweeps.

use heddle_runtime::device::{DeviceId, ExecutionContext};
use heddle_runtime::ops::Probe;
use heddle_runtime::units::Bytes;
use heddle_runtime::{
    DType, Description, Error, Kind, Operand, Operation, Residency, ResultLocation,
};

use super::gpu::SweepLayout;
use super::{SWEEP, Sweep};
use crate::graph::Numbering;
use crate::lattice::Lattice;

/// The sides of the three-dimensional lattices that are swept from a share of their
/// sites.
const SIDES: [usize; 5] = [4, 8, 16, 32, 64];
/// The largest number of sources: with these a device is fully used.
const MAX_SOURCES: u64 = 2048;

/// Sweeps over cubes with an eighth of their sites blocked.
#[derive(Debug)]
struct SweepProbe;

/// The probes of this crate, for [`heddle_runtime::RuntimeBuilder::probe`].
#[must_use]
pub fn probes() -> Vec<Box<dyn Probe>> {
    vec![Box::new(SweepProbe)]
}

fn cube(cube: Lattice) -> Result<Lattice, crate::Error> {
    let sites = cube.sites();
    cube.with_blocked((0..sites).filter(|site| site % 8 == 5))
}

fn sources(lattice: &Lattice) -> u64 {
    lattice.free_sites().min(MAX_SOURCES)
}

impl Probe for SweepProbe {
    fn kind(&self) -> &'static Kind {
        &SWEEP
    }

    fn dtype(&self) -> DType {
        DType::U32
    }

    fn size_means(&self) -> &'static str {
        "sites along each side of a cube"
    }

    fn sizes(&self) -> Vec<usize> {
        SIDES.to_vec()
    }

    fn describe(&self, size: usize, residency: Residency) -> Description {
        // Any size may be given; one that is no valid lattice has no work.
        let Ok(lattice) = Lattice::cubic(3, size as u64) else {
            return Description::new(&SWEEP, DType::U32, 0);
        };
        let free = lattice.sites() - lattice.sites().saturating_sub(5).div_ceil(8);
        let sources = free.min(MAX_SOURCES);
        let description = Description::new(&SWEEP, DType::U32, sources * lattice.sites())
            .reads(Operand {
                bytes: Bytes(4 * sources),
                residency,
            })
            .writes(Bytes(20 * sources))
            .leaves(ResultLocation::Host);
        SweepLayout::of(&lattice, sources as usize).describe(description)
    }

    fn prepare(&self, size: usize) -> Result<Box<dyn Operation<Output = ()> + Send>, Error> {
        let refused = |error| match error {
            crate::Error::Runtime(error) => error,
            error => Error::BadParameter {
                operation: SWEEP.name(),
                parameter: "side of the cube",
                expected: "one that makes a lattice",
                found: error.to_string(),
            },
        };
        // Refused before its sites are visited.
        let whole = Lattice::cubic(3, size as u64).map_err(refused)?;
        Numbering::of(&whole, "a sweep").map_err(refused)?;
        let lattice = cube(whole).map_err(refused)?;
        let numbering = Numbering::of(&lattice, "a sweep").map_err(refused)?;
        let first = (0..sources(&lattice) as usize).filter_map(|vertex| numbering.site(vertex));
        let sites = first.collect();
        Ok(Box::new(PreparedSweep { lattice, sites }))
    }
}

struct PreparedSweep {
    lattice: Lattice,
    sites: Vec<u64>,
}

impl Operation for PreparedSweep {
    type Output = ();

    fn describe(&self) -> Description {
        match Sweep::new(&self.lattice, self.sites.iter().copied()) {
            Ok(sweep) => sweep.describe(),
            Err(_) => Description::new(&SWEEP, DType::U32, 0),
        }
    }

    fn runs_on(&self, device: DeviceId) -> bool {
        device.is_host() || device.has_kernels()
    }

    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<(), Error> {
        let sweep = Sweep::new(&self.lattice, self.sites.iter().copied());
        let mut sweep =
            sweep.map_err(|error| Error::device(context.device(), error.to_string()))?;
        sweep.run(context).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_probe_describes_what_it_prepares() {
        for size in SIDES {
            let described = SweepProbe.describe(size, Residency::Host);
            let made = SweepProbe.prepare(size).unwrap().describe();
            assert_eq!(described.work, made.work);
            assert_eq!(described.input(), made.input());
            assert_eq!(described.output, made.output);
            assert_eq!(described.scratch, made.scratch);
        }
    }
}

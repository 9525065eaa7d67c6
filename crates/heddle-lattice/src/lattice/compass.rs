//! Fast steps between neighbours, for searches that take millions of them.
//!
//! [`super::Neighbours`] divides twice per step. A search expands a whole site at a
//! time, so it computes each coordinate once, and up to 2^32 sites the division is
//! one multiplication by a reciprocal.

// A search's inner loop is the closure passed to `around`; a call that is not
// inlined costs more than the step itself.
#![allow(clippy::inline_always)]

use smallvec::SmallVec;

use super::{Lattice, Site};

/// Below this many sites a reciprocal of 64 bits divides exactly.
const NARROW_SITES: u64 = 1 << 32;

/// A step as one number: twice the axis, plus one if it goes forwards.
pub(crate) type Heading = u8;

/// The opposite step.
pub(crate) const fn back(heading: Heading) -> Heading {
    heading ^ 1
}

/// The axis of a step.
pub(crate) const fn axis_of(heading: Heading) -> usize {
    (heading / 2) as usize
}

#[derive(Clone, Copy, Debug)]
struct Needle {
    stride: u64,
    last: u64,
    /// The distance in site numbers from the first site of a line to its last.
    span: u64,
    /// 2^64 / stride, rounded up; 0 where the stride is 1.
    reciprocal: u64,
    wraps: bool,
}

/// The steps of a lattice, without regard to blocked sites.
#[derive(Clone, Debug)]
pub(crate) struct Compass {
    needles: SmallVec<[Needle; 8]>,
    narrow: bool,
}

impl Compass {
    pub(crate) fn of(lattice: &Lattice) -> Self {
        let needles = lattice
            .rails()
            .iter()
            .map(|rail| Needle {
                stride: rail.stride,
                last: rail.axis.size() - 1,
                span: (rail.axis.size() - 1) * rail.stride,
                reciprocal: if rail.stride == 1 {
                    0
                } else {
                    u64::MAX / rail.stride + 1
                },
                wraps: rail.axis.wraps(),
            })
            .collect();
        Self {
            needles,
            narrow: lattice.sites() <= NARROW_SITES,
        }
    }

    /// Calls `visit` with every site one step away, the step to it, and the
    /// coordinates before and after on the step's axis, in the order of axes,
    /// backwards before forwards.
    #[inline(always)]
    pub(crate) fn around(&self, site: Site, visit: impl FnMut(Site, Heading, u64, u64)) {
        if self.narrow {
            self.sweep(site, visit, |needle, rest| {
                if needle.reciprocal == 0 {
                    rest
                } else {
                    ((u128::from(needle.reciprocal) * u128::from(rest)) >> 64) as u64
                }
            });
        } else {
            self.sweep(site, visit, |needle, rest| rest / needle.stride);
        }
    }

    #[inline(always)]
    fn sweep(
        &self,
        site: Site,
        mut visit: impl FnMut(Site, Heading, u64, u64),
        divide: impl Fn(&Needle, u64) -> u64,
    ) {
        let mut rest = site;
        let mut heading: Heading = 0;
        for needle in &self.needles {
            let at = divide(needle, rest);
            rest -= at * needle.stride;
            if at > 0 {
                visit(site - needle.stride, heading, at, at - 1);
            } else if needle.wraps {
                visit(site + needle.span, heading, at, needle.last);
            }
            if at < needle.last {
                visit(site + needle.stride, heading + 1, at, at + 1);
            } else if needle.wraps {
                visit(site - needle.span, heading + 1, at, 0);
            }
            heading += 2;
        }
    }

    /// The heap memory used, in bytes, which depends on the number of dimensions
    /// alone.
    pub(crate) fn spilled_bytes(&self) -> usize {
        if self.needles.spilled() {
            self.needles.capacity() * size_of::<Needle>()
        } else {
            0
        }
    }

    /// The site one step away. The step must exist.
    pub(crate) fn step(&self, site: Site, heading: Heading) -> Site {
        let needle = &self.needles[axis_of(heading)];
        let at = site / needle.stride % (needle.last + 1);
        match heading % 2 == 1 {
            false if at > 0 => site - needle.stride,
            false => site + needle.span,
            true if at < needle.last => site + needle.stride,
            true => site - needle.span,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice::Axis;

    #[test]
    fn agrees_with_the_neighbours() {
        for axes in [
            vec![
                Axis::open(3),
                Axis::periodic(4),
                Axis::open(1),
                Axis::periodic(2),
            ],
            vec![Axis::periodic(1), Axis::periodic(7), Axis::open(1)],
            vec![Axis::open((1 << 20) + 3), Axis::periodic(1 << 18)],
        ] {
            let lattice = Lattice::new(axes).unwrap();
            let compass = Compass::of(&lattice);
            let last = lattice.sites() - 1;
            for site in (0..lattice.sites().min(200)).chain([last / 3, last - 1, last]) {
                let mut seen = Vec::new();
                compass.around(site, |to, heading, _, _| {
                    assert_eq!(compass.step(site, heading), to);
                    assert_eq!(compass.step(to, back(heading)), site);
                    seen.push((to, axis_of(heading)));
                });
                let expected: Vec<(Site, usize)> = lattice
                    .neighbours(site)
                    .map(|step| (step.site, step.axis))
                    .collect();
                assert_eq!(seen, expected, "site {site}");
            }
        }
    }
}

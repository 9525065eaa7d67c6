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
pub(crate) type Direction = u8;

/// The opposite step.
pub(crate) const fn back(direction: Direction) -> Direction {
    direction ^ 1
}

/// The axis of a step.
pub(crate) const fn axis_of(direction: Direction) -> usize {
    (direction / 2) as usize
}

#[derive(Clone, Copy, Debug)]
struct AxisStepper {
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
pub(crate) struct Stepper {
    axis_steppers: SmallVec<[AxisStepper; 8]>,
    narrow: bool,
}

impl Stepper {
    pub(crate) fn of(lattice: &Lattice) -> Self {
        let axis_steppers = lattice
            .strided_axes()
            .iter()
            .map(|strided_axis| AxisStepper {
                stride: strided_axis.stride,
                last: strided_axis.axis.size() - 1,
                span: (strided_axis.axis.size() - 1) * strided_axis.stride,
                reciprocal: if strided_axis.stride == 1 {
                    0
                } else {
                    u64::MAX / strided_axis.stride + 1
                },
                wraps: strided_axis.axis.wraps(),
            })
            .collect();
        Self {
            axis_steppers,
            narrow: lattice.sites() <= NARROW_SITES,
        }
    }

    /// Calls `visit` with every site one step away, the step to it, and the
    /// coordinates before and after on the step's axis, in the order of axes,
    /// backwards before forwards.
    #[inline(always)]
    pub(crate) fn around(&self, site: Site, visit: impl FnMut(Site, Direction, u64, u64)) {
        if self.narrow {
            self.sweep(site, visit, |axis_stepper, rest| {
                if axis_stepper.reciprocal == 0 {
                    rest
                } else {
                    ((u128::from(axis_stepper.reciprocal) * u128::from(rest)) >> 64) as u64
                }
            });
        } else {
            self.sweep(site, visit, |axis_stepper, rest| rest / axis_stepper.stride);
        }
    }

    #[inline(always)]
    fn sweep(
        &self,
        site: Site,
        mut visit: impl FnMut(Site, Direction, u64, u64),
        divide: impl Fn(&AxisStepper, u64) -> u64,
    ) {
        let mut rest = site;
        let mut direction: Direction = 0;
        for axis_stepper in &self.axis_steppers {
            let at = divide(axis_stepper, rest);
            rest -= at * axis_stepper.stride;
            if at > 0 {
                visit(site - axis_stepper.stride, direction, at, at - 1);
            } else if axis_stepper.wraps {
                visit(site + axis_stepper.span, direction, at, axis_stepper.last);
            }
            if at < axis_stepper.last {
                visit(site + axis_stepper.stride, direction + 1, at, at + 1);
            } else if axis_stepper.wraps {
                visit(site - axis_stepper.span, direction + 1, at, 0);
            }
            direction += 2;
        }
    }

    /// The heap memory used, in bytes, which depends on the number of dimensions
    /// alone.
    pub(crate) fn spilled_bytes(&self) -> usize {
        if self.axis_steppers.spilled() {
            self.axis_steppers.capacity() * size_of::<AxisStepper>()
        } else {
            0
        }
    }

    /// The site one step away. The step must exist.
    pub(crate) fn step(&self, site: Site, direction: Direction) -> Site {
        let axis_stepper = &self.axis_steppers[axis_of(direction)];
        let at = site / axis_stepper.stride % (axis_stepper.last + 1);
        match direction % 2 == 1 {
            false if at > 0 => site - axis_stepper.stride,
            false => site + axis_stepper.span,
            true if at < axis_stepper.last => site + axis_stepper.stride,
            true => site - axis_stepper.span,
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
            let stepper = Stepper::of(&lattice);
            let last = lattice.sites() - 1;
            for site in (0..lattice.sites().min(200)).chain([last / 3, last - 1, last]) {
                let mut seen = Vec::new();
                stepper.around(site, |to, direction, _, _| {
                    assert_eq!(stepper.step(site, direction), to);
                    assert_eq!(stepper.step(to, back(direction)), site);
                    seen.push((to, axis_of(direction)));
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

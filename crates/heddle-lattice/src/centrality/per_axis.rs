//! Values per site that combine one value per axis.

use crate::admission::admit;
use crate::error::Error;
use crate::lattice::{Lattice, StridedAxis};

/// For every site, the sum of `of(axis, coordinate)` over the axes.
pub(super) fn sum(
    lattice: &Lattice,
    of: impl Fn(&StridedAxis, u64) -> f64,
) -> Result<Vec<f64>, Error> {
    combined(lattice, 0.0, of, |one, other| one + other)
}

/// For every site, the product of `of(axis, coordinate)` over the axes.
pub(super) fn product(
    lattice: &Lattice,
    of: impl Fn(&StridedAxis, u64) -> f64,
) -> Result<Vec<f64>, Error> {
    combined(lattice, 1.0, of, |one, other| one * other)
}

/// Combines axis by axis from the last: the values of the axes behind are repeated
/// along the next.
fn combined(
    lattice: &Lattice,
    start: f64,
    of: impl Fn(&StridedAxis, u64) -> f64,
    join: impl Fn(f64, f64) -> f64,
) -> Result<Vec<f64>, Error> {
    admit("a value for each site", lattice.sites(), 8)?;
    let mut values = Vec::with_capacity(lattice.sites() as usize);
    values.push(start);
    for strided_axis in lattice.strided_axes().iter().rev() {
        let known = values.len();
        let first = of(strided_axis, 0);
        for at in 1..strided_axis.axis.size() {
            let here = of(strided_axis, at);
            for behind in 0..known {
                values.push(join(values[behind], here));
            }
        }
        for value in &mut values[..known] {
            *value = join(*value, first);
        }
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice::Axis;

    #[test]
    fn sites_are_in_order() {
        let lattice = Lattice::new([Axis::open(2), Axis::open(3), Axis::open(4)]).unwrap();
        let sites = sum(&lattice, |strided_axis, at| {
            (at * strided_axis.stride) as f64
        })
        .unwrap();
        let expected: Vec<f64> = (0..24).map(f64::from).collect();
        assert_eq!(sites, expected);
        let products = product(&lattice, |_, at| at as f64).unwrap();
        let ones = products.iter().filter(|&&product| product > 0.0);
        assert_eq!(ones.count(), 6);
    }
}

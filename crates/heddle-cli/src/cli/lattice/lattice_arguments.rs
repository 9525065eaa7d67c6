//! The options that describe the lattice, shared by all `heddle lattice` commands.

use heddle::lattice::{Axis, Lattice, Site, Weights};

use crate::cli::Failure;

#[derive(Debug, clap::Args)]
pub(super) struct LatticeArguments {
    /// Number of axes, each of --size sites.
    #[arg(long, value_name = "N", default_value_t = 2)]
    dims: usize,

    /// Sites along each axis.
    #[arg(long, value_name = "N", default_value_t = 10)]
    size: u64,

    /// Sites along each axis, one number per axis, instead of --dims and --size.
    #[arg(long, value_name = "N,N,…", value_delimiter = ',', conflicts_with_all = ["dims", "size"])]
    sizes: Option<Vec<u64>>,

    /// Make every axis periodic, or only these (numbered from 0).
    #[arg(long, value_name = "AXIS,…", value_delimiter = ',', num_args = 0..=1, require_equals = true, default_missing_value = "all")]
    periodic: Vec<String>,

    /// Block this share of the sites at random, such as 10% or 0.1.
    #[arg(long, value_name = "SHARE", value_parser = share)]
    blocked: Option<f64>,

    /// Block the site at these coordinates; may be repeated.
    #[arg(long, value_name = "X,Y,…")]
    block: Vec<SiteCoordinates>,

    /// Cost of a step along each axis, one number per axis; or `random`, for a random
    /// cost between 1 and 2 for every site.
    #[arg(long, value_name = "W,W,…", value_delimiter = ',')]
    weights: Vec<String>,

    /// Seed of all random choices.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub(super) seed: u64,
}

/// Coordinates on the command line: `3,0,5`.
#[derive(Clone, Debug)]
pub(super) struct SiteCoordinates(Vec<u64>);

impl SiteCoordinates {
    pub(super) fn coordinates(&self) -> &[u64] {
        &self.0
    }

    pub(super) fn site(&self, lattice: &Lattice) -> Result<Site, Failure> {
        Ok(lattice.site(&self.0)?)
    }
}

impl std::str::FromStr for SiteCoordinates {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        text.split(',')
            .map(|number| {
                number.trim().parse().map_err(|_| {
                    format!("{number:?} is not a coordinate; give whole numbers such as 3,0,5")
                })
            })
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

impl LatticeArguments {
    /// Returns the lattice that the options describe.
    pub(super) fn lattice(&self) -> Result<Lattice, Failure> {
        let sizes = match &self.sizes {
            Some(sizes) => sizes.clone(),
            // One more axis than the maximum is enough to be refused.
            None => vec![self.size; self.dims.min(heddle::lattice::MAX_DIMENSIONS + 1)],
        };
        let periodic = self.periodic_axes(sizes.len())?;
        let axes = sizes.iter().enumerate().map(|(axis, &size)| {
            if periodic.contains(&axis) {
                Axis::periodic(size)
            } else {
                Axis::open(size)
            }
        });
        let lattice = Lattice::new(axes)?;
        let lattice = self.with_blocked(lattice)?;
        self.with_weights(lattice)
    }

    fn periodic_axes(&self, axes: usize) -> Result<Vec<usize>, Failure> {
        if self.periodic.iter().any(|axis| axis == "all") {
            return Ok((0..axes).collect());
        }
        self.periodic
            .iter()
            .map(|text| {
                text.parse()
                    .ok()
                    .filter(|&axis| axis < axes)
                    .ok_or_else(|| Failure::Usage {
                        message: format!("--periodic: there is no axis {text:?}"),
                        hint: format!("axes are numbered from 0 to {}", axes.saturating_sub(1)),
                    })
            })
            .collect()
    }

    fn with_blocked(&self, lattice: Lattice) -> Result<Lattice, Failure> {
        let named = self
            .block
            .iter()
            .map(|place| place.site(&lattice))
            .collect::<Result<Vec<Site>, _>>()?;
        let lattice = match self.blocked {
            Some(share) => lattice.with_random_blocked(share, self.seed)?,
            None => lattice,
        };
        if named.is_empty() {
            return Ok(lattice);
        }
        let blocked = lattice.blocked().clone();
        Ok(lattice.with_blocked(blocked.iter().chain(named))?)
    }

    fn with_weights(&self, lattice: Lattice) -> Result<Lattice, Failure> {
        if self.weights.is_empty() {
            return Ok(lattice);
        }
        if self.weights.iter().any(|weight| weight == "random") {
            return Ok(lattice.with_random_weights(1.0..2.0, self.seed)?);
        }
        let weights = self
            .weights
            .iter()
            .map(|text| {
                text.trim().parse::<f64>().map_err(|_| Failure::Usage {
                    message: format!("--weights: {text:?} is not a number"),
                    hint: "give one cost per axis, such as 1,2.5, or `random`".to_owned(),
                })
            })
            .collect::<Result<Vec<f64>, _>>()?;
        Ok(lattice.with_weights(Weights::Axes(weights.into()))?)
    }
}

/// Parses a share: `0.1` or `10%`.
fn share(text: &str) -> Result<f64, String> {
    let (number, scale) = match text.strip_suffix('%') {
        Some(number) => (number, 0.01),
        None => (text, 1.0),
    };
    number
        .trim()
        .parse::<f64>()
        .ok()
        .map(|number| number * scale)
        .filter(|share| (0.0..=1.0).contains(share))
        .ok_or_else(|| "a share lies between 0 and 1, or 0% and 100%".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_fractions_or_percentages() {
        assert_eq!(share("0.25"), Ok(0.25));
        assert_eq!(share("25%"), Ok(0.25));
        for text in ["", "%", "-1", "101%", "NaN", "inf", "ten"] {
            assert!(share(text).is_err(), "{text}");
        }
    }

    #[test]
    fn coordinates_are_whole_numbers() {
        assert_eq!("3, 0,5".parse::<SiteCoordinates>().unwrap().0, [3, 0, 5]);
        assert!("3,,5".parse::<SiteCoordinates>().is_err());
        assert!("-1".parse::<SiteCoordinates>().is_err());
    }
}

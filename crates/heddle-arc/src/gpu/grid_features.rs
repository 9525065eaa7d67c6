//! By what an example is large: numbers of its grid, one of which a program's steps follow.
//!
//! Some programs go through all cells, others through objects, others through the cells
//! of one colour. Which it is, a sample shows well enough to sort by: of the time that 32
//! warps go step by step together, 42 % is work where grids are sorted by their cells, 51 %
//! where each program has the gauge that goes best with 32 examples, 58 % at the most
//! with any of these.

use crate::engine::Grid;

/// How many gauges there are.
pub(super) const GAUGES: usize = 17;
/// The gauge of a program nothing is known of.
pub(super) const CELLS: u8 = 0;

/// All gauges of a grid: cells, height, width, colours, sides between unlike cells, cells
/// that are not 0, cells that have not the most common colour, and those of each of the ten
/// colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GridFeatures([u16; GAUGES]);

/// Where the counts of colours begin.
const COLOURS: usize = 7;

impl GridFeatures {
    pub(super) fn of(grid: &Grid) -> Self {
        let (width, cells) = (grid.width(), grid.cells());
        let mut counts = [0_usize; GAUGES - COLOURS];
        let mut sides = 0;
        let mut above: &[i8] = &[];
        for row in cells.chunks(width.max(1)) {
            for cell in row {
                let place = usize::try_from(*cell).unwrap_or(usize::MAX);
                if let Some(count) = counts.get_mut(place) {
                    *count += 1;
                }
            }
            let beside = row.iter().zip(&row[1..]);
            sides += beside.filter(|(one, next)| one != next).count();
            sides += row
                .iter()
                .zip(above)
                .filter(|(one, other)| one != other)
                .count();
            above = row;
        }
        let most = counts.iter().copied().max().unwrap_or(0);
        let own = [
            cells.len(),
            grid.height(),
            width,
            counts.iter().filter(|count| **count > 0).count(),
            sides,
            cells.len() - counts[0],
            cells.len() - most,
        ];
        let mut all = own.into_iter().chain(counts);
        GridFeatures(std::array::from_fn(|_| {
            all.next()
                .map_or(0, |n| u16::try_from(n).unwrap_or(u16::MAX))
        }))
    }

    /// One of them.
    pub(super) fn get(&self, grid_features: u8) -> u16 {
        self.0.get(usize::from(grid_features)).copied().unwrap_or(0)
    }

    /// All of them on a scale on which programs that go through cells, pairs of cells
    /// and so on are straight lines.
    pub(super) fn logarithms(&self) -> [f64; GAUGES] {
        self.0.map(|n| f64::from(n).ln_1p())
    }
}

/// How the steps of a program go with each gauge, as far as it was seen.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StepFit {
    count: f64,
    steps: SeriesSums,
    grid_feature_lists: [SeriesSums; GAUGES],
}

/// Of a series of numbers: their sum, that of their squares, that of their products with
/// the steps.
#[derive(Clone, Copy, Debug, Default)]
struct SeriesSums {
    own: f64,
    squares: f64,
    products: f64,
}

impl SeriesSums {
    fn add(&mut self, value: f64, steps: f64) {
        self.own += value;
        self.squares += value * value;
        self.products += value * steps;
    }
}

impl StepFit {
    /// Takes note of an evaluation.
    pub(super) fn add(&mut self, grid_feature_lists: &[f64; GAUGES], steps: u64) {
        let steps = (steps as f64).ln_1p();
        self.count += 1.0;
        self.steps.add(steps, steps);
        for (sums, grid_features) in self.grid_feature_lists.iter_mut().zip(grid_feature_lists) {
            sums.add(*grid_features, steps);
        }
    }

    /// The gauge the steps rise with most surely.
    pub(super) fn best(&self) -> u8 {
        let mut best = (0.0, CELLS);
        for (grid_features, sums) in (0_u8..).zip(&self.grid_feature_lists) {
            let parallel_map =
                |of: &SeriesSums| (self.count * of.squares - of.own * of.own).max(0.0);
            let shared = self.count * sums.products - sums.own * self.steps.own;
            let scale = (parallel_map(sums) * parallel_map(&self.steps)).sqrt();
            let correlation = if scale > 1e-6 { shared / scale } else { 0.0 };
            if correlation > best.0 {
                best = (correlation, grid_features);
            }
        }
        best.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(rows: &[[i8; 4]]) -> Grid {
        Grid::new(rows).unwrap()
    }

    #[test]
    fn a_grid_has_the_gauges_one_counts() {
        let grid_feature_lists =
            GridFeatures::of(&grid(&[[0, 0, 3, 3], [0, 5, 3, 3], [0, 0, 0, 0]]));
        let own = [12, 3, 4, 3, 7, 5, 5];
        let colours = [7, 0, 0, 4, 0, 1, 0, 0, 0, 0];
        let all: Vec<u16> = (0..GAUGES as u8)
            .map(|grid_features| grid_feature_lists.get(grid_features))
            .collect();
        assert_eq!(all, [&own[..], &colours[..]].concat());
        // Colours beyond nine are no gauges, but cells.
        assert_eq!(GridFeatures::of(&grid(&[[11, -2, 0, 0]])).get(CELLS), 4);
    }

    #[test]
    fn the_gauge_that_steps_rise_with_is_found() {
        let grids: Vec<GridFeatures> = (0..12)
            .map(|n| {
                let rows: Vec<[i8; 4]> = (0..3 + n % 4)
                    .map(|i| [0, i8::from(i * 5 % 7 < n % 5), 4, i8::from(n > i) * 7])
                    .collect();
                GridFeatures::of(&grid(&rows))
            })
            .collect();
        for grid_features in [CELLS, COLOURS as u8 + 7, COLOURS as u8 + 1] {
            let mut fit = StepFit::default();
            for grid_feature_lists in &grids {
                let steps = u64::from(grid_feature_lists.get(grid_features)).pow(2) * 10;
                fit.add(&grid_feature_lists.logarithms(), steps);
            }
            let told: Vec<u16> = grids.iter().map(|grid| grid.get(fit.best())).collect();
            let wanted: Vec<u16> = grids.iter().map(|grid| grid.get(grid_features)).collect();
            let order = |values: &[u16]| {
                let mut places: Vec<usize> = (0..values.len()).collect();
                places.sort_by_key(|place| values[*place]);
                places
            };
            assert_eq!(order(&told), order(&wanted), "{grid_features}");
        }
        // Nothing rises with what is always the same.
        let mut fit = StepFit::default();
        for grid_feature_lists in &grids {
            fit.add(&grid_feature_lists.logarithms(), 8);
        }
        assert_eq!(fit.best(), CELLS);
        assert_eq!(StepFit::default().best(), CELLS);
    }
}

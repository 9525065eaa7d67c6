//! Consecutive measurements that contradict a curve in the same direction.
//!
//! One is an outlier. Five are a change of speed by their median.

/// The number of consecutive contradictions that overturn a well-founded curve.
pub(super) const OVERTURN_AFTER: usize = 5;

/// Ratios of measured to predicted time, all above one or all below.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Streak {
    ratios: [f32; OVERTURN_AFTER],
    length: u8,
}

impl Streak {
    /// Adds a contradiction. One in the other direction starts a new streak.
    pub(super) fn push(&mut self, ratio: f64) {
        let slower = ratio > 1.0;
        if self.length > 0 && (self.ratios[0] > 1.0) != slower {
            self.length = 0;
        }
        // Ratios beyond `f32` have no meaning and could become infinite.
        let ratio = ratio.clamp(1e-30, 1e30) as f32;
        if self.len() == OVERTURN_AFTER {
            self.ratios.rotate_left(1);
            self.length -= 1;
        }
        self.ratios[self.len()] = ratio;
        self.length += 1;
    }

    pub(super) fn len(&self) -> usize {
        usize::from(self.length)
    }

    pub(super) fn clear(&mut self) {
        self.length = 0;
    }

    /// The median ratio; of two in the middle, the one nearer to one.
    pub(super) fn median(&self) -> f64 {
        let mut ratios = self.ratios;
        let seen = &mut ratios[..self.len()];
        seen.sort_unstable_by(f32::total_cmp);
        match seen {
            [] => 1.0,
            _ if seen[0] > 1.0 => f64::from(seen[(seen.len() - 1) / 2]),
            _ => f64::from(seen[seen.len() / 2]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_starts_anew_and_the_median_ignores_the_wildest() {
        let mut streak = Streak::default();
        streak.push(0.2);
        streak.push(5.0);
        assert_eq!(streak.len(), 1);
        for ratio in [5.0, 4.0, 6.0, 1000.0] {
            streak.push(ratio);
        }
        assert_eq!(streak.len(), OVERTURN_AFTER);
        assert!((streak.median() - 5.0).abs() < 1e-6);
    }
}

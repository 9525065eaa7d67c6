//! The largest eigenvalue of a symmetric tridiagonal matrix, and its eigenvector.

/// The accuracy of the value, relative to the range of the eigenvalues.
const CLOSE: f64 = 4e-16;

/// The largest eigenvalue of the matrix with this diagonal and these off-diagonal
/// entries (one fewer), and its unit eigenvector. There must be at least one row.
pub(super) fn greatest(diagonal: &[f64], beside: &[f64]) -> (f64, Vec<f64>) {
    let (mut low, mut high) = bounds(diagonal, beside);
    let range = (high - low).max(f64::MIN_POSITIVE);
    while high - low > CLOSE * range {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            break;
        }
        if all_below(diagonal, beside, middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    // Just above the eigenvalue the matrix is definite, so elimination needs no
    // pivoting; each solve improves the vector by range over distance.
    let shift = high + CLOSE * range;
    let mut vector = vec![1.0; diagonal.len()];
    for _ in 0..4 {
        solve(diagonal, beside, shift, &mut vector);
        let norm = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
        for x in &mut vector {
            *x /= norm;
        }
    }
    (high, vector)
}

/// Bounds of all eigenvalues.
fn bounds(diagonal: &[f64], beside: &[f64]) -> (f64, f64) {
    let mut bounds = (f64::INFINITY, f64::NEG_INFINITY);
    for (row, &value) in diagonal.iter().enumerate() {
        let before = row.checked_sub(1).map_or(0.0, |at| beside[at].abs());
        let after = beside.get(row).map_or(0.0, |x| x.abs());
        bounds.0 = bounds.0.min(value - before - after);
        bounds.1 = bounds.1.max(value + before + after);
    }
    bounds
}

/// Whether no eigenvalue reaches `value`: the pivots of `value - matrix` are all
/// positive.
fn all_below(diagonal: &[f64], beside: &[f64], value: f64) -> bool {
    let mut pivot = value - diagonal[0];
    for (next, side) in diagonal[1..].iter().zip(beside) {
        if pivot <= 0.0 {
            return false;
        }
        pivot = value - next - side * side / pivot;
    }
    pivot > 0.0
}

/// Solves `(shift - matrix) x = vector` in place.
fn solve(diagonal: &[f64], beside: &[f64], shift: f64, vector: &mut [f64]) {
    let mut pivots = Vec::with_capacity(diagonal.len());
    for row in 0..diagonal.len() {
        let mut pivot = shift - diagonal[row];
        if row > 0 {
            let factor = beside[row - 1] / pivots[row - 1];
            pivot -= beside[row - 1] * factor;
            vector[row] += vector[row - 1] * factor;
        }
        // Rounding may make the last pivot zero; then it is set to the accuracy of
        // the shift.
        pivots.push(if pivot > 0.0 {
            pivot
        } else {
            f64::EPSILON * shift.abs().max(1.0)
        });
    }
    for row in (0..diagonal.len()).rev() {
        if let Some(&side) = beside.get(row) {
            vector[row] += side * vector[row + 1];
        }
        vector[row] /= pivots[row];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_its_known_pair() {
        let size = 50_usize;
        let (value, vector) = greatest(&vec![0.0; size], &vec![1.0; size - 1]);
        let angle = std::f64::consts::PI / (size + 1) as f64;
        assert!((value - 2.0 * angle.cos()).abs() < 1e-14);
        let norm = (2.0 / (size + 1) as f64).sqrt();
        for (row, &x) in vector.iter().enumerate() {
            let exact = norm * (angle * (row + 1) as f64).sin();
            assert!((x - exact).abs() < 1e-11, "{row}: {x} {exact}");
        }
    }

    #[test]
    fn one_row_is_its_own_value() {
        assert_eq!(greatest(&[3.0], &[]).1, [1.0]);
    }
}

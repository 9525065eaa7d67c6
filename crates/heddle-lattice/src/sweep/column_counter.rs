//! Counts the ones of each column of many rows of bits, all columns at once.
//!
//! A counter per column would cost a shift and an add per bit. Here bit `p` of all
//! counters is in one row, `planes[p]`, and adding a row is a few word operations
//! for all columns together; sixteen rows are first added among themselves.

/// The number of rows added at once.
const GROUP: usize = 16;

/// `W` words of columns.
pub(super) type BitRow<const W: usize> = [u64; W];

/// Bit planes: the value of a column is the sum of its bits times powers of two.
#[derive(Clone, Debug)]
pub(super) struct BitPlanes<const W: usize>(Vec<BitRow<W>>);

impl<const W: usize> BitPlanes<W> {
    pub(super) const fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds `row`, shifted up by `place` planes.
    #[inline(always)]
    fn add(&mut self, row: BitRow<W>, place: usize) {
        let mut carry = row;
        let mut plane = place;
        while carry != [0; W] {
            if plane >= self.0.len() {
                self.0.resize(plane + 1, [0; W]);
            }
            let sum = &mut self.0[plane];
            for word in 0..W {
                let both = sum[word] & carry[word];
                sum[word] ^= carry[word];
                carry[word] = both;
            }
            plane += 1;
        }
    }

    /// Adds every column of `other` to the same column here.
    #[inline(always)]
    pub(super) fn add_all(&mut self, other: &Self) {
        let mut carry = [0; W];
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), [0; W]);
        }
        for (sum, &row) in self.0.iter_mut().zip(&other.0) {
            (*sum, carry) = full_add(*sum, row, carry);
        }
        self.add(carry, other.0.len());
    }

    /// The value of one column.
    pub(super) fn column(&self, word: usize, bit: usize) -> u64 {
        self.0
            .iter()
            .enumerate()
            .map(|(plane, row)| (row[word] >> bit & 1) << plane)
            .sum()
    }
}

/// Rows not yet added to the planes.
#[derive(Clone, Debug)]
pub(super) struct ColumnCounter<const W: usize> {
    pub(super) planes: BitPlanes<W>,
    waiting: [BitRow<W>; GROUP],
    count: usize,
}

impl<const W: usize> ColumnCounter<W> {
    pub(super) const fn new() -> Self {
        Self {
            planes: BitPlanes::new(),
            waiting: [[0; W]; GROUP],
            count: 0,
        }
    }

    #[inline(always)]
    pub(super) fn add(&mut self, row: BitRow<W>) {
        self.waiting[self.count] = row;
        self.count += 1;
        if self.count == GROUP {
            self.flush();
        }
    }

    /// Adds the pending rows to the planes.
    #[inline(always)]
    pub(super) fn flush(&mut self) {
        for row in &mut self.waiting[self.count..] {
            *row = [0; W];
        }
        self.count = 0;
        let rows = &self.waiting;
        let mut sums = [[0; W]; 4];
        let mut eights = [[0; W]; 2];
        for (rows, eights) in rows.chunks_exact(8).zip(&mut eights) {
            let mut fours = [[0; W]; 2];
            for (rows, fours) in rows.chunks_exact(4).zip(&mut fours) {
                let mut twos = [[0; W]; 2];
                for (rows, twos) in rows.chunks_exact(2).zip(&mut twos) {
                    (sums[0], *twos) = full_add(sums[0], rows[0], rows[1]);
                }
                (sums[1], *fours) = full_add(sums[1], twos[0], twos[1]);
            }
            (sums[2], *eights) = full_add(sums[2], fours[0], fours[1]);
        }
        let sixteens;
        (sums[3], sixteens) = full_add(sums[3], eights[0], eights[1]);
        for (place, row) in sums.into_iter().chain([sixteens]).enumerate() {
            self.planes.add(row, place);
        }
    }
}

/// The sum and the carry of three bits, in every column.
#[inline(always)]
fn full_add<const W: usize>(a: BitRow<W>, b: BitRow<W>, c: BitRow<W>) -> (BitRow<W>, BitRow<W>) {
    let (mut sum, mut carry) = ([0; W], [0; W]);
    for word in 0..W {
        let half = a[word] ^ b[word];
        sum[word] = half ^ c[word];
        carry[word] = a[word] & b[word] | half & c[word];
    }
    (sum, carry)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_and_summed() {
        let mut column_counter = ColumnCounter::<2>::new();
        let mut expected = [0_u64; 128];
        let mut random = heddle_testing::Random::seeded(1);
        for _ in 0..1003 {
            let row = [random.word(), random.word() | 1];
            for (column, count) in expected.iter_mut().enumerate() {
                *count += row[column / 64] >> (column % 64) & 1;
            }
            column_counter.add(row);
        }
        column_counter.flush();
        let mut twice = column_counter.planes.clone();
        twice.add_all(&column_counter.planes);
        for (column, &count) in expected.iter().enumerate() {
            assert_eq!(
                column_counter.planes.column(column / 64, column % 64),
                count
            );
            assert_eq!(twice.column(column / 64, column % 64), 2 * count);
        }
        assert_eq!(expected[64], 1003);
    }
}

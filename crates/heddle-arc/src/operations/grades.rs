//! The grades of a block, in one allocation.

/// One grade for each program on each example of a block.
#[derive(Debug)]
pub struct Judgements<T> {
    examples: usize,
    /// Ordered by program, then by example.
    graded: Vec<Option<T>>,
}

impl<T> Judgements<T> {
    pub(super) fn new(programs: usize, examples: usize) -> Self {
        let mut graded = Vec::new();
        graded.resize_with(programs * examples, || None);
        Judgements { examples, graded }
    }

    /// Stores a grade; grades may come in any order.
    #[inline]
    pub(super) fn put(&mut self, program: usize, example: usize, grade: T) {
        self.graded[program * self.examples + example] = Some(grade);
    }

    /// Appends the grades of the next programs.
    pub(super) fn append(&mut self, more: Judgements<T>) {
        self.graded.extend(more.graded);
    }

    /// The grades of each program, in the order of examples.
    pub fn by_program(&self) -> impl Iterator<Item = impl Iterator<Item = &T>> {
        let of_programs = self.graded.chunks(self.examples.max(1));
        of_programs.map(|graded| graded.iter().flatten())
    }

    /// All grades, program by program, in the same memory.
    pub(crate) fn into_list(self) -> Vec<T> {
        self.graded.into_iter().flatten().collect()
    }

    /// The grades of each example, in the order of programs.
    #[must_use]
    pub fn into_rows(self) -> Vec<Vec<T>> {
        let programs = self.graded.len() / self.examples.max(1);
        let row = |_| Vec::with_capacity(programs);
        let mut rows: Vec<Vec<T>> = (0..self.examples).map(row).collect();
        let mut graded = self.graded.into_iter();
        for _ in 0..programs {
            for (row, grade) in rows.iter_mut().zip(&mut graded) {
                row.extend(grade);
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_orders_have_every_grade_once() {
        let mut all = Judgements::new(2, 3);
        let mut more = Judgements::new(1, 3);
        for example in [2, 0, 1] {
            all.put(1, example, (1, example));
            all.put(0, example, (0, example));
            more.put(0, example, (2, example));
        }
        all.append(more);
        let programs: Vec<Vec<_>> = all.by_program().map(|of| of.copied().collect()).collect();
        let expected = [0, 1, 2].map(|program| [0, 1, 2].map(|example| (program, example)));
        assert_eq!(programs, expected);
        let expected = [0, 1, 2].map(|example| [0, 1, 2].map(|program| (program, example)));
        assert_eq!(all.into_rows(), expected);
        let mut one = Judgements::new(1, 3);
        for example in [2, 0, 1] {
            one.put(0, example, example);
        }
        assert_eq!(one.into_list(), [0, 1, 2]);
    }

    #[test]
    fn no_programs_give_an_empty_row_for_each_example() {
        let none = Judgements::<()>::new(0, 2);
        assert_eq!(none.by_program().count(), 0);
        assert_eq!(none.into_rows(), [[], []]);
    }
}

//! What a launch runs and in which order, as the kernel reads it.
//!
//! A row is one program on one example. Rows are not written one by one: they are the
//! programs in order, each on a list of examples in order, and a warp that takes row `n`
//! looks up which that is. So a million rows are some thousand words, and programs may
//! share a list or each have the one that suits them.

use heddle_runtime::Array;
use heddle_runtime::units::Bytes;
use heddle_runtime::{Operand, Residency};

/// Words of a program and of an example of a list.
const WORDS: usize = 4;

/// An example of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) example: u32,
    /// The number of its first program's result, and how far apart those of the others
    /// are.
    pub(super) result: u32,
    pub(super) stride: u32,
}

/// A program on all examples of a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    /// Where it begins in the code.
    pub(super) program: u32,
    /// Among the programs that have results.
    pub(super) place: u32,
    /// The number of the list.
    pub(super) list: usize,
}

/// Programs in order, each on a list of examples.
#[derive(Clone, Debug)]
pub(super) struct Schedule {
    words: Array<u32>,
    programs: u32,
    rows: u32,
}

impl Schedule {
    /// These turns, one after the other.
    pub(super) fn new(turns: &[Turn], lists: &[Vec<Spot>]) -> Self {
        let mut first_spots = Vec::with_capacity(lists.len());
        let mut spots = 0;
        for list in lists {
            first_spots.push(spots as u32);
            spots += list.len();
        }
        let has_examples = |turn: &&Turn| !lists[turn.list].is_empty();
        let programs = turns.iter().filter(has_examples).count();
        let mut rows = 0;
        // A buffer has at least a word.
        let words = Array::filled(
            (WORDS * (programs + spots)).max(1),
            |words: &mut [u32]| {
                words.fill(0);
                let (words, _) = words.as_chunks_mut::<WORDS>();
                let (of_programs, of_spots) = words.split_at_mut(programs);
                let turns = turns.iter().filter(has_examples);
                for (words, turn) in of_programs.iter_mut().zip(turns) {
                    *words = [turn.program, rows, first_spots[turn.list], turn.place];
                    rows += lists[turn.list].len() as u32;
                }
                for (words, spot) in of_spots.iter_mut().zip(lists.iter().flatten()) {
                    *words = [spot.example, spot.result, spot.stride, 0];
                }
            },
        );
        Schedule {
            words,
            programs: programs as u32,
            rows,
        }
    }

    /// Nothing to run.
    pub(super) fn empty() -> Self {
        Schedule::new(&[], &[])
    }

    /// As the kernel reads it.
    pub(super) fn words(&self) -> &Array<u32> {
        &self.words
    }

    /// How many programs there are.
    pub(super) fn programs(&self) -> u32 {
        self.programs
    }

    /// How many rows there are.
    pub(super) fn rows(&self) -> u32 {
        self.rows
    }

    /// Where the program of each row begins, its example and its result, by the words.
    #[cfg(test)]
    pub(super) fn all_rows(&self) -> Vec<(u32, u32, u32)> {
        let words = self.words.to_vec().unwrap();
        let (words, _) = words.as_chunks::<WORDS>();
        let (programs, spots) = words.split_at(self.programs as usize);
        let row = |row: u32| {
            let after = programs.partition_point(|words| words[1] <= row);
            let [program, first_row, first_spot, place] = programs[after - 1];
            let [example, result, stride, _] = spots[(first_spot + row - first_row) as usize];
            (program, example, result + place * stride)
        };
        (0..self.rows).map(row).collect()
    }
}

/// The schedule of so many programs and examples, as an operand that does not exist yet.
pub(super) fn schedule_operand(programs: u64, examples: u64) -> Operand {
    Operand {
        bytes: Bytes(4 * WORDS as u64 * (programs + examples)),
        residency: Residency::Host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_those_of_every_program_on_its_list() {
        let spot = |example: u32| Spot {
            example,
            result: 100 * example,
            stride: 3,
        };
        let lists = [
            vec![spot(4), spot(2)],
            vec![],
            vec![spot(2), spot(4), spot(0)],
        ];
        let turn = |program, place, list| Turn {
            program,
            place,
            list,
        };
        let turns = [
            turn(70, 1, 2),
            turn(10, 0, 1),
            turn(10, 0, 0),
            turn(30, 2, 2),
        ];
        let schedule = Schedule::new(&turns, &lists);
        assert_eq!((schedule.programs(), schedule.rows()), (3, 8));
        let rows = [
            (70, 2, 203),
            (70, 4, 403),
            (70, 0, 3),
            (10, 4, 400),
            (10, 2, 200),
            (30, 2, 206),
            (30, 4, 406),
            (30, 0, 6),
        ];
        assert_eq!(schedule.all_rows(), rows);
        let none = Schedule::empty();
        assert_eq!(
            (none.programs(), none.rows(), none.words().len()),
            (0, 0, 1)
        );
    }
}

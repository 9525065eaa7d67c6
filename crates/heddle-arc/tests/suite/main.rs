//! What ARC programs promise: a module for each promise, all in one program.

mod algebra;
mod budgets_hold;
mod built_in_tasks;
mod compact_agrees_with_plain;
mod copies_are_bounded;
mod data_layouts;
mod evaluations_take_the_road;
mod fuzz;
mod golden_vectors;
mod gpu_golden;
mod gpu_names;
mod gpu_programs;
mod gpu_sets;
mod long_ones_wait;
mod plans_merge;
mod programs_load;
mod search_stays_well_typed;
mod solvers_solve;

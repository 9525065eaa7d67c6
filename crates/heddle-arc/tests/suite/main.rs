//! Integration tests of ARC programs: one module for each guarantee, in one binary.

mod bad_inputs_are_refused;
mod budgets_are_enforced;
mod built_in_tasks;
mod compact_agrees_with_plain;
mod copies_are_bounded;
mod data_loading;
mod evaluations_are_operations;
mod evolution;
mod fuzz;
mod golden_vectors;
mod gpu_golden;
mod gpu_names;
mod gpu_programs;
mod gpu_sets;
mod merged_files_run;
mod merged_plans_agree;
mod primitive_laws;
mod programs_load;
mod search_stays_well_typed;
mod slow_programs_are_deferred;
mod solvers_solve_their_tasks;
mod typed_dialect;

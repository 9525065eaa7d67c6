//! What the runtime promises: a module for each promise, all in one program.

mod a_map_in_chunks_is_the_whole_map;
mod arrays_move_only_when_needed;
mod calibration_is_not_misled;
mod config_errors_name_the_nearest_key;
mod conformance_finds_what_is_wrong;
mod memory_is_exact_under_contention;
mod memory_leaks_cry_no_wolf;
mod memory_log_can_be_replayed;
mod memory_makes_room;
mod memory_never_hands_out_what_is_in_use;
mod models_survive_bad_files;
mod nothing_is_silent_on_the_road;
mod ops_elementwise;
mod ops_matrices;
mod ops_random;
mod ops_reduce;
mod ops_xor;
mod parallel_work_really_stops;
mod route_explores_within_its_share;
mod route_finds_the_break_even;
mod route_fits_an_h200;
mod route_overrides;
mod route_predicts_sensibly;
mod route_recovers_from_a_slow_device;
mod route_stays_near_the_oracle;

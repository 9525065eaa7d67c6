//! The guarantees of the runtime: one module per guarantee, all in one program.

mod arrays_move_only_when_needed;
mod bad_model_files_are_set_aside;
mod calibration_ignores_loading_and_lost_devices;
mod chunked_map_equals_one_launch;
mod config_errors_name_the_nearest_key;
mod configuration_is_documented;
mod conformance_rejects_wrong_devices;
mod fallbacks_and_failures_are_reported;
mod memory_in_use_is_never_handed_out;
mod memory_is_exact_under_contention;
mod memory_leaks_are_distinguished_from_steady_use;
mod memory_log_can_be_replayed;
mod memory_reclaims_before_refusing;
mod ops_elementwise;
mod ops_matrices;
mod ops_random;
mod ops_reduce;
mod ops_xor;
mod parallel_work_stops_at_its_deadline;
mod route_explores_within_its_share;
mod route_finds_the_break_even;
mod route_fits_an_h200;
mod route_overrides;
mod route_predicts_sensibly;
mod route_recovers_from_a_slow_device;
mod route_stays_near_the_best_choice;

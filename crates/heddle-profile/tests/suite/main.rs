//! Integration tests of the profiler, one module per topic.

mod any_steps_give_the_expected_tree;
mod disabled_records_nothing;
mod exports_carry_any_name;
mod futures_are_recorded_whole;
mod marked_functions_are_recorded;
mod overwriting_is_counted;
mod recordings_read_back;
mod scopes_are_recorded_whole;
mod slow_clients_delay_no_scrape;
mod spans_survive_threads;
mod traces_keep_the_rules;

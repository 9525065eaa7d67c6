//! Integration tests of lattices, one module per topic.

mod analysis_equals_rustworkx;
mod catalytic_search_restores_memory;
mod distances_reach_every_site;
mod gpu_results_equal_cpu;
mod paths_are_shortest;
mod paths_equal_rustworkx;
mod pictures_show_a_slice;
mod size_limits;
mod transforms_are_operations;

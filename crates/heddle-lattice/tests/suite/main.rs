//! What lattices promise: a module for each promise, all in one program.

mod a_gpu_gives_the_same_answers;
mod answers_equal_rustworkx;
mod borrowed_memory_comes_back;
mod distances_reach_every_site;
mod edges_of_the_possible;
mod paths_are_shortest;
mod paths_equal_rustworkx;
mod pictures_show_a_slice;
mod transforms_take_the_road;

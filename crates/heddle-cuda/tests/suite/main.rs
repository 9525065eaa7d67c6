//! The guarantees of the GPU devices: a module for each, all in one program.

mod a_failing_gpu_falls_back_to_the_cpu;
mod batch_fills_several_gpus;
mod batch_queue_resolves_every_future_once;
mod batch_results_are_right_and_in_order;
mod conformance_rejects_a_gpu_that_skips_work;
mod elementwise_equals_the_cpu;
mod larger_than_memory;
mod larger_than_memory_with_resident_operands;
mod matmul_agrees_with_the_cpu;
mod memory_never_runs_out;
mod normalize_agrees_with_the_cpu;
mod nvidia_gpu;
mod ragged_xor_equals_its_reference;
mod random_equals_its_reference;
mod reduce_equals_its_reference;
mod reductions_agree_with_the_cpu;
mod simt_barriers_never_hang;
mod simt_faults;
mod simt_memory_is_guarded;
mod simt_warp_collectives_follow_ptx;
mod xor_equals_its_reference;
mod xor_equals_the_cpu;

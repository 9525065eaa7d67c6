//! What the GPU devices promise: a module for each promise, all in one program.

mod a_failing_gpu_loses_nothing;
mod batch_answers_are_right_and_in_order;
mod batch_fills_several_gpus;
mod batch_queue_resolves_every_future_once;
mod conformance_sees_a_lazy_gpu;
mod elementwise_equals_the_processor;
mod larger_than_memory;
mod larger_than_memory_wherever_operands_are;
mod matmul_agrees_with_the_processor;
mod memory_never_runs_out;
mod normalize_agrees_with_the_processor;
mod nvidia_gpu;
mod ragged_equals_its_reference;
mod random_equals_its_reference;
mod random_equals_the_processor;
mod reduce_equals_its_reference;
mod reductions_agree_with_the_processor;
mod simt_barriers_never_hang;
mod simt_faults;
mod simt_memory_is_guarded;
mod simt_warps_behave;
mod transpose_equals_the_processor;
mod xor_equals_its_reference;
mod xor_equals_the_processor;

//! An emulated GPU for tests and debugging.
//!
//! Every thread of a block is a fiber; blocks run one after another on a worker, and
//! several workers share a large grid. Barriers, warp collectives, shared memory and
//! atomics mean what they mean on a GPU. Behaviour that is undefined on a GPU is an error
//! here where it can be detected: a barrier not all threads reach, a lane that never
//! arrives at its vote, a write past a buffer, an unaligned wide access, an index outside a
//! local or shared array.
//!
//! | file | what |
//! |---|---|
//! | `device` | the device: allocation, launches, time, faults |
//! | `memory` | buffers with guard zones |
//! | `launch` | a launch checked against its kernel |
//! | `grid` | blocks to workers |
//! | `worker` | the scheduler of one block's fibers |
//! | `block`, `warp` | which threads wait for which, and when all have arrived |
//! | `device_time` | time spent in kernels and on the bus |
//! | `fiber`, `fiber_stack`, `frame` | the stack of a thread, and the interface to the kernels' C++ |

mod block;
mod device;
mod device_time;
mod failure;
mod fault;
mod fiber;
mod fiber_stack;
mod frame;
mod grid;
mod launch;
mod mapped_results;
mod memory;
mod options;
mod regions;
mod shared_memory;
mod warp;
mod worker;

pub use device::SimtDevice;
pub use fault::SimtCalls;
pub use options::{Faults, SimtOptions, SimulatedBus};

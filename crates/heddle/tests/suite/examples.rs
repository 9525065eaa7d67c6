//! Every example runs and its assertions hold.
//!
//! The examples are compiled into this test, so that running them needs no other build.

#[path = "../../examples/batch_queue.rs"]
mod batch_queue;
#[path = "../../examples/custom_operation.rs"]
mod custom_operation;
#[path = "../../examples/route_a_mixed_workload.rs"]
mod route_a_mixed_workload;

#[cfg(feature = "arc")]
#[path = "../../examples/arc_file.rs"]
mod arc_file;
#[cfg(feature = "lattice")]
#[path = "../../examples/lattices.rs"]
mod lattices;

use std::error::Error;

#[test]
fn route_a_mixed_workload_runs() -> Result<(), Box<dyn Error>> {
    Ok(route_a_mixed_workload::main()?)
}

#[test]
fn custom_operation_runs() -> Result<(), Box<dyn Error>> {
    Ok(custom_operation::main()?)
}

#[test]
fn batch_queue_runs() -> Result<(), Box<dyn Error>> {
    Ok(batch_queue::main()?)
}

#[cfg(feature = "lattice")]
#[test]
fn lattices_runs() -> Result<(), Box<dyn Error>> {
    Ok(lattices::main()?)
}

#[cfg(feature = "arc")]
#[test]
fn arc_file_runs() -> Result<(), Box<dyn Error>> {
    arc_file::main()
}

//! Lists the kernels under `kernels/`, for the devices the features name.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    heddle_kernel_build::build(&["kernels"])
}

//! Lists the kernels under `kernels/`, for the devices the features name.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut folders = vec!["kernels"];
    if std::env::var_os("CARGO_FEATURE_TRIAL").is_some() {
        folders.push("kernels/trial");
    }
    heddle_kernel_build::build(&folders)
}

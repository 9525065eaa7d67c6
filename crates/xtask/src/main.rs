//! Development tasks of this workspace:
//!
//! `cargo xtask ptx` compiles `crates/*/kernels` to PTX with NVRTC; `cargo xtask ptx
//! --check` lists the committed PTX that differs from NVRTC's output. Neither needs a GPU
//! or a CUDA toolkit.

mod error;
mod nvrtc;
mod ptx;

use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask ptx [--check]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments.as_slice() {
        ["ptx"] => ptx::write(),
        ["ptx", "--check"] => ptx::check(),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(summary) => {
            println!("{summary}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

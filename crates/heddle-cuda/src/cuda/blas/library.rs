//! Finds and loads cuBLAS.
//!
//! The toolkit is often installed outside the loader's search path. A library that was
//! loaded once by its full path is found by its plain name afterwards, so this module tries
//! the usual folders before cudarc, which only knows plain names.

#![allow(unsafe_code)]

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use cudarc::cublas::sys;
use libloading::Library;

/// The variable that names a folder with cuBLAS.
const FOLDER_VARIABLE: &str = "HEDDLE_CUDA_LIBRARIES";
/// The library names, newest first. The second library depends on the first.
const NAMES: [[&str; 2]; 2] = [
    ["libcublasLt.so.13", "libcublas.so.13"],
    ["libcublasLt.so.12", "libcublas.so.12"],
];

/// Every cuBLAS function this crate calls.
const FUNCTIONS: [&str; 11] = [
    "cublasCreate_v2",
    "cublasDestroy_v2",
    "cublasSetStream_v2",
    "cublasSetWorkspace_v2",
    "cublasSetMathMode",
    "cublasSgemm_v2",
    "cublasDgemm_v2",
    "cublasSgemmStridedBatched",
    "cublasDgemmStridedBatched",
    "cublasSgemmBatched",
    "cublasDgemmBatched",
];

/// Whether cuBLAS can be called, or the reason why not. Checked once per process.
pub(super) fn availability() -> Result<(), &'static str> {
    static AVAILABILITY: OnceLock<Result<(), String>> = OnceLock::new();
    AVAILABILITY
        .get_or_init(load)
        .as_ref()
        .map_err(String::as_str)
        .copied()
}

fn load() -> Result<(), String> {
    if !is_present() {
        folders().iter().find(|folder| preload(folder));
    }
    if !is_present() {
        return Err(format!(
            "cuBLAS was not found; {FOLDER_VARIABLE} can name its folder"
        ));
    }
    // SAFETY: the library is present, so this does not panic.
    let library = unsafe { sys::culib() };
    let missing = FUNCTIONS.iter().find(|name| {
        // SAFETY: the symbols are only looked up, not called.
        unsafe { library.get::<unsafe extern "C" fn()>(name.as_bytes()) }.is_err()
    });
    missing.map_or(Ok(()), |name| {
        Err(format!("cuBLAS is too old: it has no {name}"))
    })
}

fn is_present() -> bool {
    // SAFETY: loading the vendor's library runs its initialisers, as in every program that
    // uses it.
    unsafe { sys::is_culib_present() }
}

fn folders() -> Vec<PathBuf> {
    let toolkit = ["CUDA_HOME", "CUDA_PATH"]
        .into_iter()
        .filter_map(std::env::var_os)
        .map(PathBuf::from)
        .chain([PathBuf::from("/usr/local/cuda"), PathBuf::from("/opt/cuda")])
        .flat_map(|root| [root.join("lib64"), root.join("targets/x86_64-linux/lib")]);
    std::env::var_os(FOLDER_VARIABLE)
        .map(PathBuf::from)
        .into_iter()
        .chain(toolkit)
        .collect()
}

/// Loads one pair of libraries from the folder and never unloads it.
fn preload(folder: &Path) -> bool {
    NAMES.iter().any(|pair| {
        pair.iter().all(|name| {
            let path = folder.join(name);
            // SAFETY: as in `is_present`.
            path.exists()
                && unsafe { Library::new(path) }.is_ok_and(|library| {
                    std::mem::forget(library);
                    true
                })
        })
    })
}

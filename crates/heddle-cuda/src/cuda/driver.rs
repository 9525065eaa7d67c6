//! The driver library: whether it is installed and new enough.
//!
//! cudarc panics when the library or one of its functions is missing, so nothing else in
//! this crate may call the driver before [`start`] has succeeded.

#![allow(unsafe_code)]

use std::ffi::c_int;
use std::sync::OnceLock;

use cudarc::driver::sys::{self, CUdeviceptr, CUevent, CUresult};

use super::driver_error::{DriverError, check};
use super::stream::Event;

/// CUDA 12.1, driver 530: the first to read PTX ISA 8.1, which the kernels are written in.
const OLDEST: c_int = 12_010;

/// Every driver function this crate calls.
const FUNCTIONS: [&str; 43] = [
    "cuCtxSetCurrent",
    "cuCtxSynchronize",
    "cuDeviceGet",
    "cuDeviceGetAttribute",
    "cuDeviceGetCount",
    "cuDeviceGetName",
    "cuDeviceGetPCIBusId",
    "cuDevicePrimaryCtxRelease_v2",
    "cuDevicePrimaryCtxRetain",
    "cuDevicePrimaryCtxSetFlags_v2",
    "cuDeviceTotalMem_v2",
    "cuDriverGetVersion",
    "cuEventCreate",
    "cuEventDestroy_v2",
    "cuEventElapsedTime",
    "cuEventQuery",
    "cuEventRecord",
    "cuEventSynchronize",
    "cuFuncSetAttribute",
    "cuGraphAddKernelNode_v2",
    "cuGraphCreate",
    "cuGraphDestroy",
    "cuGraphExecDestroy",
    "cuGraphExecKernelNodeSetParams_v2",
    "cuGraphInstantiateWithFlags",
    "cuGraphLaunch",
    "cuInit",
    "cuLaunchKernel",
    "cuMemAlloc_v2",
    "cuMemFreeHost",
    "cuMemFree_v2",
    "cuMemGetInfo_v2",
    "cuMemHostAlloc",
    "cuMemcpyDtoHAsync_v2",
    "cuMemcpyHtoDAsync_v2",
    "cuMemsetD32Async",
    "cuModuleGetFunction",
    "cuModuleLoadDataEx",
    "cuModuleUnload",
    "cuStreamCreate",
    "cuStreamDestroy_v2",
    "cuStreamSynchronize",
    "cuStreamWaitEvent",
];

/// Loads and initialises the driver. Returns its CUDA version, or the reason why there is
/// none.
pub(super) fn start() -> Result<c_int, String> {
    // SAFETY: loading the vendor's library runs its initialisers, which every CUDA program
    // does at start.
    if !unsafe { sys::is_culib_present() } {
        return Err("no NVIDIA driver library (libcuda.so.1) on this machine".to_owned());
    }
    // SAFETY: the library is present, so this does not panic.
    let library = unsafe { sys::culib() };
    let missing = FUNCTIONS.iter().find(|name| {
        // SAFETY: the symbols are only looked up, not called.
        unsafe { library.get::<unsafe extern "C" fn()>(name.as_bytes()) }.is_err()
    });
    if let Some(name) = missing {
        return Err(format!("the NVIDIA driver is too old: it has no {name}"));
    }
    let mut version = 0;
    // SAFETY: the argument outlives the call.
    check("cuDriverGetVersion", unsafe {
        sys::cuDriverGetVersion(&raw mut version)
    })
    .map_err(|driver_error| driver_error.to_string())?;
    if version < OLDEST {
        return Err(format!(
            "the NVIDIA driver supports CUDA {}, but {} or newer is needed: update to driver 530 or later",
            Version(version),
            Version(OLDEST)
        ));
    }
    // SAFETY: takes no pointers.
    check("cuInit", unsafe { sys::cuInit(0) }).map_err(|driver_error| match driver_error.code {
        CUresult::CUDA_ERROR_NO_DEVICE => "the NVIDIA driver finds no GPU".to_owned(),
        CUresult::CUDA_ERROR_STUB_LIBRARY => {
            "libcuda.so is the toolkit's stub, not a driver".to_owned()
        }
        _ => driver_error.to_string(),
    })?;
    Ok(version)
}

/// A CUDA version as the driver counts it: 13000 is 13.0.
pub(super) struct Version(pub(super) c_int);

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.0 / 1000, self.0 % 1000 / 10)
    }
}

/// Allocates memory of the current context.
pub(super) fn allocate(bytes: usize) -> Result<CUdeviceptr, DriverError> {
    let mut pointer = 0;
    // SAFETY: the argument outlives the call, which fails where no context is current.
    check("cuMemAlloc", unsafe {
        sys::cuMemAlloc_v2(&raw mut pointer, bytes)
    })?;
    Ok(pointer)
}

/// The milliseconds between two events that have happened.
///
/// `cuEventElapsedTime_v2` takes a tenth of a microsecond, `cuEventElapsedTime` three;
/// drivers before 570 have only the latter, and cudarc offers only the former.
pub(super) fn elapsed_ms(start: &Event, end: &Event) -> Result<f32, DriverError> {
    type Elapsed = unsafe extern "C" fn(*mut f32, CUevent, CUevent) -> CUresult;
    static ELAPSED: OnceLock<Option<Elapsed>> = OnceLock::new();
    let function = ELAPSED.get_or_init(|| {
        let names: [&[u8]; 2] = [b"cuEventElapsedTime_v2", b"cuEventElapsedTime"];
        // SAFETY: there are events, so the library is present and this does not panic.
        let library = unsafe { sys::culib() };
        names.into_iter().find_map(|name| {
            // SAFETY: both have this signature in the CUDA driver API reference.
            let symbol = unsafe { library.get::<Elapsed>(name) };
            symbol.ok().map(|symbol| *symbol)
        })
    });
    let mut ms = 0.0;
    let code = match function {
        // SAFETY: both events live, because they are borrowed; `ms` outlives the call.
        Some(elapsed) => unsafe { elapsed(&raw mut ms, start.raw(), end.raw()) },
        None => CUresult::CUDA_ERROR_NOT_FOUND,
    };
    check("cuEventElapsedTime", code)?;
    Ok(ms)
}

/// The number of GPUs the driver makes visible to this process.
pub(super) fn device_count() -> Result<u16, DriverError> {
    let mut count = 0;
    // SAFETY: the argument outlives the call.
    check("cuDeviceGetCount", unsafe {
        sys::cuDeviceGetCount(&raw mut count)
    })?;
    Ok(u16::try_from(count).unwrap_or(0))
}

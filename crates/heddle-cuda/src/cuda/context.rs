//! One GPU's context: made current for every call to the driver, and marked when it is
//! lost.

#![allow(unsafe_code)]

use std::cell::Cell;
use std::ffi::{c_char, c_int};
use std::sync::OnceLock;
use std::{fmt, ptr};

use cudarc::driver::sys::{self, CUcontext, CUctx_flags, CUdevice, CUdevice_attribute, CUresult};
use heddle_runtime::Error;
use heddle_runtime::device::DeviceId;
use heddle_runtime::units::Bytes;

use super::driver_error::{DriverError, check};
use super::drop_failures;

/// The primary context of one GPU, retained by everything made in it.
pub(super) struct Context {
    id: DeviceId,
    device: CUdevice,
    raw: CUcontext,
    /// The fault that destroyed the context.
    lost: OnceLock<String>,
}

// SAFETY: a CUDA context may be used from any thread that makes it current, which
// `enter` does before each use.
unsafe impl Send for Context {}
// SAFETY: as above; the driver locks what it shares between threads, and the handle itself
// never changes.
unsafe impl Sync for Context {}

thread_local! {
    /// The context this module last made current on the thread.
    static CURRENT: Cell<CUcontext> = const { Cell::new(ptr::null_mut()) };
}

impl Context {
    /// Opens the GPU with this ordinal. The driver must have been started.
    pub(super) fn open(ordinal: u16) -> Result<Self, DriverError> {
        let mut device = 0;
        // SAFETY: the argument outlives the call.
        check("cuDeviceGet", unsafe {
            sys::cuDeviceGet(&raw mut device, c_int::from(ordinal))
        })?;
        // Waiting threads spin: an operation is over in microseconds, a sleeping thread
        // takes longer than that to wake.
        // SAFETY: takes no pointers.
        let flags = check("cuDevicePrimaryCtxSetFlags", unsafe {
            sys::cuDevicePrimaryCtxSetFlags_v2(device, CUctx_flags::CU_CTX_SCHED_SPIN as u32)
        });
        if let Err(driver_error) = flags
            && driver_error.code != CUresult::CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE
        {
            return Err(driver_error);
        }
        let mut raw = ptr::null_mut();
        // SAFETY: `device` came from cuDeviceGet; the argument outlives the call.
        check("cuDevicePrimaryCtxRetain", unsafe {
            sys::cuDevicePrimaryCtxRetain(&raw mut raw, device)
        })?;
        let context = Self {
            id: DeviceId::cuda(ordinal),
            device,
            raw,
            lost: OnceLock::new(),
        };
        context.make_current()?;
        Ok(context)
    }

    /// The device's identifier in the runtime.
    pub(super) fn id(&self) -> DeviceId {
        self.id
    }

    /// Fails if the context is lost.
    pub(super) fn check_alive(&self) -> Result<(), Error> {
        match self.lost.get() {
            None => Ok(()),
            Some(message) => Err(Error::DeviceLost {
                device: self.id,
                message: message.clone(),
            }),
        }
    }

    /// Makes the context current on the calling thread; fails at once if it is lost.
    pub(super) fn enter(&self) -> Result<(), Error> {
        self.check_alive()?;
        self.make_current()
            .map_err(|driver_error| self.error(driver_error))
    }

    /// Makes the context current even when lost, for clean-up.
    pub(super) fn make_current(&self) -> Result<(), DriverError> {
        // SAFETY: the context is retained until drop.
        check("cuCtxSetCurrent", unsafe { sys::cuCtxSetCurrent(self.raw) })?;
        CURRENT.set(self.raw);
        Ok(())
    }

    /// Like [`enter`](Self::enter), for a thread inside an execution on this device. The
    /// context was made current when the execution began; only an execution on another
    /// device, which also calls this function, may have changed it since.
    pub(super) fn ensure_entered(&self) -> Result<(), Error> {
        if CURRENT.get() == self.raw {
            return self.check_alive();
        }
        self.enter()
    }

    /// Waits for everything queued in the context, by any thread.
    pub(super) fn synchronize(&self) -> Result<(), Error> {
        self.enter()?;
        // SAFETY: takes no pointers; the context is current.
        self.check("cuCtxSynchronize", unsafe { sys::cuCtxSynchronize() })
    }

    /// Converts a driver call's code to a result of the runtime.
    pub(super) fn check(&self, call: &'static str, code: CUresult) -> Result<(), Error> {
        check(call, code).map_err(|driver_error| self.error(driver_error))
    }

    /// Converts a driver error to the runtime's, and remembers one that destroyed the
    /// context.
    pub(super) fn error(&self, driver_error: DriverError) -> Error {
        let device = self.id;
        if driver_error.is_sticky() {
            let message = self.lost.get_or_init(|| driver_error.to_string()).clone();
            return Error::DeviceLost { device, message };
        }
        Error::Device {
            device,
            message: driver_error.to_string(),
            source: Some(Box::new(driver_error)),
        }
    }

    /// An error of this device that no driver call reported.
    pub(super) fn refuse(&self, message: impl Into<String>) -> Error {
        Error::device(self.id, message)
    }

    /// The free and the total memory, as the driver reports them.
    pub(super) fn memory(&self) -> Result<(Bytes, Bytes), Error> {
        self.enter()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: the arguments outlive the call; the context is current.
        self.check("cuMemGetInfo", unsafe {
            sys::cuMemGetInfo_v2(&raw mut free, &raw mut total)
        })?;
        Ok((Bytes(free as u64), Bytes(total as u64)))
    }

    /// One of the device's attributes.
    pub(super) fn attribute(&self, attribute: CUdevice_attribute) -> Result<u32, DriverError> {
        let mut value = 0;
        // SAFETY: the argument outlives the call.
        check("cuDeviceGetAttribute", unsafe {
            sys::cuDeviceGetAttribute(&raw mut value, attribute, self.device)
        })?;
        Ok(u32::try_from(value).unwrap_or(0))
    }

    /// The device's name, such as "NVIDIA H200".
    pub(super) fn name(&self) -> Result<String, DriverError> {
        self.text("cuDeviceGetName", sys::cuDeviceGetName)
    }

    /// The device's PCI address, as NVML writes it.
    pub(super) fn bus_id(&self) -> Result<String, DriverError> {
        self.text("cuDeviceGetPCIBusId", sys::cuDeviceGetPCIBusId)
    }

    fn text(
        &self,
        call: &'static str,
        read: unsafe fn(*mut c_char, c_int, CUdevice) -> CUresult,
    ) -> Result<String, DriverError> {
        const CAPACITY: c_int = 256;
        let mut text = [0_u8; CAPACITY as usize];
        // SAFETY: both functions this is called with write at most as many characters as
        // they are told, and `text` holds these.
        let code = unsafe { read(text.as_mut_ptr().cast(), CAPACITY, self.device) };
        check(call, code)?;
        let characters = text.split(|character| *character == 0).next();
        Ok(String::from_utf8_lossy(characters.unwrap_or_default()).into_owned())
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: retained once in `open`; nothing made in it is left, because
        // all of it holds the context.
        drop_failures::note(check("cuDevicePrimaryCtxRelease", unsafe {
            sys::cuDevicePrimaryCtxRelease_v2(self.device)
        }));
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Context({})", self.id)
    }
}

//! The kernels a device can launch, loaded when first asked for.

#![allow(unsafe_code)]

use std::collections::HashMap;
use std::ffi::{CString, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cudarc::driver::sys::{self, CUfunction, CUfunction_attribute, CUjit_option, CUmodule};
use heddle_runtime::Error;

use super::context::Context;
use super::drops;
use super::fault::check;
use super::signature::Signature;
use crate::kernels::Image;

/// Kernels as a GPU of the compute capability given (`90` for 9.0) loads them. Those
/// of one file give the same text.
pub type KernelTable = fn(u32) -> Vec<Image>;

/// Dynamic shared memory every kernel may use without asking.
const SHARED_FREELY: u32 = 48 << 10;

/// A kernel that can be launched.
#[derive(Debug)]
pub(super) struct Kernel {
    pub(super) function: CUfunction,
    pub(super) signature: Signature,
    shared_allowed: AtomicU32,
}

// SAFETY: a function handle is a constant of its module, which lives as long as
// the table of kernels.
unsafe impl Send for Kernel {}
// SAFETY: as above.
unsafe impl Sync for Kernel {}

#[derive(Debug)]
struct Module(CUmodule);

// SAFETY: only loaded, looked up in and unloaded, each under the table's lock.
unsafe impl Send for Module {}

/// A device's kernels.
#[derive(Debug)]
pub(super) struct Kernels {
    context: Arc<Context>,
    by_name: HashMap<&'static str, (Image, OnceLock<Kernel>)>,
    /// By the address of their text.
    modules: Mutex<HashMap<usize, Module>>,
}

impl Kernels {
    pub(super) fn new(context: &Arc<Context>, table: KernelTable, capability: u32) -> Self {
        Self {
            context: Arc::clone(context),
            by_name: table(capability)
                .into_iter()
                // What the device times its launches with, whatever else it has.
                .chain(
                    crate::kernels::table(capability)
                        .into_iter()
                        .filter(|image| image.name.starts_with("stamp_")),
                )
                .map(|image| (image.name, (image, OnceLock::new())))
                .collect(),
            modules: Mutex::default(),
        }
    }

    /// The kernel with this name. The context has been entered.
    pub(super) fn get(&self, name: &'static str) -> Result<&Kernel, Error> {
        let Some((image, cell)) = self.by_name.get(name) else {
            return Err(self.context.refuse(format!("there is no kernel {name}")));
        };
        if let Some(kernel) = cell.get() {
            return Ok(kernel);
        }
        let kernel = self.load(*image)?;
        // Another thread may have been as quick; both loaded the same function.
        Ok(cell.get_or_init(|| kernel))
    }

    /// Lets a kernel use this much dynamic shared memory.
    pub(super) fn allow_shared(&self, kernel: &Kernel, bytes: u32) -> Result<(), Error> {
        if bytes <= kernel.shared_allowed.load(Ordering::Relaxed) {
            return Ok(());
        }
        // SAFETY: the function lives as long as its module, which is self's.
        self.context.check("cuFuncSetAttribute", unsafe {
            sys::cuFuncSetAttribute(
                kernel.function,
                CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                c_int::try_from(bytes).unwrap_or(c_int::MAX),
            )
        })?;
        kernel.shared_allowed.fetch_max(bytes, Ordering::Relaxed);
        Ok(())
    }

    fn load(&self, image: Image) -> Result<Kernel, Error> {
        let Image { name, ptx, .. } = image;
        let (Some(signature), Ok(c_name)) = (Signature::read(ptx, name), CString::new(name)) else {
            return Err(self.context.refuse(format!("no kernel {name} in its PTX")));
        };
        let mut modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        let address = ptx.as_ptr() as usize;
        let module = match modules.get(&address) {
            Some(module) => module.0,
            None => modules.entry(address).or_insert(self.module(image)?).0,
        };
        let mut function = ptr::null_mut();
        // SAFETY: the module is loaded, the name ends in zero, the first argument
        // outlives the call.
        self.context.check("cuModuleGetFunction", unsafe {
            sys::cuModuleGetFunction(&raw mut function, module, c_name.as_ptr())
        })?;
        Ok(Kernel {
            function,
            signature,
            shared_allowed: AtomicU32::new(SHARED_FREELY),
        })
    }

    /// The machine code, or where there is none or the driver does not take it, what
    /// the driver makes of the PTX.
    fn module(&self, image: Image) -> Result<Module, Error> {
        if let Some(code) = image.machine
            && let Ok(module) = self.load_module(code)
        {
            return Ok(module);
        }
        let text =
            CString::new(image.ptx).map_err(|_| self.context.refuse("PTX with a zero in it"))?;
        self.load_module(text.as_bytes_with_nul())
    }

    /// Machine code, which knows its own length, or PTX that ends in zero.
    fn load_module(&self, image: &[u8]) -> Result<Module, Error> {
        let mut log = vec![0_u8; 4096];
        let mut options = [
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
        ];
        // The size is passed in the pointer itself: that is the driver's convention.
        let mut values: [*mut c_void; 2] = [
            log.as_mut_ptr().cast(),
            ptr::without_provenance_mut(log.len()),
        ];
        let mut module = ptr::null_mut();
        // SAFETY: the image is whole, being embedded machine code or text that ends in
        // zero; options, values and the log they point to outlive the call and agree
        // in number.
        let code = unsafe {
            sys::cuModuleLoadDataEx(
                &raw mut module,
                image.as_ptr().cast(),
                options.len() as u32,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        check("cuModuleLoadDataEx", code).map_err(|fault| {
            if fault.is_sticky() {
                return self.context.error(fault);
            }
            let log = String::from_utf8_lossy(&log);
            let line = log.trim_matches('\0').lines().next().unwrap_or_default();
            self.context.refuse(format!("{fault}: {line}"))
        })?;
        Ok(Module(module))
    }
}

impl Drop for Kernels {
    fn drop(&mut self) {
        drops::note(self.context.make_current());
        let modules = self
            .modules
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        for (_, Module(module)) in modules.drain() {
            // SAFETY: loaded in `load_module`, unloaded once; nothing queued is left,
            // because executions wait for what they queue.
            drops::note(check("cuModuleUnload", unsafe {
                sys::cuModuleUnload(module)
            }));
        }
    }
}

//! The kernels of a device, loaded on their first launch.

#![allow(unsafe_code)]

use std::collections::HashMap;
use std::ffi::{CStr, CString, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cudarc::driver::sys::{self, CUfunction, CUfunction_attribute, CUjit_option, CUmodule};
use heddle_runtime::Error;
use heddle_runtime::device::{Kernel, KernelModule, MachineCode};

use super::context::Context;
use super::driver_error::check;
use super::drop_failures;
use super::signature::Signature;

/// Dynamic shared memory that every kernel may use without opting in.
const SHARED_FREELY: u32 = 48 << 10;
/// The number of hash buckets for loaded kernels: more than a program has kernels, so that
/// most hold one.
const LISTS: usize = 256;

/// A kernel that can be launched.
#[derive(Debug)]
pub(super) struct LoadedKernel {
    pub(super) function: CUfunction,
    pub(super) signature: Signature,
    shared_allowed: AtomicU32,
}

// SAFETY: a function handle is a constant of its module, which lives as long as the
// device's kernels.
unsafe impl Send for LoadedKernel {}
// SAFETY: as above.
unsafe impl Sync for LoadedKernel {}

#[derive(Debug)]
struct LoadedModule(CUmodule);

// SAFETY: only loaded, looked up in and unloaded, each under the lock.
unsafe impl Send for LoadedModule {}

/// A list that only grows at its end. Reading it takes no lock, because every launch reads
/// it.
type List = OnceLock<Box<Node>>;

#[derive(Debug)]
struct Node {
    kernel: &'static Kernel,
    loaded: LoadedKernel,
    next: List,
}

/// What the driver loads without being told its length.
#[derive(Clone, Copy)]
enum Image<'a> {
    /// Text that ends in zero.
    Ptx(&'a CStr),
    /// A binary that holds its own length.
    MachineCode(&'static MachineCode),
}

/// A device's kernels.
#[derive(Debug)]
pub(super) struct LoadedKernels {
    context: Arc<Context>,
    /// The compute capability: `90` for 9.0.
    capability: u32,
    /// The loaded kernels, hashed by the address of the kernel.
    lists: Box<[List]>,
    /// The loaded modules, by the address of their source.
    modules: Mutex<HashMap<usize, LoadedModule>>,
}

impl LoadedKernels {
    pub(super) fn new(context: &Arc<Context>, capability: u32) -> Self {
        Self {
            context: Arc::clone(context),
            capability,
            lists: (0..LISTS).map(|_| List::new()).collect(),
            modules: Mutex::default(),
        }
    }

    /// Returns the kernel, loaded. The context must be current.
    pub(super) fn get(&self, kernel: &'static Kernel) -> Result<&LoadedKernel, Error> {
        loop {
            if let Some(loaded) = self.find(kernel) {
                return Ok(loaded);
            }
            self.keep(kernel, self.load(kernel)?);
        }
    }

    fn list(&self, kernel: &'static Kernel) -> &List {
        // Kernels of one table lie side by side.
        let index = ptr::from_ref(kernel) as usize / size_of::<Kernel>();
        &self.lists[index % LISTS]
    }

    fn find(&self, kernel: &'static Kernel) -> Option<&LoadedKernel> {
        let mut node = self.list(kernel).get()?;
        while !ptr::eq(node.kernel, kernel) {
            node = node.next.get()?;
        }
        Some(&node.loaded)
    }

    /// Adds the kernel to its list. If another thread added the same function first, both
    /// stay and lookups return the first.
    fn keep(&self, kernel: &'static Kernel, loaded: LoadedKernel) {
        let mut list = self.list(kernel);
        let mut node = Box::new(Node {
            kernel,
            loaded,
            next: List::new(),
        });
        while let Err(rejected) = list.set(node) {
            node = rejected;
            if let Some(before) = list.get() {
                list = &before.next;
            }
        }
    }

    /// Lets a kernel use `bytes` of dynamic shared memory.
    pub(super) fn allow_shared(&self, kernel: &LoadedKernel, bytes: u32) -> Result<(), Error> {
        if bytes <= kernel.shared_allowed.load(Ordering::Relaxed) {
            return Ok(());
        }
        // SAFETY: the function lives as long as its module, which belongs to self.
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

    fn load(&self, kernel: &'static Kernel) -> Result<LoadedKernel, Error> {
        let Kernel { name, module, .. } = *kernel;
        let Some(ptx) = module.ptx_for(self.capability) else {
            return Err(self.context.refuse(format!(
                "kernel {name} has no PTX for compute capability {}.{}; its crate is built with \
                 the feature `cuda` where it has",
                self.capability / 10,
                self.capability % 10
            )));
        };
        let (Some(signature), Ok(c_name)) = (Signature::read(ptx.text, name), CString::new(name))
        else {
            return Err(self.context.refuse(format!("no kernel {name} in its PTX")));
        };
        let mut modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        let address = ptr::from_ref(module) as usize;
        let module = if let Some(module) = modules.get(&address) {
            module.0
        } else {
            let loaded = self.module(module, ptx.text)?;
            modules.entry(address).or_insert(loaded).0
        };
        let mut function = ptr::null_mut();
        // SAFETY: the module is loaded, the name ends in zero, the first argument outlives
        // the call.
        self.context.check("cuModuleGetFunction", unsafe {
            sys::cuModuleGetFunction(&raw mut function, module, c_name.as_ptr())
        })?;
        Ok(LoadedKernel {
            function,
            signature,
            shared_allowed: AtomicU32::new(SHARED_FREELY),
        })
    }

    /// Loads the machine code. Where there is none, or the driver rejects it, the driver
    /// compiles the PTX.
    fn module(&self, module: &KernelModule, ptx: &str) -> Result<LoadedModule, Error> {
        if let Some(code) = module.machine_code_for(self.capability)
            && let Ok(module) = self.load_module(Image::MachineCode(code))
        {
            return Ok(module);
        }
        let text =
            CString::new(ptx).map_err(|_| self.context.refuse("the PTX contains a zero byte"))?;
        self.load_module(Image::Ptx(&text))
    }

    fn load_module(&self, image: Image<'_>) -> Result<LoadedModule, Error> {
        let image: *const c_void = match image {
            Image::Ptx(text) => text.as_ptr().cast(),
            Image::MachineCode(code) => code.image.as_ptr().cast(),
        };
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
        // SAFETY: the image is complete: machine code that its author vouches for
        // (`Kernel::new`), or text that ends in zero. The options, the values and the log
        // they point to outlive the call and agree in number.
        let code = unsafe {
            sys::cuModuleLoadDataEx(
                &raw mut module,
                image,
                options.len() as u32,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        check("cuModuleLoadDataEx", code).map_err(|driver_error| {
            if driver_error.is_sticky() {
                return self.context.error(driver_error);
            }
            let log = String::from_utf8_lossy(&log);
            let line = log.trim_matches('\0').lines().next().unwrap_or_default();
            self.context.refuse(format!("{driver_error}: {line}"))
        })?;
        Ok(LoadedModule(module))
    }
}

impl Drop for LoadedKernels {
    fn drop(&mut self) {
        drop_failures::note(self.context.make_current());
        let modules = self
            .modules
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        for (_, LoadedModule(module)) in modules.drain() {
            // SAFETY: loaded in `load_module`, unloaded once; nothing queued is left,
            // because executions wait for what they queue.
            drop_failures::note(check("cuModuleUnload", unsafe {
                sys::cuModuleUnload(module)
            }));
        }
    }
}

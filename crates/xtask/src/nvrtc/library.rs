//! NVRTC, loaded at run time.
#![allow(unsafe_code)]

use std::ffi::{CString, c_char, c_int, c_void};
use std::path::Path;
use std::ptr;

use libloading::Library;

use super::VERSION;
use crate::error::Error;

type Program = *mut c_void;
type Version = unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int;
type Create = unsafe extern "C" fn(
    *mut Program,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> c_int;
type Compile = unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int;
type Size = unsafe extern "C" fn(Program, *mut usize) -> c_int;
type Text = unsafe extern "C" fn(Program, *mut c_char) -> c_int;
type Destroy = unsafe extern "C" fn(*mut Program) -> c_int;

/// A loaded NVRTC.
pub(crate) struct Nvrtc {
    create: Create,
    compile: Compile,
    ptx_size: Size,
    ptx: Text,
    machine_size: Size,
    machine: Text,
    log_size: Size,
    log: Text,
    destroy: Destroy,
    /// Keeps the code behind the pointers above mapped.
    _library: Library,
    /// NVRTC opens its builtins by bare name, which succeeds because this library is
    /// already loaded.
    _builtins: Library,
}

impl Nvrtc {
    /// Loads the library from `folder` and checks its version.
    pub(crate) fn load(folder: &Path) -> Result<Self, Error> {
        // SAFETY: NVIDIA's libraries; loading them runs no code of ours.
        let builtins = unsafe { Library::new(folder.join("libnvrtc-builtins.so.12.1"))? };
        // SAFETY: as above.
        let library = unsafe { Library::new(folder.join("libnvrtc.so.12"))? };
        #[allow(
            clippy::multiple_unsafe_ops_per_block,
            reason = "one argument covers all functions of the table"
        )]
        // SAFETY: the types are those of nvrtc.h of CUDA 12, for every function and the
        // version.
        let nvrtc = unsafe {
            check_version(*library.get(b"nvrtcVersion\0")?, folder)?;
            Self {
                create: *library.get(b"nvrtcCreateProgram\0")?,
                compile: *library.get(b"nvrtcCompileProgram\0")?,
                ptx_size: *library.get(b"nvrtcGetPTXSize\0")?,
                ptx: *library.get(b"nvrtcGetPTX\0")?,
                machine_size: *library.get(b"nvrtcGetCUBINSize\0")?,
                machine: *library.get(b"nvrtcGetCUBIN\0")?,
                log_size: *library.get(b"nvrtcGetProgramLogSize\0")?,
                log: *library.get(b"nvrtcGetProgramLog\0")?,
                destroy: *library.get(b"nvrtcDestroyProgram\0")?,
                _library: library,
                _builtins: builtins,
            }
        };
        Ok(nvrtc)
    }

    /// Compiles one source to PTX for one virtual architecture.
    pub(crate) fn compile(&self, file: &str, text: &str, target: u32) -> Result<String, Error> {
        let architecture = format!("compute_{target}");
        let bytes = self.build(file, text, &architecture, (self.ptx_size, self.ptx))?;
        Ok(as_text(bytes))
    }

    /// Compiles one source to machine code for one GPU.
    pub(crate) fn machine(&self, file: &str, text: &str, target: u32) -> Result<Vec<u8>, Error> {
        let result = (self.machine_size, self.machine);
        self.build(file, text, &format!("sm_{target}"), result)
    }

    fn build(
        &self,
        file: &str,
        text: &str,
        architecture: &str,
        (size, result): (Size, Text),
    ) -> Result<Vec<u8>, Error> {
        let name = c_string(&format!("{file}.cu"));
        let text = c_string(text);
        let options: [CString; 3] = [
            c_string(&format!("--gpu-architecture={architecture}")),
            c_string("--std=c++14"),
            // Masks are words of 128 bits.
            c_string("--device-int128"),
        ];
        let options = options.each_ref().map(|option| option.as_ptr());
        let mut program: Program = ptr::null_mut();
        // SAFETY: both strings end in a zero and outlive the call, which copies them; there
        // are no headers, so their two arrays may be null.
        let status = unsafe {
            (self.create)(
                &raw mut program,
                text.as_ptr(),
                name.as_ptr(),
                0,
                ptr::null(),
                ptr::null(),
            )
        };
        succeeded("nvrtcCreateProgram", status)?;
        // SAFETY: the program was created above; the three options outlive the call.
        let status = unsafe { (self.compile)(program, 3, options.as_ptr()) };
        let outcome = if status == 0 {
            // SAFETY: the program was created above and compiled.
            unsafe { read(program, size, result) }
        } else {
            // SAFETY: as above; there is a log of what failed too.
            unsafe { read(program, self.log_size, self.log) }.and_then(|log| {
                Err(Error::Compile {
                    file: file.to_owned(),
                    target: architecture.to_owned(),
                    log: as_text(log),
                })
            })
        };
        // SAFETY: created above, not used after.
        unsafe { (self.destroy)(&raw mut program) };
        outcome
    }
}

/// Reads an output of the program: its size first, then its bytes.
///
/// # Safety
/// `program` was created and not destroyed; the two functions read the same output.
unsafe fn read(program: Program, size: Size, text: Text) -> Result<Vec<u8>, Error> {
    let mut bytes = 0;
    // SAFETY: the caller's promise; the call writes one size.
    succeeded("reading a size", unsafe { size(program, &raw mut bytes) })?;
    let mut buffer = vec![0_u8; bytes];
    // SAFETY: the caller's promise; the buffer has the size that was just returned.
    let status = unsafe { text(program, buffer.as_mut_ptr().cast()) };
    succeeded("reading a result", status)?;
    Ok(buffer)
}

/// The text without its trailing zeros.
fn as_text(mut bytes: Vec<u8>) -> String {
    while bytes.last() == Some(&0) {
        bytes.pop();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// # Safety
/// `version` is NVRTC's own function.
unsafe fn check_version(version: Version, folder: &Path) -> Result<(), Error> {
    let (mut major, mut minor) = (0, 0);
    // SAFETY: the caller's promise; it writes two integers.
    let status = unsafe { version(&raw mut major, &raw mut minor) };
    succeeded("nvrtcVersion", status)?;
    if (major, minor) == VERSION {
        return Ok(());
    }
    Err(Error::Version {
        folder: folder.to_owned(),
        found: format!("{major}.{minor}"),
        wanted: format!("{}.{}", VERSION.0, VERSION.1),
    })
}

fn succeeded(call: &'static str, status: c_int) -> Result<(), Error> {
    match status {
        0 => Ok(()),
        status => Err(Error::Nvrtc { call, status }),
    }
}

/// The text up to its first zero byte, which no source has.
fn c_string(text: &str) -> CString {
    CString::new(text.split('\0').next().unwrap_or_default()).unwrap_or_default()
}

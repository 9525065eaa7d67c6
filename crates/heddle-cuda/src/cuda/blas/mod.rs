//! Matrix products by cuBLAS, where it can be loaded.
//!
//! cuBLAS is column-major. A row-major matrix read that way is its transpose, and `(A·B)ᵀ =
//! Bᵀ·Aᵀ`, so the operands are swapped and nothing is copied.

#![allow(unsafe_code)]

mod gemm;
mod library;

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use cudarc::cublas::sys::{self, cublasHandle_t, cublasMath_t, cublasStatus_t};
use cudarc::driver::sys::{CUdeviceptr, cuMemFree_v2};
use heddle_runtime::Error;
use heddle_runtime::device::{DeviceMemory, MatMulCall, MatMulOperand};
use heddle_runtime::units::Bytes;

use gemm::Gemm;

use super::context::Context;
use super::driver;
use super::driver_error::check;
use super::drop_failures;
use super::lease::StreamLease;
use super::memory::CudaMemory;
use super::state::CudaState;

/// The library's name in reports.
const NAME: &str = "cublas";
/// The workspace in bytes: NVIDIA's recommendation for Hopper, enough for every older GPU.
const WORKSPACE: usize = 32 << 20;

/// A cuBLAS handle for one stream, with a workspace of its own.
#[derive(Debug)]
pub(super) struct Blas {
    context: Arc<Context>,
    raw: cublasHandle_t,
    /// The workspace; 0 when memory was short, and cuBLAS then uses its own.
    workspace: CUdeviceptr,
    uses_tf32: bool,
}

// SAFETY: one thread at a time may use a handle; it lies behind the lock of its lease.
unsafe impl Send for Blas {}

/// Queues the product on the calling thread's lease. Returns None when there is no cuBLAS
/// or it does not support the product.
pub(super) fn matmul(
    state: &Arc<CudaState>,
    call: &MatMulCall<'_>,
) -> Result<Option<&'static str>, Error> {
    call.validate()?;
    let operands = [
        buffers(state, &call.a)?,
        buffers(state, &call.b)?,
        buffers(state, &call.c)?,
    ];
    if call.m == 0 || call.n == 0 || call.batch == 0 {
        return Ok(Some(NAME));
    }
    let Some(gemm) = Gemm::of(call) else {
        return Ok(None);
    };
    if state.no_blas.get().is_some() {
        return Ok(None);
    }
    let tables = if gemm.by_table() {
        Some(tables(state, call, &operands)?)
    } else {
        None
    };
    state.on_lease(|lease, resources| {
        if resources.blas.is_none() {
            match Blas::new(&state.context, lease) {
                Ok(blas) => resources.blas = Some(blas),
                Err(why) => {
                    state.no_blas.get_or_init(|| why);
                    return Ok(None);
                }
            }
        }
        let Some(blas) = &mut resources.blas else {
            return Ok(None);
        };
        blas.set_tf32(state.tf32.load(Ordering::Relaxed))?;
        for memory in operands.iter().flatten().copied().chain(&tables) {
            memory.join(lease)?;
        }
        resources.kernel_timer.kernel_begins(&lease.stream)?;
        state.note_queued_work(lease);
        let pointers = match &tables {
            None => [0, 1, 2].map(|operand: usize| operands[operand][0].pointer()),
            Some(tables) => {
                let step = (call.batch * size_of::<CUdeviceptr>()) as CUdeviceptr;
                [0, 1, 2].map(|operand| tables.pointer() + operand * step)
            }
        };
        // SAFETY: `validate` checked that every matrix lies within its buffer; neither the
        // buffers nor the tables are reused before the lease is synchronized.
        let status = unsafe { gemm.queue(blas.raw, pointers) };
        check_status(&state.context, "gemm", status)?;
        Ok(Some(NAME))
    })
}

fn buffers<'a>(
    state: &CudaState,
    operand: &MatMulOperand<'a>,
) -> Result<Vec<&'a CudaMemory>, Error> {
    let buffers = operand.buffers().iter();
    buffers
        .map(|&buffer| CudaMemory::of(state, buffer))
        .collect()
}

/// The device addresses of every matrix of `a`, then of `b`, then of `c`.
fn tables(
    state: &Arc<CudaState>,
    call: &MatMulCall<'_>,
    operands: &[Vec<&CudaMemory>; 3],
) -> Result<CudaMemory, Error> {
    let mut addresses: Vec<CUdeviceptr> = Vec::with_capacity(3 * call.batch);
    for (operand, buffers) in [&call.a, &call.b, &call.c].into_iter().zip(operands) {
        match operand {
            MatMulOperand::Each(_) => {
                addresses.extend(buffers.iter().map(|buffer| buffer.pointer()));
            }
            MatMulOperand::Strided { stride, .. } => {
                let step = (stride * call.dtype.size()) as CUdeviceptr;
                let first = buffers[0].pointer();
                addresses.extend((0..call.batch as CUdeviceptr).map(|index| first + index * step));
            }
        }
    }
    let bytes: Vec<u8> = addresses
        .iter()
        .flat_map(|address| address.to_ne_bytes())
        .collect();
    let table = CudaMemory::new(state, Bytes(bytes.len() as u64))?;
    table.upload(&bytes)?;
    Ok(table)
}

impl Blas {
    fn new(context: &Arc<Context>, lease: &StreamLease) -> Result<Self, String> {
        library::availability()?;
        let mut raw = std::ptr::null_mut();
        // SAFETY: the argument outlives the call; the context is current.
        let status = unsafe { sys::cublasCreate_v2(&raw mut raw) };
        if status != cublasStatus_t::CUBLAS_STATUS_SUCCESS {
            return Err(format!("cuBLAS cannot create a handle: {status:?}"));
        }
        let mut blas = Self {
            context: Arc::clone(context),
            raw,
            workspace: 0,
            uses_tf32: false,
        };
        // SAFETY: handle and stream live; cuBLAS's stream type is the driver's.
        let status = unsafe { sys::cublasSetStream_v2(raw, lease.stream.raw().cast()) };
        if status != cublasStatus_t::CUBLAS_STATUS_SUCCESS {
            return Err(format!("cuBLAS rejected the stream: {status:?}"));
        }
        blas.add_workspace();
        Ok(blas)
    }

    /// Gives the handle a workspace of its own, so that handles never wait for each other.
    fn add_workspace(&mut self) {
        let Ok(pointer) = driver::allocate(WORKSPACE) else {
            return;
        };
        self.workspace = pointer;
        // SAFETY: the memory is of this size and freed after the handle.
        let status =
            unsafe { sys::cublasSetWorkspace_v2(self.raw, pointer as *mut c_void, WORKSPACE) };
        if status != cublasStatus_t::CUBLAS_STATUS_SUCCESS {
            drop_failures::note_message(format!("cublasSetWorkspace: {status:?}"));
        }
    }

    fn set_tf32(&mut self, wanted: bool) -> Result<(), Error> {
        if wanted == self.uses_tf32 {
            return Ok(());
        }
        let mode = if wanted {
            cublasMath_t::CUBLAS_TF32_TENSOR_OP_MATH
        } else {
            cublasMath_t::CUBLAS_DEFAULT_MATH
        };
        // SAFETY: the handle lives.
        let status = unsafe { sys::cublasSetMathMode(self.raw, mode) };
        check_status(&self.context, "set math mode", status)?;
        self.uses_tf32 = wanted;
        Ok(())
    }
}

impl Drop for Blas {
    fn drop(&mut self) {
        drop_failures::note(self.context.make_current());
        // SAFETY: created in `new`, destroyed once.
        let status = unsafe { sys::cublasDestroy_v2(self.raw) };
        if status != cublasStatus_t::CUBLAS_STATUS_SUCCESS {
            drop_failures::note_message(format!("cublasDestroy: {status:?}"));
        }
        if self.workspace != 0 {
            // SAFETY: allocated in `add_workspace`, freed once, after the handle.
            drop_failures::note(check("cuMemFree", unsafe { cuMemFree_v2(self.workspace) }));
        }
    }
}

fn check_status(
    context: &Context,
    call: &'static str,
    status: cublasStatus_t,
) -> Result<(), Error> {
    if status == cublasStatus_t::CUBLAS_STATUS_SUCCESS {
        return Ok(());
    }
    Err(context.refuse(format!("cuBLAS {call}: {status:?}")))
}

//! One product in cuBLAS's terms.

#![allow(unsafe_code)]

use std::ffi::{c_int, c_longlong};

use cudarc::cublas::sys::{self, cublasHandle_t, cublasOperation_t, cublasStatus_t};
use cudarc::driver::sys::CUdeviceptr;
use heddle_runtime::DType;
use heddle_runtime::device::MatMulCall;

/// Row-major sizes that fit cuBLAS's integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gemm {
    is_double: bool,
    m: c_int,
    n: c_int,
    k: c_int,
    batch: c_int,
    stride_a: c_longlong,
    stride_b: c_longlong,
    stride_c: c_longlong,
}

impl Gemm {
    /// The call in these terms; None where an extent or the type is beyond them.
    pub(super) fn of(call: &MatMulCall<'_>) -> Option<Self> {
        let is_double = match call.dtype {
            DType::F32 => false,
            DType::F64 => true,
            DType::U8 | DType::I32 | DType::U32 => return None,
        };
        // One right operand for dense left ones is a single, taller product.
        let is_one = call.b.stride == 0
            && call.a.stride == call.m * call.k
            && call.c.stride == call.m * call.n;
        let (m, batch) = if is_one {
            (call.m.checked_mul(call.batch)?, 1)
        } else {
            (call.m, call.batch)
        };
        Some(Self {
            is_double,
            m: m.try_into().ok()?,
            n: call.n.try_into().ok()?,
            k: call.k.try_into().ok()?,
            batch: batch.try_into().ok()?,
            stride_a: call.a.stride.try_into().ok()?,
            stride_b: call.b.stride.try_into().ok()?,
            stride_c: call.c.stride.try_into().ok()?,
        })
    }

    /// Queues the product on the handle's stream.
    ///
    /// # Safety
    /// The pointers are device memory that holds all matrices of the call, until
    /// the stream has passed it.
    pub(super) unsafe fn queue(
        &self,
        handle: cublasHandle_t,
        a: CUdeviceptr,
        b: CUdeviceptr,
        c: CUdeviceptr,
    ) -> cublasStatus_t {
        // SAFETY: the caller's promise, for the type the call names.
        unsafe {
            if self.is_double {
                self.queue_f64(handle, a as *const f64, b as *const f64, c as *mut f64)
            } else {
                self.queue_f32(handle, a as *const f32, b as *const f32, c as *mut f32)
            }
        }
    }

    unsafe fn queue_f32(
        &self,
        handle: cublasHandle_t,
        a: *const f32,
        b: *const f32,
        c: *mut f32,
    ) -> cublasStatus_t {
        let Self { m, n, k, batch, .. } = *self;
        let (op, one, zero) = (cublasOperation_t::CUBLAS_OP_N, 1.0, 0.0);
        let (lda, ldb) = (k.max(1), n);
        // SAFETY: as `queue`; the scalars are read before the call returns.
        unsafe {
            if batch == 1 {
                return sys::cublasSgemm_v2(
                    handle,
                    op,
                    op,
                    n,
                    m,
                    k,
                    &raw const one,
                    b,
                    ldb,
                    a,
                    lda,
                    &raw const zero,
                    c,
                    n,
                );
            }
            sys::cublasSgemmStridedBatched(
                handle,
                op,
                op,
                n,
                m,
                k,
                &raw const one,
                b,
                ldb,
                self.stride_b,
                a,
                lda,
                self.stride_a,
                &raw const zero,
                c,
                n,
                self.stride_c,
                batch,
            )
        }
    }

    unsafe fn queue_f64(
        &self,
        handle: cublasHandle_t,
        a: *const f64,
        b: *const f64,
        c: *mut f64,
    ) -> cublasStatus_t {
        let Self { m, n, k, batch, .. } = *self;
        let (op, one, zero) = (cublasOperation_t::CUBLAS_OP_N, 1.0, 0.0);
        let (lda, ldb) = (k.max(1), n);
        // SAFETY: as `queue`; the scalars are read before the call returns.
        unsafe {
            if batch == 1 {
                return sys::cublasDgemm_v2(
                    handle,
                    op,
                    op,
                    n,
                    m,
                    k,
                    &raw const one,
                    b,
                    ldb,
                    a,
                    lda,
                    &raw const zero,
                    c,
                    n,
                );
            }
            sys::cublasDgemmStridedBatched(
                handle,
                op,
                op,
                n,
                m,
                k,
                &raw const one,
                b,
                ldb,
                self.stride_b,
                a,
                lda,
                self.stride_a,
                &raw const zero,
                c,
                n,
                self.stride_c,
                batch,
            )
        }
    }
}

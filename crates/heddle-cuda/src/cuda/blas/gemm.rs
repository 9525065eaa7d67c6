//! One matrix product as arguments of a cuBLAS call.

#![allow(unsafe_code)]

use std::ffi::{c_int, c_longlong};

use cudarc::cublas::sys::{self, cublasHandle_t, cublasOperation_t, cublasStatus_t};
use cudarc::driver::sys::CUdeviceptr;
use heddle_runtime::DType;
use heddle_runtime::device::{MatMulCall, MatMulOperand};

/// The sizes of a row-major product, as integers of cuBLAS's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gemm {
    is_double: bool,
    m: c_int,
    n: c_int,
    k: c_int,
    batch: c_int,
    addressing: MatrixAddressing,
}

/// How cuBLAS finds the matrices of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MatrixAddressing {
    /// At these distances, in elements, between the matrices of `a`, `b` and `c`.
    Strided([c_longlong; 3]),
    /// By a table of addresses for each operand.
    Table,
}

impl Gemm {
    /// Converts the call; None where an extent or the type is not supported by cuBLAS.
    pub(super) fn of(call: &MatMulCall<'_>) -> Option<Self> {
        let is_double = match call.dtype {
            DType::F32 => false,
            DType::F64 => true,
            _ => return None,
        };
        let (mut m, mut batch) = (call.m, call.batch);
        let addressing = match strides(call) {
            None => MatrixAddressing::Table,
            Some([a, b, c]) => {
                // One right operand for dense left ones is a single, taller product.
                if b == 0 && a == call.m * call.k && c == call.m * call.n {
                    (m, batch) = (call.m.checked_mul(call.batch)?, 1);
                }
                let fitting = |stride: usize| stride.try_into().ok();
                MatrixAddressing::Strided([fitting(a)?, fitting(b)?, fitting(c)?])
            }
        };
        Some(Self {
            is_double,
            m: m.try_into().ok()?,
            n: call.n.try_into().ok()?,
            k: call.k.try_into().ok()?,
            batch: batch.try_into().ok()?,
            addressing,
        })
    }

    /// Whether tables of addresses give the operands.
    pub(super) fn by_table(&self) -> bool {
        self.addressing == MatrixAddressing::Table
    }

    /// Queues the products on the handle's stream.
    ///
    /// # Safety
    /// The pointers are device memory that holds all matrices of the call or, where
    /// `by_table` is true, tables of the addresses of such memory. It stays valid until the
    /// stream has passed the call.
    pub(super) unsafe fn queue(
        &self,
        handle: cublasHandle_t,
        [a, b, c]: [CUdeviceptr; 3],
    ) -> cublasStatus_t {
        let queue = if self.is_double {
            Self::queue_f64
        } else {
            Self::queue_f32
        };
        // SAFETY: the caller's promise, for the type the call names.
        unsafe { queue(self, handle, [a, b, c]) }
    }
}

/// The distance in elements between consecutive matrices of `a`, `b` and `c`; None where
/// the distances are not constant.
fn strides(call: &MatMulCall<'_>) -> Option<[usize; 3]> {
    let of = |operand: &MatMulOperand<'_>| match *operand {
        MatMulOperand::Strided { stride, .. } => Some(stride),
        MatMulOperand::Each(_) => None,
    };
    Some([of(&call.a)?, of(&call.b)?, of(&call.c)?])
}

/// Implements the calls for one element type. `(A·B)ᵀ = Bᵀ·Aᵀ`: the operands are swapped.
macro_rules! queues {
    ($name:ident, $element:ty, $one:path, $strided:path, $table:path) => {
        impl Gemm {
            /// # Safety
            /// As [`Gemm::queue`], for matrices of this element type.
            unsafe fn $name(
                &self,
                handle: cublasHandle_t,
                [a, b, c]: [CUdeviceptr; 3],
            ) -> cublasStatus_t {
                let Self { m, n, k, batch, .. } = *self;
                let op = cublasOperation_t::CUBLAS_OP_N;
                let (one, zero): ($element, $element) = (1.0, 0.0);
                let (alpha, beta) = (&raw const one, &raw const zero);
                let (lda, ldb, ldc) = (k.max(1), n, n);
                let [left, right] = [a as *const $element, b as *const $element];
                let out = c as *mut $element;
                match self.addressing {
                    // SAFETY: the caller's promise; the scalars are read before the call
                    // returns.
                    MatrixAddressing::Strided(_) if batch == 1 => unsafe {
                        $one(
                            handle, op, op, n, m, k, alpha, right, ldb, left, lda, beta, out, ldc,
                        )
                    },
                    // SAFETY: as above.
                    MatrixAddressing::Strided([a, b, c]) => unsafe {
                        $strided(
                            handle, op, op, n, m, k, alpha, right, ldb, b, left, lda, a, beta, out,
                            ldc, c, batch,
                        )
                    },
                    // SAFETY: as above; here the addresses are those of tables.
                    MatrixAddressing::Table => unsafe {
                        $table(
                            handle,
                            op,
                            op,
                            n,
                            m,
                            k,
                            alpha,
                            b as *const *const $element,
                            ldb,
                            a as *const *const $element,
                            lda,
                            beta,
                            c as *const *mut $element,
                            ldc,
                            batch,
                        )
                    },
                }
            }
        }
    };
}

queues!(
    queue_f32,
    f32,
    sys::cublasSgemm_v2,
    sys::cublasSgemmStridedBatched,
    sys::cublasSgemmBatched
);
queues!(
    queue_f64,
    f64,
    sys::cublasDgemm_v2,
    sys::cublasDgemmStridedBatched,
    sys::cublasDgemmBatched
);

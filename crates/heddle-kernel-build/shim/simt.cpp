// The running thread, and the handlers that the compiler's checks call.
//
// Every crate's library of kernels contains this file; the weak symbols are merged in a
// program that links several.
//
// Kernels are compiled with -fsanitize for errors that a GPU faults on or computes
// differently: misaligned accesses, indices outside an array of known size, shifts by the
// width or more, division by zero. The checks report here instead of to a sanitizer's
// runtime, so such an error in a kernel becomes a named error.

#include "simt.h"

__attribute__((weak)) __thread simt_thread *simt_now = nullptr;

extern "C" __attribute__((weak)) void simt_set_now(simt_thread *thread) { simt_now = thread; }

// The head of every static record that the compiler passes to a handler.
struct simt_location {
    const char *file;
    unsigned line, column;
};

#define SIMT_CHECK __attribute__((weak)) void

static void fault(const simt_location *at, const char *what) {
    if (simt_now != nullptr) {
        simt_now->calls->fault(simt_now, what, at->file, at->line);
    }
}

extern "C" {
SIMT_CHECK __ubsan_handle_type_mismatch_v1(const simt_location *at, void *pointer) {
    fault(at, pointer == nullptr ? "access through a null pointer" : "misaligned access");
}
SIMT_CHECK __ubsan_handle_out_of_bounds(const simt_location *at, void *) {
    fault(at, "index outside an array");
}
SIMT_CHECK __ubsan_handle_shift_out_of_bounds(const simt_location *at, void *, void *) {
    fault(at, "shift by the width of its operand or more");
}
SIMT_CHECK __ubsan_handle_divrem_overflow(const simt_location *at, void *, void *) {
    fault(at, "division by zero, or of the least integer by -1");
}
}

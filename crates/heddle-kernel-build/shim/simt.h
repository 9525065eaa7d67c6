// CUDA C++ for the host compiler: the names a kernel uses, over the emulated GPU.
//
// Threads of a block are fibers of one operating-system thread. Everything that makes a
// thread wait goes through `simt_calls` into the scheduler (heddle-cuda/src/simt); the rest
// is arithmetic in the headers included below.
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#define __global__
#define __device__
#define __host__
#define __constant__ static
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))

#include "vectors.h"

struct simt_thread;

// Mirrors `HostCalls` in heddle-cuda/src/simt/frame.rs.
struct simt_calls {
    unsigned (*barrier)(simt_thread *, unsigned kind, unsigned line, unsigned value);
    unsigned long long (*warp)(simt_thread *, unsigned kind, unsigned line, unsigned mask,
                               unsigned long long value, unsigned source);
    void *(*shared)(simt_thread *, const void *key, unsigned long long bytes);
    void *(*dynamic_shared)(simt_thread *);
    void (*pause)(simt_thread *);
    void (*fault)(simt_thread *, const char *what, const char *file, unsigned line);
};

// Mirrors `ThreadFrame` in heddle-cuda/src/simt/frame.rs.
struct simt_thread {
    uint3 thread, block;
    uint3 block_size, grid_size;
    unsigned lane;
    unsigned fuel;
    const simt_calls *calls;
    const void *worker;
};

// The running thread. `__thread`, not `thread_local`: the latter costs a call per use for
// initialisers that do not exist.
extern "C" __thread simt_thread *simt_now;

#define threadIdx (simt_now->thread)
#define blockIdx (simt_now->block)
#define blockDim (simt_now->block_size)
#define gridDim (simt_now->grid_size)
static const int warpSize = 32;

// The functions that src/shared.rs turns `__shared__` declarations into.
static inline void *simt_shared(const void *key, unsigned long long bytes) {
    return simt_now->calls->shared(simt_now, key, bytes);
}
static inline void *simt_dynamic_shared() { return simt_now->calls->dynamic_shared(simt_now); }

#include "arithmetic.h"
#include "atomics.h"
#include "collectives.h"

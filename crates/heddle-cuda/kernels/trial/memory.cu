// Trials of atomics and of accesses that must not go unseen.

// Every atomic, all threads of the grid on the same cells.
extern "C" __global__ void trial_atomics(int *ints, unsigned *words, unsigned long long *longs,
                                         float *floats, double *doubles) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&ints[0], 1);
    atomicMin(&ints[1], -(int)i);
    atomicMax(&ints[2], (int)i);
    atomicAdd(&words[0], i);
    atomicOr(&words[1], 1u << (i % 32));
    atomicAnd(&words[2], ~(1u << (i % 32)));
    atomicMax(&words[3], i);
    atomicMin(&words[4], i);
    atomicAdd(&longs[0], 1ull << 32);
    atomicMax(&longs[1], (unsigned long long)i << 20);
    atomicAdd(&floats[0], 1.0f);
    atomicAdd(&doubles[0], 0.5);
    unsigned seen = words[5];
    unsigned expected;
    do {
        expected = seen;
        seen = atomicCAS(&words[5], expected, expected + 2);
    } while (seen != expected);
    atomicExch(&words[6], 9u);
}

// Writes one byte at `at`, wherever that is.
extern "C" __global__ void trial_stray_write(unsigned char *out, int at) { out[at] = 1; }

// Writes 16 bytes at byte `at`.
extern "C" __global__ void trial_wide_write(unsigned char *out, unsigned at) {
    *(uint4 *)(out + at) = make_uint4(1, 2, 3, 4);
}

// Indexes a local array of four.
extern "C" __global__ void trial_local_index(unsigned *out, unsigned at) {
    unsigned local[4] = {1, 2, 3, 4};
    local[at] = 5;
    out[0] = local[0] + local[3];
}

// Divides, and shifts by `by`.
extern "C" __global__ void trial_divide_and_shift(unsigned *out, unsigned by) {
    out[1] = 1u << by;
    out[0] = 100 / by;
}

// Where every thread of a grid stands.
extern "C" __global__ void trial_coordinates(unsigned *out) {
    const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    atomicAdd(&out[block * threads + thread], 1u);
}

// The intrinsics on one word, 8 results.
extern "C" __global__ void trial_bits(unsigned *out, unsigned word) {
    out[0] = (unsigned)__popc(word);
    out[1] = (unsigned)__clz((int)word);
    out[2] = (unsigned)__ffs((int)word);
    out[3] = __brev(word);
    out[4] = __umulhi(word, 0xD2511F53u);
    out[5] = min(word, 77u) + max(word, 77u);
    out[6] = __float_as_uint(__uint_as_float(word));
    out[7] = __ldg(&out[0]);
}

// Arguments of every type.
extern "C" __global__ void trial_arguments(double *out, unsigned a, int b, unsigned long long c,
                                           float d, double e) {
    out[0] = (double)a;
    out[1] = (double)b;
    out[2] = (double)c;
    out[3] = (double)d;
    out[4] = e;
}

// Nothing: the cost of a launch.
extern "C" __global__ void trial_nothing(unsigned *out) {
    if (out == nullptr) {
        __syncthreads();
    }
}

// Four barriers and nothing else: the cost of a switch.
extern "C" __global__ void trial_barriers(unsigned *out, unsigned rounds) {
    for (unsigned round = 0; round < rounds; ++round) {
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x] = rounds;
    }
}

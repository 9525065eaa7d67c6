// The first zero of a divisor, before integers are divided by it.

#include "line.cuh"

// place = the least of itself and first + i over all i where values[i] is zero.
// A thread walks upwards, so the first zero it meets is its least.
template <typename T>
static __device__ __forceinline__ void first_zero(const T *values, unsigned long long len,
                                                  unsigned long long first,
                                                  unsigned long long *place) {
    const unsigned lanes = 16 / sizeof(T);
    const unsigned long long stride = all_threads();
    const unsigned long long lines = whole_lines<T>((unsigned long long)values, len);
    for (unsigned long long line = first_thread(); line < lines; line += stride) {
        Line<T> x;
        x.wide = ((const uint4 *)values)[line];
        unsigned found = lanes;
#pragma unroll
        for (unsigned k = lanes; k-- > 0;) {
            found = x.at[k] == 0 ? k : found;
        }
        if (found < lanes) {
            atomicMin(place, first + line * lanes + found);
            return;
        }
    }
    for (unsigned long long i = lines * lanes + first_thread(); i < len; i += stride) {
        if (values[i] == 0) {
            atomicMin(place, first + i);
            return;
        }
    }
}

extern "C" __global__ void __launch_bounds__(256)
    first_zero_u8(const unsigned char *values, unsigned long long len, unsigned long long first,
                  unsigned long long *place) {
    first_zero(values, len, first, place);
}
extern "C" __global__ void __launch_bounds__(256)
    first_zero_i32(const int *values, unsigned long long len, unsigned long long first,
                   unsigned long long *place) {
    first_zero(values, len, first, place);
}
extern "C" __global__ void __launch_bounds__(256)
    first_zero_u32(const unsigned *values, unsigned long long len, unsigned long long first,
                   unsigned long long *place) {
    first_zero(values, len, first, place);
}

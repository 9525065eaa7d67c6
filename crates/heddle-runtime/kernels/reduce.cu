// Sums, each in the widest type of its family.

#include "reduce.cuh"

// Bytes add up side by side in the two halves of a word: a line gives a half at
// most 8 * 255.
static __device__ __forceinline__ void take_line(Sum<unsigned> &mine, const unsigned char *from) {
    const uint4 wide = *(const uint4 *)from;
    const unsigned words[4] = {wide.x, wide.y, wide.z, wide.w};
    unsigned halves = 0;
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
        halves += (words[i] & 0x00ff00ffu) + (words[i] >> 8 & 0x00ff00ffu);
    }
    mine.total += (halves & 0xffffu) + (halves >> 16);
}

// S is what a block's sum fits in, P what partials are kept in.
template <typename S, typename T, typename P>
static __device__ __forceinline__ void sum_chunk(const T *__restrict__ values,
                                                 unsigned long long len,
                                                 P *__restrict__ partials) {
    Sum<S> mine;
    mine.total = 0;
    take_chunk(mine, chunk_of(values, len));
    mine = merge_block(mine);
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = (P)mine.total;
    }
}

// partials[b] = the sum of chunk b.
extern "C" __global__ void __launch_bounds__(256)
    reduce_sum_u8(const unsigned char *__restrict__ values, unsigned long long len,
                  unsigned long long *__restrict__ partials) {
    sum_chunk<unsigned>(values, len, partials);
}

extern "C" __global__ void __launch_bounds__(256)
    reduce_sum_i32(const int *__restrict__ values, unsigned long long len,
                   long long *__restrict__ partials) {
    sum_chunk<long long>(values, len, partials);
}

extern "C" __global__ void __launch_bounds__(256)
    reduce_sum_u32(const unsigned *__restrict__ values, unsigned long long len,
                   unsigned long long *__restrict__ partials) {
    sum_chunk<unsigned long long>(values, len, partials);
}

// The second and later passes of integers, signed ones too: they wrap alike.
extern "C" __global__ void __launch_bounds__(256)
    reduce_sum_u64(const unsigned long long *__restrict__ values, unsigned long long len,
                   unsigned long long *__restrict__ partials) {
    sum_chunk<unsigned long long>(values, len, partials);
}

extern "C" __global__ void __launch_bounds__(256)
    reduce_sum_f32(const float *__restrict__ values, unsigned long long len,
                   double *__restrict__ partials) {
    sum_chunk<double>(values, len, partials);
}

// Doubles, and the second and later passes of floats.
extern "C" __global__ void __launch_bounds__(256)
    reduce_sum_f64(const double *__restrict__ values, unsigned long long len,
                   double *__restrict__ partials) {
    sum_chunk<double>(values, len, partials);
}

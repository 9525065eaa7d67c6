// Mean and squared deviations in one pass over memory.

#include "reduce.cuh"
#include "moments.cuh"

// The merge of two disjoint sets after Chan, Golub and LeVeque (1979).
static __device__ __forceinline__ Moments merge(const Moments &left, const Moments &right) {
    if (left.count == 0.0 || right.count == 0.0) {
        return left.count == 0.0 ? right : left;
    }
    const double delta = right.mean - left.mean;
    Moments both;
    both.count = left.count + right.count;
    both.mean = left.mean + delta * (right.count / both.count);
    both.squares = left.squares + right.squares +
                   delta * delta * (left.count * right.count / both.count);
    return both;
}
static __device__ __forceinline__ Moments from_lane(const Moments &mine, int distance) {
    Moments other;
    other.count = lane_above(mine.count, distance);
    other.mean = lane_above(mine.mean, distance);
    other.squares = lane_above(mine.squares, distance);
    return other;
}

// The chunk's elements stay in registers for the second look at them. Distances
// are taken from its first element: those of a constant chunk sum to exactly
// zero, so a constant array has a deviation of exactly zero.
template <typename T>
static __device__ __forceinline__ void moments_chunk(const T *__restrict__ values,
                                                     unsigned long long len,
                                                     Moments *__restrict__ partials) {
    const Chunk<T> chunk = chunk_of(values, len);
    const T first = chunk.from[0];
    const double origin = (double)first;
    Line<T> held[REDUCE_LINES];
    if (chunk.len == Chunk<T>::full) {
#pragma unroll
        for (unsigned line = 0; line < REDUCE_LINES; ++line) {
            held[line].wide = *(const uint4 *)(chunk.from + line_start<T>(line));
        }
    } else {
#pragma unroll
        for (unsigned line = 0; line < REDUCE_LINES; ++line) {
#pragma unroll
            for (unsigned i = 0; i < Chunk<T>::line; ++i) {
                const unsigned at = line_start<T>(line) + i;
                held[line].at[i] = at < chunk.len ? chunk.from[at] : first;
            }
        }
    }

    Sum<double> mine;
    mine.total = 0.0;
#pragma unroll
    for (unsigned line = 0; line < REDUCE_LINES; ++line) {
#pragma unroll
        for (unsigned i = 0; i < Chunk<T>::line; ++i) {
            mine.total += (double)held[line].at[i] - origin;
        }
    }
    mine = merge_block(mine);
    __shared__ double mean_distance;
    if (threadIdx.x == 0) {
        mean_distance = mine.total / (double)chunk.len;
    }
    __syncthreads();
    const double shift = mean_distance;

    mine.total = 0.0;
#pragma unroll
    for (unsigned line = 0; line < REDUCE_LINES; ++line) {
#pragma unroll
        for (unsigned i = 0; i < Chunk<T>::line; ++i) {
            const double distance = ((double)held[line].at[i] - origin) - shift;
            mine.total += line_start<T>(line) + i < chunk.len ? distance * distance : 0.0;
        }
    }
    mine = merge_block(mine);
    if (threadIdx.x == 0) {
        Moments all;
        all.count = (double)chunk.len;
        all.mean = origin + shift;
        all.squares = mine.total;
        partials[blockIdx.x] = all;
    }
}

// Sums of bytes and of their squares: a chunk's fit in 32 bits and are exact.
struct ByteSums {
    unsigned plain;
    unsigned squares;
};

static __device__ __forceinline__ void take(ByteSums &mine, unsigned char value) {
    mine.plain += value;
    mine.squares += (unsigned)value * value;
}
static __device__ __forceinline__ ByteSums merge(const ByteSums &left, const ByteSums &right) {
    ByteSums both;
    both.plain = left.plain + right.plain;
    both.squares = left.squares + right.squares;
    return both;
}
static __device__ __forceinline__ ByteSums from_lane(const ByteSums &mine, int distance) {
    ByteSums other;
    other.plain = lane_above(mine.plain, distance);
    other.squares = lane_above(mine.squares, distance);
    return other;
}

// partials[b] = the moments of chunk b.
extern "C" __global__ void __launch_bounds__(256)
    reduce_moments_u8(const unsigned char *__restrict__ values, unsigned long long len,
                      double *__restrict__ partials) {
    const Chunk<unsigned char> chunk = chunk_of(values, len);
    ByteSums mine;
    mine.plain = 0;
    mine.squares = 0;
    take_chunk(mine, chunk);
    mine = merge_block(mine);
    if (threadIdx.x == 0) {
        const unsigned long long spread = (unsigned long long)mine.squares * chunk.len -
                                          (unsigned long long)mine.plain * mine.plain;
        Moments all;
        all.count = (double)chunk.len;
        all.mean = (double)mine.plain / all.count;
        all.squares = (double)spread / all.count;
        ((Moments *)partials)[blockIdx.x] = all;
    }
}
extern "C" __global__ void __launch_bounds__(256)
    reduce_moments_i32(const int *__restrict__ values, unsigned long long len,
                       double *__restrict__ partials) {
    moments_chunk(values, len, (Moments *)partials);
}
extern "C" __global__ void __launch_bounds__(256)
    reduce_moments_u32(const unsigned *__restrict__ values, unsigned long long len,
                       double *__restrict__ partials) {
    moments_chunk(values, len, (Moments *)partials);
}
extern "C" __global__ void __launch_bounds__(256)
    reduce_moments_f32(const float *__restrict__ values, unsigned long long len,
                       double *__restrict__ partials) {
    moments_chunk(values, len, (Moments *)partials);
}
extern "C" __global__ void __launch_bounds__(256)
    reduce_moments_f64(const double *__restrict__ values, unsigned long long len,
                       double *__restrict__ partials) {
    moments_chunk(values, len, (Moments *)partials);
}

// merged[b] = the moments of partials [1024 b, 1024 (b + 1)).
extern "C" __global__ void __launch_bounds__(256)
    merge_moments(const double *__restrict__ partials, unsigned long long len,
                  double *__restrict__ merged) {
    const unsigned long long start = blockIdx.x * 1024ull;
    const unsigned long long end = min(len, start + 1024);
    Moments mine;
    mine.count = 0.0;
    mine.mean = 0.0;
    mine.squares = 0.0;
    for (unsigned long long i = start + threadIdx.x; i < end; i += REDUCE_THREADS) {
        mine = merge(mine, ((const Moments *)partials)[i]);
    }
    mine = merge_block(mine);
    if (threadIdx.x == 0) {
        ((Moments *)merged)[blockIdx.x] = mine;
    }
}

// Sums of squares, for the length of a vector.

#include "reduce.cuh"
#include "squares.cuh"

// No square of a float leaves the range of doubles.
static __device__ __forceinline__ void take(Squares &mine, float value) {
    mine.plain += (double)value * (double)value;
}
// A NaN is neither large nor small, and stays.
static __device__ __forceinline__ void take(Squares &mine, double value) {
    const double size = fabs(value);
    if (size > SQUARES_HUGE) {
        const double scaled = size * SQUARES_HUGE_SCALE;
        mine.huge += scaled * scaled;
    } else if (size < SQUARES_TINY) {
        const double scaled = size * SQUARES_TINY_SCALE;
        mine.tiny += scaled * scaled;
    } else {
        mine.plain += size * size;
    }
}
static __device__ __forceinline__ Squares merge(const Squares &left, const Squares &right) {
    Squares both;
    both.tiny = left.tiny + right.tiny;
    both.plain = left.plain + right.plain;
    both.huge = left.huge + right.huge;
    return both;
}
static __device__ __forceinline__ Squares from_lane(const Squares &mine, int distance) {
    Squares other;
    other.tiny = lane_above(mine.tiny, distance);
    other.plain = lane_above(mine.plain, distance);
    other.huge = lane_above(mine.huge, distance);
    return other;
}

static __device__ __forceinline__ Squares no_squares() {
    Squares none;
    none.tiny = 0.0;
    none.plain = 0.0;
    none.huge = 0.0;
    return none;
}

template <typename T>
static __device__ __forceinline__ void squares_chunk(const T *__restrict__ values,
                                                     unsigned long long len,
                                                     Squares *__restrict__ partials) {
    Squares mine = no_squares();
    take_chunk(mine, chunk_of(values, len));
    mine = merge_block(mine);
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = mine;
    }
}

// partials[b] = the squares of chunk b.
extern "C" __global__ void __launch_bounds__(256)
    reduce_squares_f32(const float *__restrict__ values, unsigned long long len,
                       double *__restrict__ partials) {
    squares_chunk(values, len, (Squares *)partials);
}
extern "C" __global__ void __launch_bounds__(256)
    reduce_squares_f64(const double *__restrict__ values, unsigned long long len,
                       double *__restrict__ partials) {
    squares_chunk(values, len, (Squares *)partials);
}

// merged[b] = the squares of partials [1024 b, 1024 (b + 1)).
extern "C" __global__ void __launch_bounds__(256)
    merge_squares(const double *__restrict__ partials, unsigned long long len,
                  double *__restrict__ merged) {
    const unsigned long long start = blockIdx.x * 1024ull;
    const unsigned long long end = min(len, start + 1024);
    Squares mine = no_squares();
    for (unsigned long long i = start + threadIdx.x; i < end; i += REDUCE_THREADS) {
        mine = merge(mine, ((const Squares *)partials)[i]);
    }
    mine = merge_block(mine);
    if (threadIdx.x == 0) {
        ((Squares *)merged)[blockIdx.x] = mine;
    }
}

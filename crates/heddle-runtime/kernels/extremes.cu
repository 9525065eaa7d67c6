// The least and the greatest element, NaN if there is one.
//
// A partial is an extreme of its chunk's own type, so later passes use the same
// kernel.

#include "reduce.cuh"

// A NaN on either side wins: no comparison with it holds.
template <typename V> static __device__ __forceinline__ V lesser(V a, V b) {
    return a < b || a != a ? a : b;
}
template <typename V> static __device__ __forceinline__ V greater(V a, V b) {
    return a > b || a != a ? a : b;
}

// V is what a register holds and a shuffle moves: bytes are widened.
template <typename V> struct Least {
    V value;
};

template <typename V, typename T>
static __device__ __forceinline__ void take(Least<V> &mine, T value) {
    mine.value = lesser(mine.value, (V)value);
}
template <typename V>
static __device__ __forceinline__ Least<V> merge(const Least<V> &left, const Least<V> &right) {
    Least<V> both;
    both.value = lesser(left.value, right.value);
    return both;
}
template <typename V>
static __device__ __forceinline__ Least<V> from_lane(const Least<V> &mine, int distance) {
    Least<V> other;
    other.value = lane_above(mine.value, distance);
    return other;
}

template <typename V> struct Greatest {
    V value;
};

template <typename V, typename T>
static __device__ __forceinline__ void take(Greatest<V> &mine, T value) {
    mine.value = greater(mine.value, (V)value);
}
template <typename V>
static __device__ __forceinline__ Greatest<V> merge(const Greatest<V> &left,
                                                    const Greatest<V> &right) {
    Greatest<V> both;
    both.value = greater(left.value, right.value);
    return both;
}
template <typename V>
static __device__ __forceinline__ Greatest<V> from_lane(const Greatest<V> &mine, int distance) {
    Greatest<V> other;
    other.value = lane_above(mine.value, distance);
    return other;
}

template <typename V> struct Extremes {
    Least<V> least;
    Greatest<V> greatest;
};

template <typename V> static __device__ __forceinline__ void take(Extremes<V> &mine, V value) {
    take(mine.least, value);
    take(mine.greatest, value);
}
template <typename V>
static __device__ __forceinline__ Extremes<V> merge(const Extremes<V> &left,
                                                    const Extremes<V> &right) {
    Extremes<V> both;
    both.least = merge(left.least, right.least);
    both.greatest = merge(left.greatest, right.greatest);
    return both;
}
template <typename V>
static __device__ __forceinline__ Extremes<V> from_lane(const Extremes<V> &mine, int distance) {
    Extremes<V> other;
    other.least = from_lane(mine.least, distance);
    other.greatest = from_lane(mine.greatest, distance);
    return other;
}

// A chunk is never empty; its first element starts every thread.
template <typename A, typename T>
static __device__ __forceinline__ void extreme_chunk(const T *__restrict__ values,
                                                     unsigned long long len,
                                                     T *__restrict__ partials) {
    const Chunk<T> chunk = chunk_of(values, len);
    A mine;
    mine.value = chunk.from[0];
    take_chunk(mine, chunk);
    mine = merge_block(mine);
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = (T)mine.value;
    }
}

template <typename T>
static __device__ __forceinline__ void extremes_chunk(const T *__restrict__ values,
                                                      unsigned long long len,
                                                      T *__restrict__ partials) {
    const Chunk<T> chunk = chunk_of(values, len);
    Extremes<T> mine;
    mine.least.value = chunk.from[0];
    mine.greatest.value = chunk.from[0];
    take_chunk(mine, chunk);
    mine = merge_block(mine);
    if (threadIdx.x == 0) {
        partials[2ull * blockIdx.x] = mine.least.value;
        partials[2ull * blockIdx.x + 1] = mine.greatest.value;
    }
}

// partials[b] = the least element of chunk b.
extern "C" __global__ void __launch_bounds__(256)
    reduce_min_u8(const unsigned char *__restrict__ values, unsigned long long len,
                  unsigned char *__restrict__ partials) {
    extreme_chunk<Least<unsigned>>(values, len, partials);
}
extern "C" __global__ void __launch_bounds__(256)
    reduce_min_i32(const int *__restrict__ values, unsigned long long len,
                   int *__restrict__ partials) {
    extreme_chunk<Least<int>>(values, len, partials);
}
extern "C" __global__ void __launch_bounds__(256)
    reduce_min_u32(const unsigned *__restrict__ values, unsigned long long len,
                   unsigned *__restrict__ partials) {
    extreme_chunk<Least<unsigned>>(values, len, partials);
}
extern "C" __global__ void __launch_bounds__(256)
    reduce_min_f32(const float *__restrict__ values, unsigned long long len,
                   float *__restrict__ partials) {
    extreme_chunk<Least<float>>(values, len, partials);
}
extern "C" __global__ void __launch_bounds__(256)
    reduce_min_f64(const double *__restrict__ values, unsigned long long len,
                   double *__restrict__ partials) {
    extreme_chunk<Least<double>>(values, len, partials);
}

// partials[b] = the greatest element of chunk b.
extern "C" __global__ void __launch_bounds__(256)
    reduce_max_u8(const unsigned char *__restrict__ values, unsigned long long len,
                  unsigned char *__restrict__ partials) {
    extreme_chunk<Greatest<unsigned>>(values, len, partials);
}
extern "C" __global__ void __launch_bounds__(256)
    reduce_max_i32(const int *__restrict__ values, unsigned long long len,
                   int *__restrict__ partials) {
    extreme_chunk<Greatest<int>>(values, len, partials);
}
extern "C" __global__ void __launch_bounds__(256)
    reduce_max_u32(const unsigned *__restrict__ values, unsigned long long len,
                   unsigned *__restrict__ partials) {
    extreme_chunk<Greatest<unsigned>>(values, len, partials);
}
extern "C" __global__ void __launch_bounds__(256)
    reduce_max_f32(const float *__restrict__ values, unsigned long long len,
                   float *__restrict__ partials) {
    extreme_chunk<Greatest<float>>(values, len, partials);
}
extern "C" __global__ void __launch_bounds__(256)
    reduce_max_f64(const double *__restrict__ values, unsigned long long len,
                   double *__restrict__ partials) {
    extreme_chunk<Greatest<double>>(values, len, partials);
}

// partials[2b], partials[2b + 1] = the least and the greatest element of chunk b.
extern "C" __global__ void __launch_bounds__(256)
    reduce_extremes_f32(const float *__restrict__ values, unsigned long long len,
                        float *__restrict__ partials) {
    extremes_chunk(values, len, partials);
}
extern "C" __global__ void __launch_bounds__(256)
    reduce_extremes_f64(const double *__restrict__ values, unsigned long long len,
                        double *__restrict__ partials) {
    extremes_chunk(values, len, partials);
}

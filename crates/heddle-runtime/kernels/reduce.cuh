// How every reduction is cut up, so that its answer depends on its input alone.
//
// Block b reduces the b-th 32 KiB of the input and nothing else. Thread t of it
// takes lines t, t + 256, … in order; lanes of a warp are merged by halving
// distances, then the warps. Launch one block of 256 threads per 32 KiB, then
// again over the partials until one is left.
//
// What is accumulated is a struct A with
//   take(A &, T)           one more element,
//   merge(A, A)            two disjoint parts, the left one first,
//   from_lane(A, distance) the A of the lane so far above.

#include "line.cuh"

#define REDUCE_THREADS 256
// Lines of a thread: enough loads in flight to hide the latency of memory.
#define REDUCE_LINES 8

// The part of the input this block reduces. It starts on a 16-byte line, as every
// buffer does.
template <typename T> struct Chunk {
    static const unsigned line = 16 / sizeof(T);
    static const unsigned full = REDUCE_THREADS * REDUCE_LINES * line;
    const T *from;
    unsigned len;
};

template <typename T>
static __device__ __forceinline__ Chunk<T> chunk_of(const T *values, unsigned long long len) {
    const unsigned long long start = (unsigned long long)blockIdx.x * Chunk<T>::full;
    const unsigned long long rest = len - start;
    Chunk<T> chunk;
    chunk.from = values + start;
    chunk.len = rest < Chunk<T>::full ? (unsigned)rest : Chunk<T>::full;
    return chunk;
}

// Where this thread's so-manieth line starts within the chunk.
template <typename T> static __device__ __forceinline__ unsigned line_start(unsigned line) {
    return (line * REDUCE_THREADS + threadIdx.x) * Chunk<T>::line;
}

// Takes the elements of one line.
template <typename A, typename T>
static __device__ __forceinline__ void take_line(A &mine, const T *from) {
    Line<T> line;
    line.wide = *(const uint4 *)from;
#pragma unroll
    for (unsigned i = 0; i < Chunk<T>::line; ++i) {
        take(mine, line.at[i]);
    }
}

// Takes this thread's elements of the chunk.
template <typename T, typename A>
static __device__ __forceinline__ void take_chunk(A &mine, const Chunk<T> &chunk) {
    if (chunk.len == Chunk<T>::full) {
#pragma unroll
        for (unsigned line = 0; line < REDUCE_LINES; ++line) {
            take_line(mine, chunk.from + line_start<T>(line));
        }
        return;
    }
    for (unsigned line = 0; line < REDUCE_LINES; ++line) {
        const unsigned start = line_start<T>(line);
        if (start + Chunk<T>::line <= chunk.len) {
            take_line(mine, chunk.from + start);
        } else {
            for (unsigned i = start; i < chunk.len; ++i) {
                take(mine, chunk.from[i]);
            }
        }
    }
}

// Merges what all threads of the block hold; thread 0 gets it.
template <typename A> static __device__ __forceinline__ A merge_block(A mine) {
    __shared__ A warps[REDUCE_THREADS / 32];
    for (int distance = 16; distance > 0; distance /= 2) {
        mine = merge(mine, from_lane(mine, distance));
    }
    if (threadIdx.x % 32 == 0) {
        warps[threadIdx.x / 32] = mine;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        // Lanes beyond the warps repeat them: nothing of theirs reaches lane 0.
        mine = warps[threadIdx.x % (REDUCE_THREADS / 32)];
        for (int distance = REDUCE_THREADS / 64; distance > 0; distance /= 2) {
            mine = merge(mine, from_lane(mine, distance));
        }
    }
    return mine;
}

template <typename T> static __device__ __forceinline__ T lane_above(T value, int distance) {
    return __shfl_down_sync(0xffffffffu, value, distance);
}

// A sum. Integers wrap.
template <typename S> struct Sum {
    S total;
};

template <typename S, typename T>
static __device__ __forceinline__ void take(Sum<S> &mine, T value) {
    mine.total += (S)value;
}
template <typename S>
static __device__ __forceinline__ Sum<S> merge(const Sum<S> &left, const Sum<S> &right) {
    Sum<S> both;
    both.total = left.total + right.total;
    return both;
}
template <typename S>
static __device__ __forceinline__ Sum<S> from_lane(const Sum<S> &mine, int distance) {
    Sum<S> other;
    other.total = lane_above(mine.total, distance);
    return other;
}

// What the 32 lanes of a warp find out together.
//
// A warp runs one evaluation. All its lanes take the same branches with the same
// handles in their registers; where there is data, each takes its share. Two kinds
// of functions follow from that, and every function says which it is:
//
//   warp   called by all 32 lanes together, with equal arguments; gives all of them
//          the same answer
//   lane   waits for nobody, may be called by any lane on its own
#pragma once

typedef unsigned long long u64;
typedef long long i64;
typedef signed char Colour;

#define ALL_LANES 0xffffffffu
// Kept apart, so that the compiler need not hold the whole language at once.
#define APART static __device__ __noinline__
#define INLINE static __device__ __forceinline__

INLINE bool any_lane(bool test) { return __any_sync(ALL_LANES, test) != 0; }
INLINE bool every_lane(bool test) { return __all_sync(ALL_LANES, test) != 0; }
INLINE unsigned ballot(bool test) { return __ballot_sync(ALL_LANES, test); }

// Folds a value of every lane into one; `fold` must not care about order.
template <typename T, typename F> INLINE T warp_fold(T value, F fold) {
#pragma unroll
    for (int by = 16; by > 0; by /= 2) {
        value = fold(value, __shfl_xor_sync(ALL_LANES, value, by));
    }
    return value;
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
// One instruction each from the A100 on.
INLINE unsigned warp_sum(unsigned value) { return __reduce_add_sync(ALL_LANES, value); }
INLINE int warp_min(int value) { return __reduce_min_sync(ALL_LANES, value); }
INLINE int warp_max(int value) { return __reduce_max_sync(ALL_LANES, value); }
INLINE u64 warp_or64(u64 value) {
    const u64 low = __reduce_or_sync(ALL_LANES, (unsigned)value);
    return (u64)__reduce_or_sync(ALL_LANES, (unsigned)(value >> 32)) << 32 | low;
}
#else
INLINE unsigned warp_sum(unsigned value) {
    return warp_fold(value, [](unsigned a, unsigned b) { return a + b; });
}
INLINE int warp_min(int value) {
    return warp_fold(value, [](int a, int b) { return a < b ? a : b; });
}
INLINE int warp_max(int value) {
    return warp_fold(value, [](int a, int b) { return a < b ? b : a; });
}
INLINE u64 warp_or64(u64 value) {
    return warp_fold(value, [](u64 a, u64 b) { return a | b; });
}
#endif
INLINE u64 warp_min64(u64 value) {
    return warp_fold(value, [](u64 a, u64 b) { return a < b ? a : b; });
}
INLINE u64 warp_max64(u64 value) {
    return warp_fold(value, [](u64 a, u64 b) { return a < b ? b : a; });
}

// The sum over the lanes before this one.
INLINE unsigned sum_before(unsigned value, unsigned lane) {
    unsigned sum = value;
#pragma unroll
    for (unsigned by = 1; by < 32; by *= 2) {
        const unsigned other = __shfl_up_sync(ALL_LANES, sum, by);
        sum += lane >= by ? other : 0;
    }
    return sum - value;
}

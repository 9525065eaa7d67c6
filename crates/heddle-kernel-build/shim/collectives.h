// Barriers and warp collectives. All of them pass their source line: threads at barriers on
// two different lines do not meet.
#pragma once

// Mirrors `BarrierKind` in src/simt/block.rs.
enum { SIMT_BARRIER, SIMT_BARRIER_COUNT, SIMT_BARRIER_AND, SIMT_BARRIER_OR };
// Mirrors `WarpKind` in src/simt/warp.rs.
enum { SIMT_SYNC, SIMT_EXCHANGE, SIMT_BALLOT };

static inline unsigned simt_barrier(unsigned kind, unsigned line, unsigned value) {
    return simt_now->calls->barrier(simt_now, kind, line, value);
}
#define __syncthreads() ((void)simt_barrier(SIMT_BARRIER, __LINE__, 0))
#define __syncthreads_count(test) ((int)simt_barrier(SIMT_BARRIER_COUNT, __LINE__, (test) != 0))
#define __syncthreads_and(test) ((int)simt_barrier(SIMT_BARRIER_AND, __LINE__, (test) != 0))
#define __syncthreads_or(test) ((int)simt_barrier(SIMT_BARRIER_OR, __LINE__, (test) != 0))

static inline unsigned long long simt_warp(unsigned kind, unsigned line, unsigned mask,
                                           unsigned long long value = 0, unsigned source = 0) {
    return simt_now->calls->warp(simt_now, kind, line, mask, value, source);
}

// Callable with and without a mask, unlike a macro with arguments.
struct simt_syncwarp {
    unsigned line;
    void operator()(unsigned mask = 0xffffffffu) const { simt_warp(SIMT_SYNC, line, mask); }
};
#define __syncwarp simt_syncwarp{__LINE__}

// The low word is the ballot, the high word the lanes that took part.
#define simt_ballot(mask, test) simt_warp(SIMT_BALLOT, __LINE__, mask, (test) != 0)
static inline int simt_all(unsigned long long vote) {
    return (unsigned)vote == (unsigned)(vote >> 32);
}
#define __ballot_sync(mask, test) ((unsigned)simt_ballot(mask, test))
#define __any_sync(mask, test) ((int)((unsigned)simt_ballot(mask, test) != 0))
#define __all_sync(mask, test) simt_all(simt_ballot(mask, test))

// The set of lanes that run together depends on the hardware, and any set that contains the
// caller is legal. Here lanes run one after another, so the result is the caller alone: a
// kernel that relies on more is wrong on a GPU as well.
static inline unsigned __activemask() { return 1u << simt_now->lane; }

// Source lanes by the rules of PTX `shfl.sync`: a lane out of range reads its own value.
static inline unsigned simt_source_index(unsigned lane, int source, int width) {
    return (lane & ~(width - 1u)) | ((unsigned)source & (width - 1u));
}
static inline unsigned simt_source_up(unsigned lane, unsigned delta, int width) {
    return (lane & (width - 1u)) < delta ? lane : lane - delta;
}
static inline unsigned simt_source_down(unsigned lane, unsigned delta, int width) {
    return (lane & (width - 1u)) + (unsigned long long)delta >= (unsigned)width ? lane
                                                                               : lane + delta;
}
static inline unsigned simt_source_xor(unsigned lane, int bits, int width) {
    const unsigned source = lane ^ (unsigned)bits;
    return source > (lane | (width - 1u)) ? lane : source;
}

template <typename T>
static inline T simt_exchange(unsigned line, unsigned mask, T value, unsigned source) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a shuffle moves 32 or 64 bits");
    unsigned long long bits = 0;
    memcpy(&bits, &value, sizeof value);
    bits = simt_warp(SIMT_EXCHANGE, line, mask, bits, source);
    memcpy(&value, &bits, sizeof value);
    return value;
}

#define SIMT_SHUFFLE(rule, operand)                                                            \
    template <typename T>                                                                      \
    static inline T simt_shuffle_##rule(unsigned line, unsigned mask, T value, operand by,     \
                                        int width = 32) {                                      \
        return simt_exchange(line, mask, value, simt_source_##rule(simt_now->lane, by, width)); \
    }
SIMT_SHUFFLE(index, int)
SIMT_SHUFFLE(up, unsigned)
SIMT_SHUFFLE(down, unsigned)
SIMT_SHUFFLE(xor, int)
#define __shfl_sync(...) simt_shuffle_index(__LINE__, __VA_ARGS__)
#define __shfl_up_sync(...) simt_shuffle_up(__LINE__, __VA_ARGS__)
#define __shfl_down_sync(...) simt_shuffle_down(__LINE__, __VA_ARGS__)
#define __shfl_xor_sync(...) simt_shuffle_xor(__LINE__, __VA_ARGS__)

// Atomics, in hardware: blocks of one grid may run on several CPU threads at once.
#pragma once

// A thread that spins on an atomic must let the other threads of its block run, and one
// that spins for ever must be detected: after a fixed number of atomics it yields.
static inline void simt_spend() {
    if (--simt_now->fuel == 0) {
        simt_now->calls->pause(simt_now);
    }
}

template <typename T> static inline T simt_cas(T *at, T expected, T desired) {
    simt_spend();
    __atomic_compare_exchange_n(at, &expected, desired, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    return expected;
}

// For operations that the CPU has no instruction for.
template <typename T, typename Bits, typename F> static inline T simt_update(T *at, F next) {
    simt_spend();
    Bits *bits = (Bits *)at;
    Bits seen = __atomic_load_n(bits, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(bits, &seen, simt_bits<Bits>(next(simt_bits<T>(seen))),
                                        true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return simt_bits<T>(seen);
}

#define SIMT_ATOMICS(type)                                                                     \
    static inline type atomicAdd(type *at, type value) {                                       \
        simt_spend();                                                                          \
        return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);                                \
    }                                                                                          \
    static inline type atomicOr(type *at, type value) {                                        \
        simt_spend();                                                                          \
        return __atomic_fetch_or(at, value, __ATOMIC_RELAXED);                                 \
    }                                                                                          \
    static inline type atomicAnd(type *at, type value) {                                       \
        simt_spend();                                                                          \
        return __atomic_fetch_and(at, value, __ATOMIC_RELAXED);                                \
    }                                                                                          \
    static inline type atomicXor(type *at, type value) {                                       \
        simt_spend();                                                                          \
        return __atomic_fetch_xor(at, value, __ATOMIC_RELAXED);                                \
    }                                                                                          \
    static inline type atomicExch(type *at, type value) {                                      \
        simt_spend();                                                                          \
        return __atomic_exchange_n(at, value, __ATOMIC_RELAXED);                               \
    }                                                                                          \
    static inline type atomicCAS(type *at, type expected, type desired) {                      \
        return simt_cas(at, expected, desired);                                                \
    }                                                                                          \
    static inline type atomicMin(type *at, type value) {                                       \
        return simt_update<type, type>(at, [=](type now) { return min(now, value); });         \
    }                                                                                          \
    static inline type atomicMax(type *at, type value) {                                       \
        return simt_update<type, type>(at, [=](type now) { return max(now, value); });         \
    }
SIMT_ATOMICS(int)
SIMT_ATOMICS(unsigned)
SIMT_ATOMICS(unsigned long long)

static inline int atomicSub(int *at, int value) { return atomicAdd(at, -value); }
static inline unsigned atomicSub(unsigned *at, unsigned value) { return atomicAdd(at, -value); }
static inline float atomicAdd(float *at, float value) {
    return simt_update<float, unsigned>(at, [=](float now) { return now + value; });
}
static inline double atomicAdd(double *at, double value) {
    return simt_update<double, unsigned long long>(at, [=](double now) { return now + value; });
}
static inline float atomicExch(float *at, float value) {
    return simt_update<float, unsigned>(at, [=](float) { return value; });
}

static inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __threadfence_block() { __threadfence(); }
static inline void __threadfence_system() { __threadfence(); }

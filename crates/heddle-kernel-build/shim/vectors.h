// CUDA's built-in vector types, with CUDA's alignments.
#pragma once

#define SIMT_VECTORS(name, element, size)                                                      \
    struct alignas(2 * size) name##2 {                                                         \
        element x, y;                                                                          \
    };                                                                                         \
    struct name##3 {                                                                           \
        element x, y, z;                                                                       \
    };                                                                                         \
    struct alignas(4 * size > 16 ? 16 : 4 * size) name##4 {                                    \
        element x, y, z, w;                                                                    \
    };                                                                                         \
    static inline name##2 make_##name##2(element x, element y) { return {x, y}; }              \
    static inline name##3 make_##name##3(element x, element y, element z) {                    \
        return {x, y, z};                                                                      \
    }                                                                                          \
    static inline name##4 make_##name##4(element x, element y, element z, element w) {         \
        return {x, y, z, w};                                                                   \
    }

SIMT_VECTORS(char, signed char, 1)
SIMT_VECTORS(uchar, unsigned char, 1)
SIMT_VECTORS(short, short, 2)
SIMT_VECTORS(ushort, unsigned short, 2)
SIMT_VECTORS(int, int, 4)
SIMT_VECTORS(uint, unsigned, 4)
SIMT_VECTORS(float, float, 4)
SIMT_VECTORS(longlong, long long, 8)
SIMT_VECTORS(ulonglong, unsigned long long, 8)
SIMT_VECTORS(double, double, 8)

// Random arrays: element i is a function of the seed and of i alone, as laid down
// in ops/random/mod.rs.

#include "line.cuh"
#include "philox.cuh"

// Block `block` of the sequence: sixteen random bytes.
static __device__ __forceinline__ uint4 random_block(unsigned long long block,
                                                     unsigned long long seed) {
    return philox4x32_10(make_uint4((unsigned)block, (unsigned)(block >> 32), 0, 0),
                         make_uint2((unsigned)seed, (unsigned)(seed >> 32)));
}

// 24 bits, so that every value in [0, 1) is exact and 1 never occurs.
static __device__ __forceinline__ float unit(unsigned word) {
    return (float)(word >> 8) * (1.0f / 16777216.0f);
}
// 53 bits, for the same reason.
static __device__ __forceinline__ double unit(unsigned low, unsigned high) {
    const unsigned long long bits = (unsigned long long)high << 32 | low;
    return (double)(bits >> 11) * (1.0 / 9007199254740992.0);
}

// What a block's words are as elements. Integers are the words' own bytes, least
// significant first, which is how memory holds them.
template <typename T> struct RandomElement {
    static __device__ __forceinline__ Line<T> of(uint4 words) {
        Line<T> line;
        line.wide = words;
        return line;
    }
};
template <> struct RandomElement<float> {
    static __device__ __forceinline__ Line<float> of(uint4 words) {
        Line<float> line;
        line.at[0] = unit(words.x);
        line.at[1] = unit(words.y);
        line.at[2] = unit(words.z);
        line.at[3] = unit(words.w);
        return line;
    }
};
template <> struct RandomElement<double> {
    static __device__ __forceinline__ Line<double> of(uint4 words) {
        Line<double> line;
        line.at[0] = unit(words.x, words.y);
        line.at[1] = unit(words.z, words.w);
        return line;
    }
};

// A thread draws one block at a time, which fills one line of the output; the
// last may be cut short. Output starts on a line.
template <typename T>
static __device__ __forceinline__ void fill(T *out, unsigned long long len,
                                            unsigned long long seed) {
    const unsigned lanes = 16 / sizeof(T);
    const unsigned long long stride = all_threads();
    for (unsigned long long block = first_thread(); block * lanes < len; block += stride) {
        const Line<T> line = RandomElement<T>::of(random_block(block, seed));
        const unsigned long long start = block * lanes;
        if (start + lanes <= len) {
            ((uint4 *)out)[block] = line.wide;
        } else {
#pragma unroll
            for (unsigned k = 0; k < lanes; ++k) {
                if (start + k < len) {
                    out[start + k] = line.at[k];
                }
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(256)
    random_u8(unsigned char *out, unsigned long long len, unsigned long long seed) {
    fill(out, len, seed);
}
extern "C" __global__ void __launch_bounds__(256)
    random_i32(int *out, unsigned long long len, unsigned long long seed) {
    fill(out, len, seed);
}
extern "C" __global__ void __launch_bounds__(256)
    random_u32(unsigned *out, unsigned long long len, unsigned long long seed) {
    fill(out, len, seed);
}
extern "C" __global__ void __launch_bounds__(256)
    random_f32(float *out, unsigned long long len, unsigned long long seed) {
    fill(out, len, seed);
}
extern "C" __global__ void __launch_bounds__(256)
    random_f64(double *out, unsigned long long len, unsigned long long seed) {
    fill(out, len, seed);
}

// Products of matrices, row-major and dense.
//
// An element of the result is one chain of fused multiply-adds along k, in order,
// whatever the tile: its bits depend on its row and its column alone.

#include "line.cuh"

#define MATMUL_SIDE 16
#define MATMUL_THREADS (MATMUL_SIDE * MATMUL_SIDE)
// Steps along k between two barriers.
#define MATMUL_DEPTH 16

static __device__ __forceinline__ float multiply_add(float a, float b, float sum) {
    return fmaf(a, b, sum);
}
static __device__ __forceinline__ double multiply_add(double a, double b, double sum) {
    return fma(a, b, sum);
}

// EACH neighbours in shared memory, by lines where they fill some.
template <unsigned EACH, typename T>
static __device__ __forceinline__ void read_each(const T *from, T (&to)[EACH]) {
    const unsigned line = EACH * sizeof(T) % 16 == 0 ? 16 / sizeof(T) : 1;
#pragma unroll
    for (unsigned i = 0; i < EACH; i += line) {
        if (line == 1) {
            to[i] = from[i];
        } else {
            Line<T> some;
            some.wide = *(const uint4 *)(from + i);
#pragma unroll
            for (unsigned j = 0; j < line; ++j) {
                to[i + j] = some.at[j];
            }
        }
    }
}

// c[i] = a[i] * b[i] for every i of the batch. A block makes tiles of EACH * 16
// rows and columns, a thread EACH x EACH neighbouring elements of one.
template <typename T, unsigned EACH>
static __device__ __forceinline__ void
multiply(const T *__restrict__ a, unsigned long long a_stride, const T *__restrict__ b,
         unsigned long long b_stride, T *__restrict__ c, unsigned long long m,
         unsigned long long n, unsigned long long k, unsigned long long batch) {
    const unsigned tile = EACH * MATMUL_SIDE;
    // Rows of a lie down a column; one line more spreads them over the banks.
    __shared__ __align__(16) T a_tile[MATMUL_DEPTH][EACH * MATMUL_SIDE + 16 / sizeof(T)];
    __shared__ __align__(16) T b_tile[MATMUL_DEPTH][EACH * MATMUL_SIDE];
    const unsigned row = threadIdx.x / MATMUL_SIDE;
    const unsigned column = threadIdx.x % MATMUL_SIDE;

    const unsigned long long across = (n + tile - 1) / tile;
    const unsigned long long each = across * ((m + tile - 1) / tile);
    for (unsigned long long job = blockIdx.x; job < each * batch; job += gridDim.x) {
        const unsigned long long item = job / each;
        const unsigned long long top = job % each / across * tile;
        const unsigned long long left = job % across * tile;
        const T *from_a = a + item * a_stride;
        const T *from_b = b + item * b_stride;

        T sums[EACH][EACH];
#pragma unroll
        for (unsigned i = 0; i < EACH; ++i) {
#pragma unroll
            for (unsigned j = 0; j < EACH; ++j) {
                sums[i][j] = 0;
            }
        }
        for (unsigned long long depth = 0; depth < k; depth += MATMUL_DEPTH) {
            // Beyond k both tiles are zero; beyond m and n nothing is stored.
#pragma unroll
            for (unsigned part = 0; part < EACH; ++part) {
                const unsigned long long y = top + part * MATMUL_SIDE + row;
                const unsigned long long x = depth + column;
                a_tile[column][part * MATMUL_SIDE + row] =
                    y < m && x < k ? from_a[y * k + x] : (T)0;
            }
#pragma unroll
            for (unsigned part = 0; part < EACH; ++part) {
                const unsigned at = part * MATMUL_THREADS + threadIdx.x;
                const unsigned long long y = depth + at / tile;
                const unsigned long long x = left + at % tile;
                b_tile[at / tile][at % tile] = y < k && x < n ? from_b[y * n + x] : (T)0;
            }
            __syncthreads();
#pragma unroll
            for (unsigned step = 0; step < MATMUL_DEPTH; ++step) {
                T ours[EACH];
                T theirs[EACH];
                read_each<EACH>(&a_tile[step][row * EACH], ours);
                read_each<EACH>(&b_tile[step][column * EACH], theirs);
#pragma unroll
                for (unsigned i = 0; i < EACH; ++i) {
#pragma unroll
                    for (unsigned j = 0; j < EACH; ++j) {
                        sums[i][j] = multiply_add(ours[i], theirs[j], sums[i][j]);
                    }
                }
            }
            __syncthreads();
        }
#pragma unroll
        for (unsigned i = 0; i < EACH; ++i) {
#pragma unroll
            for (unsigned j = 0; j < EACH; ++j) {
                const unsigned long long y = top + row * EACH + i;
                const unsigned long long x = left + column * EACH + j;
                if (y < m && x < n) {
                    c[(item * m + y) * n + x] = sums[i][j];
                }
            }
        }
    }
}

// Tiles of 64 x 64: sixteen multiply-adds for eight elements of shared memory.
extern "C" __global__ void __launch_bounds__(256)
    matmul_f32(const float *__restrict__ a, unsigned long long a_stride,
               const float *__restrict__ b, unsigned long long b_stride, float *__restrict__ c,
               unsigned long long m, unsigned long long n, unsigned long long k,
               unsigned long long batch) {
    multiply<float, 4>(a, a_stride, b, b_stride, c, m, n, k, batch);
}
extern "C" __global__ void __launch_bounds__(256)
    matmul_f64(const double *__restrict__ a, unsigned long long a_stride,
               const double *__restrict__ b, unsigned long long b_stride, double *__restrict__ c,
               unsigned long long m, unsigned long long n, unsigned long long k,
               unsigned long long batch) {
    multiply<double, 4>(a, a_stride, b, b_stride, c, m, n, k, batch);
}

// Tiles of 16 x 16, for matrices that would leave most of a large tile empty.
extern "C" __global__ void __launch_bounds__(256)
    matmul_small_f32(const float *__restrict__ a, unsigned long long a_stride,
                     const float *__restrict__ b, unsigned long long b_stride,
                     float *__restrict__ c, unsigned long long m, unsigned long long n,
                     unsigned long long k, unsigned long long batch) {
    multiply<float, 1>(a, a_stride, b, b_stride, c, m, n, k, batch);
}
extern "C" __global__ void __launch_bounds__(256)
    matmul_small_f64(const double *__restrict__ a, unsigned long long a_stride,
                     const double *__restrict__ b, unsigned long long b_stride,
                     double *__restrict__ c, unsigned long long m, unsigned long long n,
                     unsigned long long k, unsigned long long batch) {
    multiply<double, 1>(a, a_stride, b, b_stride, c, m, n, k, batch);
}

// Functions of one element.

#include "exp.cuh"
#include "line.cuh"
#include "number.cuh"

struct Square {
    template <typename T> __device__ __forceinline__ T operator()(T x) const {
        return times(x, x);
    }
};
struct Abs {
    template <typename T> __device__ __forceinline__ T operator()(T x) const {
        return magnitude(x);
    }
};
// Correctly rounded, as on the CPU.
struct Sqrt {
    __device__ __forceinline__ float operator()(float x) const { return sqrtf(x); }
    __device__ __forceinline__ double operator()(double x) const { return sqrt(x); }
};
struct Exp {
    template <typename T> __device__ __forceinline__ T operator()(T x) const {
        return exponential(x);
    }
};

extern "C" __global__ void __launch_bounds__(256)
    square_u8(const unsigned char *in, unsigned char *out, unsigned long long len) {
    map(in, out, len, Square());
}
extern "C" __global__ void __launch_bounds__(256)
    square_i32(const int *in, int *out, unsigned long long len) {
    map(in, out, len, Square());
}
extern "C" __global__ void __launch_bounds__(256)
    square_u32(const unsigned *in, unsigned *out, unsigned long long len) {
    map(in, out, len, Square());
}
extern "C" __global__ void __launch_bounds__(256)
    square_f32(const float *in, float *out, unsigned long long len) {
    map(in, out, len, Square());
}
extern "C" __global__ void __launch_bounds__(256)
    square_f64(const double *in, double *out, unsigned long long len) {
    map(in, out, len, Square());
}

extern "C" __global__ void __launch_bounds__(256)
    abs_u8(const unsigned char *in, unsigned char *out, unsigned long long len) {
    map(in, out, len, Abs());
}
extern "C" __global__ void __launch_bounds__(256)
    abs_i32(const int *in, int *out, unsigned long long len) {
    map(in, out, len, Abs());
}
extern "C" __global__ void __launch_bounds__(256)
    abs_u32(const unsigned *in, unsigned *out, unsigned long long len) {
    map(in, out, len, Abs());
}
extern "C" __global__ void __launch_bounds__(256)
    abs_f32(const float *in, float *out, unsigned long long len) {
    map(in, out, len, Abs());
}
extern "C" __global__ void __launch_bounds__(256)
    abs_f64(const double *in, double *out, unsigned long long len) {
    map(in, out, len, Abs());
}

extern "C" __global__ void __launch_bounds__(256)
    sqrt_f32(const float *in, float *out, unsigned long long len) {
    map(in, out, len, Sqrt());
}
extern "C" __global__ void __launch_bounds__(256)
    sqrt_f64(const double *in, double *out, unsigned long long len) {
    map(in, out, len, Sqrt());
}

extern "C" __global__ void __launch_bounds__(256)
    exp_f32(const float *in, float *out, unsigned long long len) {
    map(in, out, len, Exp());
}
extern "C" __global__ void __launch_bounds__(256)
    exp_f64(const double *in, double *out, unsigned long long len) {
    map(in, out, len, Exp());
}

// Functions of two elements: two arrays, or an array and a scalar on either side.

#include "line.cuh"
#include "number.cuh"

struct Add {
    template <typename T> static __device__ __forceinline__ T of(T x, T y) { return plus(x, y); }
};
struct Sub {
    template <typename T> static __device__ __forceinline__ T of(T x, T y) { return minus(x, y); }
};
struct Mul {
    template <typename T> static __device__ __forceinline__ T of(T x, T y) { return times(x, y); }
};
struct Div {
    template <typename T> static __device__ __forceinline__ T of(T x, T y) { return over(x, y); }
};

template <typename F, typename T> struct OnTheRight {
    T scalar;
    __device__ __forceinline__ T operator()(T x) const { return F::of(x, scalar); }
};
template <typename F, typename T> struct OnTheLeft {
    T scalar;
    __device__ __forceinline__ T operator()(T y) const { return F::of(scalar, y); }
};

// Mirrors `Form` in ops/elementwise/gpu.rs.
enum { ARRAYS, SCALAR_RIGHT, SCALAR_LEFT };

// Where a scalar stands, the pointer on its side is not read.
template <typename F, typename T>
static __device__ __forceinline__ void binary(const T *left, const T *right, T scalar,
                                              unsigned form, T *out, unsigned long long len) {
    if (form == ARRAYS) {
        zip<F>(left, right, out, len);
    } else if (form == SCALAR_RIGHT) {
        map(left, out, len, OnTheRight<F, T>{scalar});
    } else {
        map(right, out, len, OnTheLeft<F, T>{scalar});
    }
}

extern "C" __global__ void __launch_bounds__(256)
    add_u8(const unsigned char *left, const unsigned char *right, unsigned scalar,
           unsigned form, unsigned char *out, unsigned long long len) {
    binary<Add>(left, right, (unsigned char)scalar, form, out, len);
}
extern "C" __global__ void __launch_bounds__(256)
    add_i32(const int *left, const int *right, int scalar, unsigned form, int *out,
            unsigned long long len) {
    binary<Add>(left, right, scalar, form, out, len);
}
extern "C" __global__ void __launch_bounds__(256)
    add_u32(const unsigned *left, const unsigned *right, unsigned scalar,
            unsigned form, unsigned *out, unsigned long long len) {
    binary<Add>(left, right, scalar, form, out, len);
}
extern "C" __global__ void __launch_bounds__(256)
    add_f32(const float *left, const float *right, float scalar, unsigned form, float *out,
            unsigned long long len) {
    binary<Add>(left, right, scalar, form, out, len);
}
extern "C" __global__ void __launch_bounds__(256)
    add_f64(const double *left, const double *right, double scalar,
            unsigned form, double *out, unsigned long long len) {
    binary<Add>(left, right, scalar, form, out, len);
}

extern "C" __global__ void __launch_bounds__(256)
    sub_u8(const unsigned char *left, const unsigned char *right, unsigned scalar,
           unsigned form, unsigned char *out, unsigned long long len) {
    binary<Sub>(left, right, (unsigned char)scalar, form, out, len);
}
extern "C" __global__ void __launch_bounds__(256)
    sub_i32(const int *left, const int *right, int scalar, unsigned form, int *out,
            unsigned long long len) {
    binary<Sub>(left, right, scalar, form, out, len);
}
extern "C" __global__ void __launch_bounds__(256)
    sub_u32(const unsigned *left, const unsigned *right, unsigned scalar,
            unsigned form, unsigned *out, unsigned long long len) {
    binary<Sub>(left, right, scalar, form, out, len);
}
extern "C" __global__ void __launch_bounds__(256)
    sub_f32(const float *left, const float *right, float scalar, unsigned form, float *out,
            unsigned long long len) {
    binary<Sub>(left, right, scalar, form, out, len);
}
extern "C" __global__ void __launch_bounds__(256)
    sub_f64(const double *left, const double *right, double scalar,
            unsigned form, double *out, unsigned long long len) {
    binary<Sub>(left, right, scalar, form, out, len);
}

extern "C" __global__ void __launch_bounds__(256)
    mul_u8(const unsigned char *left, const unsigned char *right, unsigned scalar,
           unsigned form, unsigned char *out, unsigned long long len) {
    binary<Mul>(left, right, (unsigned char)scalar, form, out, len);
}
extern "C" __global__ void __launch_bounds__(256)
    mul_i32(const int *left, const int *right, int scalar, unsigned form, int *out,
            unsigned long long len) {
    binary<Mul>(left, right, scalar, form, out, len);
}
extern "C" __global__ void __launch_bounds__(256)
    mul_u32(const unsigned *left, const unsigned *right, unsigned scalar,
            unsigned form, unsigned *out, unsigned long long len) {
    binary<Mul>(left, right, scalar, form, out, len);
}
extern "C" __global__ void __launch_bounds__(256)
    mul_f32(const float *left, const float *right, float scalar, unsigned form, float *out,
            unsigned long long len) {
    binary<Mul>(left, right, scalar, form, out, len);
}
extern "C" __global__ void __launch_bounds__(256)
    mul_f64(const double *left, const double *right, double scalar,
            unsigned form, double *out, unsigned long long len) {
    binary<Mul>(left, right, scalar, form, out, len);
}

extern "C" __global__ void __launch_bounds__(256)
    div_u8(const unsigned char *left, const unsigned char *right, unsigned scalar,
           unsigned form, unsigned char *out, unsigned long long len) {
    binary<Div>(left, right, (unsigned char)scalar, form, out, len);
}
extern "C" __global__ void __launch_bounds__(256)
    div_i32(const int *left, const int *right, int scalar, unsigned form, int *out,
            unsigned long long len) {
    binary<Div>(left, right, scalar, form, out, len);
}
extern "C" __global__ void __launch_bounds__(256)
    div_u32(const unsigned *left, const unsigned *right, unsigned scalar,
            unsigned form, unsigned *out, unsigned long long len) {
    binary<Div>(left, right, scalar, form, out, len);
}
extern "C" __global__ void __launch_bounds__(256)
    div_f32(const float *left, const float *right, float scalar, unsigned form, float *out,
            unsigned long long len) {
    binary<Div>(left, right, scalar, form, out, len);
}
extern "C" __global__ void __launch_bounds__(256)
    div_f64(const double *left, const double *right, double scalar,
            unsigned form, double *out, unsigned long long len) {
    binary<Div>(left, right, scalar, form, out, len);
}

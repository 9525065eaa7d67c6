// out = (in - origin) / divisor, by statistics that a reduction has left on the
// device; zeros where the divisor is zero.

#include "line.cuh"
#include "moments.cuh"
#include "squares.cuh"

template <typename T> struct Ratio;

// The inverse of no deviation of floats leaves the range of doubles, and a
// product takes a tenth of the time of a division.
template <> struct Ratio<float> {
    double origin;
    double inverse;
    __device__ Ratio(double from, double divisor)
        : origin(from), inverse(divisor == 0.0 ? 0.0 : 1.0 / divisor) {}
    __device__ float operator()(float value) const {
        return (float)(((double)value - origin) * inverse);
    }
};

// Of doubles it may: these are divided.
template <> struct Ratio<double> {
    double origin;
    double divisor;
    __device__ Ratio(double from, double by) : origin(from), divisor(by) {}
    __device__ double operator()(double value) const {
        return divisor == 0.0 ? 0.0 : (value - origin) / divisor;
    }
};

// statistics: a Moments.
template <typename T>
static __device__ __forceinline__ void z_score(const T *in, T *out, unsigned long long len,
                                               const Moments *__restrict__ moments) {
    const double deviation = sqrt(moments->squares / moments->count);
    map(in, out, len, Ratio<T>(moments->mean, deviation));
}

// statistics: the least and the greatest element.
template <typename T>
static __device__ __forceinline__ void min_max(const T *in, T *out, unsigned long long len,
                                               const T *__restrict__ extremes) {
    const double least = (double)extremes[0];
    map(in, out, len, Ratio<T>(least, (double)extremes[1] - least));
}

// statistics: a Squares.
template <typename T>
static __device__ __forceinline__ void unit(const T *in, T *out, unsigned long long len,
                                            const Squares *__restrict__ squares) {
    map(in, out, len, Ratio<T>(0.0, length_of(*squares)));
}

extern "C" __global__ void __launch_bounds__(256)
    normalize_z_score_f32(const float *in, float *out, unsigned long long len,
                          const double *__restrict__ statistics) {
    z_score(in, out, len, (const Moments *)statistics);
}
extern "C" __global__ void __launch_bounds__(256)
    normalize_z_score_f64(const double *in, double *out, unsigned long long len,
                          const double *__restrict__ statistics) {
    z_score(in, out, len, (const Moments *)statistics);
}
extern "C" __global__ void __launch_bounds__(256)
    normalize_min_max_f32(const float *in, float *out, unsigned long long len,
                          const float *__restrict__ statistics) {
    min_max(in, out, len, statistics);
}
extern "C" __global__ void __launch_bounds__(256)
    normalize_min_max_f64(const double *in, double *out, unsigned long long len,
                          const double *__restrict__ statistics) {
    min_max(in, out, len, statistics);
}
extern "C" __global__ void __launch_bounds__(256)
    normalize_unit_f32(const float *in, float *out, unsigned long long len,
                       const double *__restrict__ statistics) {
    unit(in, out, len, (const Squares *)statistics);
}
extern "C" __global__ void __launch_bounds__(256)
    normalize_unit_f64(const double *in, double *out, unsigned long long len,
                       const double *__restrict__ statistics) {
    unit(in, out, len, (const Squares *)statistics);
}

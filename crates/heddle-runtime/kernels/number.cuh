// Arithmetic as on the CPU: integers wrap, floats round once.

#define HEDDLE_UNSIGNED(T)                                                                     \
    static __device__ __forceinline__ T plus(T x, T y) { return (T)((unsigned)x + y); }        \
    static __device__ __forceinline__ T minus(T x, T y) { return (T)((unsigned)x - y); }       \
    static __device__ __forceinline__ T times(T x, T y) { return (T)((unsigned)x * y); }       \
    static __device__ __forceinline__ T over(T x, T y) { return y == 0 ? (T)0 : (T)(x / y); }  \
    static __device__ __forceinline__ T magnitude(T x) { return x; }
HEDDLE_UNSIGNED(unsigned char)
HEDDLE_UNSIGNED(unsigned)

// Signed overflow is undefined in C++; unsigned arithmetic wraps to the same bits.
static __device__ __forceinline__ int plus(int x, int y) {
    return (int)((unsigned)x + (unsigned)y);
}
static __device__ __forceinline__ int minus(int x, int y) {
    return (int)((unsigned)x - (unsigned)y);
}
static __device__ __forceinline__ int times(int x, int y) {
    return (int)((unsigned)x * (unsigned)y);
}
static __device__ __forceinline__ int magnitude(int x) { return x < 0 ? minus(0, x) : x; }
// A zero divisor is refused before the launch; nothing may trap here.
static __device__ __forceinline__ int over(int x, int y) {
    if (y == 0) {
        return 0;
    }
    return y == -1 ? minus(0, x) : x / y;
}

#define HEDDLE_FLOAT(T, absolute)                                                              \
    static __device__ __forceinline__ T plus(T x, T y) { return x + y; }                       \
    static __device__ __forceinline__ T minus(T x, T y) { return x - y; }                      \
    static __device__ __forceinline__ T times(T x, T y) { return x * y; }                      \
    static __device__ __forceinline__ T over(T x, T y) { return x / y; }                       \
    static __device__ __forceinline__ T magnitude(T x) { return absolute(x); }
HEDDLE_FLOAT(float, fabsf)
HEDDLE_FLOAT(double, fabs)

// The exponential of ops/elementwise/exp.rs, step by step: every fused operation
// is written out, so both give the same bits.

static __device__ __forceinline__ float power_of_two(float n) {
    const float shift = 12582912.0f + 127.0f; // 1.5 * 2^23 and the bias.
    return __uint_as_float(__float_as_uint(n + shift) << 23);
}

static __device__ __forceinline__ float exponential(float x) {
    const float shift = 12582912.0f;
    x = x < -104.0f ? -104.0f : x;
    x = x > 89.0f ? 89.0f : x;
    const float n = fmaf(x, 1.44269504088896340736f, shift) - shift;
    float r = fmaf(n, -0.6933594f, x);
    r = fmaf(n, 2.1219444e-4f, r);
    float p = 1.984127e-4f;
    p = fmaf(p, r, 1.3888889e-3f);
    p = fmaf(p, r, 8.333334e-3f);
    p = fmaf(p, r, 4.1666668e-2f);
    p = fmaf(p, r, 1.6666667e-1f);
    p = fmaf(p, r, 0.5f);
    p = fmaf(p, r, 1.0f);
    p = fmaf(p, r, 1.0f);
    const float half = fmaf(n, 0.5f, shift) - shift;
    return p * power_of_two(half) * power_of_two(n - half);
}

static __device__ __forceinline__ double power_of_two(double n) {
    const double shift = 6755399441055744.0 + 1023.0; // 1.5 * 2^52 and the bias.
    const unsigned long long bits = (unsigned long long)__double_as_longlong(n + shift);
    return __longlong_as_double((long long)(bits << 52));
}

static __device__ __forceinline__ double exponential(double x) {
    const double shift = 6755399441055744.0;
    x = x < -746.0 ? -746.0 : x;
    x = x > 710.0 ? 710.0 : x;
    const double n = fma(x, 1.44269504088896340736, shift) - shift;
    double r = fma(n, -6.931471803691238e-1, x);
    r = fma(n, -1.9082149292705877e-10, r);
    double p = 1.6059043836821615e-10;
    p = fma(p, r, 2.08767569878681e-9);
    p = fma(p, r, 2.505210838544172e-8);
    p = fma(p, r, 2.755731922398589e-7);
    p = fma(p, r, 2.7557319223985893e-6);
    p = fma(p, r, 2.48015873015873e-5);
    p = fma(p, r, 1.984126984126984e-4);
    p = fma(p, r, 1.388888888888889e-3);
    p = fma(p, r, 8.333333333333333e-3);
    p = fma(p, r, 4.1666666666666664e-2);
    p = fma(p, r, 1.6666666666666666e-1);
    p = fma(p, r, 0.5);
    p = fma(p, r, 1.0);
    p = fma(p, r, 1.0);
    const double half = fma(n, 0.5, shift) - shift;
    return p * power_of_two(half) * power_of_two(n - half);
}

// Passes over elements, sixteen bytes at a time.
//
// A launch of any size covers all elements. Input and output may be the same
// memory, so neither is `__restrict__`; a thread reads a line before it writes it.

template <typename T> union Line {
    uint4 wide;
    T at[16 / sizeof(T)];
};

static __device__ __forceinline__ unsigned long long first_thread() {
    return blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
}

static __device__ __forceinline__ unsigned long long all_threads() {
    return gridDim.x * (unsigned long long)blockDim.x;
}

// How many whole lines can be moved at once: none unless all start on a line.
template <typename T>
static __device__ __forceinline__ unsigned long long whole_lines(unsigned long long addresses,
                                                                 unsigned long long len) {
    return addresses % 16 == 0 ? len / (16 / sizeof(T)) : 0;
}

// out[i] = f(in[i])
template <typename T, typename F>
static __device__ __forceinline__ void map(const T *in, T *out, unsigned long long len, F f) {
    const unsigned lanes = 16 / sizeof(T);
    const unsigned long long stride = all_threads();
    const unsigned long long lines =
        whole_lines<T>((unsigned long long)in | (unsigned long long)out, len);
    for (unsigned long long line = first_thread(); line < lines; line += stride) {
        Line<T> x;
        x.wide = ((const uint4 *)in)[line];
#pragma unroll
        for (unsigned k = 0; k < lanes; ++k) {
            x.at[k] = f(x.at[k]);
        }
        ((uint4 *)out)[line] = x.wide;
    }
    for (unsigned long long i = lines * lanes + first_thread(); i < len; i += stride) {
        out[i] = f(in[i]);
    }
}

// out[i] = F::of(left[i], right[i])
template <typename F, typename T>
static __device__ __forceinline__ void zip(const T *left, const T *right, T *out,
                                           unsigned long long len) {
    const unsigned lanes = 16 / sizeof(T);
    const unsigned long long stride = all_threads();
    const unsigned long long lines =
        whole_lines<T>((unsigned long long)left | (unsigned long long)right |
                           (unsigned long long)out,
                       len);
    for (unsigned long long line = first_thread(); line < lines; line += stride) {
        Line<T> x, y;
        x.wide = ((const uint4 *)left)[line];
        y.wide = ((const uint4 *)right)[line];
#pragma unroll
        for (unsigned k = 0; k < lanes; ++k) {
            x.at[k] = F::of(x.at[k], y.at[k]);
        }
        ((uint4 *)out)[line] = x.wide;
    }
    for (unsigned long long i = lines * lanes + first_thread(); i < len; i += stride) {
        out[i] = F::of(left[i], right[i]);
    }
}

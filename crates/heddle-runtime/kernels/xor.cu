// XOR of bytes with a key that repeats.

#include "key.cuh"

// out[out_start + i] = data[data_start + i] ^ key[(key_phase + i) % key_len]
//
// Where `data` and `out` stand alike to a 16-byte line, the lines between are
// moved whole; head and tail, and operands that stand differently, go byte by
// byte. A launch of any size covers all `len` bytes. `data` and `out` may be the
// same bytes, so neither is `__restrict__`.
extern "C" __global__ void __launch_bounds__(256)
    xor_u8(const unsigned char *data, unsigned long long data_start,
           const unsigned char *__restrict__ key, unsigned long long key_len,
           unsigned long long key_phase, unsigned char *out, unsigned long long out_start,
           unsigned long long len) {
    const unsigned long long first = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
    const unsigned long long stride = gridDim.x * (unsigned long long)blockDim.x;
    const unsigned char *from = data + data_start;
    unsigned char *to = out + out_start;

    const bool alike = (((unsigned long long)from ^ (unsigned long long)to) & 15) == 0;
    unsigned long long head = (16 - ((unsigned long long)from & 15)) & 15;
    if (!alike || head > len) {
        head = len;
    }
    const unsigned long long lines = (len - head) / 16;
    const unsigned long long tail = head + lines * 16;

    for (unsigned long long i = first; i < head; i += stride) {
        to[i] = from[i] ^ key[(key_phase + i) % key_len];
    }

    if (first < lines) {
        const uint4 *wide_from = (const uint4 *)(from + head);
        uint4 *wide_to = (uint4 *)(to + head);
        // A 64-bit remainder costs more than the line itself: one per thread, then
        // the place in the key is carried along.
        unsigned long long k = (key_phase + head + first * 16) % key_len;
        const unsigned long long step = stride * 16 % key_len;
        uint4 mask = key_line(key, key_len, k);
        for (unsigned long long line = first; line < lines; line += stride) {
            const uint4 value = wide_from[line];
            wide_to[line] = make_uint4(value.x ^ mask.x, value.y ^ mask.y, value.z ^ mask.z,
                                       value.w ^ mask.w);
            // A thread that always meets the same part of the key keeps it.
            if (step != 0 && line + stride < lines) {
                k = k + step < key_len ? k + step : k + step - key_len;
                mask = key_line(key, key_len, k);
            }
        }
    }

    for (unsigned long long i = tail + first; i < len; i += stride) {
        to[i] = from[i] ^ key[(key_phase + i) % key_len];
    }
}

// Many small arrays in one buffer, each with parameters of its own.
//
// An item is three numbers: the byte it starts at, the byte its key starts at and
// the length of that key. Starts ascend from 0 and are multiples of 16, so that no
// line belongs to two items; what lies between two items is written too and never
// read.

#include "key.cuh"

#define RAGGED_FIELDS 3

// The last item that starts at or before `place`.
static __device__ __forceinline__ const unsigned long long *
item_at(const unsigned long long *__restrict__ items, unsigned long long count,
        unsigned long long place) {
    unsigned long long low = 0;
    unsigned long long high = count;
    while (high - low > 1) {
        const unsigned long long middle = low + (high - low) / 2;
        if (items[middle * RAGGED_FIELDS] <= place) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return items + low * RAGGED_FIELDS;
}

// out[i] = data[i] ^ the key of the item that byte `first + i` of the whole lies in
//
// `first` is where this stretch starts within the whole. Where it starts on a line,
// lines are moved whole: one search for sixteen bytes.
extern "C" __global__ void __launch_bounds__(256)
    xor_ragged_u8(const unsigned char *data, const unsigned long long *__restrict__ items,
                  unsigned long long count, const unsigned char *__restrict__ keys,
                  unsigned char *out, unsigned long long first, unsigned long long len) {
    const unsigned long long thread = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
    const unsigned long long stride = gridDim.x * (unsigned long long)blockDim.x;
    const bool aligned =
        ((first | (unsigned long long)data | (unsigned long long)out) & 15) == 0;
    const unsigned long long lines = aligned ? len / 16 : 0;

    for (unsigned long long line = thread; line < lines; line += stride) {
        const unsigned long long place = first + line * 16;
        const unsigned long long *item = item_at(items, count, place);
        const unsigned long long phase = (place - item[0]) % item[2];
        const uint4 mask = key_line(keys + item[1], item[2], phase);
        const uint4 value = ((const uint4 *)data)[line];
        ((uint4 *)out)[line] = make_uint4(value.x ^ mask.x, value.y ^ mask.y,
                                          value.z ^ mask.z, value.w ^ mask.w);
    }
    for (unsigned long long i = lines * 16 + thread; i < len; i += stride) {
        const unsigned long long *item = item_at(items, count, first + i);
        out[i] = data[i] ^ keys[item[1] + (first + i - item[0]) % item[2]];
    }
}

// A key that repeats, read by lines.

// The sixteen key bytes from `k` on, the key repeating. Element types wider than
// a byte give keys whose runs start on a word, so those are read by words.
static __device__ __forceinline__ uint4 key_line(const unsigned char *__restrict__ key,
                                                 unsigned long long key_len,
                                                 unsigned long long k) {
    if (k + 16 <= key_len && k % 16 == 0 && (unsigned long long)key % 16 == 0) {
        return *(const uint4 *)(key + k);
    }
    if (k + 16 <= key_len && k % 4 == 0 && (unsigned long long)key % 4 == 0) {
        const unsigned *words = (const unsigned *)(key + k);
        return make_uint4(words[0], words[1], words[2], words[3]);
    }
    unsigned words[4];
    for (int word = 0; word < 4; ++word) {
        unsigned value = 0;
        for (int byte = 0; byte < 4; ++byte) {
            value |= (unsigned)key[k] << (8 * byte);
            k = k + 1 == key_len ? 0 : k + 1;
        }
        words[word] = value;
    }
    return make_uint4(words[0], words[1], words[2], words[3]);
}

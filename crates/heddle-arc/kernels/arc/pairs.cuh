// Functions of two locations over all pairs of two sets.
//
// `prapply` asks as often as the product of both sizes. For the two functions programs
// ask most, the set of all answers is found without asking. All functions are warp
// unless they say otherwise.
#pragma once
#include "build.cuh"
#include "mask.cuh"

// The sums of every location of `a` with every one of `b`: one set shifted by all
// locations of the other. `false`, and no fault, where they fit no mask.
APART bool pairs_sums(Space s, Mask a, Mask b, Value &sums) {
    Window w;
    sums = none();
    if (!fit((i64)top(a) + top(b), (i64)left(a) + left(b), (i64)bottom(a) + bottom(b),
             (i64)right(a) + right(b), w)) {
        return false;
    }
    const unsigned count_a = count_of(s, a), count_b = count_of(s, b);
    const Mask few = count_a <= count_b ? a : b;
    const Mask many = count_a <= count_b ? b : a;
    work(s, (u64)(count_a <= count_b ? count_a : count_b) * (unsigned)many.height);
    TRY_OR(s, false)
    const unsigned at = raw_window(s, w);
    TRY_OR(s, false)
    const int height = (int)height_of(w);
#pragma unroll 1
    for (int row = (int)s.lane(); row < height; row += 32) {
        Bits sum = 0;
#pragma unroll 1
        for (int by_row = 0; by_row < few.height; by_row++) {
            const int own = row - by_row;
            const Bits word = own >= 0 && own < many.height ? s.rows()[many.rows + own] : 0;
            Bits bits = s.rows()[few.rows + by_row];
#pragma unroll 1
            for (; bits != 0; bits = without_lowest(bits)) {
                sum |= word << lowest_bit(bits);
            }
        }
        s.rows()[at + row] = sum;
    }
    __syncwarp();
    sums = sealed_mask(s, at, w);
    return true;
}

// Words every straight segment inside a box can be written with: a segment is a
// stretch of one of four patterns.
struct Patterns {
    // Word n has its lowest n + 1 bits set.
    unsigned across;
    // Every word is one.
    unsigned down;
    // Word n has only bit n.
    unsigned falling;
    // The last word has only bit 0, the one before only bit 1.
    unsigned rising;
    // How many words the diagonals have.
    unsigned diagonal;
};

INLINE Patterns pairs_patterns(Space s, Mask mask) {
    const unsigned height = (unsigned)mask.height, width = (unsigned)mask.width;
    Patterns p;
    p.diagonal = height < width ? height : width;
    p.across = raw_rows(s, width + height + 2 * p.diagonal);
    p.down = p.across + width;
    p.falling = p.down + height;
    p.rising = p.falling + p.diagonal;
    TRY_OR(s, p)
#pragma unroll 1
    for (unsigned n = s.lane(); n < width; n += 32) {
        s.rows()[p.across + n] = full_bits((int)n + 1);
    }
#pragma unroll 1
    for (unsigned n = s.lane(); n < height; n += 32) {
        s.rows()[p.down + n] = 1;
    }
#pragma unroll 1
    for (unsigned n = s.lane(); n < p.diagonal; n += 32) {
        s.rows()[p.falling + n] = bit_at((int)n);
        s.rows()[p.rising + p.diagonal - 1 - n] = bit_at((int)n);
    }
    __syncwarp();
    return p;
}

// Gives `add` the segments that begin at bit `bit` of row `row`, in canonical order,
// each as its words, its left bit, its height and width; lane.
template <typename F>
INLINE void pairs_segments_from(Space s, Mask mask, const Patterns &p, unsigned row,
                                unsigned bit, F &add) {
    const unsigned height = (unsigned)mask.height, width = (unsigned)mask.width;
    add(p.across, bit, 1u, 1u);
    Bits later = s.rows()[mask.rows + row] & ~full_bits((int)bit + 1);
#pragma unroll 1
    for (; later != 0; later = without_lowest(later)) {
        const unsigned by = (unsigned)lowest_bit(later) - bit;
        add(p.across + by, bit, 1u, by + 1);
    }
#pragma unroll 1
    for (unsigned by = 1; by <= bit && row + by < height; by++) {
        if (has_bit(s.rows()[mask.rows + row + by], (int)(bit - by))) {
            add(p.rising + p.diagonal - 1 - by, bit - by, by + 1, by + 1);
        }
    }
#pragma unroll 1
    for (unsigned by = 1; row + by < height; by++) {
        if (has_bit(s.rows()[mask.rows + row + by], (int)bit)) {
            add(p.down, bit, by + 1, 1u);
        }
    }
#pragma unroll 1
    for (unsigned by = 1; bit + by < width && row + by < height; by++) {
        if (has_bit(s.rows()[mask.rows + row + by], (int)(bit + by))) {
            add(p.falling, bit, by + 1, by + 1);
        }
    }
}

// The locations of a mask in their order, as row | bit << 16, in room the caller leaves.
APART unsigned *pairs_listed(Space s, Mask mask, unsigned count) {
    unsigned *list = room<unsigned>(s, count);
    TRY_OR(s, list)
    unsigned before = 0;
#pragma unroll 1
    for (int base = 0; base < mask.height; base += 32) {
        const int row = base + (int)s.lane();
        Bits bits = row < mask.height ? s.rows()[mask.rows + (unsigned)row] : 0;
        const unsigned own = (unsigned)bit_count(bits);
        unsigned to = before + sum_before(own, s.lane());
#pragma unroll 1
        for (; bits != 0; bits = without_lowest(bits)) {
            list[to] = (unsigned)row | (unsigned)lowest_bit(bits) << 16;
            to++;
        }
        before += warp_sum(own);
    }
    __syncwarp();
    return list;
}

// The segments between all pairs of locations of a set. They come in canonical order:
// by their first location, then by direction, then by length. One lane finds those of
// one first location. Never `false` but with a fault.
APART bool pairs_segments(Space s, Mask mask, Value &segments) {
    segments = none();
    const unsigned count = count_of(s, mask);
    work(s, (u64)count * (2 + (unsigned)mask.height));
    TRY_OR(s, false)
    const Patterns patterns = pairs_patterns(s, mask);
    TRY_OR(s, false)
    const unsigned spare = s->spare_len;
    const unsigned *list = pairs_listed(s, mask, count);
    TRY_OR(s, false)
    unsigned own = 0;
#pragma unroll 1
    for (unsigned k = s.lane(); k < count; k += 32) {
        auto counted = [&own](unsigned, unsigned, unsigned, unsigned) { own++; };
        pairs_segments_from(s, mask, patterns, list[k] & 0xffffu, list[k] >> 16, counted);
    }
    const unsigned total = warp_sum(own);
    work(s, total);
    TRY_OR(s, false)
    const unsigned base = s->stack_len;
    // Each segment is that of two pairs, a single location of one. Where some pair is
    // not in line, there is the empty segment, which comes first.
    if (2 * (u64)total - count < (u64)count * count) {
        push(s, empty_set());
        TRY_OR(s, false)
    }
    unsigned next = raw_stack(s, total);
    TRY_OR(s, false)
#pragma unroll 1
    for (unsigned from = 0; from < count; from += 32) {
        const unsigned k = from + s.lane();
        const unsigned row = k < count ? list[k] & 0xffffu : 0;
        const unsigned bit = k < count ? list[k] >> 16 : 0;
        own = 0;
        auto counted = [&own](unsigned, unsigned, unsigned, unsigned) { own++; };
        if (k < count) {
            pairs_segments_from(s, mask, patterns, row, bit, counted);
        }
        unsigned to = next + sum_before(own, s.lane());
        auto written = [&](unsigned rows, unsigned first, unsigned height, unsigned width) {
            Mask m;
            m.rows = rows;
            m.i = mask.i + (int)row;
            m.j = mask.j + (int)first;
            m.height = (int)height;
            m.width = (int)width;
            s.stack()[to] = mask_value(m);
            to++;
        };
        if (k < count) {
            pairs_segments_from(s, mask, patterns, row, bit, written);
        }
        next += warp_sum(own);
    }
    __syncwarp();
    leave_room(s, spare);
    segments = sorted_set(s, base);
    return true;
}

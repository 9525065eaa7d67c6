// Putting values in canonical order; all of it warp unless marked lane.
//
// Everything is sorted by merging neighbouring runs of growing length: each lane
// finds the place of its elements by bisection in the other run, so that all lanes
// compare at once and elements that are equal stay in the order they came in. What is
// in order already, as most is, costs one comparison an element.
#pragma once
#include "order.cuh"

// How many of the `len` places from `run` on come before an element: all that are
// less, and, where `after` says that the element comes from a later run, all that are
// equal too; lane. `compare(place)` orders what lies there against the element.
template <typename F>
INLINE unsigned places_before(const unsigned *run, unsigned len, bool after, F compare) {
    unsigned from = 0;
    unsigned to = len;
#pragma unroll 1
    while (from < to) {
        const unsigned middle = from + (to - from) / 2;
        const int found = compare(run[middle]);
        if (found < 0 || (found == 0 && after)) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

// The places 0..count in the order of `compare(a, b)` of two places, in room that the
// caller leaves; null if they are in order as they are, or at a fault.
template <typename F> INLINE unsigned *sorted_places(Space s, unsigned count, F compare) {
    bool in_order = true;
#pragma unroll 1
    for (unsigned k = s.lane() + 1; k < count; k += 32) {
        in_order = in_order && compare(k - 1, k) <= 0;
    }
    settle(s);
    if (every_lane(in_order) || s->fault != 0) {
        return nullptr;
    }
    unsigned *from = room<unsigned>(s, count);
    unsigned *to = room<unsigned>(s, count);
    TRY_OR(s, nullptr)
#pragma unroll 1
    for (unsigned k = s.lane(); k < count; k += 32) {
        from[k] = k;
    }
    __syncwarp();
#pragma unroll 1
    for (u64 width = 1; width < count; width *= 2) {
#pragma unroll 1
        for (unsigned k = s.lane(); k < count; k += 32) {
            const unsigned run = (unsigned)(k / width);
            const bool after = (run & 1) != 0;
            // The pair of runs, and within it the run that `k` is not in.
            const unsigned begin = (unsigned)((run & ~1u) * width);
            const u64 other = after ? begin : begin + width;
            const unsigned here = from[k];
            unsigned ahead = 0;
            if (other < count) {
                const u64 left = count - other;
                ahead = places_before(from + other, (unsigned)(left < width ? left : width), after,
                                      [&](unsigned place) { return compare(place, here); });
            }
            to[begin + (k - (unsigned)(run * width)) + ahead] = here;
        }
        // Comparisons that were given up on do not give every place an element.
        settle(s);
        TRY_OR(s, nullptr)
        __syncwarp();
        unsigned *swapped = from;
        from = to;
        to = swapped;
    }
    return from;
}

// Moves values to where `places` says that they come from.
INLINE void arrange(Space s, Value *at, const unsigned *places, unsigned count) {
    const unsigned mark = s->spare_len;
    Value *old = room<Value>(s, count);
    if (s->fault == 0) {
#pragma unroll 1
        for (unsigned k = s.lane(); k < count; k += 32) {
            old[k] = at[k];
        }
        __syncwarp();
#pragma unroll 1
        for (unsigned k = s.lane(); k < count; k += 32) {
            at[k] = old[places[k]];
        }
    }
    leave_room(s, mark);
}

// In canonical order. What is equal stays in the order it has.
APART void sort_values(Space s, Value *at, unsigned count) {
    const unsigned mark = s->spare_len;
    const unsigned *places = sorted_places(
        s, count, [&](unsigned a, unsigned b) { return order(s, at[a], at[b]); });
    if (places != nullptr) {
        arrange(s, at, places, count);
    }
    leave_room(s, mark);
}

// Keys in canonical order, and the elements with them. What has equal keys stays in
// the order it has.
APART void sort_keyed(Space s, Value *keys, Value *elements, unsigned count) {
    const unsigned mark = s->spare_len;
    const unsigned *places = sorted_places(
        s, count, [&](unsigned a, unsigned b) { return order(s, keys[a], keys[b]); });
    if (places != nullptr) {
        arrange(s, keys, places, count);
        arrange(s, elements, places, count);
    }
    leave_room(s, mark);
}

// lane: the first cell of an object in a compact form, as a number in the order of
// colour, row, column; `false` of anything else.
APART bool first_cell(Space s, Value object, u64 &key) {
    key = ~0ull;
    if (object.tag() != OBJECT && object.tag() != PAINTED) {
        return false;
    }
    const Mask m = mask_in(object);
    FirstCell first = {colour_in(object), m.i, m.j + lowest_bit(s.rows()[m.rows])};
    if (object.tag() == PAINTED) {
        first.colour = NO_COLOUR;
#pragma unroll 1
        for (int row = 0; row < m.height; row++) {
            const Bits bits = s.rows()[m.rows + row];
            const unsigned start = object.z + (unsigned)(row * m.width);
#pragma unroll 1
            for (int j = 0; j < m.width; j++) {
                const int colour = s.cells()[start + j];
                if (colour < first.colour && has_bit(bits, j)) {
                    meet(first, colour, m.i + row, m.j + j);
                }
            }
        }
    }
    key = (u64)(unsigned)(first.colour + 128) << 40 | (u64)(unsigned)(first.i + 0x10000) << 20 |
          (unsigned)(first.j + 0x10000);
    return true;
}

// Puts the values on the stack from `base` on in canonical order. Objects are looked
// at once for their first cell, which nearly always decides.
APART void sort_from(Space s, unsigned base) {
    const unsigned count = s->stack_len - base;
    if (count < 2) {
        return;
    }
    Value *at = s.stack() + base;
    const unsigned mark = s->spare_len;
    u64 *keys = room<u64>(s, count);
    if (s->fault != 0) {
        return;
    }
    bool objects = true;
#pragma unroll 1
    for (unsigned k = s.lane(); k < count && objects; k += 32) {
        u64 key;
        objects = first_cell(s, at[k], key);
        keys[k] = key;
    }
    __syncwarp();
    if (!every_lane(objects)) {
        leave_room(s, mark);
        sort_values(s, at, count);
        return;
    }
    const unsigned *places = sorted_places(s, count, [&](unsigned a, unsigned b) {
        const int decided = three_way(keys[a], keys[b]);
        return decided != 0 ? decided : order(s, at[a], at[b]);
    });
    if (places != nullptr) {
        arrange(s, at, places, count);
    }
    leave_room(s, mark);
}

// Puts locations or cells on the stack in order, each once, by marking them in a
// bitmap. `false`, and nothing done, if they are anything else, few, or scattered over
// a box much larger than their number.
APART bool sort_locations(Space s, unsigned base) {
    const unsigned count = s->stack_len - base;
    if (count < 16) {
        return false;
    }
    Value *at = s.stack() + base;
    const unsigned tag = at[0].tag();
    if (tag != PAIR && tag != CELL) {
        return false;
    }
    Colours mine;
    bool fit = true;
    int first_row = row_in(at[0]), last_row = first_row;
    int first_column = column_in(at[0]), last_column = first_column;
#pragma unroll 1
    for (unsigned k = s.lane(); k < count && fit; k += 32) {
        const Value item = at[k];
        fit = item.tag() == tag && fits_i8(colour_in(item));
        if (fit) {
            mine.add(colour_in(item));
            first_row = row_in(item) < first_row ? row_in(item) : first_row;
            last_row = row_in(item) > last_row ? row_in(item) : last_row;
            first_column = column_in(item) < first_column ? column_in(item) : first_column;
            last_column = column_in(item) > last_column ? column_in(item) : last_column;
        }
    }
    if (!every_lane(fit)) {
        return false;
    }
    // Locations have the colour 0, all of them, and so one plane.
    const Colours colours = colours_joined(mine);
    const int top = warp_min(first_row);
    const int left = warp_min(first_column);
    const u64 height = (u64)((i64)warp_max(last_row) - top) + 1;
    const u64 across = ((u64)((i64)warp_max(last_column) - left) + 1 + 63) / 64;
    const u64 most = 4ull * count;
    if (height * across > most || height * across * colours.len() > most) {
        return false;
    }
    const unsigned plane = (unsigned)(height * across);
    const unsigned words = plane * colours.len();
    const unsigned mark = s->spare_len;
    u64 *bitmap = room<u64>(s, words);
    TRY_OR(s, false)
#pragma unroll 1
    for (unsigned k = s.lane(); k < words; k += 32) {
        bitmap[k] = 0;
    }
    __syncwarp();
#pragma unroll 1
    for (unsigned k = s.lane(); k < count; k += 32) {
        const Value item = at[k];
        const unsigned row = (unsigned)((i64)row_in(item) - top);
        const unsigned column = (unsigned)((i64)column_in(item) - left);
        const unsigned word = colours.before(colour_in(item)) * plane + row * (unsigned)across +
                              column / 64;
        atomicOr(&bitmap[word], 1ull << column % 64);
    }
    __syncwarp();
    unsigned kept = 0;
#pragma unroll 1
    for (unsigned from = 0; from < words; from += 32) {
        const unsigned word = from + s.lane();
        u64 bits = word < words ? bitmap[word] : 0;
        const unsigned here = (unsigned)__popcll(bits);
        unsigned place = kept + sum_before(here, s.lane());
        if (bits != 0) {
            const int colour = colours.nth(word / plane);
            const int i = top + (int)(word % plane / (unsigned)across);
            const int j = left + (int)(word % plane % (unsigned)across * 64);
#pragma unroll 1
            for (; bits != 0; bits &= bits - 1) {
                const int column = j + __ffsll((i64)bits) - 1;
                at[place] = tag == CELL ? cell_of(colour, i, column) : pair_of(i, column);
                place += 1;
            }
        }
        kept += warp_sum(here);
    }
    leave_room(s, mark);
    truncate(s, base + kept);
    return true;
}

// Walking a container, whatever its form, in the order of the language.
//
// Patches keep no list of their elements: those of a mask are its bits, row by row;
// of cells all of the lowest colour come first, then all of the next. So a lane that
// wants them one by one takes an iterator (`Elements`), and whoever needs all of them
// at once lets the lanes `spread` them over the stack, one row of the mask each.
#pragma once
#include "space.cuh"

// More than any small colour.
#define NO_COLOUR 128

// Which of the 256 small colours occur; empty at first. All its functions are lane.
struct Colours {
    u64 words[4] = {0, 0, 0, 0};

    // Unrolled loops over all words keep these in registers.
    __device__ __forceinline__ void add(int colour) {
        const int place = colour + 128;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            words[k] |= k == place / 64 ? 1ull << place % 64 : 0;
        }
    }
    __device__ __forceinline__ void remove(int colour) {
        const int place = colour + 128;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            words[k] &= k == place / 64 ? ~(1ull << place % 64) : ~0ull;
        }
    }
    __device__ __forceinline__ bool has(int colour) const {
        const int place = colour + 128;
        u64 found = 0;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            found |= k == place / 64 ? words[k] >> place % 64 & 1 : 0;
        }
        return found != 0;
    }
    __device__ __forceinline__ unsigned len() const {
        return (unsigned)(__popcll(words[0]) + __popcll(words[1]) + __popcll(words[2]) +
                          __popcll(words[3]));
    }
    // How many are lower than this one.
    __device__ __forceinline__ unsigned before(int colour) const {
        const int place = colour + 128;
        unsigned count = 0;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const u64 lower = (1ull << place % 64) - 1;
            count += (unsigned)__popcll(k < place / 64    ? words[k]
                                        : k == place / 64 ? words[k] & lower
                                                          : 0);
        }
        return count;
    }
    // The lowest; `false` if there is none.
    __device__ __forceinline__ bool least(int &colour) const {
        colour = 0;
        bool found = false;
#pragma unroll
        for (int k = 3; k >= 0; k--) {
            if (words[k] != 0) {
                colour = 64 * k + __ffsll((i64)words[k]) - 1 - 128;
                found = true;
            }
        }
        return found;
    }
    // The one that has `place` lower ones; 0 if there are no more than that.
    __device__ __forceinline__ int nth(unsigned place) const {
        int colour = 0;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const unsigned here = (unsigned)__popcll(words[k]);
            if (place < here) {
                u64 left = words[k];
#pragma unroll 1
                for (; place > 0; place--) {
                    left &= left - 1;
                }
                colour = 64 * k + __ffsll((i64)left) - 1 - 128;
                // No later word can hold it any more.
                place = 256;
            } else {
                place -= here;
            }
        }
        return colour;
    }
};

// warp: what any lane has.
INLINE Colours colours_joined(const Colours &mine) {
    Colours all;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        all.words[k] = warp_or64(mine.words[k]);
    }
    return all;
}

// warp: the colours in a box where the mask has cells.
APART Colours box_colours(Space s, Mask m, unsigned cells) {
    Colours mine;
#pragma unroll 1
    for (int row = (int)s.lane(); row < m.height; row += 32) {
        const unsigned start = cells + (unsigned)(row * m.width);
#pragma unroll 1
        for (Bits left = s.rows()[m.rows + row]; left != 0; left = without_lowest(left)) {
            mine.add(s.cells()[start + lowest_bit(left)]);
        }
    }
    return colours_joined(mine);
}

// lane: the object number `k` of layers, if there is one.
INLINE bool layer(Space s, Value layers, unsigned k, Mask &m, int &colour) {
    if (layers.tag() != LAYERS || k >= layers.y) {
        return false;
    }
    const Value object = s.values()[layers.x + k];
    m = mask_in(object);
    colour = colour_in(object);
    return object.tag() == OBJECT;
}

// lane: how many locations a mask holds, counted by one lane.
INLINE unsigned count_alone(Space s, Mask m) {
    unsigned count = 0;
#pragma unroll 1
    for (int row = 0; row < m.height; row++) {
        count += (unsigned)bit_count(s.rows()[m.rows + row]);
    }
    return count;
}

// lane: how many elements a container has; 0 of anything else.
APART u64 len_alone(Space s, Value v) {
    switch (v.tag()) {
    case PAIR:
    case CELL: return 2;
    case ROW:
    case GRID:
    case TUPLE:
    case SET: return v.y;
    case MASK:
    case OBJECT:
    case PAINTED: return count_alone(s, mask_in(v));
    case LAYERS: {
        u64 count = 0;
#pragma unroll 1
        for (unsigned k = 0; k < v.y; k++) {
            count += count_alone(s, mask_in(s.values()[v.x + k]));
        }
        return count;
    }
    default: return 0;
    }
}

// warp: how many elements a container has.
APART u64 len_of(Space s, Value v) {
    if (has_mask(v)) {
        return count_of(s, mask_in(v));
    }
    if (v.tag() == LAYERS) {
        u64 count = 0;
#pragma unroll 1
        for (unsigned k = 0; k < v.y; k++) {
            count += count_of(s, mask_in(s.values()[v.x + k]));
        }
        return count;
    }
    if (!is_tuple(v) && !is_set(v)) {
        fail_kind(s, Noun_Container, v);
        return 0;
    }
    return len_alone(s, v);
}

// lane: the tuple of `len` cells from `start` on, in its one form.
INLINE Value row_value(Space s, unsigned start, unsigned len) {
    if (len == 2) {
        return pair_of(s.cells()[start], s.cells()[start + 1]);
    }
    return row_of_cells(start, len);
}

// lane: the element of a tuple or of a general set at a place below its length.
INLINE Value tuple_element(Space s, Value v, unsigned place) {
    switch (v.tag()) {
    case PAIR: return integer(place == 0 ? row_in(v) : column_in(v));
    case CELL: return place == 0 ? integer(colour_in(v)) : pair_of(row_in(v), column_in(v));
    case ROW: return integer(s.cells()[v.x + place]);
    case GRID: return row_value(s, v.x + place * v.z, v.z);
    case TUPLE:
    case SET: return s.values()[v.x + place];
    default: return v;
    }
}

// The elements of a container, one after another; for one lane.
struct Elements {
    Value container;
    // What is walked now: the bits left in a row of a mask.
    Mask mask;
    Bits left;
    int row;
    // The colour walked now and the lowest above it that was seen meanwhile.
    int colour, later;
    // The next place of a list, or the next object of layers in `values`.
    unsigned next, end;
};

// lane
INLINE void walk_from_top(Space s, Elements &e) {
    e.row = 0;
    e.left = s.rows()[e.mask.rows];
}

// lane: the elements in the order of the language; none of what is no container.
APART Elements elements(Space s, Value v) {
    Elements e;
    e.container = v;
    e.mask = mask_in(v);
    e.left = 0;
    e.row = 0;
    e.colour = 0;
    e.later = NO_COLOUR;
    e.next = 0;
    e.end = 0;
    switch (v.tag()) {
    case MASK: walk_from_top(s, e); break;
    case OBJECT:
        e.colour = colour_in(v);
        walk_from_top(s, e);
        break;
    case PAINTED:
        // The first walk is for no colour and finds the lowest.
        e.colour = -NO_COLOUR - 1;
        walk_from_top(s, e);
        break;
    case LAYERS:
        e.next = v.x + 1;
        e.end = v.x + v.y;
        layer(s, v, 0, e.mask, e.colour);
        walk_from_top(s, e);
        break;
    default: e.end = (unsigned)len_alone(s, v); break;
    }
    return e;
}

// lane: the next element; `false` at the end, and then again and again.
APART bool next(Space s, Elements &e, Value &out) {
    const unsigned tag = e.container.tag();
    if (tag < MASK || tag > LAYERS) {
        if (e.next >= e.end) {
            return false;
        }
        out = tuple_element(s, e.container, e.next);
        e.next += 1;
        return true;
    }
#pragma unroll 1
    for (;;) {
#pragma unroll 1
        while (e.left != 0) {
            const int bit = lowest_bit(e.left);
            e.left = without_lowest(e.left);
            const int i = e.mask.i + e.row;
            const int j = e.mask.j + bit;
            if (tag == MASK) {
                out = pair_of(i, j);
                return true;
            }
            const int colour =
                tag == PAINTED ? s.cells()[e.container.z + (unsigned)(e.row * e.mask.width + bit)]
                               : e.colour;
            if (colour == e.colour) {
                out = cell_of(colour, i, j);
                return true;
            }
            if (colour > e.colour && colour < e.later) {
                e.later = colour;
            }
        }
        if (e.row + 1 < e.mask.height) {
            e.row += 1;
            e.left = s.rows()[e.mask.rows + e.row];
        } else if (tag == LAYERS && e.next < e.end) {
            const Value object = s.values()[e.next];
            e.next += 1;
            e.mask = mask_in(object);
            e.colour = colour_in(object);
            walk_from_top(s, e);
        } else if (tag == PAINTED && e.later != NO_COLOUR) {
            e.colour = e.later;
            e.later = NO_COLOUR;
            walk_from_top(s, e);
        } else {
            return false;
        }
    }
}

// lane: the locations in a row of a compact patch that have the colour, which only
// matters where there are many.
INLINE Bits coloured_word(Space s, Value patch, Mask m, int row, int colour) {
    const Bits word = s.rows()[m.rows + row];
    if (patch.tag() != PAINTED) {
        return word;
    }
    const unsigned start = patch.z + (unsigned)(row * m.width);
    Bits found = 0;
#pragma unroll 1
    for (Bits left = word; left != 0; left = without_lowest(left)) {
        const int bit = lowest_bit(left);
        if (s.cells()[start + bit] == colour) {
            found |= bit_at(bit);
        }
    }
    return found;
}

// lane: the element of a patch at a location.
INLINE Value patch_element(Value patch, int colour, int i, int j) {
    return patch.tag() == MASK ? pair_of(i, j) : cell_of(colour, i, j);
}

// warp: the element number `place` among those of a colour in a compact patch; if
// there are too few, `place` is less by their number.
APART bool nth_coloured(Space s, Value patch, int colour, u64 &place, Value &out) {
    const Mask m = mask_in(patch);
#pragma unroll 1
    for (int base = 0; base < m.height; base += 32) {
        const int row = base + (int)s.lane();
        Bits word = row < m.height ? coloured_word(s, patch, m, row, colour) : 0;
        const unsigned count = (unsigned)bit_count(word);
        const unsigned before = sum_before(count, s.lane());
        const unsigned total = warp_sum(count);
        if (place < total) {
            const bool here = place >= before && place < before + count;
            int bit = 0;
            if (here) {
#pragma unroll 1
                for (unsigned skip = (unsigned)place - before; skip > 0; skip--) {
                    word = without_lowest(word);
                }
                bit = lowest_bit(word);
            }
            const int source = __ffs((int)ballot(here)) - 1;
            bit = __shfl_sync(ALL_LANES, bit, source);
            out = patch_element(patch, colour, m.i + base + source, m.j + bit);
            return true;
        }
        place -= total;
    }
    return false;
}

// warp: the first or the last cell of a many-coloured object.
APART Value painted_end(Space s, Value painted, bool last) {
    const Mask m = mask_in(painted);
    int found = last ? -1 : 1 << 30;
#pragma unroll 1
    for (int row = (int)s.lane(); row < m.height; row += 32) {
        const unsigned start = painted.z + (unsigned)(row * m.width);
#pragma unroll 1
        for (Bits left = s.rows()[m.rows + row]; left != 0; left = without_lowest(left)) {
            const int bit = lowest_bit(left);
            const int key = (s.cells()[start + bit] + 128) << 16 | row << 8 | bit;
            if (last == (key > found)) {
                found = key;
            }
        }
    }
    found = last ? warp_max(found) : warp_min(found);
    return cell_of((found >> 16) - 128, m.i + (found >> 8 & 0xff), m.j + (found & 0xff));
}

// warp: the element at a place counted from 0, if there is one.
APART bool nth(Space s, Value container, u64 place, Value &out) {
    // The caller may want the element in place of its container.
    const Value v = container;
    out = none();
    if (has_mask(v) || v.tag() == LAYERS) {
        const Value patch = v.tag() == LAYERS ? s.values()[v.x] : v;
        if (place == 0) {
            // Boxes are tight: the first row is not empty.
            const Mask m = mask_in(patch);
            out = patch.tag() == PAINTED
                      ? painted_end(s, patch, false)
                      : patch_element(patch, colour_in(patch), m.i,
                                      m.j + lowest_bit(s.rows()[m.rows]));
            return true;
        }
        if (v.tag() == LAYERS) {
            bool found = false;
#pragma unroll 1
            for (unsigned k = 0; k < v.y && !found; k++) {
                const Value object = s.values()[v.x + k];
                found = nth_coloured(s, object, colour_in(object), place, out);
            }
            return found;
        }
        if (v.tag() != PAINTED) {
            return nth_coloured(s, v, colour_in(v), place, out);
        }
        Colours left = box_colours(s, mask_in(v), v.z);
        int colour;
#pragma unroll 1
        while (left.least(colour)) {
            if (nth_coloured(s, v, colour, place, out)) {
                return true;
            }
            left.remove(colour);
        }
        return false;
    }
    const u64 len = len_of(s, v);
    TRY_OR(s, false)
    if (place >= len) {
        return false;
    }
    out = tuple_element(s, v, (unsigned)place);
    return true;
}

// warp: the last element, if there is one.
APART bool last_of(Space s, Value container, Value &out) {
    const Value v = container;
    out = none();
    if (has_mask(v) || v.tag() == LAYERS) {
        const Value patch = v.tag() == LAYERS ? s.values()[v.x + v.y - 1] : v;
        const Mask m = mask_in(patch);
        out = patch.tag() == PAINTED
                  ? painted_end(s, patch, true)
                  : patch_element(patch, colour_in(patch), bottom(m),
                                  m.j + highest_bit(s.rows()[m.rows + m.height - 1]));
        return true;
    }
    const u64 len = len_of(s, v);
    TRY_OR(s, false)
    if (len == 0) {
        return false;
    }
    out = tuple_element(s, v, (unsigned)(len - 1));
    return true;
}

// warp: writes the elements of a colour in a compact patch on the stack from `at` on,
// where there is room; where they end.
APART unsigned spread_coloured(Space s, Value patch, int colour, unsigned at) {
    const Mask m = mask_in(patch);
#pragma unroll 1
    for (int base = 0; base < m.height; base += 32) {
        const int row = base + (int)s.lane();
        Bits word = row < m.height ? coloured_word(s, patch, m, row, colour) : 0;
        const unsigned count = (unsigned)bit_count(word);
        unsigned place = at + sum_before(count, s.lane());
#pragma unroll 1
        for (; word != 0; word = without_lowest(word)) {
            s.stack()[place] = patch_element(patch, colour, m.i + row, m.j + lowest_bit(word));
            place += 1;
        }
        at += warp_sum(count);
    }
    __syncwarp();
    return at;
}

// warp: pushes all elements on the stack; where the first lies.
APART unsigned spread(Space s, Value v) {
    const u64 len = len_of(s, v);
    TRY_OR(s, s->stack_len)
    const unsigned base = raw_stack(s, len);
    TRY_OR(s, base)
    if (v.tag() == MASK || v.tag() == OBJECT) {
        spread_coloured(s, v, colour_in(v), base);
    } else if (v.tag() == LAYERS) {
        unsigned at = base;
#pragma unroll 1
        for (unsigned k = 0; k < v.y; k++) {
            const Value object = s.values()[v.x + k];
            at = spread_coloured(s, object, colour_in(object), at);
        }
    } else if (v.tag() == PAINTED) {
        Colours left = box_colours(s, mask_in(v), v.z);
        unsigned at = base;
        int colour;
#pragma unroll 1
        while (left.least(colour)) {
            at = spread_coloured(s, v, colour, at);
            left.remove(colour);
        }
    } else {
#pragma unroll 1
        for (unsigned k = s.lane(); k < len; k += 32) {
            s.stack()[base + k] = tuple_element(s, v, k);
        }
        __syncwarp();
    }
    // Elements that exist are paid for already; what is charged is the walk.
    work(s, len);
    return base;
}

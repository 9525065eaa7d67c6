// What two sets share, and what one has that the other has not.
//
// Between compact patches every lane decides rows of its own; elements of anything
// else are listed and tested one by each lane. All functions are warp.
#pragma once
#include "containers.cuh"

// The locations two masks share, as a mask or the empty set.
APART Value difference_common(Space s, Mask a, Mask b) {
    const int least_i = top(a) > top(b) ? top(a) : top(b);
    const int most_i = bottom(a) < bottom(b) ? bottom(a) : bottom(b);
    const int least_j = left(a) > left(b) ? left(a) : left(b);
    const int most_j = right(a) < right(b) ? right(a) : right(b);
    Window w;
    if (least_i > most_i || least_j > most_j || !fit(least_i, least_j, most_i, most_j, w)) {
        return empty_set();
    }
    const Bits columns = full_bits((int)width_of(w));
    const unsigned at =
        combined(s, a, b, w, [columns](Bits p, Bits q) { return p & q & columns; });
    TRY(s)
    return sealed_mask(s, at, w);
}

APART Value difference_intersection(Space s, Value a, Value b) {
    if (!is_set(a) || !is_set(b)) {
        return fail_kind(s, Noun_Set, is_set(a) ? b : a);
    }
    if (a.tag() == MASK && b.tag() == MASK) {
        return difference_common(s, mask_in(a), mask_in(b));
    }
    if (a.tag() == OBJECT && b.tag() == OBJECT) {
        if (colour_in(a) != colour_in(b)) {
            return empty_set();
        }
        const Value common = difference_common(s, mask_in(a), mask_in(b));
        TRY(s)
        return common.tag() == MASK ? object_value(mask_in(common), colour_in(a)) : common;
    }
    const unsigned base = spread(s, a);
    TRY(s)
    containers_keep(s, base, s->stack_len, [&](unsigned, Value element) {
        return containers_holds_alone(s, b, element);
    });
    TRY(s)
    return set_from(s, base);
}

// The cells of a many-coloured object, its colours from `own` on, in the rows kept of
// it.
APART Value difference_kept(Space s, unsigned own, unsigned at, Window w) {
    const unsigned width = width_of(w), area = height_of(w) * width;
    const unsigned cells = raw_cells(s, area);
    TRY(s)
#pragma unroll 1
    for (unsigned k = s.lane(); k < area; k += 32) {
        const unsigned row = k / width;
        const bool kept = has_bit(s.rows()[at + row], (int)(k - row * width));
        s.cells()[cells + k] = kept ? s.cells()[own + k] : 0;
    }
    __syncwarp();
    return sealed_cells(s, at, cells, w);
}

// The cells of one colour that an object of one colour, or layers, have in a row of the
// plane, as seen from column `from`; lane.
INLINE Bits difference_word(Space s, Value item, int colour, int i, int from) {
    const unsigned parts = item.tag() == LAYERS ? item.y : 1;
    Bits word = 0;
#pragma unroll 1
    for (unsigned k = 0; k < parts; k++) {
        const Value own = item.tag() == LAYERS ? s.values()[item.x + k] : item;
        if (colour_in(own) == colour) {
            word |= word_at(s, mask_in(own), i, from);
        }
    }
    return word;
}

// The cells of an object that are not in a set.
APART Value difference_cells(Space s, Value a, Value b) {
    const Mask m = mask_in(a);
    const Window w = window_of_mask(m);
    const unsigned height = height_of(w), width = width_of(w);
    work(s, (u64)(height * width) / 4 + 1);
    TRY(s)
    const unsigned at = raw_window(s, w);
    TRY(s)
    // A set of locations has no cells; objects and layers take whole words of a colour.
    const bool by_words = b.tag() == OBJECT || b.tag() == LAYERS;
#pragma unroll 1
    for (unsigned row = s.lane(); row < height; row += 32) {
        const int i = w.top + (int)row;
        Bits word = s.rows()[m.rows + row];
        if (by_words && a.tag() == OBJECT) {
            word &= ~difference_word(s, b, colour_in(a), i, w.left);
        } else if (by_words) {
            const unsigned count = b.tag() == LAYERS ? b.y : 1;
#pragma unroll 1
            for (unsigned k = 0; k < count; k++) {
                const Value own = b.tag() == LAYERS ? s.values()[b.x + k] : b;
                Bits common = word & word_at(s, mask_in(own), i, w.left);
#pragma unroll 1
                for (; common != 0; common = without_lowest(common)) {
                    const int bit = lowest_bit(common);
                    if (union_colour(s, a, row, (unsigned)bit) == colour_in(own)) {
                        word &= ~bit_at(bit);
                    }
                }
            }
        } else if (b.tag() != MASK) {
#pragma unroll 1
            for (Bits bits = word; bits != 0; bits = without_lowest(bits)) {
                const int bit = lowest_bit(bits);
                const Value cell = cell_of(union_colour(s, a, row, (unsigned)bit), (int)i,
                                           m.j + bit);
                if (containers_holds_alone(s, b, cell)) {
                    word &= ~bit_at(bit);
                }
            }
        }
        s.rows()[at + row] = word;
    }
    __syncwarp();
    settle(s);
    TRY(s)
    return a.tag() == OBJECT ? sealed_object(s, at, w, colour_in(a))
                           : difference_kept(s, a.z, at, w);
}

APART Value difference_difference(Space s, Value a, Value b) {
    if (a.tag() == MASK && b.tag() == MASK) {
        const Window w = window_of_mask(mask_in(a));
        const unsigned at = combined(s, mask_in(a), mask_in(b), w,
                                     [](Bits p, Bits q) { return p & ~q; });
        TRY(s)
        return sealed_mask(s, at, w);
    }
    if (!is_tuple(b) && !is_set(b)) {
        return fail_kind(s, Noun_Container, b);
    }
    if ((a.tag() == OBJECT || a.tag() == PAINTED) && is_set(b)) {
        return difference_cells(s, a, b);
    }
    const unsigned base = spread(s, a);
    TRY(s)
    containers_charge_holds(s, b, s->stack_len - base);
    TRY(s)
    containers_keep(s, base, s->stack_len, [&](unsigned, Value element) {
        return !containers_holds_alone(s, b, element);
    });
    TRY(s)
    return like_from(s, a, base);
}

APART Value containers_difference_tuple(Space s, Value a, Value b) {
    if (!is_tuple(a)) {
        return fail_kind(s, Noun_Tuple, a);
    }
    return difference_difference(s, a, b);
}

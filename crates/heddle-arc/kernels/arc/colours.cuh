// Questions about the colours of grids and objects.
//
// A grid of the colours 0..15, as nearly every one is, is counted in one pass: each
// lane counts its cells in bytes of its own, and lane c ends up with the count of
// colour c. Anything else is counted one colour after another.
#pragma once
#include "build.cuh"
#include "degenerate.cuh"
#include "elements.cuh"

// How many cells a lane may count in bytes before one of them could overflow.
#define COLOURS_CELLS_IN_BYTES 255u

// The sum over all lanes of four 16-bit counts in one word; warp.
INLINE u64 colours_sum(u64 counts) {
    return warp_fold(counts, [](u64 a, u64 b) { return a + b; });
}

// Counts the cells of a grid of the colours 0..15: `mine` becomes the count of the
// colour of this lane's number. `false` if there are other colours; warp.
APART bool colours_few(Space s, Value grid, unsigned &mine) {
    const u64 bytes = 0x00ff00ff00ff00ffull;
    const unsigned area = grid.y * grid.z;
    const Colour *cells = s.cells() + grid.x;
    mine = 0;
#pragma unroll 1
    for (unsigned start = 0; start < area; start += 32 * COLOURS_CELLS_IN_BYTES) {
        const unsigned left = area - start;
        const unsigned end = left < 32 * COLOURS_CELLS_IN_BYTES
                                 ? area
                                 : start + 32 * COLOURS_CELLS_IN_BYTES;
        // A byte for each of the colours 0..7, and of 8..15.
        u64 low = 0, high = 0;
        unsigned other = 0;
#pragma unroll 1
        for (unsigned place = start + s.lane(); place < end; place += 32) {
            const unsigned colour = (unsigned)(unsigned char)cells[place];
            other |= colour;
            const u64 one = 1ull << (colour % 8 * 8);
            low += (colour & 8) == 0 ? one : 0;
            high += (colour & 8) == 0 ? 0 : one;
        }
        if (any_lane(other > 15)) {
            return false;
        }
        const u64 even_low = colours_sum(low & bytes), odd_low = colours_sum(low >> 8 & bytes);
        const u64 even_high = colours_sum(high & bytes);
        const u64 odd_high = colours_sum(high >> 8 & bytes);
        if (s.lane() < 16) {
            const u64 even = s.lane() < 8 ? even_low : even_high;
            const u64 odd = s.lane() < 8 ? odd_low : odd_high;
            const u64 four = s.lane() % 2 == 0 ? even : odd;
            mine += (unsigned)(four >> (s.lane() % 8 / 2 * 16)) & 0xffffu;
        }
    }
    return true;
}

// Whether the colours of an element can be counted here: a grid or a compact object;
// lane.
INLINE bool colours_countable(Value element) {
    return element.tag() == GRID || element.tag() == OBJECT || element.tag() == PAINTED ||
           element.tag() == LAYERS;
}

// How many of `count` cells from `at` on have a colour; warp.
INLINE unsigned colours_same(Space s, unsigned at, unsigned count, int colour) {
    unsigned same = 0;
#pragma unroll 1
    for (unsigned place = s.lane(); place < count; place += 32) {
        same += s.cells()[at + place] == colour;
    }
    return warp_sum(same);
}

// How often a colour occurs in a grid or compact object; warp.
APART unsigned colours_times(Space s, Value element, int colour) {
    if (element.tag() == GRID) {
        return colours_same(s, element.x, element.y * element.z, colour);
    }
    if (element.tag() == OBJECT) {
        return colour_in(element) == colour ? count_of(s, mask_in(element)) : 0;
    }
    if (element.tag() == PAINTED) {
        const Mask m = mask_in(element);
        const unsigned area = (unsigned)m.height * (unsigned)m.width;
        const unsigned same = colours_same(s, element.z, area, colour);
        // The box is zero where the object has no cell.
        return colour == 0 ? same - (area - count_of(s, m)) : same;
    }
#pragma unroll 1
    for (unsigned k = 0; k < element.y; k++) {
        const Value layer = s.values()[element.x + k];
        if (colour_in(layer) == colour) {
            return count_of(s, mask_in(layer));
        }
    }
    return 0;
}

// The colours of a grid or compact object, none of an empty container; `false` for
// anything else; warp.
APART bool colours_colours(Space s, Value element, Colours &found) {
    Colours mine;
    switch (element.tag()) {
    case OBJECT: mine.add(colour_in(element)); break;
    case PAINTED: found = box_colours(s, mask_in(element), element.z); return true;
    case LAYERS:
#pragma unroll 1
        for (unsigned k = s.lane(); k < element.y; k += 32) {
            mine.add(colour_in(s.values()[element.x + k]));
        }
        break;
    case GRID: {
        const unsigned area = element.y * element.z;
#pragma unroll 1
        for (unsigned place = s.lane(); place < area; place += 32) {
            mine.add(s.cells()[element.x + place]);
        }
        break;
    }
    default: found = mine; return is_empty_container(element);
    }
    found = colours_joined(mine);
    return true;
}

// The most or least frequent colour of a grid or compact object, ties to the smallest;
// warp.
APART int colours_extreme(Space s, Value element, bool most) {
    if (element.tag() == OBJECT) {
        return colour_in(element);
    }
    unsigned mine;
    if (element.tag() == GRID && colours_few(s, element, mine)) {
        // What does not occur is never the most and must not be the least.
        const int rank = most ? (int)mine : mine > 0 ? -(int)mine : -0x7fffffff;
        return __ffs((int)ballot(rank == warp_max(rank))) - 1;
    }
    Colours left;
    colours_colours(s, element, left);
    unsigned best = 0;
    int chosen = 0, colour;
#pragma unroll 1
    while (left.least(colour)) {
        left.remove(colour);
        const unsigned times = colours_times(s, element, colour);
        if (best == 0 || (most ? times > best : times < best)) {
            best = times;
            chosen = colour;
        }
    }
    return chosen;
}

// The most frequent colour of a grid; warp.
INLINE int colours_background(Space s, Value grid) {
    return colours_extreme(s, grid, true);
}

// All of these are warp functions.

INLINE Value colours_mostcolor(Space s, Value element) {
    return colours_countable(element) ? integer(colours_extreme(s, element, true))
                                      : plainly(s, Prim_Mostcolor, element);
}

INLINE Value colours_leastcolor(Space s, Value element) {
    return colours_countable(element) ? integer(colours_extreme(s, element, false))
                                      : plainly(s, Prim_Leastcolor, element);
}

// Pushes colours in ascending order; where the first lies.
APART unsigned colours_push(Space s, Colours colours) {
    const unsigned base = raw_stack(s, (u64)colours.len());
    TRY_OR(s, base)
    int colour;
#pragma unroll 1
    for (unsigned k = 0; colours.least(colour); k++) {
        colours.remove(colour);
        if (s.lane() == k % 32) {
            s.stack()[base + k] = integer(colour);
        }
    }
    __syncwarp();
    return base;
}

APART Value colours_palette(Space s, Value element) {
    Colours colours;
    if (!colours_colours(s, element, colours)) {
        return plainly(s, Prim_Palette, element);
    }
    const unsigned base = colours_push(s, colours);
    TRY(s)
    return sorted_set(s, base);
}

// Colours of a grid, ascending.
APART Value colours_colours_ascending(Space s, Value element) {
    if (element.tag() != GRID) {
        return plainly(s, Prim_PG, element);
    }
    Colours colours;
    colours_colours(s, element, colours);
    const unsigned base = colours_push(s, colours);
    TRY(s)
    return tuple_from(s, base);
}

APART Value colours_numcolors(Space s, Value element) {
    Colours colours;
    return colours_colours(s, element, colours) ? integer((i64)colours.len())
                                                : plainly(s, Prim_Numcolors, element);
}

APART Value colours_colorcount(Space s, Value element, Value value) {
    if (!colours_countable(element)) {
        return plainly(s, Prim_Colorcount, element, value);
    }
    return integer(is_small(value) ? colours_times(s, element, (int)number_in(value)) : 0);
}

APART Value colours_color(Space s, Value object) {
    if (object.tag() == OBJECT) {
        return integer(colour_in(object));
    }
    Value first, colour;
    const bool any = nth(s, object, 0, first);
    TRY(s)
    if (!any) {
        return fail_empty(s, Noun_Object);
    }
    if (!is_tuple(first)) {
        return fail_kind(s, Noun_Cell, first);
    }
    const bool coloured = nth(s, first, 0, colour);
    TRY(s)
    return coloured ? colour : fail_empty(s, Noun_Cell);
}

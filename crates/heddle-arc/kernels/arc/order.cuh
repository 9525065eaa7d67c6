// Canonical order and comparison of values, as equal.cuh compares them.
#pragma once
#include "equal.cuh"

INLINE unsigned rank_of(Value v) {
    switch (v.tag()) {
    case NONE: return 0;
    case BOOL:
    case INT: return 1;
    case PRIM: return 4;
    case BUILT: return 5;
    case BODY: return 6;
    default: return is_tuple(v) ? 2 : 3;
    }
}

// Two open containers, or runs of values dressed up as tuples.
struct Level {
    Value a, b;
    unsigned place, count;
    // What is decided if all their elements up to `count` are equal.
    int ending;
};

INLINE bool open_lists(Level &level, Value a, Value b, unsigned len_a, unsigned len_b,
                       int ending) {
    level.a = a;
    level.b = b;
    level.place = 0;
    level.count = len_a < len_b ? len_a : len_b;
    level.ending = ending;
    return true;
}

INLINE bool open_walks(Level &level, Value a, Value b) {
    level.a = a;
    level.b = b;
    level.place = 0;
    level.count = WALKED;
    level.ending = 0;
    return true;
}

INLINE int order_cells(Space s, unsigned a, unsigned b, unsigned len) {
    if (a != b) {
#pragma unroll 1
        for (unsigned k = 0; k < len; k++) {
            const int x = s.cells()[a + k];
            const int y = s.cells()[b + k];
            if (x != y) {
                return x < y ? -1 : 1;
            }
        }
    }
    return 0;
}

// Masks as ascending lists of locations. Whoever holds the first location the other
// lacks is smaller, unless the other has ended there. `false` if they lie too far
// apart for this.
INLINE bool order_masks(Space s, Mask a, Mask b, int &decided) {
    decided = three_way(a.i, b.i);
    if (decided != 0) {
        return true;
    }
    decided = three_way(a.j + lowest_bit(s.rows()[a.rows]), b.j + lowest_bit(s.rows()[b.rows]));
    if (decided != 0) {
        return true;
    }
    const int from = left(a) < left(b) ? left(a) : left(b);
    if ((right(a) < right(b) ? right(b) : right(a)) - from >= MASK_COLUMNS) {
        return false;
    }
    if (a.rows == b.rows && a.j == b.j && a.height == b.height) {
        return true;
    }
    const int rows = a.height < b.height ? a.height : b.height;
#pragma unroll 1
    for (int row = 0; row < rows; row++) {
        const Bits p = s.rows()[a.rows + row] << (a.j - from);
        const Bits q = s.rows()[b.rows + row] << (b.j - from);
        if (p == q) {
            continue;
        }
        const Bits bit = bit_at(lowest_bit(p ^ q));
        const bool first_has_it = (p & bit) != 0;
        const Bits lacking = first_has_it ? q : p;
        const bool lacking_ended = lacking < bit && row + 1 == (first_has_it ? b : a).height;
        decided = first_has_it == lacking_ended ? 1 : -1;
        return true;
    }
    decided = three_way(a.height, b.height);
    return true;
}

// Many-coloured objects as ascending lists of cells.

// The first of some cells: of those with the least colour the one met first, where rows
// are walked from the top.
struct FirstCell {
    int colour, i, j;
};

INLINE void meet(FirstCell &first, int colour, int i, int j) {
    if (colour < first.colour) {
        first.colour = colour;
        first.i = i;
        first.j = j;
    }
}

INLINE int order_first(FirstCell a, FirstCell b) {
    return a.colour != b.colour ? three_way(a.colour, b.colour)
           : a.i != b.i         ? three_way(a.i, b.i)
                                : three_way(a.j, b.j);
}

// The row of a mask on a row of the plane, as seen from column `from` at its left or
// beyond.
INLINE Bits row_at(Space s, Mask m, int i, int from) {
    return i < m.i || i >= m.i + m.height ? (Bits)0 : s.rows()[m.rows + i - m.i] << (m.j - from);
}

// Whether an object has a cell behind this one.
INLINE bool goes_beyond(Space s, Mask m, unsigned cells, FirstCell cell) {
#pragma unroll 1
    for (int row = 0; row < m.height; row++) {
        Bits bits = s.rows()[m.rows + row];
#pragma unroll 1
        for (; bits != 0; bits = without_lowest(bits)) {
            const int bit = lowest_bit(bits);
            const FirstCell found = {s.cells()[cells + row * m.width + bit], m.i + row, m.j + bit};
            if (order_first(found, cell) > 0) {
                return true;
            }
        }
    }
    return false;
}

// Whoever holds the first cell the other lacks is smaller, unless the other has ended
// there. The columns of both span less than `MASK_COLUMNS` from `from` on.
APART int order_painted(Space s, Value a, Value b, int from) {
    const Mask x = mask_in(a);
    const Mask y = mask_in(b);
    const int top = x.i < y.i ? x.i : y.i;
    const int bottom = x.i + x.height > y.i + y.height ? x.i + x.height : y.i + y.height;
    FirstCell mine = {NO_COLOUR, 0, 0};
    FirstCell others = {NO_COLOUR, 0, 0};
#pragma unroll 1
    for (int i = top; i < bottom; i++) {
        const Bits p = row_at(s, x, i, from);
        const Bits q = row_at(s, y, i, from);
        if ((p | q) == 0) {
            continue;
        }
        // Where columns seen from `from` have their colours.
        const int ours = (int)a.z + (i - x.i) * x.width - (x.j - from);
        const int theirs = (int)b.z + (i - y.i) * y.width - (y.j - from);
        if (p == q && x.j == y.j && x.width == y.width) {
            // Most rows are: colours alone differ, and they are zero where no cell is.
#pragma unroll 1
            for (int j = x.j - from; j < x.j - from + x.width; j++) {
                const int one = s.cells()[ours + j];
                const int other = s.cells()[theirs + j];
                if (one != other) {
                    meet(mine, one, i, from + j);
                    meet(others, other, i, from + j);
                }
            }
            continue;
        }
        Bits bits = p | q;
#pragma unroll 1
        for (; bits != 0; bits = without_lowest(bits)) {
            const int j = lowest_bit(bits);
            const int one = has_bit(p, j) ? s.cells()[ours + j] : NO_COLOUR;
            const int other = has_bit(q, j) ? s.cells()[theirs + j] : NO_COLOUR;
            if (one != other) {
                meet(mine, one, i, from + j);
                meet(others, other, i, from + j);
            }
        }
    }
    if (mine.colour == NO_COLOUR && others.colour == NO_COLOUR) {
        return 0;
    }
    if (others.colour == NO_COLOUR) {
        return goes_beyond(s, y, b.z, mine) ? -1 : 1;
    }
    if (mine.colour == NO_COLOUR) {
        return goes_beyond(s, x, a.z, others) ? 1 : -1;
    }
    return order_first(mine, others);
}

// `false` if they lie too far apart for that.
INLINE bool order_painted_near(Space s, Value a, Value b, int &decided) {
    const Mask x = mask_in(a);
    const Mask y = mask_in(b);
    const int from = left(x) < left(y) ? left(x) : left(y);
    if ((right(x) < right(y) ? right(y) : right(x)) - from >= MASK_COLUMNS) {
        return false;
    }
    decided = order_painted(s, a, b, from);
    return true;
}

// Compares two values as far as that goes without looking into general containers:
// `false` and `decided`, or `true` and `level` if their elements must decide.
INLINE bool order_outside(Space s, Value a, Value b, int &decided, Level &level) {
    decided = 0;
    if (a.tag() != b.tag()) {
        const unsigned rank = rank_of(a);
        decided = three_way(rank, rank_of(b));
        if (decided != 0) {
            return false;
        }
        if (rank == 1) {
            decided = three_way(number_in(a), number_in(b));
            return false;
        }
        if (rank == 3) {
            return open_walks(level, a, b);
        }
        const unsigned len_a = (unsigned)len_alone(s, a);
        const unsigned len_b = (unsigned)len_alone(s, b);
        return open_lists(level, a, b, len_a, len_b, three_way(len_a, len_b));
    }
    switch (a.tag()) {
    case BOOL:
    case INT: decided = three_way(number_in(a), number_in(b)); return false;
    case PAIR:
    case CELL:
        // The colour of a pair is 0, as is that of a mask below.
        decided = three_way(colour_in(a), colour_in(b));
        if (decided == 0) {
            decided = three_way(row_in(a), row_in(b));
        }
        if (decided == 0) {
            decided = three_way(column_in(a), column_in(b));
        }
        return false;
    case ROW:
        decided = order_cells(s, a.x, b.x, a.y < b.y ? a.y : b.y);
        if (decided == 0) {
            decided = three_way(a.y, b.y);
        }
        return false;
    case GRID:
        if (a.z == b.z) {
            decided = order_cells(s, a.x, b.x, (a.y < b.y ? a.y : b.y) * a.z);
            if (decided == 0) {
                decided = three_way(a.y, b.y);
            }
            return false;
        }
        // First rows of unlike lengths decide.
        decided = order_cells(s, a.x, b.x, a.z < b.z ? a.z : b.z);
        if (decided == 0) {
            decided = three_way(a.z, b.z);
        }
        return false;
    case MASK:
    case OBJECT:
        decided = three_way(colour_in(a), colour_in(b));
        if (decided != 0) {
            return false;
        }
        return !order_masks(s, mask_in(a), mask_in(b), decided) && open_walks(level, a, b);
    case PAINTED:
        if ((a.x == b.x && a.z == b.z && same_box(a, b)) || order_painted_near(s, a, b, decided)) {
            return false;
        }
        return open_walks(level, a, b);
    case TUPLE:
    case SET:
        if (a.x == b.x && a.y == b.y) {
            return false;
        }
        return open_lists(level, a, b, a.y, b.y, three_way(a.y, b.y));
    case LAYERS:
        return (a.x != b.x || a.y != b.y) && open_walks(level, a, b);
    case PRIM: decided = three_way(PRIM_RANK[a.x], PRIM_RANK[b.x]); return false;
    case BUILT: {
        decided = three_way(PRIM_RANK[a.z], PRIM_RANK[b.z]);
        const unsigned parts = PRIM_ARITY[a.z];
        return decided == 0 && open_lists(level, make(TUPLE, a.x, parts),
                                          make(TUPLE, b.x, parts), parts, parts, 0);
    }
    case BODY: {
        const unsigned parts = a.box() + 1u;
        return open_lists(level, make(TUPLE, a.x, parts), make(TUPLE, b.x, parts), parts, parts,
                          three_way(a.y, b.y));
    }
    default: return false;
    }
}

// Where `order_outside` leaves a level.
APART int order_inside(Space s, Level level) {
    Level open[OPEN_MOST];
    unsigned levels = 0;
    // One pair of iterators is enough: the elements of a patch hold no sets, and what
    // is compared with them is decided before it comes to sets.
    Elements mine, others;
    bool fresh = true;
#pragma unroll 1
    for (;;) {
        Value x, y;
        bool exhausted = false;
        if (level.count == WALKED) {
            if (fresh) {
                mine = elements(s, level.a);
                others = elements(s, level.b);
                fresh = false;
            }
            const bool more = next(s, mine, x);
            if (more != next(s, others, y)) {
                return more ? 1 : -1;
            }
            exhausted = !more;
        } else if (level.place < level.count) {
            x = tuple_element(s, level.a, level.place);
            y = tuple_element(s, level.b, level.place);
            level.place += 1;
        } else {
            exhausted = true;
        }
        if (exhausted) {
            if (level.ending != 0 || levels == 0) {
                return level.ending;
            }
            levels -= 1;
            level = open[levels];
            continue;
        }
        int decided;
        Level inner;
        if (!order_outside(s, x, y, decided, inner)) {
            if (decided != 0) {
                return decided;
            }
            continue;
        }
        if (level.place < level.count || level.ending != 0) {
            if (levels == OPEN_MOST) {
                flag(s, FLAG_NESTING);
                return 0;
            }
            open[levels] = level;
            levels += 1;
        }
        level = inner;
        fresh = fresh || inner.count == WALKED;
    }
}

// The canonical order, -1, 0 or 1; 0 exactly when `equal`.
APART int order(Space s, Value a, Value b) {
    int decided;
    Level level;
    if (!order_outside(s, a, b, decided, level)) {
        return decided;
    }
    return order_inside(s, level);
}

// Whether a mask holds all locations of another.
INLINE bool mask_includes(Space s, Mask a, Mask b) {
    if (top(b) < top(a) || bottom(b) > bottom(a) || left(b) < left(a) || right(b) > right(a)) {
        return false;
    }
    const unsigned own = a.rows + (unsigned)(top(b) - top(a));
    const int by = left(b) - left(a);
    bool held = true;
#pragma unroll 1
    for (unsigned row = s.lane(); row < (unsigned)b.height; row += 32) {
        held = held && (s.rows()[b.rows + row] << by & ~s.rows()[own + row]) == 0;
    }
    return every_lane(held);
}

// Whether every element of `b` is in `a`, both sets. Called by all lanes, as `greater`.
APART bool includes(Space s, Value a, Value b) {
    if (has_mask(a) && has_mask(b)) {
        if ((a.tag() == MASK) != (b.tag() == MASK) ||
            !mask_includes(s, mask_in(a), mask_in(b))) {
            return false;
        }
        if (a.tag() == MASK) {
            return true;
        }
        if (a.tag() == OBJECT && b.tag() == OBJECT) {
            return colour_in(a) == colour_in(b);
        }
    }
    Elements held = elements(s, a);
    Elements wanted = elements(s, b);
    Value want, have;
#pragma unroll 1
    while (next(s, wanted, want)) {
        int found = -1;
#pragma unroll 1
        while (found < 0) {
            if (!next(s, held, have)) {
                return false;
            }
            found = order(s, have, want);
        }
        if (found > 0) {
            return false;
        }
    }
    return true;
}

// `a > b`, where the two have an order between them. Called by all lanes with equal
// arguments, so that a fault is one of all.
APART bool greater(Space s, Value a, Value b) {
    Value x = a;
    Value y = b;
#pragma unroll 1
    while (is_tuple(x) && is_tuple(y)) {
        if (x.tag() == PAIR && y.tag() == PAIR) {
            return row_in(x) != row_in(y) ? row_in(x) > row_in(y) : column_in(x) > column_in(y);
        }
        // The first elements that differ are compared in their place.
        const unsigned len_x = (unsigned)len_alone(s, x);
        const unsigned len_y = (unsigned)len_alone(s, y);
        const unsigned both = len_x < len_y ? len_x : len_y;
        Value one = none(), other = none();
        unsigned place = 0;
#pragma unroll 1
        for (bool same = true; same && place < both; place += same) {
            one = tuple_element(s, x, place);
            other = tuple_element(s, y, place);
            same = equal(s, one, other);
            TRY_OR(s, false)
        }
        if (place == both) {
            return len_x > len_y;
        }
        x = one;
        y = other;
    }
    if (is_number(x) && is_number(y)) {
        return number_in(x) > number_in(y);
    }
    if (is_set(x) && is_set(y)) {
        return len_alone(s, x) > len_alone(s, y) && includes(s, x, y);
    }
    fail(s, FAULT_INCOMPARABLE, kind_of(x), kind_of(y));
    return false;
}

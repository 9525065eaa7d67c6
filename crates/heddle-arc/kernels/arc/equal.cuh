// Equality of values.
//
// All but the functions marked warp are for a lane on its own: sorting and looking
// for elements let every lane compare another pair. What nests is compared without
// recursion, by a list of the containers that are open. Only general tuples and sets
// and the parts of callables can hold more of their kind; more than `OPEN_MOST` of
// them within each other, not counting those that are a last element, are flagged
// (`FLAG_NESTING`), and the answer then means nothing. A lane that flags is alone
// with that: after comparing different things in different lanes call `settle`.
#pragma once
#include "elements.cuh"

#define OPEN_MOST 8
// The count of a level whose elements come from iterators.
#define WALKED 0xffffffffu

// warp: makes a fault of any lane known to all.
INLINE void settle(Space s) {
    const unsigned failed = ballot(s->fault != 0);
    if (failed != 0) {
        s->fault = __shfl_sync(ALL_LANES, s->fault, __ffs((int)failed) - 1);
    }
}

template <typename T> INLINE int three_way(T a, T b) { return a < b ? -1 : b < a ? 1 : 0; }

INLINE bool same_cells(Space s, unsigned a, unsigned b, unsigned len) {
    if (a != b) {
#pragma unroll 1
        for (unsigned k = 0; k < len; k++) {
            if (s.cells()[a + k] != s.cells()[b + k]) {
                return false;
            }
        }
    }
    return true;
}

// Where and how large; not what is in it.
INLINE bool same_box(Value a, Value b) { return a.y == b.y && a.box() == b.box(); }

INLINE bool same_mask(Space s, Value a, Value b) {
    if (!same_box(a, b)) {
        return false;
    }
    if (a.x != b.x) {
        const unsigned height = a.box() & 0xff;
#pragma unroll 1
        for (unsigned row = 0; row < height; row++) {
            if (s.rows()[a.x + row] != s.rows()[b.x + row]) {
                return false;
            }
        }
    }
    return true;
}

INLINE unsigned area_of(Value painted) {
    return (unsigned)(painted.box() & 0xff) * (unsigned)(painted.box() >> 8);
}

// Two runs of as many values that are yet to be compared.
struct Runs {
    unsigned a, b, left;
};

// Whether two values may be equal: `false` if they are not, else equal if `runs` are.
INLINE bool equal_outside(Space s, Value a, Value b, Runs &runs) {
    runs.a = a.x;
    runs.b = b.x;
    runs.left = 0;
    if (a.tag() != b.tag()) {
        return is_number(a) && is_number(b) && number_in(a) == number_in(b);
    }
    switch (a.tag()) {
    case NONE: return true;
    case BOOL:
    case PRIM: return a.x == b.x;
    case INT:
    case PAIR: return a.x == b.x && a.y == b.y;
    case CELL: return a.x == b.x && a.y == b.y && a.z == b.z;
    case ROW: return a.y == b.y && same_cells(s, a.x, b.x, a.y);
    case GRID: return a.y == b.y && a.z == b.z && same_cells(s, a.x, b.x, a.y * a.z);
    case MASK: return same_mask(s, a, b);
    case OBJECT: return a.z == b.z && same_mask(s, a, b);
    case PAINTED: return same_mask(s, a, b) && same_cells(s, a.z, b.z, area_of(a));
    case TUPLE:
    case SET:
    case LAYERS:
        runs.left = a.y;
        break;
    case BUILT:
        runs.left = PRIM_ARITY[a.z];
        if (a.z != b.z) {
            return false;
        }
        break;
    default:
        runs.left = a.box() + 1u;
        break;
    }
    // Of bodies `y` is the number, of builders nothing, of the others the length.
    if (a.y != b.y) {
        return false;
    }
    if (a.x == b.x) {
        runs.left = 0;
    }
    return true;
}

// Where `equal_outside` leaves runs of values.
APART bool equal_inside(Space s, Runs runs) {
    Runs open[OPEN_MOST];
    unsigned levels = 0;
#pragma unroll 1
    for (;;) {
        // Runs that are done are never kept open.
        const Value x = s.values()[runs.a];
        const Value y = s.values()[runs.b];
        runs.a += 1;
        runs.b += 1;
        runs.left -= 1;
        Runs inner;
        if (!equal_outside(s, x, y, inner)) {
            return false;
        }
        if (inner.left != 0) {
            if (runs.left != 0) {
                if (levels == OPEN_MOST) {
                    flag(s, FLAG_NESTING);
                    return false;
                }
                open[levels] = runs;
                levels += 1;
            }
            runs = inner;
        } else if (runs.left == 0) {
            if (levels == 0) {
                return true;
            }
            levels -= 1;
            runs = open[levels];
        }
    }
}

// Whether two values are equal. Forms are unique, so unlike forms are not.
APART bool equal(Space s, Value a, Value b) {
    Runs runs;
    return equal_outside(s, a, b, runs) && (runs.left == 0 || equal_inside(s, runs));
}

// warp: whether two values are equal, found out by all lanes together.
APART bool equal_together(Space s, Value a, Value b) {
    if (a.tag() != b.tag() || a.tag() < ROW || a.tag() >= PRIM) {
        return equal(s, a, b);
    }
    bool same = true;
    unsigned cells = 0, at = a.x, bt = b.x;
    if (has_mask(a)) {
        if (!same_box(a, b) || (a.tag() == OBJECT && a.z != b.z)) {
            return false;
        }
        if (a.x != b.x) {
            const unsigned height = a.box() & 0xff;
#pragma unroll 1
            for (unsigned row = s.lane(); row < height; row += 32) {
                same = same && s.rows()[a.x + row] == s.rows()[b.x + row];
            }
        }
        if (a.tag() == PAINTED) {
            cells = area_of(a);
            at = a.z;
            bt = b.z;
        }
    } else {
        // Lengths and heights.
        if (a.y != b.y || (a.tag() == GRID && a.z != b.z)) {
            return false;
        }
        if (a.tag() == ROW || a.tag() == GRID) {
            cells = a.tag() == ROW ? a.y : a.y * a.z;
        } else if (a.x != b.x) {
#pragma unroll 1
            for (unsigned k = s.lane(); k < a.y; k += 32) {
                same = same && equal(s, s.values()[a.x + k], s.values()[b.x + k]);
            }
            settle(s);
        }
    }
    if (at != bt) {
#pragma unroll 1
        for (unsigned k = s.lane(); k < cells; k += 32) {
            same = same && s.cells()[at + k] == s.cells()[bt + k];
        }
    }
    return every_lane(same);
}

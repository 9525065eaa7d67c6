// Writing patches into grids (section 6.6).
//
// The one thing to know: a compact patch is not walked; every cell of the new grid asks
// the mask whether it is covered. A list of strokes may hold a place twice, and then the
// lanes settle by its number in the list which stroke counts. All functions are warp
// functions unless marked; a grid is passed as its value.
#pragma once
#include "arithmetic.cuh"
#include "colours.cuh"
#include "degenerate.cuh"
#include "patch.cuh"

// Instead of the colour of the cells that may be written over: all of them.
#define ANY_COLOUR 256

// lane. Whether a patch covers a location, and which cell of its box that is.
INLINE bool covers(Space s, Mask m, int i, int j, unsigned &own) {
    const int row = i - m.i, column = j - m.j;
    own = (unsigned)(row * m.width + column);
    return row >= 0 && row < m.height && column >= 0 && column < m.width &&
           has_bit(s.rows()[m.rows + row], column);
}

// lane. Where a location lies in a grid, counted from its first cell, if it is inside.
INLINE bool place_in(Value grid, int i, int j, unsigned &place) {
    place = (unsigned)i * grid.z + (unsigned)j;
    return i >= 0 && j >= 0 && (unsigned)i < grid.y && (unsigned)j < grid.z;
}

// A copy of a grid with each cell put through a function of its row, its column and
// its colour.
template <typename F> INLINE Value redrawn(Space s, Value grid, F colour) {
    const unsigned width = grid.z, area = grid.y * width;
    const unsigned at = raw_cells(s, area);
    TRY(s)
#pragma unroll 1
    for (unsigned k = s.lane(); k < area; k += 32) {
        const unsigned i = k / width, j = k - i * width;
        s.cells()[at + k] = (Colour)colour((int)i, (int)j, (int)s.cells()[grid.x + k]);
    }
    __syncwarp();
    return grid_at(at, grid.y, width);
}

// The grid with the locations of a mask in one colour.
APART Value filled_mask(Space s, Value grid, int colour, Mask m, int under) {
    return redrawn(s, grid, [&](int i, int j, int cell) {
        unsigned own;
        const bool may = under == ANY_COLOUR || cell == under;
        return may && covers(s, m, i, j, own) ? colour : cell;
    });
}

// Fills the locations of a patch with a colour, where `under` says so only cells of
// that colour. `false`, and no fault, where plain values must decide.
APART bool filled(Space s, Value grid, int colour, Value patch, int under, Value &out) {
    out = grid;
    if (is_empty_container(patch)) {
        return true;
    }
    if (has_mask(patch)) {
        out = filled_mask(s, grid, colour, mask_in(patch), under);
        return true;
    }
    if (!is_tuple(patch) && !is_set(patch)) {
        return false;
    }
    const unsigned spare_len = s->spare_len;
    unsigned count, kind;
    const Stroke *strokes = list(s, patch, count, kind);
    TRY_OR(s, true)
    if (kind != LISTED_NONE) {
        out = redrawn(s, grid, [](int, int, int cell) { return cell; });
        TRY_OR(s, true)
        // All write the same colour, and what may be written over the old grid knows.
#pragma unroll 1
        for (unsigned k = s.lane(); k < count; k += 32) {
            unsigned place;
            if (place_in(grid, strokes[k].i, strokes[k].j, place) &&
                (under == ANY_COLOUR || s.cells()[grid.x + place] == under)) {
                s.cells()[out.x + place] = (Colour)colour;
            }
        }
    }
    leave_room(s, spare_len);
    return kind != LISTED_NONE;
}

// The cells of an object in a compact form written over a grid.
APART Value painted_compact(Space s, Value grid, Value object, int under) {
    const Mask m = mask_in(object);
    if (object.tag() == OBJECT) {
        return filled_mask(s, grid, colour_in(object), m, under);
    }
    const unsigned cells = object.z;
    return redrawn(s, grid, [&](int i, int j, int cell) {
        unsigned own;
        const bool may = under == ANY_COLOUR || cell == under;
        return may && covers(s, m, i, j, own) ? (int)s.cells()[cells + own] : cell;
    });
}

// Writes strokes onto a copy of a grid as if one after another; `stroke(k)` is the one
// at place k of the list. Of several on one cell the last counts; where only cells of a
// colour may be written over, the first that is of another colour, since after it none
// may.
template <typename F>
INLINE Value stroked(Space s, Value grid, unsigned count, int under, F stroke) {
    const unsigned width = grid.z, area = grid.y * width;
    unsigned *winners = room<unsigned>(s, area);
    TRY(s)
#pragma unroll 1
    for (unsigned k = s.lane(); k < area; k += 32) {
        winners[k] = 0;
    }
    __syncwarp();
    const bool first_counts = under != ANY_COLOUR;
#pragma unroll 1
    for (unsigned k = s.lane(); k < count; k += 32) {
        const Stroke own = stroke(k);
        unsigned place;
        if (place_in(grid, own.i, own.j, place) && own.colour != under) {
            atomicMax(winners + place, first_counts ? ~k : k + 1);
        }
    }
    __syncwarp();
    return redrawn(s, grid, [&](int i, int j, int cell) {
        const unsigned winner = winners[(unsigned)i * width + (unsigned)j];
        if (winner == 0 || (first_counts && cell != under)) {
            return cell;
        }
        return stroke(first_counts ? ~winner : winner - 1).colour;
    });
}

// The many cells of a merged tuple, straight from where they lie. `false`, and no
// fault, where plain values must decide.
APART bool painted_tuple(Space s, Value grid, Value object, int under, Value &out) {
    const unsigned at = object.x, count = object.y;
    work(s, count);
    TRY_OR(s, true)
    bool regular = true;
#pragma unroll 1
    for (unsigned k = s.lane(); k < count; k += 32) {
        const Value &element = s.values()[at + k];
        regular = regular && element.tag() == CELL && fits_i8(colour_in(element));
    }
    if (!every_lane(regular)) {
        // Charged like the copy that the processor makes before it finds out.
        take(s, (u64)grid.y * grid.z);
        return s->fault != 0;
    }
    out = stroked(s, grid, count, under,
                  [&](unsigned k) { return stroke_of(s.values()[at + k]); });
    return true;
}

// The same for an object of any other form, listed first.
APART bool painted_listed(Space s, Value grid, Value object, int under, Value &out) {
    unsigned count, kind;
    const Stroke *strokes = list(s, object, count, kind);
    TRY_OR(s, true)
    if (kind != LISTED_OBJECT) {
        return false;
    }
    bool small = true;
#pragma unroll 1
    for (unsigned k = s.lane(); k < count; k += 32) {
        small = small && fits_i8(strokes[k].colour);
    }
    if (!every_lane(small)) {
        return false;
    }
    out = stroked(s, grid, count, under, [&](unsigned k) { return strokes[k]; });
    return true;
}

// Paints the cells of an object, where `under` says so only over cells that have that
// colour at the time. `false`, and no fault, where plain values must decide.
APART bool painted(Space s, Value grid, Value object, int under, Value &out) {
    out = grid;
    if (object.tag() == OBJECT || object.tag() == PAINTED) {
        out = painted_compact(s, grid, object, under);
        return true;
    }
    if (is_empty_container(object)) {
        return true;
    }
    if (!is_tuple(object) && !is_set(object)) {
        return false;
    }
    const unsigned spare_len = s->spare_len;
    const bool done = object.tag() == TUPLE ? painted_tuple(s, grid, object, under, out)
                                          : painted_listed(s, grid, object, under, out);
    leave_room(s, spare_len);
    return done;
}

APART Value paint_fill(Space s, unsigned prim, Value value, Value colour, Value patch) {
    if (value.tag() == GRID && is_small(colour)) {
        const int under = prim == Prim_Underfill ? colours_background(s, value) : ANY_COLOUR;
        TRY(s)
        Value result;
        if (filled(s, value, (int)number_in(colour), patch, under, result)) {
            return result;
        }
    }
    return plainly(s, prim, value, colour, patch);
}

APART Value paint_paint(Space s, unsigned prim, Value value, Value object) {
    if (value.tag() == GRID) {
        const int under = prim == Prim_Underpaint ? colours_background(s, value) : ANY_COLOUR;
        TRY(s)
        Value result;
        if (painted(s, value, object, under, result)) {
            return result;
        }
    }
    return plainly(s, prim, value, object);
}

APART Value paint_cover(Space s, Value value, Value patch) {
    if (value.tag() == GRID) {
        const int colour = colours_background(s, value);
        TRY(s)
        Value result;
        if (filled(s, value, colour, patch, ANY_COLOUR, result)) {
            return result;
        }
    }
    return plainly(s, Prim_Cover, value, patch);
}

APART Value paint_displace(Space s, Value value, Value object, Value offset) {
    if (value.tag() != GRID || (object.tag() != OBJECT && object.tag() != PAINTED)) {
        return plainly(s, Prim_Move, value, object, offset);
    }
    i64 down, across;
    arithmetic_location(s, offset, down, across);
    TRY(s)
    const Mask m = mask_in(object);
    // Where even the offset is beyond 17 bits the place is beyond 16.
    const bool near = down >= -65536 && down <= 65536 && across >= -65536 && across <= 65536;
    if (!near || !fits_i16(m.i + down) || !fits_i16(m.j + across)) {
        return plainly(s, Prim_Move, value, object, offset);
    }
    const int colour = colours_background(s, value);
    TRY(s)
    // The grid with the object covered is charged like the one that is made of it, but
    // one pass does both.
    take(s, (u64)value.y * value.z);
    TRY(s)
    const Value moved = moved_to(object, (int)(m.i + down), (int)(m.j + across));
    const Mask there = mask_in(moved);
    return redrawn(s, value, [&](int i, int j, int cell) {
        unsigned own;
        if (covers(s, there, i, j, own)) {
            return moved.tag() == OBJECT ? colour_in(moved) : (int)s.cells()[moved.z + own];
        }
        return covers(s, m, i, j, own) ? colour : cell;
    });
}

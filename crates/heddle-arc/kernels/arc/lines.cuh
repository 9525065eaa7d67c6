// Segments, rays and frames. All functions are warp functions unless they say
// otherwise.
//
// Each is a window and a rule for the word of one row of it; a lane writes a row.
#pragma once
#include "arithmetic.cuh"
#include "build.cuh"
#include "degenerate.cuh"
#include "mask.cuh"
#include "patch.cuh"
#include "query.cuh"

// Writes `word(row)` into each row of a window; what it then holds.
template <typename F> INLINE Value lines_drawn(Space s, Window w, F word) {
    const unsigned at = raw_window(s, w);
    TRY(s)
    const unsigned height = height_of(w);
#pragma unroll 1
    for (unsigned row = s.lane(); row < height; row += 32) {
        s.rows()[at + row] = word(row);
    }
    __syncwarp();
    return sealed_mask(s, at, w);
}

APART Value lines_around(Space s, unsigned prim, Value at) {
    i64 i, j;
    arithmetic_location(s, at, i, j);
    TRY(s)
    const unsigned middle = prim == Prim_Ineighbors ? 0 : 5;
    const unsigned outer = prim == Prim_Dneighbors ? 2 : prim == Prim_Ineighbors ? 5 : 7;
    Window w;
    // What is no 16-bit number has no neighbour that a mask holds all around it.
    if (!fits_i16(i) || !fits_i16(j) || !fit(i - 1, j - 1, i + 1, j + 1, w)) {
        return plainly(s, prim, at);
    }
    return lines_drawn(s, w, [=](unsigned row) { return (Bits)(row == 1 ? middle : outer); });
}

// All neighbours of all locations at once: each row is smeared into itself and the
// rows beside it. `false` where the result fits no mask, for any other primitive, and
// at a fault.
APART bool lines_dilated(Space s, unsigned prim, Mask m, Value &out) {
    if (prim != Prim_Dneighbors && prim != Prim_Ineighbors && prim != Prim_Neighbors) {
        return false;
    }
    Window w;
    if (!fit(m.i - 1, m.j - 1, m.i + m.height, m.j + m.width, w)) {
        return false;
    }
    // What was asked of each location one by one.
    work(s, count_of(s, m));
    TRY_OR(s, false)
    const auto row_at = [&](unsigned row) {
        return row < (unsigned)m.height ? s.rows()[m.rows + row] : (Bits)0;
    };
    out = lines_drawn(s, w, [&](unsigned row) {
        // Seen from the window, one column to the left and one row above. The row
        // before the first is none, for it is past every last.
        const Bits beside = row_at(row - 1), others = row_at(row) | row_at(row - 2);
        Bits word = prim == Prim_Ineighbors ? 0 : beside | beside << 2;
        word |= prim == Prim_Dneighbors ? 0 : others | others << 2;
        return word | (prim == Prim_Ineighbors ? 0 : others << 1);
    });
    return s->fault == 0;
}

// A straight segment that fits no mask, location by location. `false` if those have more
// than 32 bits, and at a fault.
APART bool lines_long_segment(Space s, i64 ai, i64 aj, i64 bi, i64 bj, Value &out) {
    if (!fits_i32(ai) || !fits_i32(aj) || !fits_i32(bi) || !fits_i32(bj)) {
        return false;
    }
    const i64 si = bi > ai ? 1 : bi < ai ? -1 : 0, sj = bj > aj ? 1 : bj < aj ? -1 : 0;
    const i64 down = (bi - ai) * si, across = (bj - aj) * sj;
    const u64 count = (u64)(down > across ? down : across) + 1;
    take(s, count * sizeof(Value));
    TRY_OR(s, false)
    const unsigned base = raw_stack(s, count);
    TRY_OR(s, false)
#pragma unroll 1
    for (unsigned k = s.lane(); k < (unsigned)count; k += 32) {
        s.stack()[base + k] = query_place(ai + (i64)k * si, aj + (i64)k * sj);
    }
    __syncwarp();
    out = set_from(s, base);
    return s->fault == 0;
}

// A straight segment. `false` if its locations have more than 32 bits, and at a fault.
APART bool lines_segment(Space s, i64 ai, i64 aj, i64 bi, i64 bj, Value &out) {
    const u64 di = ai < bi ? (u64)bi - (u64)ai : (u64)ai - (u64)bi;
    const u64 dj = aj < bj ? (u64)bj - (u64)aj : (u64)aj - (u64)bj;
    if (di != 0 && dj != 0 && di != dj) {
        out = empty_set();
        return true;
    }
    Window w;
    if (!fit(ai < bi ? ai : bi, aj < bj ? aj : bj, ai < bi ? bi : ai, aj < bj ? bj : aj, w)) {
        return lines_long_segment(s, ai, aj, bi, bj, out);
    }
    const unsigned last = height_of(w) - 1;
    const Bits across = full_bits((int)width_of(w));
    const bool falling = (ai < bi) == (aj < bj);
    out = lines_drawn(s, w, [=](unsigned row) {
        // Level and upright ones fill their window.
        return di == 0 || dj == 0 ? across : bit_at((int)(falling ? row : last - row));
    });
    return s->fault == 0;
}

APART Value lines_connect(Space s, Value a, Value b) {
    i64 ai, aj, bi, bj;
    arithmetic_location(s, a, ai, aj);
    TRY(s)
    arithmetic_location(s, b, bi, bj);
    TRY(s)
    Value made;
    const bool fits = lines_segment(s, ai, aj, bi, bj, made);
    TRY(s)
    return fits ? made : plainly(s, Prim_Connect, a, b);
}

APART Value lines_shoot(Space s, Value start, Value direction) {
    i64 i, j, di, dj;
    arithmetic_location(s, start, i, j);
    TRY(s)
    arithmetic_location(s, direction, di, dj);
    TRY(s)
    // A ray is 42 steps long.
    const i64 ei = checked_add(s, i, checked_multiply(s, di, 42));
    const i64 ej = checked_add(s, j, checked_multiply(s, dj, 42));
    TRY(s)
    Value made;
    const bool fits = lines_segment(s, i, j, ei, ej, made);
    TRY(s)
    return fits ? made : plainly(s, Prim_Shoot, start, direction);
}

APART Value lines_frontier(Space s, unsigned prim, Value at) {
    i64 i, j;
    arithmetic_location(s, at, i, j);
    TRY(s)
    Window w;
    if (prim == Prim_Vfrontier ? fit(0, j, 29, j, w) : fit(i, 0, i, 29, w)) {
        return rectangle(s, w);
    }
    return plainly(s, prim, at);
}

APART Value lines_corners(Space s, Value patch) {
    if (is_empty_container(patch)) {
        return plainly(s, Prim_Corners, patch);
    }
    Extremes e;
    const bool found = extremes(s, patch, e);
    TRY(s)
    Window w;
    if (!found || !fit(e.top, e.left, e.bottom, e.right, w)) {
        return plainly(s, Prim_Corners, patch);
    }
    const unsigned last = height_of(w) - 1;
    const Bits word = (Bits)1 | bit_at((int)width_of(w) - 1);
    return lines_drawn(s, w,
                       [=](unsigned row) { return row == 0 || row == last ? word : (Bits)0; });
}

// The outline of the bounding box, grown by one (`outbox`) or shrunk by one (`inbox`);
// a box shrunk past itself is turned over.
APART Value lines_frame(Space s, unsigned prim, Value patch) {
    if (prim == Prim_Box && is_empty_container(patch)) {
        return patch;
    }
    const i64 by = prim == Prim_Outbox ? 1 : prim == Prim_Inbox ? -1 : 0;
    Extremes e;
    const bool found = extremes(s, patch, e);
    TRY(s)
    if (!found) {
        return plainly(s, prim, patch);
    }
    const i64 i = e.top - by, bottom_i = e.bottom + by;
    const i64 j = e.left - by, right_j = e.right + by;
    Window w;
    if (!fit(i < bottom_i ? i : bottom_i, j < right_j ? j : right_j,
             i < bottom_i ? bottom_i : i, j < right_j ? right_j : j, w)) {
        return plainly(s, prim, patch);
    }
    const unsigned last = height_of(w) - 1;
    const Bits side = (Bits)1 | bit_at((int)width_of(w) - 1);
    const Bits across = full_bits((int)width_of(w));
    return lines_drawn(s, w,
                       [=](unsigned row) { return row == 0 || row == last ? across : side; });
}

// Pushes an object for each row, or each column, of a grid whose cells are all alike.
INLINE void lines_push_frontiers(Space s, Value grid, bool rows) {
    const unsigned count = rows ? grid.y : grid.z, len = rows ? grid.z : grid.y;
    // From line to line, and from cell to cell in a line.
    const unsigned next = rows ? grid.z : 1, step = rows ? 1 : grid.z;
#pragma unroll 1
    for (unsigned from = 0; from < count; from += 32) {
        const unsigned line = from + s.lane();
        bool alike = line < count;
        int colour = 0;
        if (alike) {
            const Colour *cells = s.cells() + grid.x + line * next;
            colour = cells[0];
#pragma unroll 1
            for (unsigned k = 1; k < len && alike; k++) {
                alike = cells[k * step] == colour;
            }
        }
        unsigned found = ballot(alike);
#pragma unroll 1
        while (found != 0) {
            const int own = __ffs((int)found) - 1;
            found &= found - 1;
            Mask m;
            m.i = rows ? (int)from + own : 0;
            m.j = rows ? 0 : (int)from + own;
            m.height = rows ? 1 : (int)grid.y;
            m.width = rows ? (int)grid.z : 1;
            m.rows = raw_rows(s, (u64)m.height);
            if (s->fault != 0) {
                return;
            }
            const Bits word = full_bits(m.width);
#pragma unroll 1
            for (unsigned row = s.lane(); row < (unsigned)m.height; row += 32) {
                s.rows()[m.rows + row] = word;
            }
            push(s, object_value(m, __shfl_sync(ALL_LANES, colour, own)));
            if (s->fault != 0) {
                return;
            }
        }
    }
}

APART Value lines_frontiers(Space s, Value grid) {
    Window window;
    if (grid.tag() != GRID || !query_grid_window(grid, window)) {
        return plainly(s, Prim_Frontiers, grid);
    }
    const unsigned base = s->stack_len;
    lines_push_frontiers(s, grid, true);
    TRY(s)
    lines_push_frontiers(s, grid, false);
    TRY(s)
    // In a grid of one cell the row and the column coincide.
    return set_from(s, base);
}

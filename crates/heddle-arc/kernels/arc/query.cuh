// Questions about grids and patches: their sizes, places, distances and locations.
//
// Nearly all of it reads masks, a row to a lane. What two masks are to each other is
// asked with both seen from one column, as words of the same 128.
#pragma once
#include "arithmetic.cuh"
#include "build.cuh"
#include "degenerate.cuh"
#include "elements.cuh"
#include "mask.cuh"
#include "patch.cuh"

// A pair of numbers known to fit 32 bits: locations and sizes of patches; lane.
INLINE Value query_place(i64 i, i64 j) { return pair_of((int)i, (int)j); }

// The window of a whole grid; `false` if masks cannot hold it; lane.
INLINE bool query_grid_window(Value grid, Window &window) {
    return fit(0, 0, (i64)grid.y - 1, (i64)grid.z - 1, window);
}

// One bit for each of at most 128 cells from `at` on that has a colour; lane.
APART Bits query_colour_bits(Space s, unsigned at, unsigned width, int colour) {
    const Colour *cells = s.cells() + at;
    const unsigned half = width < 64 ? width : 64;
    u64 low = 0, high = 0;
#pragma unroll 1
    for (unsigned bit = 0; bit < half; bit++) {
        low |= (u64)(cells[bit] == colour) << bit;
    }
#pragma unroll 1
    for (unsigned bit = 64; bit < width; bit++) {
        high |= (u64)(cells[bit] == colour) << (bit - 64);
    }
    return whole(high, low);
}

// Height and width of a grid or patch; `false` and no fault where plain values must
// decide; warp.
APART bool query_shape_of(Space s, Value piece, i64 &height, i64 &width) {
    height = 0;
    width = 0;
    if (piece.tag() == GRID) {
        height = piece.y;
        width = piece.z;
        return true;
    }
    if (is_tuple(piece)) {
        height = (i64)len_of(s, piece);
        if (height > 0) {
            width = (i64)len_of(s, tuple_element(s, piece, 0));
        }
        return s->fault == 0;
    }
    if (is_empty_container(piece)) {
        return true;
    }
    Extremes around;
    const bool known = extremes(s, piece, around);
    if (s->fault != 0 || !known) {
        return false;
    }
    height = around.bottom - around.top + 1;
    width = around.right - around.left + 1;
    return true;
}

// warp
APART Value query_height(Space s, Value piece) {
    if (is_tuple(piece)) {
        return integer((i64)len_of(s, piece));
    }
    i64 height, width;
    const bool known = query_shape_of(s, piece, height, width);
    TRY(s)
    return known ? integer(height) : plainly(s, Prim_Height, piece);
}

// The questions answered by height and width: width, shape, portrait, square, vline
// and hline; warp.
APART Value query_by_shape(Space s, unsigned prim, Value piece) {
    i64 height, width;
    const bool known = query_shape_of(s, piece, height, width);
    TRY(s)
    if (!known) {
        return plainly(s, prim, piece);
    }
    switch (prim) {
    case Prim_Width: return integer(width);
    case Prim_Shape: return query_place(height, width);
    case Prim_Portrait: return boolean(height > width);
    default: break;
    }
    if (prim == Prim_Square && is_tuple(piece)) {
        return height == 0 ? fail_empty(s, Noun_Grid) : boolean(height == width);
    }
    const u64 count = len_of(s, piece);
    TRY(s)
    switch (prim) {
    case Prim_Square: return boolean(height == width && (u64)height * (u64)width == count);
    case Prim_Vline: return boolean((u64)height == count && width == 1);
    default: return boolean((u64)width == count && height == 1);
    }
}

// The questions answered by the extremes of a patch: its four sides and its four
// corners; warp.
APART Value query_by_extremes(Space s, unsigned prim, Value patch) {
    const bool corner = prim == Prim_Ulcorner || prim == Prim_Urcorner ||
                        prim == Prim_Llcorner || prim == Prim_Lrcorner;
    if (corner && is_empty_container(patch)) {
        return empty_tuple();
    }
    Extremes around;
    const bool known = extremes(s, patch, around);
    TRY(s)
    if (!known) {
        return plainly(s, prim, patch);
    }
    switch (prim) {
    case Prim_Uppermost: return integer(around.top);
    case Prim_Lowermost: return integer(around.bottom);
    case Prim_Leftmost: return integer(around.left);
    case Prim_Rightmost: return integer(around.right);
    case Prim_Ulcorner: return query_place(around.top, around.left);
    case Prim_Urcorner: return query_place(around.top, around.right);
    case Prim_Llcorner: return query_place(around.bottom, around.left);
    default: return query_place(around.bottom, around.right);
    }
}

// lane
INLINE int query_middle_row(Mask m) { return m.i + m.height / 2; }
INLINE int query_middle_column(Mask m) { return m.j + m.width / 2; }

// warp
INLINE Value query_center(Space s, Value patch) {
    if (!has_mask(patch)) {
        return plainly(s, Prim_Center, patch);
    }
    const Mask m = mask_in(patch);
    return pair_of(query_middle_row(m), query_middle_column(m));
}

// The sum of the places of the bits of half a word: each of the six bits of a place
// counted for all of them at once; lane.
INLINE unsigned query_sum_of_places(u64 word) {
    return (unsigned)__popcll(word & 0xaaaaaaaaaaaaaaaaull) +
           2u * (unsigned)__popcll(word & 0xccccccccccccccccull) +
           4u * (unsigned)__popcll(word & 0xf0f0f0f0f0f0f0f0ull) +
           8u * (unsigned)__popcll(word & 0xff00ff00ff00ff00ull) +
           16u * (unsigned)__popcll(word & 0xffff0000ffff0000ull) +
           32u * (unsigned)__popcll(word & 0xffffffff00000000ull);
}

// Rounded down, by a number above zero; lane.
INLINE i64 query_divided(i64 sum, i64 count) {
    const i64 quotient = sum / count;
    return sum % count < 0 ? quotient - 1 : quotient;
}

// warp
APART Value query_centerofmass(Space s, Value patch) {
    if (is_empty_container(patch)) {
        return empty_tuple();
    }
    if (!has_mask(patch)) {
        return plainly(s, Prim_Centerofmass, patch);
    }
    const Mask m = mask_in(patch);
    unsigned rows = 0, columns = 0, count = 0;
#pragma unroll 1
    for (unsigned row = s.lane(); row < (unsigned)m.height; row += 32) {
        const Bits word = s.rows()[m.rows + row];
        const u64 low = low_half(word), high = high_half(word);
        const unsigned above = (unsigned)__popcll(high);
        const unsigned cells = (unsigned)__popcll(low) + above;
        count += cells;
        rows += cells * row;
        columns += query_sum_of_places(low) + query_sum_of_places(high) + 64u * above;
    }
    const i64 all = warp_sum(count);
    const i64 down = (i64)warp_sum(rows) + all * m.i;
    const i64 across = (i64)warp_sum(columns) + all * m.j;
    return query_place(query_divided(down, all), query_divided(across, all));
}

// Whether two masks have cells in one row; warp.
INLINE bool query_rows_shared(Space s, Mask a, Mask b) {
    const int first = max(top(a), top(b));
    const int last = min(bottom(a), bottom(b));
    bool shared = false;
#pragma unroll 1
    for (int i = first + (int)s.lane(); i <= last; i += 32) {
        shared |= s.rows()[a.rows + (unsigned)(i - a.i)] != 0 &&
                  s.rows()[b.rows + (unsigned)(i - b.i)] != 0;
    }
    return any_lane(shared);
}

// Whether two masks have cells in one column; warp.
APART bool query_columns_shared(Space s, Mask a, Mask b) {
    Bits all = 0;
#pragma unroll 1
    for (unsigned row = s.lane(); row < (unsigned)a.height; row += 32) {
        all |= s.rows()[a.rows + row];
    }
    all = warp_or128(all);
    const int shift = left(b) - left(a);
    bool shared = false;
#pragma unroll 1
    for (unsigned row = s.lane(); row < (unsigned)b.height; row += 32) {
        shared |= (all & moved_bits(s.rows()[b.rows + row], shift)) != 0;
    }
    return any_lane(shared);
}

// warp
APART Value query_matching(Space s, unsigned prim, Value a, Value b) {
    const unsigned first = patch_of(s, a);
    TRY(s)
    const unsigned second = patch_of(s, b);
    TRY(s)
    if ((first == PATCH_EMPTY && (second == PATCH_EMPTY || second == PATCH_COMPACT)) ||
        (first == PATCH_COMPACT && second == PATCH_EMPTY)) {
        return boolean(false);
    }
    if (!has_mask(a) || !has_mask(b)) {
        return plainly(s, prim, a, b);
    }
    const Mask x = mask_in(a), y = mask_in(b);
    return boolean(prim == Prim_Hmatching ? query_rows_shared(s, x, y)
                                          : query_columns_shared(s, x, y));
}

// The least distance between a column of `x` and one of `y`, both not zero, or `most`
// if that is less; lane.
INLINE int query_columns_apart(Bits x, Bits y, int most) {
    Bits rightwards = x, leftwards = x;
    int apart = 0;
#pragma unroll 1
    while (apart < most && ((rightwards | leftwards) & y) == 0) {
        rightwards <<= 1;
        leftwards >>= 1;
        apart++;
    }
    return apart;
}

// The least distance in steps between two masks; `false` if they lie too far apart
// for their columns to be compared in one word. Every lane takes its share of the
// pairs of rows; warp.
APART bool query_distance(Space s, Mask a, Mask b, int &steps) {
    steps = 0;
    const int from = min(left(a), left(b));
    if (max(right(a), right(b)) - from >= MASK_COLUMNS) {
        return false;
    }
    const unsigned pairs = (unsigned)a.height * (unsigned)b.height;
    work(s, pairs);
    TRY_OR(s, false)
    int best = 0x7fffffff;
#pragma unroll 1
    for (unsigned pair = s.lane(); pair < pairs; pair += 32) {
        const unsigned of_a = pair / (unsigned)b.height;
        const unsigned of_b = pair - of_a * (unsigned)b.height;
        const int down = a.i + (int)of_a - (b.i + (int)of_b);
        const int gap = down < 0 ? -down : down;
        if (gap >= best) {
            continue;
        }
        const Bits x = moved_bits(s.rows()[a.rows + of_a], left(a) - from);
        const Bits y = moved_bits(s.rows()[b.rows + of_b], left(b) - from);
        if (x != 0 && y != 0) {
            best = gap + query_columns_apart(x, y, best - gap);
        }
    }
    steps = warp_min(best);
    return true;
}

// warp
APART Value query_manhattan(Space s, Value a, Value b) {
    if (has_mask(a) && has_mask(b)) {
        int steps;
        const bool close = query_distance(s, mask_in(a), mask_in(b), steps);
        TRY(s)
        if (close) {
            return integer(steps);
        }
    }
    return plainly(s, Prim_Manhattan, a, b);
}

// Whether `query_row_touches` sees every neighbour of this mask; lane.
INLINE bool query_touchable(Mask m) { return m.width <= MASK_COLUMNS - 2; }

// What row `i` says about whether `a` and `b` are one step apart: that they overlap
// there, or that a cell of `a` has one of `b` beside it; lane.
INLINE void query_row_touches(Space s, Mask a, Mask b, int i, bool &overlap, bool &beside) {
    // One column to spare on the left, so that no neighbour is shifted out. A cell of
    // `a` outside this frame touches nothing.
    const int from = left(b) - 1;
    const Bits word = word_at(s, a, i, from);
    const Bits here = word_at(s, b, i, from);
    const Bits around = word_at(s, b, i - 1, from) | word_at(s, b, i + 1, from);
    overlap |= (word & here) != 0;
    beside |= ((word << 1 | word >> 1) & here) != 0 || (word & around) != 0;
}

// warp
APART Value query_adjacent(Space s, Value a, Value b) {
    if (!has_mask(a) || !has_mask(b) || !query_touchable(mask_in(b))) {
        return plainly(s, Prim_Adjacent, a, b);
    }
    const Mask x = mask_in(a), y = mask_in(b);
    work(s, (u64)min(x.height, y.height));
    TRY(s)
    const int first = max(top(x), top(y) - 1);
    const int last = min(bottom(x), bottom(y) + 1);
    bool overlap = false, beside = false;
#pragma unroll 1
    for (int i = first + (int)s.lane(); i <= last; i += 32) {
        query_row_touches(s, x, y, i, overlap, beside);
    }
    const bool apart = !any_lane(overlap);
    return boolean(any_lane(beside) && apart);
}

// warp
INLINE Value query_bordering(Space s, Value patch, Value grid) {
    if (!has_mask(patch) || grid.tag() != GRID) {
        return plainly(s, Prim_Bordering, patch, grid);
    }
    const Mask m = mask_in(patch);
    return boolean(top(m) == 0 || left(m) == 0 || bottom(m) == (int)grid.y - 1 ||
                   right(m) == (int)grid.z - 1);
}

// warp
APART Value query_position(Space s, Value a, Value b) {
    if (!has_mask(a) || !has_mask(b)) {
        return plainly(s, Prim_Position, a, b);
    }
    const Mask x = mask_in(a), y = mask_in(b);
    const int from_row = query_middle_row(x), from_column = query_middle_column(x);
    const int to_row = query_middle_row(y), to_column = query_middle_column(y);
    const int down = from_row < to_row ? 1 : -1;
    const int across = from_column < to_column ? 1 : -1;
    if (from_row == to_row) {
        return pair_of(0, across);
    }
    return pair_of(down, from_column == to_column ? 0 : across);
}

// Whether two masks are exactly one step apart; lane.
APART bool query_touching(Space s, Mask a, Mask b) {
    const int first = max(top(a), top(b) - 1);
    const int last = min(bottom(a), bottom(b) + 1);
    bool overlap = false, beside = false;
#pragma unroll 1
    for (int i = first; i <= last && !overlap; i++) {
        query_row_touches(s, a, b, i, overlap, beside);
    }
    return beside && !overlap;
}

// Every lane tries a number of steps of its own; warp.
APART Value query_gravitate(Space s, Value source, Value destination) {
    const int most = 42;
    if (!has_mask(source) || !has_mask(destination)) {
        return plainly(s, Prim_Gravitate, source, destination);
    }
    const Mask from = mask_in(source), to = mask_in(destination);
    Window near;
    if (!fit(top(from) - most, left(from) - most, bottom(from) + most,
             min(right(from), left(from) + 40) + most, near)) {
        return plainly(s, Prim_Gravitate, source, destination);
    }
    int down = 0, across = 0;
    if (query_columns_shared(s, from, to)) {
        down = query_middle_row(from) < query_middle_row(to) ? 1 : -1;
    } else {
        across = query_middle_column(from) < query_middle_column(to) ? 1 : -1;
    }
    if (!query_touchable(to)) {
        work(s, (u64)from.height);
        TRY(s)
        return plainly(s, Prim_Gravitate, source, destination);
    }
#pragma unroll 1
    for (int base = 0;; base += 32) {
        const int count = base + (int)s.lane();
        bool stops = count >= most;
        if (!stops) {
            Mask here = from;
            here.i += count * down;
            here.j += count * across;
            stops = query_touching(s, here, to);
        }
        const unsigned stopping = ballot(stops);
        const int tried = stopping == 0 ? 32 : __ffs((int)stopping);
#pragma unroll 1
        for (int round = 0; round < tried; round++) {
            work(s, (u64)from.height);
            TRY(s)
        }
        if (stopping != 0) {
            const int steps = base + tried - 1;
            return pair_of(steps * down, steps * across);
        }
    }
}

// warp
APART Value query_index(Space s, Value grid, Value at) {
    if (grid.tag() != GRID) {
        return plainly(s, Prim_Index, grid, at);
    }
    i64 i = 0, j = 0;
    arithmetic_location(s, at, i, j);
    TRY(s)
    if (i < 0 || j < 0 || i >= (i64)grid.y || j >= (i64)grid.z) {
        return none();
    }
    return integer(s.cells()[grid.x + (unsigned)i * grid.z + (unsigned)j]);
}

// The locations in a grid too large for a mask of the cells that are `wanted`; warp.
template <typename F> INLINE Value query_wide_indices(Space s, Value grid, F wanted) {
    const u64 area = (u64)grid.y * grid.z;
    take(s, area * sizeof(Value));
    TRY(s)
    const unsigned base = s->stack_len;
#pragma unroll 1
    for (u64 chunk = 0; chunk < area; chunk += 32) {
        const u64 place = chunk + s.lane();
        const bool here = place < area && wanted(s.cells()[grid.x + place]);
        const unsigned all = ballot(here);
        const unsigned at = raw_stack(s, (u64)__popc(all));
        TRY(s)
        if (here) {
            const unsigned before = (unsigned)__popc(all & ((1u << s.lane()) - 1));
            s.stack()[at + before] = pair_of((int)(place / grid.z), (int)(place % grid.z));
        }
    }
    __syncwarp();
    return set_from(s, base);
}

// warp
APART Value query_asindices(Space s, Value grid) {
    if (grid.tag() != GRID) {
        return plainly(s, Prim_Asindices, grid);
    }
    Window window;
    if (query_grid_window(grid, window)) {
        return rectangle(s, window);
    }
    return query_wide_indices(s, grid, [](int) { return true; });
}

// warp
APART Value query_ofcolor(Space s, Value grid, Value colour) {
    if (grid.tag() != GRID) {
        return plainly(s, Prim_Ofcolor, grid, colour);
    }
    Window window;
    const bool compact = query_grid_window(grid, window);
    if (!is_small(colour)) {
        return compact ? empty_set() : plainly(s, Prim_Ofcolor, grid, colour);
    }
    const int wanted = (int)number_in(colour);
    if (!compact) {
        return query_wide_indices(s, grid, [wanted](int cell) { return cell == wanted; });
    }
    const unsigned at = raw_rows(s, grid.y);
    TRY(s)
#pragma unroll 1
    for (unsigned row = s.lane(); row < grid.y; row += 32) {
        s.rows()[at + row] = query_colour_bits(s, grid.x + row * grid.z, grid.z, wanted);
    }
    __syncwarp();
    return sealed_mask(s, at, window);
}

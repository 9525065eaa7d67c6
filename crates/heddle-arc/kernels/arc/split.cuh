// Splitting and joining grids (section 6.5).
//
// Every cell of a result is written by exactly one lane. All functions are warp
// functions; a grid is passed as its value.
#pragma once
#include "geometry.cuh"

// Beside a grid without columns, as many rows as that has.
INLINE Value beside_nothing(Space s, Value grid, unsigned rows) {
    return geometry_cut(s, grid, range_of(0, rows < grid.y ? rows : grid.y),
                        range_of(0, grid.z));
}

APART Value split_hconcat(Space s, Value a, Value b) {
    unsigned rows, at;
    if (a.tag() != GRID || b.tag() != GRID) {
        if (a.tag() == GRID && bare_rows(s, b, rows)) {
            return beside_nothing(s, a, rows);
        }
        if (b.tag() == GRID && bare_rows(s, a, rows)) {
            return beside_nothing(s, b, rows);
        }
        return plainly(s, Prim_Hconcat, a, b);
    }
    const unsigned height = a.y < b.y ? a.y : b.y, width = a.z + b.z;
    if (!raw_grid(s, height, width, at)) {
        return plainly(s, Prim_Hconcat, a, b);
    }
    TRY(s)
    const unsigned area = height * width;
#pragma unroll 1
    for (unsigned k = s.lane(); k < area; k += 32) {
        const unsigned i = k / width, j = k - i * width;
        s.cells()[at + k] = s.cells()[j < a.z ? a.x + i * a.z + j : b.x + i * b.z + (j - a.z)];
    }
    __syncwarp();
    return grid_at(at, height, width);
}

APART Value split_vconcat(Space s, Value a, Value b) {
    if (!is_tuple(a) || !is_tuple(b)) {
        return fail_kind(s, Noun_Grid, is_tuple(a) ? b : a);
    }
    unsigned at;
    if (a.tag() == GRID && b.tag() == GRID && a.z == b.z && raw_grid(s, a.y + b.y, a.z, at)) {
        TRY(s)
        const unsigned upper = a.y * a.z, area = upper + b.y * b.z;
#pragma unroll 1
        for (unsigned k = s.lane(); k < area; k += 32) {
            s.cells()[at + k] = s.cells()[k < upper ? a.x + k : b.x + (k - upper)];
        }
        __syncwarp();
        return grid_at(at, a.y + b.y, a.z);
    }
    const unsigned base = spread(s, a);
    TRY(s)
    spread(s, b);
    TRY(s)
    return tuple_from(s, base);
}

APART Value split_pieces(Space s, unsigned prim, Value value, Value n) {
    if (value.tag() != GRID) {
        return plainly(s, prim, value, n);
    }
    const i64 count = int_of(s, n);
    TRY(s)
    if (count == 0) {
        return fail(s, FAULT_DIVIDE);
    }
    const i64 height = value.y, width = value.z;
    const i64 length = prim == Prim_Hsplit ? width : height;
    const i64 part = length / count, skip = length % count != 0 ? 1 : 0;
    // With more pieces than cells all are empty: charged before they are made.
    const u64 pieces = count > 0 ? (u64)count : 0;
    take(s, pieces > ~0ull / sizeof(Value) ? ~0ull : pieces * sizeof(Value));
    TRY(s)
    const unsigned base = s->stack_len;
#pragma unroll 1
    for (i64 k = 0; k < count; ++k) {
        const i64 start = k * (part + skip);
        const Value piece = prim == Prim_Hsplit
                                ? geometry_crop_grid(s, value, 0, start, height, part)
                                : geometry_crop_grid(s, value, start, 0, part, width);
        TRY(s)
        push(s, piece);
        TRY(s)
    }
    return tuple_from(s, base);
}

APART Value split_cellwise(Space s, Value a, Value b, Value fallback) {
    if (a.tag() != GRID || b.tag() != GRID || !is_small(fallback)) {
        return plainly(s, Prim_Cellwise, a, b, fallback);
    }
    if (b.y < a.y || b.z < a.z) {
        return fail_missing(s, Noun_CellToCompareWith);
    }
    const unsigned width = a.z, area = a.y * width;
    const unsigned at = raw_cells(s, area);
    TRY(s)
    const Colour other = (Colour)number_in(fallback);
#pragma unroll 1
    for (unsigned k = s.lane(); k < area; k += 32) {
        const unsigned i = k / width, j = k - i * width;
        const Colour x = s.cells()[a.x + k], y = s.cells()[b.x + i * b.z + j];
        s.cells()[at + k] = x == y ? x : other;
    }
    __syncwarp();
    return grid_at(at, a.y, width);
}

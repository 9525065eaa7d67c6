// Turning and cutting grids (section 6.4).
//
// The one thing to know: nearly everything here is a new grid whose cell (i, j) is the
// old cell at `from + i * down + j * across`; `laid_out` writes those. A grid is passed
// as its value. All functions are warp functions unless marked.
#pragma once
#include "arithmetic.cuh"
#include "build.cuh"
#include "degenerate.cuh"
#include "elements.cuh"
#include "layers.cuh"
#include "mask.cuh"
#include "patch.cuh"

// A range of rows or columns.
struct Range {
    unsigned start, end;
};

// lane
INLINE Range range_of(unsigned start, unsigned end) {
    Range range;
    range.start = start;
    range.end = end;
    return range;
}

// lane
INLINE Range slice_bounds(unsigned length, i64 from, i64 to) {
    const unsigned start = slice_bound(length, from), end = slice_bound(length, to);
    return range_of(start, end > start ? end : start);
}

// New cells, `height` x `width` of them, taken from the old ones at even distances;
// where they begin. The product of the sides is at most that of a grid.
APART unsigned laid_out(Space s, unsigned height, unsigned width, unsigned from, int down,
                        int across) {
    const unsigned at = raw_cells(s, (u64)height * width);
    TRY_OR(s, 0)
    const unsigned area = height * width;
#pragma unroll 1
    for (unsigned k = s.lane(); k < area; k += 32) {
        const unsigned i = k / width, j = k - i * width;
        s.cells()[at + k] = s.cells()[(int)from + (int)i * down + (int)j * across];
    }
    __syncwarp();
    return at;
}

// lane. Whether height and width change places.
INLINE bool turns(unsigned prim) {
    return prim == Prim_Rot90 || prim == Prim_Rot270 || prim == Prim_Dmirror ||
           prim == Prim_Cmirror;
}

// The cells of a box, turned or mirrored; where the new ones begin.
APART unsigned turned_cells(Space s, unsigned prim, unsigned at, unsigned height,
                            unsigned width) {
    const int step = (int)width;
    const unsigned last_row = at + (height - 1) * width, last = width - 1;
    switch (prim) {
    case Prim_Rot90: return laid_out(s, width, height, last_row, 1, -step);
    case Prim_Rot180: return laid_out(s, height, width, last_row + last, -step, -1);
    case Prim_Rot270: return laid_out(s, width, height, at + last, -1, step);
    case Prim_Hmirror: return laid_out(s, height, width, last_row, -step, 1);
    case Prim_Vmirror: return laid_out(s, height, width, at + last, step, -1);
    case Prim_Dmirror: return laid_out(s, width, height, at, 1, step);
    default: return laid_out(s, width, height, last_row + last, -1, -step);
    }
}

// lane
INLINE Bits reversed_bits(Bits word) {
    return whole(__brevll(low_half(word)), __brevll(high_half(word)));
}

// lane. Row `row` of a mask after one of the four mirrors.
INLINE Bits mirrored_row(Space s, unsigned prim, Mask m, int row) {
    switch (prim) {
    case Prim_Hmirror: return s.rows()[m.rows + (m.height - 1 - row)];
    case Prim_Vmirror: return reversed_bits(s.rows()[m.rows + row]) >> (128 - m.width);
    default: break;
    }
    Bits word = 0;
    const bool main_diagonal = prim == Prim_Dmirror;
    const int column = main_diagonal ? row : m.width - 1 - row;
#pragma unroll 1
    for (int old = 0; old < m.height; ++old) {
        if (has_bit(s.rows()[m.rows + old], column)) {
            word |= bit_at(main_diagonal ? old : m.height - 1 - old);
        }
    }
    return word;
}

// The four mirrors of a compact patch. Its box is tight and stays so, and its colours
// stay as many, so nothing needs sealing.
APART Value mirrored_patch(Space s, unsigned prim, Value value) {
    if (!has_mask(value)) {
        return plainly(s, prim, value);
    }
    const Mask m = mask_in(value);
    const bool mirrors = prim == Prim_Hmirror || prim == Prim_Vmirror ||
                         prim == Prim_Dmirror || prim == Prim_Cmirror;
    if (!mirrors || (turns(prim) && m.height > MASK_COLUMNS)) {
        return plainly(s, prim, value);
    }
    const int height = turns(prim) ? m.width : m.height;
    const int width = turns(prim) ? m.height : m.width;
    Window w;
    if (!fit(m.i, m.j, (i64)m.i + height - 1, (i64)m.j + width - 1, w)) {
        return plainly(s, prim, value);
    }
    const unsigned rows = raw_rows(s, (u64)height);
    TRY(s)
#pragma unroll 1
    for (int row = (int)s.lane(); row < height; row += 32) {
        s.rows()[rows + row] = mirrored_row(s, prim, m, row);
    }
    __syncwarp();
    Value turned = value;
    turned.x = rows;
    turned.w = (turned.w & ~0xffffu) | box_of(height, width);
    if (value.tag() == PAINTED) {
        turned.z = turned_cells(s, prim, value.z, (unsigned)m.height, (unsigned)m.width);
        TRY(s)
    }
    return turned;
}

// The four mirrors of layers: each layer is mirrored in its own box, which then goes
// where the box around all of them has it.
APART Value mirrored_layers(Space s, unsigned prim, Value value) {
    Window all;
    if (!layers_window(s, value, all)) {
        return plainly(s, prim, value);
    }
    bool possible = prim == Prim_Hmirror || prim == Prim_Vmirror;
    if (prim == Prim_Dmirror || prim == Prim_Cmirror) {
        Window mirrored;
        possible = fit(all.top, all.left, all.top + (i64)width_of(all) - 1,
                       all.left + (i64)height_of(all) - 1, mirrored);
    }
    if (!possible) {
        return plainly(s, prim, value);
    }
    const unsigned base = s->stack_len;
#pragma unroll 1
    for (unsigned k = 0; k < value.y; ++k) {
        const Value layer = s.values()[value.x + k];
        const Window own = window_of_mask(mask_in(layer));
        i64 top, left;
        switch (prim) {
        case Prim_Hmirror:
            top = all.top + all.bottom - own.bottom;
            left = own.left;
            break;
        case Prim_Vmirror:
            top = own.top;
            left = all.left + all.right - own.right;
            break;
        case Prim_Dmirror:
            top = all.top + own.left - all.left;
            left = all.left + own.top - all.top;
            break;
        default:
            top = all.top + all.right - own.right;
            left = all.left + all.bottom - own.bottom;
            break;
        }
        const Value turned = mirrored_patch(s, prim, layer);
        TRY(s)
        if (!fits_i16(top) || !fits_i16(left)) {
            return plainly(s, prim, value);
        }
        push(s, moved_to(turned, (int)top, (int)left));
        TRY(s)
    }
    return layers_from(s, base);
}

// The elements of a tuple, last to first.
APART Value reversed_tuple(Space s, Value tuple) {
    const unsigned base = spread(s, tuple);
    TRY(s)
    const unsigned count = s->stack_len - base;
    // A lane exchanges two values that no other looks at.
#pragma unroll 1
    for (unsigned k = s.lane(); k < count / 2; k += 32) {
        const Value front = s.stack()[base + k], back = s.stack()[base + count - 1 - k];
        s.stack()[base + k] = back;
        s.stack()[base + count - 1 - k] = front;
    }
    __syncwarp();
    return tuple_from(s, base);
}

// lane. How many cells a row of small numbers has; -1 of anything else.
INLINE int row_length(Value row) {
    switch (row.tag()) {
    case ROW: return (int)row.y;
    case PAIR: return fits_i8(row_in(row)) && fits_i8(column_in(row)) ? 2 : -1;
    default: return is_empty_tuple(row) ? 0 : -1;
    }
}

// A ragged grid cut to its shortest row, as turning columns into rows cuts it. `false`,
// and no fault, if it is anything else.
APART bool evened(Space s, Value value, Value &out) {
    if (value.tag() != TUPLE || value.y == 0) {
        return false;
    }
    int shortest = 0x7fffffff;
#pragma unroll 1
    for (unsigned k = s.lane(); k < value.y; k += 32) {
        shortest = min(shortest, row_length(s.values()[value.x + k]));
    }
    shortest = warp_min(shortest);
    out = empty_tuple();
    unsigned at;
    if (shortest <= 0) {
        return shortest == 0;
    }
    const unsigned width = (unsigned)shortest, area = value.y * width;
    if (!raw_grid(s, value.y, width, at)) {
        return false;
    }
    TRY_OR(s, true)
#pragma unroll 1
    for (unsigned k = s.lane(); k < area; k += 32) {
        const unsigned row = k / width, column = k - row * width;
        const Value own = s.values()[value.x + row];
        s.cells()[at + k] = own.tag() == ROW ? s.cells()[own.x + column]
                                         : (Colour)(int)(column == 0 ? own.x : own.y);
    }
    __syncwarp();
    out = grid_at(at, value.y, width);
    return true;
}

// The eight symmetries of a grid, the four mirrors of anything else.
APART Value geometry_symmetry(Space s, unsigned prim, Value given) {
    Value value = given, even;
    if ((prim == Prim_Rot90 || prim == Prim_Rot270 || prim == Prim_Dmirror) &&
        evened(s, given, even)) {
        TRY(s)
        if (even.tag() != GRID) {
            return even;
        }
        value = even;
    }
    if (value.tag() == GRID) {
        const unsigned at = turned_cells(s, prim, value.x, value.y, value.z);
        TRY(s)
        return turns(prim) ? grid_at(at, value.z, value.y) : grid_at(at, value.y, value.z);
    }
    if (prim == Prim_Hmirror && is_tuple(value)) {
        return reversed_tuple(s, value);
    }
    return value.tag() == LAYERS ? mirrored_layers(s, prim, value)
                               : mirrored_patch(s, prim, value);
}

// Rows and columns cut out of a grid; degenerate results are tuples.
APART Value geometry_cut(Space s, Value grid, Range rows, Range columns) {
    const unsigned height = rows.end - rows.start, width = columns.end - columns.start;
    if (height == 0) {
        return empty_tuple();
    }
    if (width == 0) {
        return rows_without_columns(s, height);
    }
    const unsigned start = grid.x + rows.start * grid.z + columns.start;
    if (width == grid.z) {
        // Whole rows lie together already.
        return grid_at(start, height, width);
    }
    const unsigned at = laid_out(s, height, width, start, (int)grid.z, 1);
    TRY(s)
    return grid_at(at, height, width);
}

INLINE Value geometry_crop_grid(Space s, Value grid, i64 i, i64 j, i64 height, i64 width) {
    const i64 bottom = checked_add(s, i, height);
    TRY(s)
    const i64 right = checked_add(s, j, width);
    TRY(s)
    return geometry_cut(s, grid, slice_bounds(grid.y, i, bottom),
                        slice_bounds(grid.z, j, right));
}

APART Value geometry_crop(Space s, Value value, Value start, Value dims) {
    if (value.tag() != GRID) {
        return plainly(s, Prim_Crop, value, start, dims);
    }
    i64 i, j, height, width;
    arithmetic_location(s, start, i, j);
    TRY(s)
    arithmetic_location(s, dims, height, width);
    TRY(s)
    return geometry_crop_grid(s, value, i, j, height, width);
}

APART Value geometry_subgrid(Space s, Value patch, Value value) {
    if (!has_mask(patch) || value.tag() != GRID) {
        if (value.tag() == GRID && is_set(patch) && !is_empty_container(patch)) {
            Extremes e;
            const bool known = extremes(s, patch, e);
            TRY(s)
            if (known) {
                return geometry_crop_grid(s, value, e.top, e.left, e.bottom - e.top + 1,
                                          e.right - e.left + 1);
            }
        }
        return plainly(s, Prim_Subgrid, patch, value);
    }
    const Mask m = mask_in(patch);
    return geometry_crop_grid(s, value, m.i, m.j, m.height, m.width);
}

APART Value geometry_trim(Space s, Value value) {
    if (value.tag() != GRID) {
        return plainly(s, Prim_Trim, value);
    }
    return geometry_cut(s, value, slice_bounds(value.y, 1, -1), slice_bounds(value.z, 1, -1));
}

APART Value geometry_half(Space s, unsigned prim, Value given) {
    Value value = given, even;
    if ((prim == Prim_Lefthalf || prim == Prim_Righthalf) && evened(s, given, even)) {
        TRY(s)
        if (even.tag() != GRID) {
            return even;
        }
        value = even;
    }
    if (value.tag() != GRID) {
        return plainly(s, prim, value);
    }
    const unsigned height = value.y, width = value.z;
    Range rows = range_of(0, height), columns = range_of(0, width);
    switch (prim) {
    case Prim_Tophalf: rows.end = height / 2; break;
    case Prim_Bottomhalf: rows.start = height - height / 2; break;
    case Prim_Lefthalf: columns.end = width / 2; break;
    default: columns.start = width - width / 2; break;
    }
    // Half of one column is no grid at all, not rows without columns.
    return columns.start == columns.end ? empty_tuple() : geometry_cut(s, value, rows, columns);
}

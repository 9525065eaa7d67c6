// Scaling, recolouring and making grids (section 6.4, compact/scale.rs).
//
// All functions are warp functions unless marked.
#pragma once
#include "geometry.cuh"

// Cells repeated `down` times vertically and `across` times horizontally. `false`, and
// no fault, if the grid is too large for the form.
APART bool scaled(Space s, Value grid, u64 down, u64 across, Value &out) {
    out = none();
    unsigned at;
    // The factors alone first, so that the products stay small.
    if (down > 0xffff || across > 0xffff || !raw_grid(s, grid.y * down, grid.z * across, at)) {
        return false;
    }
    TRY_OR(s, true)
    const unsigned height = grid.y * (unsigned)down, width = grid.z * (unsigned)across;
    const unsigned area = height * width;
#pragma unroll 1
    for (unsigned k = s.lane(); k < area; k += 32) {
        const unsigned i = k / width, j = k - i * width;
        s.cells()[at + k] =
            s.cells()[grid.x + i / (unsigned)down * grid.z + j / (unsigned)across];
    }
    __syncwarp();
    out = grid_at(at, height, width);
    return true;
}

// An object each of whose cells is a square of side `n`. `false`, and no fault, if it
// fits no mask.
APART bool scaled_object(Space s, Value object, u64 n, Value &out) {
    out = none();
    const Mask m = mask_in(object);
    Window w;
    if (n > MASK_ROWS || !fit(m.i, m.j, m.i + m.height * (i64)n - 1,
                              m.j + m.width * (i64)n - 1, w)) {
        return false;
    }
    const unsigned side = (unsigned)n, height = height_of(w);
    const unsigned rows = raw_rows(s, height);
    TRY_OR(s, true)
#pragma unroll 1
    for (unsigned row = s.lane(); row < height; row += 32) {
        Bits wide = 0;
#pragma unroll 1
        for (Bits left = s.rows()[m.rows + row / side]; left != 0; left = without_lowest(left)) {
            wide |= full_bits((int)side) << (lowest_bit(left) * (int)side);
        }
        s.rows()[rows + row] = wide;
    }
    __syncwarp();
    Value larger = object;
    larger.x = rows;
    larger.w = (larger.w & ~0xffffu) | box_of((int)height, (int)width_of(w));
    if (object.tag() == PAINTED) {
        const Value box = grid_at(object.z, (unsigned)m.height, (unsigned)m.width);
        Value colours;
        scaled(s, box, n, n, colours);
        TRY_OR(s, true)
        larger.z = colours.x;
    }
    out = larger;
    return true;
}

// A scaled object that fits no mask. `false`, and no fault, if it is far too large.
APART bool scaled_cells(Space s, Value object, u64 n, Value &out) {
    out = none();
    const Mask m = mask_in(object);
    if (n > 0x7fffffff || !fits_i32(m.height * (i64)n) || !fits_i32(m.width * (i64)n) ||
        !fits_i32(m.i + m.height * (i64)n) || !fits_i32(m.j + m.width * (i64)n)) {
        return false;
    }
    // The products may leave 64 bits; the budget then certainly stops them.
    const unsigned __int128 count = (unsigned __int128)count_of(s, m) * n * n;
    const unsigned __int128 bytes = count * sizeof(Value);
    take(s, bytes > ~0ull ? ~0ull : (u64)bytes);
    TRY_OR(s, true)
    const unsigned cells = spread(s, object);
    TRY_OR(s, true)
    const unsigned base = raw_stack(s, (u64)count);
    TRY_OR(s, true)
    const unsigned side = (unsigned)n;
#pragma unroll 1
    for (unsigned k = s.lane(); k < (unsigned)count; k += 32) {
        const unsigned row = k / side, j = k - row * side, i = row % side;
        const Value cell = s.stack()[cells + row / side];
        const int top = m.i + (row_in(cell) - m.i) * (int)side;
        const int left = m.j + (column_in(cell) - m.j) * (int)side;
        s.stack()[base + k] = cell_of(colour_in(cell), top + (int)i, left + (int)j);
    }
    __syncwarp();
    out = set_from(s, base);
    truncate(s, cells);
    return true;
}

APART Value geometry_upscale(Space s, unsigned prim, Value value, Value factor) {
    const i64 times = int_of(s, factor);
    TRY(s)
    if (times > 0) {
        const u64 n = (u64)times;
        Value larger;
        if (value.tag() == GRID) {
            if (scaled(s, value, prim == Prim_Hupscale ? 1 : n, prim == Prim_Vupscale ? 1 : n,
                       larger)) {
                return larger;
            }
        } else if (prim == Prim_Upscale && (value.tag() == OBJECT || value.tag() == PAINTED)) {
            if (scaled_object(s, value, n, larger) || scaled_cells(s, value, n, larger)) {
                return larger;
            }
        }
    }
    return plainly(s, prim, value, factor);
}

APART Value geometry_downscale(Space s, Value value, Value factor) {
    const i64 given = int_of(s, factor);
    TRY(s)
    const u64 n = given < 0 ? 0 - (u64)given : (u64)given;
    if (value.tag() != GRID || n == 0) {
        return plainly(s, Prim_Downscale, value, factor);
    }
    // A factor beyond a side leaves one row or column, whatever it is.
    const unsigned by = n > 0xffff ? 0xffff : (unsigned)n;
    const unsigned height = (value.y + by - 1) / by, width = (value.z + by - 1) / by;
    const unsigned at = laid_out(s, height, width, value.x,
                                 height == 1 ? 0 : (int)(by * value.z), (int)by);
    TRY(s)
    return grid_at(at, height, width);
}

// A grid with every colour put through a function.
template <typename F> INLINE Value recoloured(Space s, Value grid, F colour) {
    const unsigned area = grid.y * grid.z;
    const unsigned at = raw_cells(s, area);
    TRY(s)
#pragma unroll 1
    for (unsigned k = s.lane(); k < area; k += 32) {
        s.cells()[at + k] = (Colour)colour((int)s.cells()[grid.x + k]);
    }
    __syncwarp();
    return grid_at(at, grid.y, grid.z);
}

APART Value geometry_replace(Space s, Value value, Value from, Value to) {
    if (value.tag() != GRID) {
        return plainly(s, Prim_Replace, value, from, to);
    }
    if (!is_small(from)) {
        // A colour no cell can have is nowhere to be replaced.
        return value;
    }
    if (!is_small(to)) {
        return plainly(s, Prim_Replace, value, from, to);
    }
    const int old = (int)number_in(from), fresh = (int)number_in(to);
    return recoloured(s, value, [=](int cell) { return cell == old ? fresh : cell; });
}

APART Value geometry_switch(Space s, Value value, Value a, Value b) {
    if (value.tag() != GRID || !is_small(a) || !is_small(b)) {
        return plainly(s, Prim_Switch, value, a, b);
    }
    const int one = (int)number_in(a), other = (int)number_in(b);
    return recoloured(s, value, [=](int cell) {
        return cell == one ? other : cell == other ? one : cell;
    });
}

APART Value geometry_canvas(Space s, Value value, Value dims) {
    i64 height, width;
    arithmetic_location(s, dims, height, width);
    TRY(s)
    unsigned at;
    if (is_small(value) && height >= 0 && width >= 0 &&
        raw_grid(s, (u64)height, (u64)width, at)) {
        TRY(s)
        const Colour colour = (Colour)number_in(value);
        const unsigned area = (unsigned)(height * width);
#pragma unroll 1
        for (unsigned k = s.lane(); k < area; k += 32) {
            s.cells()[at + k] = colour;
        }
        __syncwarp();
        return grid_at(at, (unsigned)height, (unsigned)width);
    }
    if (height <= 0) {
        return empty_tuple();
    }
    if (width <= 0) {
        return bare_grid(s, (u64)height);
    }
    return plainly(s, Prim_Canvas, value, dims);
}

APART Value geometry_mir_rot(Space s, Value value, Value k) {
    const i64 which = int_of(s, k);
    TRY(s)
    switch (which) {
    case 0: return geometry_symmetry(s, Prim_Hmirror, value);
    case 1: return geometry_symmetry(s, Prim_Dmirror, value);
    case 2: return geometry_symmetry(s, Prim_Vmirror, value);
    case 3: return geometry_symmetry(s, Prim_Cmirror, value);
    case 4: return geometry_symmetry(s, Prim_Rot90, value);
    case 5: return geometry_symmetry(s, Prim_Rot180, value);
    case 6: return geometry_symmetry(s, Prim_Rot270, value);
    case 7:
        if (value.tag() == GRID) {
            return value;
        }
        break;
    default: break;
    }
    return plainly(s, Prim_MirRotT, value, k);
}

// Grids without columns, what is no grid or patch at all, and which primitives take
// grids and patches (compact/bare.rs). All functions are warp functions unless marked.
#pragma once
#include "arithmetic.cuh"
#include "build.cuh"
#include "mask.cuh"

INLINE bool is_empty_tuple(Value v) { return v.tag() == TUPLE && v.y == 0; } // lane

// lane
INLINE unsigned slice_bound(unsigned length, i64 bound) {
    // A negative bound counts from the end; the sum cannot leave 64 bits.
    const i64 place = bound < 0 ? bound + (i64)length : bound;
    return place < 0 ? 0 : place > (i64)length ? length : (unsigned)place;
}

// lane. How many of `length` places a slice keeps.
INLINE unsigned slice_length(unsigned length, i64 from, i64 to) {
    const unsigned start = slice_bound(length, from), end = slice_bound(length, to);
    return end > start ? end - start : 0;
}

// Whether a value is a grid without columns, and how many rows that has.
APART bool bare_rows(Space s, Value value, unsigned &rows) {
    rows = value.y;
    if (value.tag() != TUPLE) {
        return false;
    }
    bool mine = true;
#pragma unroll 1
    for (unsigned k = s.lane(); k < rows; k += 32) {
        mine = mine && is_empty_tuple(s.values()[value.x + k]);
    }
    return every_lane(mine);
}

// As many rows without columns.
APART Value rows_without_columns(Space s, u64 height) {
    const unsigned base = raw_stack(s, height);
    TRY(s)
#pragma unroll 1
    for (unsigned k = s.lane(); k < (unsigned)height; k += 32) {
        s.stack()[base + k] = empty_tuple();
    }
    __syncwarp();
    return tuple_from(s, base);
}

// The same, charged before they are made: a factor can be anything.
APART Value bare_grid(Space s, u64 rows) {
    take(s, rows > ~0ull / sizeof(Value) ? ~0ull : rows * sizeof(Value));
    TRY(s)
    return rows_without_columns(s, rows);
}

// Whether a value has no rows, since it or one of them is no tuple; `odd` is the first
// that is none.
APART bool not_rows(Space s, Value value, Value &odd) {
    odd = value;
    switch (value.tag()) {
    case GRID: return false;
    case PAIR:
    case CELL:
    case ROW:
        // All begin with a number.
        odd = integer(0);
        return true;
    case TUPLE: break;
    default: return true;
    }
#pragma unroll 1
    for (unsigned base = 0; base < value.y; base += 32) {
        const unsigned k = base + s.lane();
        const unsigned others = ballot(k < value.y && !is_tuple(s.values()[value.x + k]));
        if (others != 0) {
            odd = s.values()[value.x + base + (unsigned)(__ffs((int)others) - 1)];
            return true;
        }
    }
    return false;
}

// lane. Whether a primitive first of all takes the rows of its first argument, which is
// a grid or, for some, a patch.
INLINE bool takes_rows(unsigned prim, bool tuple) {
    switch (prim) {
    case Prim_Rot90: case Prim_Rot180: case Prim_Rot270: case Prim_Crop: case Prim_Trim:
    case Prim_Tophalf: case Prim_Bottomhalf: case Prim_Lefthalf: case Prim_Righthalf:
    case Prim_Hupscale: case Prim_Vupscale: case Prim_Downscale: case Prim_Replace:
    case Prim_Switch: case Prim_Hconcat: case Prim_Hsplit: case Prim_Vsplit:
    case Prim_Cellwise: case Prim_Index: case Prim_Asindices: case Prim_Ofcolor:
    case Prim_Objects: case Prim_OG: case Prim_Partition: case Prim_Asobject:
    case Prim_Compress: case Prim_Frontiers: case Prim_PG: case Prim_Occurrences:
        return true;
    case Prim_Vmirror: case Prim_Dmirror: case Prim_Cmirror: case Prim_Upscale:
    case Prim_Mostcolor: case Prim_Leastcolor: case Prim_Palette: case Prim_Numcolors:
    case Prim_Colorcount: case Prim_Fgpartition: case Prim_Underfill: case Prim_Underpaint:
    case Prim_Cover: case Prim_Move:
        return tuple;
    default:
        return false;
    }
}

// lane. The argument a primitive takes the locations of before anything else can go
// wrong; `false` if there is none.
APART bool takes_locations(unsigned prim, Value x, Value y, Value z, Value &patch) {
    switch (prim) {
    case Prim_Toindices: case Prim_Shift: case Prim_Normalize: case Prim_Backdrop:
    case Prim_Delta: case Prim_Corners: case Prim_Box: case Prim_Outbox: case Prim_Inbox:
    case Prim_Uppermost: case Prim_Lowermost: case Prim_Leftmost: case Prim_Rightmost:
    case Prim_Ulcorner: case Prim_Urcorner: case Prim_Llcorner: case Prim_Lrcorner:
    case Prim_Center: case Prim_Centerofmass: case Prim_Hmatching: case Prim_Vmatching:
    case Prim_Manhattan: case Prim_Adjacent: case Prim_Position: case Prim_Gravitate:
    case Prim_Bordering: case Prim_Subgrid:
        patch = x;
        return true;
    case Prim_Height: case Prim_Width: case Prim_Shape: case Prim_Portrait: case Prim_Square:
    case Prim_Vline: case Prim_Hline: case Prim_Hmirror: case Prim_Vmirror:
    case Prim_Dmirror: case Prim_Cmirror: case Prim_Upscale:
        patch = x;
        return is_set(x);
    case Prim_Recolor:
        patch = y;
        return true;
    case Prim_Fill:
        patch = z;
        return true;
    case Prim_Underfill:
        patch = z;
        return x.tag() == GRID;
    case Prim_Cover: case Prim_Move:
        patch = y;
        return x.tag() == GRID;
    case Prim_Toobject:
        patch = x;
        return y.tag() == GRID;
    case Prim_Occurrences:
        patch = y;
        return x.tag() == GRID && is_set(y);
    default:
        return false;
    }
}

// Whether a value has no locations, where its first element tells. Then that fault is
// set.
APART bool not_patch(Space s, Value value) {
    if (!is_tuple(value) && !is_set(value)) {
        fail_kind(s, Noun_Container, value);
        return true;
    }
    if (has_mask(value) || value.tag() == LAYERS || is_empty_container(value)) {
        return false;
    }
    const Value first = tuple_element(s, value, 0);
    const u64 length = is_tuple(first) ? len_alone(s, first) : 0;
    if (length == 2) {
        return false;
    }
    // A cell or a location has two parts. What the second is says which it was meant to
    // be.
    fail_kind(s,
              length < 2                             ? Noun_CellOrLocation
              : is_tuple(tuple_element(s, first, 1)) ? Noun_Cell
                                                     : Noun_Pair,
              first);
    return true;
}

// All places where nothing occurs in a grid, which is one more down and across than it
// has cells. `false` if no mask holds them.
INLINE bool everywhere(Space s, unsigned height, unsigned width, Value &out) {
    Window w;
    if (!fit(0, 0, height, width, w)) {
        return false;
    }
    out = rectangle(s, w);
    return true;
}

// Rows cut out of a grid without columns.
APART Value bare_cropped(Space s, unsigned rows, Value start, Value dims) {
    i64 i, j, height, width;
    arithmetic_location(s, start, i, j);
    TRY(s)
    arithmetic_location(s, dims, height, width);
    TRY(s)
    const i64 bottom = checked_add(s, i, height);
    TRY(s)
    checked_add(s, j, width);
    TRY(s)
    return bare_grid(s, slice_length(rows, i, bottom));
}

// A grid without columns in `n` pieces.
APART Value bare_split(Space s, unsigned prim, unsigned rows, Value n) {
    const i64 count = int_of(s, n);
    TRY(s)
    if (count == 0) {
        return fail(s, FAULT_DIVIDE);
    }
    const u64 pieces = count > 0 ? (u64)count : 0;
    take(s, pieces > ~0ull / sizeof(Value) ? ~0ull : pieces * sizeof(Value));
    TRY(s)
    const i64 part = (i64)rows / count, skip = (i64)rows % count != 0 ? 1 : 0;
    const unsigned base = s->stack_len;
#pragma unroll 1
    for (i64 k = 0; k < count; ++k) {
        const i64 start = k * (part + skip);
        const Value piece = bare_grid(
            s, prim == Prim_Hsplit ? rows : slice_length(rows, start, start + part));
        TRY(s)
        push(s, piece);
        TRY(s)
    }
    return tuple_from(s, base);
}

// A grid of `rows` rows without columns as the first argument. `false` if that does not
// decide it.
APART bool of_bare(Space s, unsigned prim, unsigned rows, Value x, Value y, Value z,
                   Value &out) {
    unsigned others;
    switch (prim) {
    case Prim_Rot90: case Prim_Rot270: case Prim_Dmirror: case Prim_Cmirror:
    case Prim_Lefthalf: case Prim_Righthalf: case Prim_PG:
        out = empty_tuple();
        return true;
    case Prim_Rot180: case Prim_Vmirror: case Prim_Hupscale: case Prim_Replace:
    case Prim_Switch: case Prim_Compress:
        out = x;
        return true;
    case Prim_Crop:
        out = bare_cropped(s, rows, y, z);
        return true;
    case Prim_Trim:
        out = bare_grid(s, slice_length(rows, 1, -1));
        return true;
    case Prim_Tophalf: case Prim_Bottomhalf:
        out = bare_grid(s, rows / 2);
        return true;
    case Prim_Vupscale: case Prim_Upscale: {
        const i64 factor = int_of(s, y);
        TRY_OR(s, true)
        const u64 times = factor > 0 ? (u64)factor : 0;
        out = bare_grid(s, rows != 0 && times > ~0ull / rows ? ~0ull : rows * times);
        return true;
    }
    case Prim_Downscale: {
        const i64 factor = int_of(s, y);
        TRY_OR(s, true)
        const u64 by = factor < 0 ? 0 - (u64)factor : (u64)factor;
        out = by == 0 ? fail(s, FAULT_DIVIDE)
                      : bare_grid(s, rows / by + (rows % by != 0 ? 1 : 0));
        return true;
    }
    case Prim_Hconcat:
        if (!bare_rows(s, y, others)) {
            return false;
        }
        out = bare_grid(s, rows < others ? rows : others);
        return true;
    case Prim_Hsplit: case Prim_Vsplit:
        out = rows == 0 ? fail_empty(s, Noun_Grid) : bare_split(s, prim, rows, y);
        return true;
    case Prim_Cellwise:
        out = x;
        return y.tag() == GRID || bare_rows(s, y, others);
    case Prim_Fill:
        out = x;
        return has_mask(z) || is_empty_container(z);
    case Prim_Paint:
        out = x;
        return y.tag() == OBJECT || y.tag() == PAINTED || is_empty_container(y);
    case Prim_Underfill: case Prim_Underpaint: case Prim_Cover: case Prim_Move:
    case Prim_Fgpartition: case Prim_Mostcolor: case Prim_Leastcolor:
        out = fail_empty(s, Noun_Element);
        return true;
    case Prim_Palette: case Prim_Asindices: case Prim_Ofcolor: case Prim_Asobject:
    case Prim_Partition: case Prim_Frontiers:
        out = empty_set();
        return true;
    case Prim_Numcolors: case Prim_Colorcount:
        out = integer(0);
        return true;
    case Prim_Index: {
        i64 i, j;
        arithmetic_location(s, y, i, j);
        out = none();
        return true;
    }
    case Prim_Occurrences:
        if (is_empty_container(y)) {
            return everywhere(s, rows, 0, out);
        }
        out = empty_set();
        return has_mask(y);
    case Prim_MirRotT: {
        const i64 k = int_of(s, y);
        TRY_OR(s, true)
        out = k == 7 ? x : fail_range(s, Noun_SymmetryBeyond07);
        return true;
    }
    default:
        return false;
    }
}

// Empty patches, grids without cells and what is no grid at all, and the road out of
// the kernel for everything odd.
//
// In a search most programs meet an empty set or a factor of zero sooner or later;
// those cases are answered here as compact/degenerate.rs answers them. The one thing to
// know: what `plainly` does not answer it flags, and the processor does that evaluation
// again. All functions are warp functions unless marked.
#pragma once
#include "bare.cuh"

// Whether no cell of a grid has a colour.
APART bool absent(Space s, Value grid, Value colour) {
    if (!is_small(colour)) {
        return true;
    }
    const int wanted = (int)number_in(colour);
    const unsigned area = grid.y * grid.z;
    bool found = false;
#pragma unroll 1
    for (unsigned k = s.lane(); k < area; k += 32) {
        found = found || s.cells()[grid.x + k] == wanted;
    }
    return !any_lane(found);
}

// Whether the cells of a grid are those of another that is no smaller.
APART bool alike(Space s, Value grid, Value other) {
    const unsigned width = grid.z, area = grid.y * width;
    bool same = true;
#pragma unroll 1
    for (unsigned k = s.lane(); k < area; k += 32) {
        const unsigned i = k / width, j = k - i * width;
        same = same && s.cells()[grid.x + k] == s.cells()[other.x + i * other.z + j];
    }
    return every_lane(same);
}

// A grid with cells, or a patch, as the first argument. `false` if that does not decide
// it.
APART bool of_grid(Space s, unsigned prim, Value x, Value y, Value z, Value &out) {
    const bool grid = x.tag() == GRID, counted = is_number(y);
    unsigned rows;
    Value odd;
    switch (prim) {
    case Prim_Vupscale:
        out = empty_tuple();
        return grid && counted && number_in(y) <= 0;
    case Prim_Hupscale:
        if (!grid || !counted || number_in(y) > 0) {
            return false;
        }
        out = bare_grid(s, x.y);
        return true;
    case Prim_Upscale:
        if (x.tag() == MASK) {
            out = fail_kind(s, Noun_Object, x);
            return true;
        }
        out = grid ? empty_tuple() : empty_set();
        return counted && number_in(y) <= 0 &&
               (grid || x.tag() == OBJECT || x.tag() == PAINTED || x.tag() == LAYERS);
    case Prim_Downscale:
        if (!grid || !counted || number_in(y) != 0) {
            return false;
        }
        out = fail(s, FAULT_DIVIDE);
        return true;
    case Prim_MirRotT: {
        const i64 k = int_of(s, y);
        TRY_OR(s, true)
        if (k != 7) {
            out = fail_range(s, Noun_SymmetryBeyond07);
            return true;
        }
        if (!not_rows(s, x, odd)) {
            return false;
        }
        out = fail_kind(s, Noun_Tuple, odd);
        return true;
    }
    case Prim_Fill: case Prim_Underfill:
        // Nothing to fill, whatever with.
        out = x;
        return grid && is_empty_container(z);
    case Prim_Replace:
        // What no cell has is nowhere to be replaced, whatever by.
        out = x;
        return grid && absent(s, x, y);
    case Prim_Switch:
        out = x;
        return grid && absent(s, x, y) && absent(s, x, z);
    case Prim_Cellwise:
        if (!grid) {
            return false;
        }
        if (y.tag() == GRID ? y.y < x.y || y.z < x.z : bare_rows(s, y, rows)) {
            out = fail_missing(s, Noun_CellToCompareWith);
            return true;
        }
        // Where no cell needs the odd one.
        out = x;
        return y.tag() == GRID && alike(s, x, y);
    case Prim_Occurrences:
        if (!grid) {
            return false;
        }
        if (is_empty_container(y)) {
            return everywhere(s, x.y, x.z, out);
        }
        if (y.tag() == MASK) {
            const Mask m = mask_in(y);
            // Locations where cells should be.
            out = (unsigned)m.height > x.y || (unsigned)m.width > x.z
                      ? empty_set()
                      : fail_kind(s, Noun_Pair, integer(0));
            return true;
        }
        return false;
    case Prim_Mostcolor: case Prim_Leastcolor: case Prim_Palette: case Prim_Numcolors:
    case Prim_Colorcount:
        if (is_tuple(x) || is_set(x)) {
            return false;
        }
        out = fail_kind(s, Noun_Container, x);
        return true;
    case Prim_Corners:
        if (!is_empty_container(x)) {
            return false;
        }
        push(s, empty_tuple());
        TRY_OR(s, true)
        out = set_from(s, s->stack_len - 1);
        return true;
    case Prim_Subgrid:
        if (!has_mask(x)) {
            return false;
        }
        if (bare_rows(s, y, rows)) {
            const Mask m = mask_in(x);
            out = bare_grid(s, slice_length(rows, m.i, (i64)m.i + m.height));
            return true;
        }
        if (!not_rows(s, y, odd)) {
            return false;
        }
        out = fail_kind(s, Noun_Tuple, odd);
        return true;
    case Prim_Toobject:
        out = empty_set();
        return has_mask(x) && bare_rows(s, y, rows);
    default:
        return false;
    }
}

// The answer to a call with an empty container among its arguments, where it does not
// depend on the others; `false` if there is none; lane.
APART bool of_empty(Space s, unsigned prim, Value x, Value y, Value &out) {
    const bool no_patch = is_empty_set(x), no_grid = is_empty_tuple(x);
    switch (prim) {
    case Prim_Adjacent:
    case Prim_Manhattan:
    case Prim_Position:
    case Prim_Gravitate:
        if (no_patch || is_empty_set(y)) {
            out = fail_empty(s, Noun_Patch);
            return true;
        }
        break;
    case Prim_Subgrid:
    case Prim_Center:
    case Prim_Bordering:
    case Prim_Hmirror:
    case Prim_Outbox:
    case Prim_Inbox:
        if (no_patch) {
            out = fail_empty(s, Noun_Patch);
            return true;
        }
        break;
    case Prim_Vmirror:
    case Prim_Dmirror:
    case Prim_Cmirror:
        if (no_patch) {
            out = fail_empty(s, Noun_Patch);
            return true;
        }
        if (no_grid) {
            out = empty_tuple();
            return true;
        }
        break;
    case Prim_Mostcolor:
    case Prim_Leastcolor:
        if (no_patch || no_grid) {
            out = fail_empty(s, Noun_Element);
            return true;
        }
        break;
    case Prim_Move:
        if (no_grid) {
            out = fail_empty(s, Noun_Grid);
            return true;
        }
        // The object is painted where it was covered: nowhere.
        if (is_empty_set(y) && x.tag() == GRID) {
            out = x;
            return true;
        }
        break;
    case Prim_Upscale:
        if (no_patch) {
            out = x;
            return true;
        }
        break;
    case Prim_Fill:
    case Prim_Paint:
    case Prim_Underfill:
    case Prim_Underpaint:
    case Prim_Cover:
    case Prim_Objects:
    case Prim_OG:
    case Prim_Frontiers:
    case Prim_Occurrences:
    case Prim_Index:
    case Prim_Downscale:
    case Prim_Cellwise:
    case Prim_Fgpartition:
        if (no_grid) {
            out = fail_empty(s, Noun_Grid);
            return true;
        }
        break;
    case Prim_Toobject:
        if (is_empty_tuple(y)) {
            out = fail_empty(s, Noun_Grid);
            return true;
        }
        break;
    case Prim_Asobject:
    case Prim_Asindices:
    case Prim_Ofcolor:
    case Prim_Partition:
        if (no_grid) {
            out = empty_set();
            return true;
        }
        break;
    case Prim_Rot90:
    case Prim_Rot180:
    case Prim_Rot270:
    case Prim_Trim:
    case Prim_Tophalf:
    case Prim_Bottomhalf:
    case Prim_Lefthalf:
    case Prim_Righthalf:
    case Prim_Replace:
    case Prim_Switch:
    case Prim_Compress:
        if (no_grid) {
            out = empty_tuple();
            return true;
        }
        break;
    case Prim_Width:
    case Prim_Hperiod:
    case Prim_Vperiod:
    case Prim_Colorcount:
        if (no_patch || no_grid) {
            out = integer(0);
            return true;
        }
        break;
    default:
        break;
    }
    return false;
}

// The answer to a call that no fast path takes, if it is one of the usual ones; else the
// processor is asked. An absent argument is NONE.
APART Value plainly(Space s, unsigned prim, Value x, const Value &y = none(),
                    const Value &z = none()) {
    Value out, odd;
    if (of_empty(s, prim, x, y, out)) {
        return out;
    }
    const bool first = takes_rows(prim, is_tuple(x));
    if ((first || prim == Prim_Toobject) && not_rows(s, first ? x : y, odd)) {
        return fail_kind(s, Noun_Tuple, odd);
    }
    if ((prim == Prim_Hconcat || prim == Prim_Cellwise) && not_rows(s, y, odd)) {
        return fail_kind(s, Noun_Tuple, odd);
    }
    if (takes_locations(prim, x, y, z, odd) && not_patch(s, odd)) {
        return none();
    }
    unsigned rows;
    if (bare_rows(s, x, rows) && of_bare(s, prim, rows, x, y, z, out)) {
        return out;
    }
    return of_grid(s, prim, x, y, z, out) ? out : flag(s, FLAG_FORM);
}

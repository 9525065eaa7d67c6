// Making objects and patches. All functions are warp functions unless they say
// otherwise.
//
// What can be made by changing a handle is: a recoloured, shifted or normalized patch
// keeps its rows.
#pragma once
#include "arithmetic.cuh"
#include "colours.cuh"
#include "components.cuh"
#include "order.cuh"
#include "patch.cuh"
#include "query.cuh"

INLINE Value construct_o_g(Space s, Value grid, Value r) {
    const i64 mode = int_of(s, r);
    TRY(s)
    if (mode < 0 || mode > 7) {
        return fail_range(s, Noun_ModeBeyond07);
    }
    return components_objects(s, grid, (mode & 4) != 0, (mode & 2) != 0, (mode & 1) != 0,
                              Prim_OG);
}

APART Value construct_asobject(Space s, Value value) {
    Window window;
    if (value.tag() == GRID && query_grid_window(value, window)) {
        return construct_whole(s, value, window);
    }
    return plainly(s, Prim_Asobject, value);
}

APART Value construct_partition(Space s, unsigned prim, Value grid) {
    Window window;
    if (grid.tag() != GRID || !query_grid_window(grid, window)) {
        return plainly(s, prim, grid);
    }
    Colours colours;
    colours_colours(s, grid, colours);
    TRY(s)
    if (prim == Prim_Fgpartition) {
        colours.remove(colours_background(s, grid));
    }
    const unsigned height = grid.y, width = grid.z;
    const bool small = height <= 32 && width <= 32;
    Slices slices = Slices();
    if (small) {
        slices = row_slices(s, grid.x, height, width);
    }
    const unsigned columns = width >= 32 ? ~0u : (1u << width) - 1;
    const unsigned base = s->stack_len;
    int colour;
#pragma unroll 1
    while (colours.least(colour)) {
        colours.remove(colour);
        const unsigned at = raw_window(s, window);
        TRY(s)
#pragma unroll 1
        for (unsigned row = s.lane(); row < height; row += 32) {
            s.rows()[at + row] = small ? (Bits)of_colour(slices, colour, columns)
                                     : query_colour_bits(s, grid.x + row * width, width, colour);
        }
        __syncwarp();
        const Value object = sealed_object(s, at, window, colour);
        push(s, object);
        TRY(s)
    }
    // Ascending colours are canonical order already.
    return sorted_set(s, base);
}

APART Value construct_colorfilter(Space s, Value objects, Value value) {
    const unsigned base = spread(s, objects);
    TRY(s)
    const unsigned end = s->stack_len, before = (1u << s.lane()) - 1;
    unsigned kept = base;
#pragma unroll 1
    for (unsigned from = base; from < end; from += 32) {
        const unsigned place = from + s.lane();
        const Value object = place < end ? s.stack()[place] : none();
        const bool one_colour = object.tag() == OBJECT;
        unsigned wanted = ballot(one_colour && is_number(value) &&
                                 number_in(value) == colour_in(object));
        // Only these can fail, and the first of them that does decides.
        unsigned others = ballot(place < end && !one_colour);
#pragma unroll 1
        while (others != 0) {
            const unsigned k = (unsigned)(__ffs((int)others) - 1);
            others &= others - 1;
            const Value own = colours_color(s, s.stack()[from + k]);
            TRY(s)
            wanted |= equal_together(s, own, value) ? 1u << k : 0;
            TRY(s)
        }
        __syncwarp();
        if ((wanted >> s.lane() & 1) != 0) {
            s.stack()[kept + (unsigned)__popc(wanted & before)] = object;
        }
        __syncwarp();
        kept += (unsigned)__popc(wanted);
    }
    truncate(s, kept);
    return set_from(s, base);
}

// Makes a set of what was listed: cells of their own colours or of one, or locations.
template <typename F>
INLINE Value set_of_strokes(Space s, const Stroke *strokes, unsigned count, F element) {
    const unsigned base = raw_stack(s, count);
    TRY(s)
#pragma unroll 1
    for (unsigned k = s.lane(); k < count; k += 32) {
        s.stack()[base + k] = element(strokes[k]);
    }
    __syncwarp();
    return set_from(s, base);
}

APART Value construct_toindices(Space s, Value patch) {
    const unsigned form = patch_of(s, patch);
    TRY(s)
    if (form == PATCH_EMPTY) {
        return empty_set();
    }
    if (form == PATCH_COMPACT) {
        return mask_value(mask_in(patch));
    }
    const unsigned held = s->spare_len;
    unsigned count, kind;
    const Stroke *strokes = list(s, patch, count, kind);
    TRY(s)
    Value made = patch;
    if (kind == LISTED_NONE) {
        made = plainly(s, Prim_Toindices, patch);
    } else if (kind == LISTED_OBJECT && patch.tag() == LAYERS) {
        Mask m;
        made = layers_mask(s, patch, m) ? mask_value(m) : empty_set();
    } else if (kind == LISTED_OBJECT) {
        made = set_of_strokes(s, strokes, count,
                              [](Stroke stroke) { return pair_of(stroke.i, stroke.j); });
    }
    leave_room(s, held);
    return made;
}

APART Value construct_recolor(Space s, Value colour, Value patch) {
    const unsigned form = patch_of(s, patch);
    TRY(s)
    if (form == PATCH_EMPTY) {
        return empty_set();
    }
    if (!is_small(colour)) {
        return plainly(s, Prim_Recolor, colour, patch);
    }
    const int painted = (int)number_in(colour);
    if (form == PATCH_COMPACT) {
        return object_value(mask_in(patch), painted);
    }
    const unsigned held = s->spare_len;
    unsigned count, kind;
    const Stroke *strokes = list(s, patch, count, kind);
    TRY(s)
    Value made;
    if (kind == LISTED_NONE) {
        made = plainly(s, Prim_Recolor, colour, patch);
    } else {
        made = set_of_strokes(s, strokes, count, [painted](Stroke stroke) {
            return cell_of(painted, stroke.i, stroke.j);
        });
    }
    leave_room(s, held);
    return made;
}

// A coordinate moved by any number; far beyond every range it stays far beyond. lane
INLINE i64 far_added(i64 at, i64 by) {
    const i64 most = 1ll << 40;
    return at + (by > most ? most : by < -most ? -most : by);
}

// Layers moved; the caller knows that all of them stay within a mask's range.
INLINE Value shifted_layers(Space s, Value patch, i64 di, i64 dj) {
    const unsigned base = raw_stack(s, patch.y);
    TRY(s)
#pragma unroll 1
    for (unsigned k = s.lane(); k < patch.y; k += 32) {
        const Value own = s.values()[patch.x + k];
        const Mask m = mask_in(own);
        s.stack()[base + k] = moved_to(own, (int)(m.i + di), (int)(m.j + dj));
    }
    __syncwarp();
    return layers_from(s, base);
}

// A patch that is no mask, moved cell by cell.
INLINE Value shifted_strokes(Space s, Value patch, Value offset, i64 di, i64 dj) {
    unsigned count, kind;
    const Stroke *strokes = list(s, patch, count, kind);
    TRY(s)
    bool far = kind == LISTED_NONE;
#pragma unroll 1
    for (unsigned k = s.lane(); k < count; k += 32) {
        far = far || !fits_i32(far_added(strokes[k].i, di)) ||
              !fits_i32(far_added(strokes[k].j, dj));
    }
    if (any_lane(far)) {
        return plainly(s, Prim_Shift, patch, offset);
    }
    const bool cells = kind == LISTED_OBJECT;
    return set_of_strokes(s, strokes, count, [cells, di, dj](Stroke stroke) {
        const int i = (int)(stroke.i + di), j = (int)(stroke.j + dj);
        return cells ? cell_of(stroke.colour, i, j) : pair_of(i, j);
    });
}

APART Value construct_shift(Space s, Value patch, Value offset) {
    const unsigned form = patch_of(s, patch);
    TRY(s)
    if (form == PATCH_EMPTY) {
        return patch;
    }
    i64 di, dj;
    arithmetic_location(s, offset, di, dj);
    TRY(s)
    Window w;
    if (form == PATCH_COMPACT) {
        const Mask m = mask_in(patch);
        const i64 i = far_added(m.i, di), j = far_added(m.j, dj);
        if (fit(i, j, i + m.height - 1, j + m.width - 1, w)) {
            return moved_to(patch, (int)i, (int)j);
        }
        return plainly(s, Prim_Shift, patch, offset);
    }
    if (patch.tag() == LAYERS) {
        Extremes e;
        const bool found = extremes(s, patch, e);
        TRY(s)
        if (found && fit(far_added(e.top, di), far_added(e.left, dj), far_added(e.bottom, di),
                         far_added(e.right, dj), w)) {
            return shifted_layers(s, patch, di, dj);
        }
    }
    const unsigned held = s->spare_len;
    const Value moved = shifted_strokes(s, patch, offset, di, dj);
    leave_room(s, held);
    return moved;
}

APART Value construct_normalize(Space s, Value patch) {
    const unsigned form = patch_of(s, patch);
    TRY(s)
    if (form == PATCH_EMPTY) {
        return patch;
    }
    if (form == PATCH_COMPACT) {
        return moved_to(patch, 0, 0);
    }
    Extremes e;
    const bool found = extremes(s, patch, e);
    TRY(s)
    if (!found) {
        return plainly(s, Prim_Normalize, patch);
    }
    const Value offset = pair_value(s, -e.top, -e.left);
    TRY(s)
    return construct_shift(s, patch, offset);
}

APART Value construct_toobject(Space s, Value patch, Value grid) {
    Mask m;
    bool masked = has_mask(patch);
    if (masked) {
        m = mask_in(patch);
    } else if (patch.tag() == LAYERS) {
        masked = layers_mask(s, patch, m);
        TRY(s)
    }
    if (!masked || grid.tag() != GRID) {
        if (is_empty_container(patch) && grid.tag() == GRID) {
            return empty_set();
        }
        return plainly(s, Prim_Toobject, patch, grid);
    }
    Window w = window_of_mask(m);
    const int last_row = (int)grid.y - 1, last_column = (int)grid.z - 1;
    w.top = w.top > 0 ? w.top : 0;
    w.left = w.left > 0 ? w.left : 0;
    w.bottom = w.bottom < last_row ? w.bottom : last_row;
    w.right = w.right < last_column ? w.right : last_column;
    if (w.top > w.bottom || w.left > w.right) {
        return empty_set();
    }
    const unsigned height = height_of(w), width = width_of(w), area = height * width;
    const unsigned rows = raw_window(s, w);
    TRY(s)
    const unsigned cells = raw_cells(s, area);
    TRY(s)
    const Bits columns = full_bits((int)width);
#pragma unroll 1
    for (unsigned row = s.lane(); row < height; row += 32) {
        s.rows()[rows + row] = word_at(s, m, w.top + (int)row, w.left) & columns;
    }
    __syncwarp();
    const unsigned from = grid.x + (unsigned)w.top * grid.z + (unsigned)w.left;
#pragma unroll 1
    for (unsigned k = s.lane(); k < area; k += 32) {
        const unsigned row = k / width, column = k - row * width;
        s.cells()[cells + k] = has_bit(s.rows()[rows + row], (int)column)
                                 ? s.cells()[from + row * grid.z + column]
                                 : (Colour)0;
    }
    __syncwarp();
    return sealed_cells(s, rows, cells, w);
}

APART Value construct_backdrop(Space s, Value patch) {
    if (is_empty_container(patch)) {
        return empty_set();
    }
    Extremes e;
    const bool found = extremes(s, patch, e);
    TRY(s)
    Window w;
    if (found && fit(e.top, e.left, e.bottom, e.right, w)) {
        return rectangle(s, w);
    }
    return plainly(s, Prim_Backdrop, patch);
}

APART Value construct_delta(Space s, Value patch) {
    const unsigned form = patch_of(s, patch);
    TRY(s)
    if (form == PATCH_EMPTY) {
        return empty_set();
    }
    if (form != PATCH_COMPACT) {
        return plainly(s, Prim_Delta, patch);
    }
    const Mask m = mask_in(patch);
    const Window w = window_of_mask(m);
    const Bits columns = full_bits(m.width);
    const unsigned at =
        combined(s, m, m, w, [columns](Bits word, Bits) { return ~word & columns; });
    TRY(s)
    return sealed_mask(s, at, w);
}

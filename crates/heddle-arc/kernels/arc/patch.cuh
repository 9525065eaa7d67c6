// Patches of any form, read as the rules of section 3 say.
//
// A patch of an odd form is listed first: its cells written into the room of the
// evaluation. All functions are warp functions unless they say otherwise.
#pragma once
#include "elements.cuh"
#include "layers.cuh"

// One cell of a listed patch; indices leave the colour at zero.
struct Stroke {
    int colour, i, j;
};

// What a listed patch was.
enum Listed { LISTED_NONE, LISTED_OBJECT, LISTED_INDICES };

// A patch, by what can be done with it quickly: no elements; a mask, with or without
// colours; anything else that may be a patch, a tuple or a set that is too wide.
enum Patch { PATCH_EMPTY, PATCH_COMPACT, PATCH_LOOSE, PATCH_NOT };

// The extremes of a patch.
struct Extremes {
    i64 top, left, bottom, right;
};

// Lane, for equal arguments in all of them. A fault where it is none.
INLINE unsigned patch_of(Space s, Value v) {
    if (is_empty_container(v)) {
        return PATCH_EMPTY;
    }
    if (has_mask(v)) {
        return PATCH_COMPACT;
    }
    if (is_tuple(v) || is_set(v)) {
        return PATCH_LOOSE;
    }
    fail_kind(s, Noun_Patch, v);
    return PATCH_NOT;
}

// What an element makes of the patch it is in; lane.
INLINE unsigned listed_as(Value element) {
    return element.tag() == CELL   ? LISTED_OBJECT
           : element.tag() == PAIR ? LISTED_INDICES
                                 : LISTED_NONE;
}

INLINE Stroke stroke_of(Value element) {
    Stroke stroke;
    stroke.colour = colour_in(element);
    stroke.i = row_in(element);
    stroke.j = column_in(element);
    return stroke;
}

// Lists a set of locations or cells in a compact form.
INLINE Stroke *list_compact(Space s, Value patch, unsigned &count, unsigned &kind) {
    // Walking it is charged as listing it is, cell by cell.
    const unsigned base = spread(s, patch);
    TRY_OR(s, 0)
    count = s->stack_len - base;
    Stroke *strokes = room<Stroke>(s, count);
    TRY_OR(s, 0)
#pragma unroll 1
    for (unsigned k = s.lane(); k < count; k += 32) {
        strokes[k] = stroke_of(s.stack()[base + k]);
    }
    truncate(s, base);
    kind = patch.tag() == MASK ? LISTED_INDICES : LISTED_OBJECT;
    return strokes;
}

// Lists a patch in iteration order, in room the caller leaves. `kind` says what it
// was: LISTED_NONE, and nothing listed, if it is none or its numbers do not fit.
APART Stroke *list(Space s, Value patch, unsigned &count, unsigned &kind) {
    count = 0;
    kind = LISTED_NONE;
    if (has_mask(patch) || patch.tag() == LAYERS) {
        return list_compact(s, patch, count, kind);
    }
    const unsigned len = (unsigned)len_of(s, patch);
    TRY_OR(s, 0)
    const unsigned first = listed_as(len > 0 ? tuple_element(s, patch, 0) : none());
    unsigned regular = 0;
#pragma unroll 1
    while (first != LISTED_NONE && regular < len) {
        const unsigned k = regular + s.lane();
        const bool in = k < len && listed_as(tuple_element(s, patch, k)) == first;
        const unsigned others = ~ballot(in);
        regular += others == 0 ? 32 : (unsigned)(__ffs((int)others) - 1);
        if (others != 0) {
            break;
        }
    }
    work(s, regular);
    TRY_OR(s, 0)
    if (first == LISTED_NONE || regular < len) {
        return 0;
    }
    Stroke *strokes = room<Stroke>(s, len);
    TRY_OR(s, 0)
#pragma unroll 1
    for (unsigned k = s.lane(); k < len; k += 32) {
        strokes[k] = stroke_of(tuple_element(s, patch, k));
    }
    __syncwarp();
    count = len;
    kind = first;
    return strokes;
}

// The extremes of what was listed; `false` if that is nothing.
APART bool listed_extremes(Space s, const Stroke *strokes, unsigned count, Extremes &e) {
    if (count == 0) {
        return false;
    }
    int least_i = strokes[0].i, least_j = strokes[0].j, most_i = least_i, most_j = least_j;
#pragma unroll 1
    for (unsigned k = s.lane(); k < count; k += 32) {
        const int i = strokes[k].i, j = strokes[k].j;
        least_i = i < least_i ? i : least_i;
        least_j = j < least_j ? j : least_j;
        most_i = i > most_i ? i : most_i;
        most_j = j > most_j ? j : most_j;
    }
    e.top = warp_min(least_i);
    e.left = warp_min(least_j);
    e.bottom = warp_max(most_i);
    e.right = warp_max(most_j);
    return true;
}

// Top, left, bottom and right; `false` with no fault where plain values must decide.
APART bool extremes(Space s, Value patch, Extremes &e) {
    const unsigned form = patch_of(s, patch);
    TRY_OR(s, false)
    if (form == PATCH_EMPTY) {
        fail_empty(s, Noun_Patch);
        return false;
    }
    if (form == PATCH_COMPACT || patch.tag() == LAYERS) {
        Window w;
        bool found = true;
        if (form == PATCH_COMPACT) {
            w = window_of_mask(mask_in(patch));
        } else {
            found = layers_window(s, patch, w);
        }
        e.top = w.top;
        e.left = w.left;
        e.bottom = w.bottom;
        e.right = w.right;
        return found;
    }
    const unsigned spare_len = s->spare_len;
    unsigned count, kind;
    const Stroke *strokes = list(s, patch, count, kind);
    TRY_OR(s, false)
    const bool found = kind != LISTED_NONE && listed_extremes(s, strokes, count, e);
    leave_room(s, spare_len);
    return found;
}

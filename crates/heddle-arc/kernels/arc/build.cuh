// Giving tuples and sets their one form.
//
// The elements lie on the stack from a base on and are taken off. Every function is a
// warp function: the forms are recognised, and the elements moved, by all lanes.
#pragma once
#include "elements.cuh"
#include "layers.cuh"
#include "mask.cuh"
#include "order.cuh"
#include "sort.cuh"

// One level deeper than `deepest`, or a fault.
INLINE unsigned one_deeper(Space s, unsigned deepest) {
    if (deepest >= MAX_VALUE_DEPTH) {
        fail_budget(s, LIMIT_DEPTH);
    }
    return deepest + 1;
}

// How deep the deepest value on the stack from `base` on nests.
INLINE unsigned deepest_from(Space s, unsigned base) {
    int deepest = 0;
#pragma unroll 1
    for (unsigned k = base + s.lane(); k < s->stack_len; k += 32) {
        const int depth = (int)depth_of(s.stack()[k]);
        deepest = depth > deepest ? depth : deepest;
    }
    return (unsigned)warp_max(deepest);
}

INLINE unsigned deeper(Space s, unsigned base) { return one_deeper(s, deepest_from(s, base)); }

// Copies the stack from `base` on to the values from `at` on.
INLINE void keep_values(Space s, unsigned at, unsigned base) {
    const unsigned len = s->stack_len - base;
#pragma unroll 1
    for (unsigned k = s.lane(); k < len; k += 32) {
        s.values()[at + k] = s.stack()[base + k];
    }
    __syncwarp();
}

// A pair of numbers in its one form.
INLINE Value pair_value(Space s, i64 i, i64 j) {
    if (fits_i32(i) && fits_i32(j)) {
        return pair_of((int)i, (int)j);
    }
    const unsigned at = raw_values(s, 2);
    TRY(s)
    if (s.lane() < 2) {
        s.values()[at + s.lane()] = integer(s.lane() == 0 ? i : j);
    }
    __syncwarp();
    return make(TUPLE, at, 2, 0, 0, 1);
}

// Whether two values make a pair of numbers, or a cell.
INLINE bool is_couple_of_numbers(Value a, Value b) {
    return is_number(a) && is_number(b);
}
INLINE bool is_couple_of_cell(Value a, Value b) {
    return is_number(a) && b.tag() == PAIR && fits_i32(number_in(a));
}
INLINE Value cell_from(Value a, Value b) {
    return cell_of((int)number_in(a), row_in(b), column_in(b));
}

// Small numbers, any count but two. `false` with no fault if they are anything else.
INLINE bool row_from(Space s, unsigned base, Value &row) {
    const unsigned len = s->stack_len - base;
#pragma unroll 1
    for (unsigned first = 0; first < len; first += 32) {
        const unsigned k = first + s.lane();
        if (!every_lane(k >= len || is_small(s.stack()[base + k]))) {
            return false;
        }
    }
    const unsigned at = raw_cells(s, len);
    TRY_OR(s, false)
#pragma unroll 1
    for (unsigned k = s.lane(); k < len; k += 32) {
        s.cells()[at + k] = (Colour)number_in(s.stack()[base + k]);
    }
    __syncwarp();
    row = row_of_cells(at, len);
    return true;
}

// Whether a value is a row of `width` cells; lane.
INLINE bool is_grid_row(Value v, unsigned width) {
    return v.tag() == ROW ? v.y == width
                        : v.tag() == PAIR && width == 2 && fits_i8(row_in(v)) &&
                              fits_i8(column_in(v));
}

// Equally long rows of small numbers. `false` with no fault if they are anything else.
INLINE bool grid_from(Space s, unsigned base, Value &grid) {
    const unsigned height = s->stack_len - base;
    const Value top_row = s.stack()[base];
    const unsigned width = top_row.tag() == ROW ? top_row.y : 2;
#pragma unroll 1
    for (unsigned first = 0; first < height; first += 32) {
        const unsigned k = first + s.lane();
        if (!every_lane(k >= height || is_grid_row(s.stack()[base + k], width))) {
            return false;
        }
    }
    unsigned at;
    if (!raw_grid(s, height, width, at)) {
        return false;
    }
    TRY_OR(s, false)
    const unsigned area = height * width;
#pragma unroll 1
    for (unsigned k = s.lane(); k < area; k += 32) {
        const unsigned row = k / width, column = k - row * width;
        const Value own = s.stack()[base + row];
        s.cells()[at + k] =
            own.tag() == ROW ? s.cells()[own.x + column]
                             : (Colour)(int)(column == 0 ? own.x : own.y);
    }
    __syncwarp();
    grid = grid_at(at, height, width);
    return true;
}

APART Value tuple_of(Space s, unsigned base) {
    const unsigned len = s->stack_len - base;
    work(s, len);
    TRY(s)
    if (len == 0) {
        return empty_tuple();
    }
    const Value first = s.stack()[base];
    if (len == 2) {
        const Value second = s.stack()[base + 1];
        if (is_couple_of_numbers(first, second)) {
            return pair_value(s, number_in(first), number_in(second));
        }
        if (is_couple_of_cell(first, second)) {
            return cell_from(first, second);
        }
    }
    Value tuple;
    if (is_number(first) ? row_from(s, base, tuple)
                         : (first.tag() == ROW || first.tag() == PAIR) && grid_from(s, base, tuple)) {
        return tuple;
    }
    TRY(s)
    const unsigned depth = deeper(s, base);
    TRY(s)
    const unsigned at = raw_values(s, len);
    TRY(s)
    keep_values(s, at, base);
    return make(TUPLE, at, len, 0, 0, depth);
}

// The tuple of everything on the stack from `base` on, which is taken off.
INLINE Value tuple_from(Space s, unsigned base) {
    const Value tuple = tuple_of(s, base);
    truncate(s, base);
    return tuple;
}

// The tuple of two values.
APART Value couple(Space s, Value a, Value b) {
    const bool numbers = is_couple_of_numbers(a, b);
    if (numbers || is_couple_of_cell(a, b)) {
        work(s, 2);
        TRY(s)
        return numbers ? pair_value(s, number_in(a), number_in(b)) : cell_from(a, b);
    }
    const unsigned base = s->stack_len;
    push(s, a);
    push(s, b);
    TRY(s)
    return tuple_from(s, base);
}

// A general set of elements that are in order and distinct. The caller knows that no
// compact form takes them.
APART Value sorted_set(Space s, unsigned base) {
    const unsigned len = s->stack_len - base;
    if (len == 0) {
        return empty_set();
    }
    const unsigned depth = deeper(s, base);
    TRY(s)
    const unsigned at = raw_values(s, len);
    TRY(s)
    keep_values(s, at, base);
    truncate(s, base);
    return make(SET, at, len, 0, 0, depth);
}

// The box around locations or cells (by `tag`) on the stack from `base` on, and
// whether they have one colour. `false` if something else is among them, a colour of
// more than 8 bits, or the box does not fit a mask.
INLINE bool items_window(Space s, unsigned base, unsigned tag, Window &w, bool &one) {
    const Value first = s.stack()[base];
    int least_i = row_in(first), least_j = column_in(first), most_i = least_i, most_j = least_j;
    bool own = true, regular = true;
#pragma unroll 1
    for (unsigned k = base + s.lane(); k < s->stack_len; k += 32) {
        const Value item = s.stack()[k];
        const int i = row_in(item), j = column_in(item);
        regular = regular && item.tag() == tag && fits_i8(colour_in(item));
        own = own && item.z == first.z;
        least_i = i < least_i ? i : least_i;
        least_j = j < least_j ? j : least_j;
        most_i = i > most_i ? i : most_i;
        most_j = j > most_j ? j : most_j;
    }
    if (!every_lane(regular)) {
        return false;
    }
    one = every_lane(own);
    return fit(warp_min(least_i), warp_min(least_j), warp_max(most_i), warp_max(most_j), w);
}

// Marks the locations or cells on the stack in the rows of the window around them.
INLINE void mark_items(Space s, unsigned base, unsigned at, Window w) {
    const int least_i = (int)w.top, least_j = (int)w.left;
#pragma unroll 1
    for (unsigned k = base + s.lane(); k < s->stack_len; k += 32) {
        const Value item = s.stack()[k];
        or_bit(s.rows() + at + (row_in(item) - least_i), (unsigned)(column_in(item) - least_j));
    }
    __syncwarp();
}

// Locations, if all are and fit a mask. `false` with no fault if not.
INLINE bool mask_of(Space s, unsigned base, Value &set) {
    Window w;
    bool one;
    if (!items_window(s, base, PAIR, w, one)) {
        return false;
    }
    const unsigned at = new_window(s, w);
    TRY_OR(s, false)
    mark_items(s, base, at, w);
    set = mask_value(mask_at(w, at));
    return true;
}

// Cells that share locations.
INLINE Value layers_of(Space s, unsigned base, Window w) {
    Colours own = Colours();
#pragma unroll 1
    for (unsigned k = base + s.lane(); k < s->stack_len; k += 32) {
        own.add(colour_in(s.stack()[k]));
    }
    Layering layering = begin_layers(s, w, colours_joined(own));
    TRY(s)
    const int least_i = (int)w.top, least_j = (int)w.left;
#pragma unroll 1
    for (unsigned k = base + s.lane(); k < s->stack_len; k += 32) {
        const Value item = s.stack()[k];
        const unsigned row = layering.plane(colour_in(item)) + (row_in(item) - least_i);
        or_bit(layering.planes + row, (unsigned)(column_in(item) - least_j));
    }
    __syncwarp();
    return end_layers(s, layering);
}

// Cells, if all are and fit masks. `false` with no fault if not.
INLINE bool cells_of(Space s, unsigned base, Value &set) {
    Window w;
    bool one;
    if (!items_window(s, base, CELL, w, one)) {
        return false;
    }
    const Mark mark = mark_of(s);
    const unsigned at = new_window(s, w);
    TRY_OR(s, false)
    const unsigned width = width_of(w);
    const u64 area = (u64)height_of(w) * width;
    if (one) {
        // The box of colours is charged and not needed.
        take(s, area);
        TRY_OR(s, false)
        mark_items(s, base, at, w);
        set = object_value(mask_at(w, at), colour_in(s.stack()[base]));
        return true;
    }
    const unsigned cells = new_cells(s, area);
    TRY_OR(s, false)
    const int least_i = (int)w.top, least_j = (int)w.left;
    bool again = false;
#pragma unroll 1
    for (unsigned k = base + s.lane(); k < s->stack_len; k += 32) {
        const Value item = s.stack()[k];
        const unsigned row = (unsigned)(row_in(item) - least_i);
        const unsigned column = (unsigned)(column_in(item) - least_j);
        // Who comes first to a location colours it.
        if (or_bit(s.rows() + at + row, column)) {
            again = true;
        } else {
            s.cells()[cells + row * width + column] = (Colour)colour_in(item);
        }
    }
    __syncwarp();
    if (any_lane(again)) {
        bool other = false;
#pragma unroll 1
        for (unsigned k = base + s.lane(); k < s->stack_len; k += 32) {
            const Value item = s.stack()[k];
            const unsigned row = (unsigned)(row_in(item) - least_i);
            const unsigned column = (unsigned)(column_in(item) - least_j);
            other = other || s.cells()[cells + row * width + column] != colour_in(item);
        }
        if (any_lane(other)) {
            cut(s, mark);
            set = layers_of(s, base, w);
            return s->fault == 0;
        }
    }
    set = painted_value(mask_at(w, at), cells);
    return true;
}

// One round of keeping some elements of the stack, in order: each lane's `own`, read
// from its place by all, goes behind the `kept` ones from `base` on. How many are kept.
INLINE unsigned keep_round(Space s, unsigned base, unsigned kept, Value own, bool keep) {
    const unsigned keepers = ballot(keep);
    __syncwarp();
    if (keep) {
        s.stack()[base + kept + (unsigned)__popc(keepers & ((1u << s.lane()) - 1))] = own;
    }
    __syncwarp();
    return kept + (unsigned)__popc(keepers);
}

// Keeps one of the empty sets on the stack: unions and products are full of them. How
// many elements are left.
INLINE unsigned drop_repeated_empties(Space s, unsigned base) {
    const unsigned len = s->stack_len - base;
    unsigned kept = 0;
    bool seen = false;
#pragma unroll 1
    for (unsigned first = 0; first < len; first += 32) {
        const unsigned k = first + s.lane();
        const Value own = k < len ? s.stack()[base + k] : none();
        const bool empty = is_empty_set(own);
        const unsigned empties = ballot(empty);
        if (!seen && kept == first && (empties & (empties - 1)) == 0) {
            // Nothing to move, here or before.
            kept += len - first < 32 ? len - first : 32;
        } else {
            const bool before = seen || (empties & ((1u << s.lane()) - 1)) != 0;
            kept = keep_round(s, base, kept, own, k < len && !(empty && before));
        }
        seen = seen || empties != 0;
    }
    truncate(s, base + kept);
    return kept;
}

// Keeps the first of equal neighbours on the stack.
INLINE void drop_repeated(Space s, unsigned base) {
    const unsigned len = s->stack_len - base;
    unsigned kept = 0;
#pragma unroll 1
    for (unsigned first = 0; first < len; first += 32) {
        const unsigned k = first + s.lane();
        const Value own = k < len ? s.stack()[base + k] : none();
        // The place before holds what it did: it is written only where none was dropped.
        const bool keep =
            k < len && (k == 0 || !equal(s, s.stack()[base + k - 1], own));
        kept = keep_round(s, base, kept, own, keep);
    }
    truncate(s, base + kept);
    settle(s);
}

APART Value set_of(Space s, unsigned base) {
    const unsigned count = s->stack_len - base;
    if (count == 0) {
        return empty_set();
    }
    work(s, count);
    TRY(s)
    const unsigned tag = s.stack()[base].tag();
    Value set;
    if (tag == PAIR ? mask_of(s, base, set) : tag == CELL && cells_of(s, base, set)) {
        return set;
    }
    TRY(s)
    const bool locations = sort_locations(s, base);
    TRY(s)
    if (!locations) {
        const unsigned left = drop_repeated_empties(s, base);
        work(s, (u64)left * (unsigned)(32 - __clz((int)left)));
        TRY(s)
        sort_from(s, base);
        TRY(s)
        drop_repeated(s, base);
        TRY(s)
    }
    return sorted_set(s, base);
}

// The set of everything on the stack from `base` on, which is taken off.
INLINE Value set_from(Space s, unsigned base) {
    const Value set = set_of(s, base);
    truncate(s, base);
    return set;
}

// A container of the kind of `model` of what is on the stack from `base` on.
INLINE Value like_from(Space s, Value model, unsigned base) {
    if (is_tuple(model)) {
        return tuple_from(s, base);
    }
    if (is_set(model)) {
        return set_from(s, base);
    }
    truncate(s, base);
    return fail_kind(s, Noun_Container, model);
}

// A callable of parts, which are equal in all lanes.
INLINE Value built(Space s, unsigned prim, const Value *parts, unsigned count) {
    unsigned deepest = 0;
#pragma unroll 1
    for (unsigned k = 0; k < count; k++) {
        deepest = depth_of(parts[k]) > deepest ? depth_of(parts[k]) : deepest;
    }
    const unsigned depth = one_deeper(s, deepest);
    TRY(s)
    const unsigned at = raw_values(s, count);
    TRY(s)
    if (s.lane() == 0) {
#pragma unroll 1
        for (unsigned k = 0; k < count; k++) {
            s.values()[at + k] = parts[k];
        }
    }
    __syncwarp();
    return make(BUILT, at, 0, prim, 0, depth);
}

// A function body and what it closes over, the latter on the stack from `base` on.
APART Value closure_from(Space s, unsigned id, i64 fingerprint, unsigned base) {
    const unsigned captures = s->stack_len - base;
    const unsigned deepest = deepest_from(s, base);
    const unsigned at = raw_values(s, captures + 1);
    TRY(s)
    if (s.lane() == 0) {
        s.values()[at] = integer(fingerprint);
    }
    keep_values(s, at + 1, base);
    truncate(s, base);
    // Memory is asked for first: where both fail, it is to blame.
    const unsigned depth = one_deeper(s, deepest);
    TRY(s)
    return make(BODY, at, id, 0, captures, depth);
}

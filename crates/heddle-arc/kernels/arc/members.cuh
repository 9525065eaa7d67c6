// Elements by their place, and containers of elements: put in, taken out, in pairs.
//
// All functions are warp functions unless they say otherwise.
#pragma once
#include "containers.cuh"

APART Value containers_initset(Space s, Value value) {
    Window w;
    if ((value.tag() == PAIR || (value.tag() == CELL && fits_i8(colour_in(value)))) &&
        fit(row_in(value), column_in(value), row_in(value), column_in(value), w)) {
        const unsigned at = raw_window(s, w);
        TRY(s)
        if (s.lane() == 0) {
            s.rows()[at] = 1;
        }
        __syncwarp();
        const Mask m = mask_at(w, at);
        return value.tag() == PAIR ? mask_value(m) : object_value(m, colour_in(value));
    }
    const unsigned base = s->stack_len;
    push(s, value);
    TRY(s)
    return set_from(s, base);
}

APART Value containers_insert(Space s, Value value, Value container) {
    if (!is_set(container)) {
        return fail_kind(s, Noun_Set, container);
    }
    const bool found = containers_holds(s, container, value);
    TRY(s)
    if (found) {
        return container;
    }
    const unsigned base = spread(s, container);
    TRY(s)
    push(s, value);
    TRY(s)
    return set_from(s, base);
}

APART Value containers_remove(Space s, Value value, Value container) {
    if (is_set(container)) {
        const bool found = containers_holds(s, container, value);
        TRY(s)
        if (!found) {
            return container;
        }
    }
    const unsigned base = spread(s, container);
    TRY(s)
    containers_keep(s, base, s->stack_len, [&](unsigned, Value element) {
        return !equal(s, element, value);
    });
    TRY(s)
    return like_from(s, container, base);
}

APART Value containers_other(Space s, Value container, Value value) {
    const u64 count = len_of(s, container);
    TRY(s)
    work(s, count);
    TRY(s)
    Elements all = elements(s, container);
    Value element;
#pragma unroll 1
    while (next(s, all, element)) {
        const bool same = equal(s, element, value);
        TRY(s)
        if (!same) {
            return element;
        }
    }
    return fail_missing(s, Noun_OtherElement);
}

APART Value containers_first(Space s, Value container) {
    Value element;
    const bool found = nth(s, container, 0, element);
    TRY(s)
    return found ? element : fail_empty(s, Noun_Container);
}

APART Value containers_last(Space s, Value container) {
    Value element;
    const bool found = last_of(s, container, element);
    TRY(s)
    return found ? element : fail_empty(s, Noun_Container);
}

// The element number `n`, counted from the end when negative.
APART Value containers_nth(Space s, Value container, i64 n) {
    const i64 count = (i64)len_of(s, container);
    TRY(s)
    const i64 place = n < 0 ? n + count : n;
    Value element = none();
    const bool found = place >= 0 && nth(s, container, (u64)place, element);
    TRY(s)
    return found ? element : fail_missing(s, Noun_ElementAtThatPlace);
}

INLINE Value containers_second(Space s, Value container) {
    return containers_nth(s, container, 1);
}

APART Value containers_get_nth_t(Space s, Value tuple, Value n) {
    if (!is_tuple(tuple)) {
        return fail_kind(s, Noun_Tuple, tuple);
    }
    const i64 place = int_of(s, n);
    TRY(s)
    return containers_nth(s, tuple, place);
}

APART Value containers_get_nth_f(Space s, Value set, Value n) {
    if (!is_set(set)) {
        return fail_kind(s, Noun_Set, set);
    }
    const i64 place = int_of(s, n);
    TRY(s)
    return containers_nth(s, set, place);
}

APART Value containers_totuple(Space s, Value container) {
    if (is_tuple(container)) {
        return container;
    }
    const unsigned base = spread(s, container);
    TRY(s)
    return tuple_from(s, base);
}

APART Value containers_interval(Space s, Value from, Value to, Value by) {
    const i64 start = int_of(s, from);
    TRY(s)
    const i64 stop = int_of(s, to);
    TRY(s)
    const i64 step = int_of(s, by);
    TRY(s)
    if (step == 0) {
        return fail_range(s, Noun_StepOfZero);
    }
    // Unsigned, so that no distance is too large.
    const bool ahead = step > 0 ? start < stop : stop < start;
    const u64 distance = step > 0 ? (u64)stop - (u64)start : (u64)start - (u64)stop;
    const u64 stride = step > 0 ? (u64)step : 0 - (u64)step;
    const u64 count = ahead ? (distance - 1) / stride + 1 : 0;
    take(s, containers_bytes(count));
    TRY(s)
    const unsigned base = raw_stack(s, count);
    TRY(s)
#pragma unroll 1
    for (unsigned k = s.lane(); k < count; k += 32) {
        s.stack()[base + k] = integer((i64)((u64)start + k * (u64)step));
    }
    __syncwarp();
    return tuple_from(s, base);
}

// How wide a row of a grid this is, 0 if it is none; lane.
INLINE unsigned containers_row_width(Value v) {
    if (v.tag() == PAIR) {
        return fits_i8(row_in(v)) && fits_i8(column_in(v)) ? 2 : 0;
    }
    return v.tag() == ROW ? v.y : 0;
}

// The tuple of two values without the place of its parts, which take `bytes`; lane.
INLINE Value containers_couple(Value a, Value b, unsigned &bytes) {
    bytes = 0;
    if (is_number(a) && is_number(b) && fits_i32(number_in(a)) && fits_i32(number_in(b))) {
        return pair_of((int)number_in(a), (int)number_in(b));
    }
    if (is_number(a) && b.tag() == PAIR && fits_i32(number_in(a))) {
        return cell_of((int)number_in(a), row_in(b), column_in(b));
    }
    const unsigned width = containers_row_width(a);
    if (width > 0 && width <= 0xffff && width == containers_row_width(b)) {
        bytes = 2 * width;
        return grid_at(0, 2, width);
    }
    bytes = 2 * sizeof(Value);
    const unsigned depth = depth_of(a) < depth_of(b) ? depth_of(b) : depth_of(a);
    return make(TUPLE, 0, 2, 0, 0, depth + 1);
}

// Writes a row of a grid; lane.
INLINE void containers_write_row(Space s, Value row, unsigned at) {
    if (row.tag() == PAIR) {
        s.cells()[at] = (Colour)row_in(row);
        s.cells()[at + 1] = (Colour)column_in(row);
        return;
    }
#pragma unroll 1
    for (unsigned k = 0; k < row.y; k++) {
        s.cells()[at + k] = s.cells()[row.x + k];
    }
}

// Charges for tuples of two, one after the other as they would be made; every lane
// knows the bytes of its own.
INLINE void containers_charge_couples(Space s, unsigned count, unsigned bytes) {
    if (every_lane(bytes == 0)) {
        work(s, 2 * (u64)count);
        return;
    }
#pragma unroll 1
    for (unsigned k = 0; k < count && s->fault == 0; k++) {
        const unsigned own = __shfl_sync(ALL_LANES, bytes, (int)k);
        work(s, 2);
        if (s->fault == 0 && own > 0) {
            take(s, own);
        }
    }
}

// Pushes `count` tuples of two; `parts(k, a, b)`, a lane function, gives those of the
// k-th. Each lane makes its own.
template <typename F> INLINE void containers_push_couples(Space s, u64 count, F parts) {
    const unsigned to = raw_stack(s, count);
    TRY_OR(s, )
#pragma unroll 1
    for (unsigned from = 0; from < count; from += 32) {
        const unsigned k = from + s.lane();
        const bool in = k < count;
        Value a = none(), b = none(), couple = none();
        unsigned bytes = 0;
        if (in) {
            parts(k, a, b);
            couple = containers_couple(a, b, bytes);
        }
        // A fault of the language, but which of the couples comes to it the processor
        // finds out.
        if (any_lane(couple.depth() > MAX_VALUE_DEPTH)) {
            flag(s, FLAG_NESTING);
            return;
        }
        containers_charge_couples(s, count - from < 32 ? (unsigned)(count - from) : 32, bytes);
        TRY_OR(s, )
        const unsigned cells = couple.tag() == GRID ? bytes : 0;
        const unsigned values = couple.tag() == TUPLE ? 2 : 0;
        const unsigned all_cells = warp_sum(cells), all_values = warp_sum(values);
        if (all_cells > s.arena().cells_cap - s->cells_len) {
            flag(s, FLAG_CELLS);
            return;
        }
        if (all_values > s.arena().values_cap - s->values_len) {
            flag(s, FLAG_VALUES);
            return;
        }
        const unsigned cells_at = s->cells_len + sum_before(cells, s.lane());
        const unsigned values_at = s->values_len + sum_before(values, s.lane());
        s->cells_len += all_cells;
        s->values_len += all_values;
        __syncwarp();
        if (couple.tag() == GRID) {
            couple.x = cells_at;
            containers_write_row(s, a, cells_at);
            containers_write_row(s, b, cells_at + couple.z);
        } else if (couple.tag() == TUPLE) {
            // Two numbers too large for a pair stand as numbers, truths too.
            const bool numbers = is_number(a) && is_number(b);
            couple.x = values_at;
            s.values()[values_at] = numbers ? integer(number_in(a)) : a;
            s.values()[values_at + 1] = numbers ? integer(number_in(b)) : b;
        }
        if (in) {
            s.stack()[to + k] = couple;
        }
        __syncwarp();
    }
}

APART Value containers_product(Space s, Value a, Value b) {
    const unsigned left = spread(s, a);
    TRY(s)
    const unsigned right = spread(s, b);
    TRY(s)
    const unsigned end = s->stack_len, across = end - right;
    const u64 pairs = (u64)(right - left) * across;
    take(s, containers_bytes(pairs));
    TRY(s)
    containers_push_couples(s, pairs, [&](unsigned k, Value &x, Value &y) {
        x = s.stack()[left + k / across];
        y = s.stack()[right + k % across];
    });
    TRY(s)
    const Value set = set_from(s, end);
    TRY(s)
    truncate(s, left);
    return set;
}

APART Value containers_pair(Space s, Value a, Value b) {
    const unsigned left = spread(s, a);
    TRY(s)
    const unsigned right = spread(s, b);
    TRY(s)
    const unsigned end = s->stack_len;
    const unsigned count = right - left < end - right ? right - left : end - right;
    containers_push_couples(s, count, [&](unsigned k, Value &x, Value &y) {
        x = s.stack()[left + k];
        y = s.stack()[right + k];
    });
    TRY(s)
    const Value tuple = tuple_from(s, end);
    TRY(s)
    truncate(s, left);
    return tuple;
}

APART Value higher_sizefilter(Space s, Value container, Value n) {
    const i64 wanted = int_of(s, n);
    TRY(s)
    const unsigned base = spread(s, container);
    TRY(s)
    const unsigned end = s->stack_len;
#pragma unroll 1
    for (unsigned from = base; from < end; from += 32) {
        const unsigned place = from + s.lane();
        bool odd = false;
        if (place < end) {
            const Value element = s.stack()[place];
            odd = !is_tuple(element) && !is_set(element);
        }
        const unsigned odds = ballot(odd);
        if (odds != 0) {
            return fail_kind(s, Noun_Container,
                             s.stack()[from + (unsigned)__ffs((int)odds) - 1]);
        }
    }
    containers_keep(s, base, end, [&](unsigned, Value element) {
        return (i64)len_alone(s, element) == wanted;
    });
    TRY(s)
    return set_from(s, base);
}

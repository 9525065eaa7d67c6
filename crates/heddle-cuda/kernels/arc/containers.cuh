// Tuples and sets of anything.
//
// Elements are tested by the lanes, one element each; what stays moves together on the
// stack (`containers_keep`). Comparisons by single lanes may flag in one lane only, so
// `settle` follows them. All functions are warp unless they say otherwise.
#pragma once
#include "build.cuh"
#include "elements.cuh"
#include "mask.cuh"
#include "order.cuh"
#include "sort.cuh"
#include "union.cuh"

// Sets up to this long are compared with all at once instead of searched.
#define CONTAINERS_FEW 128

// Whether some element of a container equals `value`, for nothing; lane. The caller
// charges for tuples, and settles.
APART bool containers_holds_alone(Space s, Value container, Value value) {
    const int i = row_in(value), j = column_in(value);
    switch (container.tag()) {
    case MASK: return value.tag() == PAIR && mask_holds(s, mask_in(container), i, j);
    case OBJECT:
        return value.tag() == CELL && colour_in(container) == colour_in(value) &&
               mask_holds(s, mask_in(container), i, j);
    case PAINTED: {
        const Mask m = mask_in(container);
        if (value.tag() != CELL || !mask_holds(s, m, i, j)) {
            return false;
        }
        const unsigned place = (unsigned)(i - m.i) * (unsigned)m.width + (unsigned)(j - m.j);
        return s.cells()[container.z + place] == colour_in(value);
    }
    case LAYERS: {
        bool found = false;
#pragma unroll 1
        for (unsigned k = 0; k < container.y && value.tag() == CELL && !found; k++) {
            const Value own = s.values()[container.x + k];
            found = colour_in(own) == colour_in(value) && mask_holds(s, mask_in(own), i, j);
        }
        return found;
    }
    case SET: {
        unsigned low = 0, high = container.y;
#pragma unroll 1
        while (low < high) {
            const unsigned middle = low + (high - low) / 2;
            const int decided = order(s, s.values()[container.x + middle], value);
            if (decided == 0) {
                return true;
            }
            low = decided < 0 ? middle + 1 : low;
            high = decided < 0 ? high : middle;
        }
        return false;
    }
    default: {
        const unsigned count = (unsigned)len_alone(s, container);
#pragma unroll 1
        for (unsigned k = 0; k < count; k++) {
            if (equal(s, tuple_element(s, container, k), value)) {
                return true;
            }
        }
        return false;
    }
    }
}

// Whether some element equals `value`.
APART bool containers_holds(Space s, Value container, Value value) {
    bool found = false;
    if (is_tuple(container) || (container.tag() == SET && container.y <= CONTAINERS_FEW)) {
        const unsigned count = (unsigned)len_alone(s, container);
        if (is_tuple(container)) {
            work(s, count);
            TRY_OR(s, false)
        }
#pragma unroll 1
        for (unsigned base = 0; base < count && !found; base += 32) {
            const unsigned k = base + s.lane();
            found = any_lane(k < count && equal(s, tuple_element(s, container, k), value));
        }
    } else if (is_set(container)) {
        found = containers_holds_alone(s, container, value);
    } else {
        fail_kind(s, Noun_Container, container);
    }
    settle(s);
    return found;
}

// What testing `count` elements for being in a container costs.
INLINE void containers_charge_holds(Space s, Value container, unsigned count) {
    if (is_tuple(container)) {
        work(s, len_alone(s, container) * count);
    }
}

// Keeps those elements on the stack from `base` to `end` that `wanted(place, element)`
// holds for, a lane function, and takes everything else from `base` on off.
template <typename F> INLINE void containers_keep(Space s, unsigned base, unsigned end, F wanted) {
    unsigned kept = 0;
#pragma unroll 1
    for (unsigned from = base; from < end; from += 32) {
        const unsigned place = from + s.lane();
        const Value element = place < end ? s.stack()[place] : none();
        kept = keep_round(s, base, kept, element, place < end && wanted(place, element));
    }
    truncate(s, base + kept);
    settle(s);
}

APART Value containers_contained(Space s, Value value, Value container) {
    const bool found = containers_holds(s, container, value);
    TRY(s)
    return boolean(found);
}

APART Value containers_size(Space s, Value container) {
    const u64 count = len_of(s, container);
    TRY(s)
    return integer((i64)count);
}

APART Value containers_combine(Space s, Value a, Value b) {
    if (is_set(a) && is_set(b)) {
        if (is_empty_container(a)) {
            return b;
        }
        if (is_empty_container(b)) {
            return a;
        }
        const unsigned base = s->stack_len;
        push(s, a);
        push(s, b);
        TRY(s)
        return union_from(s, base);
    }
    const unsigned base = spread(s, a);
    TRY(s)
    spread(s, b);
    TRY(s)
    return like_from(s, a, base);
}

APART Value containers_dedupe(Space s, Value tuple) {
    if (is_empty_container(tuple)) {
        return empty_tuple();
    }
    if (!is_tuple(tuple)) {
        return fail_kind(s, Noun_Tuple, tuple);
    }
    const unsigned base = spread(s, tuple);
    TRY(s)
    const unsigned end = s->stack_len;
    unsigned kept = 0;
#pragma unroll 1
    for (unsigned from = base; from < end; from += 32) {
        const unsigned place = from + s.lane();
        const Value element = place < end ? s.stack()[place] : none();
        bool fresh = place < end;
#pragma unroll 1
        for (unsigned k = 0; k < kept && fresh; k++) {
            fresh = !equal(s, s.stack()[base + k], element);
        }
#pragma unroll 1
        for (unsigned earlier = from; earlier < place && fresh; earlier++) {
            fresh = !equal(s, s.stack()[earlier], element);
        }
        settle(s);
        TRY(s)
        // Each is charged for what was kept before it.
        const unsigned before = kept + (unsigned)__popc(ballot(fresh) & ((1u << s.lane()) - 1));
        work(s, warp_sum(place < end ? before : 0));
        TRY(s)
        kept = keep_round(s, base, kept, element, fresh);
    }
    truncate(s, base + kept);
    return tuple_from(s, base);
}

// What `count` values are charged with.
INLINE u64 containers_bytes(u64 count) {
    return count > ~0ull / sizeof(Value) ? ~0ull : count * sizeof(Value);
}

APART Value containers_repeat(Space s, Value item, Value times) {
    const i64 number = int_of(s, times);
    TRY(s)
    const u64 count = number > 0 ? (u64)number : 0;
    take(s, containers_bytes(count));
    TRY(s)
    const unsigned base = raw_stack(s, count);
    TRY(s)
#pragma unroll 1
    for (unsigned k = s.lane(); k < count; k += 32) {
        s.stack()[base + k] = item;
    }
    __syncwarp();
    return tuple_from(s, base);
}

// The grids on the stack from `base` on as one below the other. `false`, and no fault,
// unless all are grids and equally wide.
APART bool containers_stacked(Space s, unsigned base, Value &grid) {
    const unsigned end = s->stack_len;
    grid = none();
    if (end == base) {
        return false;
    }
    const unsigned width = s.stack()[base].z;
    unsigned height = 0;
    bool alike = true;
#pragma unroll 1
    for (unsigned place = base + s.lane(); place < end; place += 32) {
        const Value item = s.stack()[place];
        alike = alike && item.tag() == GRID && item.z == width;
        height += item.y;
    }
    if (!every_lane(alike)) {
        return false;
    }
    height = warp_sum(height);
    unsigned at;
    if (!raw_grid(s, height, width, at)) {
        return false;
    }
    TRY_OR(s, false)
    unsigned to = at;
#pragma unroll 1
    for (unsigned place = base; place < end; place++) {
        const Value item = s.stack()[place];
        const unsigned area = item.y * width;
#pragma unroll 1
        for (unsigned k = s.lane(); k < area; k += 32) {
            s.cells()[to + k] = s.cells()[item.x + k];
        }
        to += area;
    }
    __syncwarp();
    grid = grid_at(at, height, width);
    return true;
}

// Merges the containers on the stack from `base` on, which are taken off, into one of
// the kind of `outer`.
APART Value merge_from(Space s, Value outer, unsigned base) {
    if (is_set(outer)) {
        return union_from(s, base);
    }
    Value merged;
    const bool stacked = containers_stacked(s, base, merged);
    TRY(s)
    if (stacked) {
        truncate(s, base);
        return merged;
    }
    const unsigned end = s->stack_len;
#pragma unroll 1
    for (unsigned place = base; place < end; place++) {
        const Value inner = s.stack()[place];
        const u64 count = len_of(s, inner);
        TRY(s)
        take(s, containers_bytes(count));
        TRY(s)
        spread(s, inner);
        TRY(s)
    }
    merged = like_from(s, outer, end);
    TRY(s)
    truncate(s, base);
    return merged;
}

APART Value containers_merge(Space s, Value outer) {
    if (outer.tag() == GRID) {
        return row_value(s, outer.x, outer.y * outer.z);
    }
    const unsigned base = spread(s, outer);
    TRY(s)
    return merge_from(s, outer, base);
}

// The first largest or smallest of a list of numbers. `false` if some element is none.
INLINE bool containers_extreme_number(Space s, Value list, unsigned count, bool largest,
                                      Value &best) {
    u64 most = 0;
    int first = 0x7fffffff;
    bool numbers = true;
#pragma unroll 1
    for (unsigned k = s.lane(); k < count; k += 32) {
        const Value element = tuple_element(s, list, k);
        if (!is_number(element)) {
            numbers = false;
            break;
        }
        // Ascends with the number, or descends where the smallest is wanted.
        u64 key = (u64)number_in(element) ^ 1ull << 63;
        key = largest ? key : ~key;
        if (first == 0x7fffffff || key > most) {
            most = key;
            first = (int)k;
        }
    }
    if (!every_lane(numbers)) {
        return false;
    }
    const u64 all = warp_max64(most);
    first = warp_min(most == all ? first : 0x7fffffff);
    best = tuple_element(s, list, (unsigned)first);
    return true;
}

// The scan rule without a key.
APART Value containers_extreme(Space s, Value container, bool largest) {
    const u64 count = len_of(s, container);
    TRY(s)
    work(s, count);
    TRY(s)
    if (count == 0) {
        return integer(0);
    }
    Value best = none(), element;
    if (is_set(container) && container.tag() != SET) {
        // Locations and cells stand in the order in which they compare.
        if (largest) {
            last_of(s, container, best);
        } else {
            nth(s, container, 0, best);
        }
        return best;
    }
    if (containers_extreme_number(s, container, (unsigned)count, largest, best)) {
        return best;
    }
    Elements all = elements(s, container);
    bool held = false;
#pragma unroll 1
    while (next(s, all, element)) {
        const bool better =
            !held || (largest ? greater(s, element, best) : greater(s, best, element));
        TRY(s)
        if (better) {
            best = element;
            held = true;
        }
    }
    return best;
}

// The most or least common of a row of small numbers, the smallest of several.
INLINE Value containers_common_cell(Space s, Value row, bool most) {
    Colours mine;
#pragma unroll 1
    for (unsigned k = s.lane(); k < row.y; k += 32) {
        mine.add(s.cells()[row.x + k]);
    }
    Colours left = colours_joined(mine);
    int colour, best = 0;
    unsigned held = 0;
#pragma unroll 1
    while (left.least(colour)) {
        left.remove(colour);
        unsigned count = 0;
#pragma unroll 1
        for (unsigned k = s.lane(); k < row.y; k += 32) {
            count += s.cells()[row.x + k] == colour ? 1 : 0;
        }
        count = warp_sum(count);
        if (held == 0 || (most ? count > held : count < held)) {
            held = count;
            best = colour;
        }
    }
    return integer(best);
}

APART Value containers_common(Space s, Value tuple, bool most) {
    if (!is_tuple(tuple)) {
        return fail_kind(s, Noun_Tuple, tuple);
    }
    const unsigned count = (unsigned)len_alone(s, tuple);
    unsigned base = 0;
    if (tuple.tag() == ROW) {
        work(s, count);
    } else {
        base = spread(s, tuple);
    }
    TRY(s)
    work(s, (u64)count * (32 - (unsigned)__clz((int)(count | 1))));
    TRY(s)
    if (count == 0) {
        return fail_empty(s, Noun_Tuple);
    }
    if (tuple.tag() == ROW) {
        return containers_common_cell(s, tuple, most);
    }
    sort_values(s, s.stack() + base, count);
    TRY(s)
    // Equal values stand together and ascend; only a strictly better count replaces,
    // so ties go to the smallest.
    unsigned start = 0, best = 0, held = 0;
#pragma unroll 1
    for (unsigned from = 0; from < count; from += 32) {
        const unsigned k = from + s.lane();
        const bool begins =
            k > 0 && k < count && !equal(s, s.stack()[base + k - 1], s.stack()[base + k]);
#pragma unroll 1
        for (unsigned begun = ballot(begins); begun != 0; begun &= begun - 1) {
            const unsigned here = from + (unsigned)__ffs((int)begun) - 1;
            if (held == 0 || (most ? here - start > held : here - start < held)) {
                held = here - start;
                best = start;
            }
            start = here;
        }
    }
    if (held == 0 || (most ? count - start > held : count - start < held)) {
        best = start;
    }
    const Value value = s.stack()[base + best];
    truncate(s, base);
    settle(s);
    return value;
}

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

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

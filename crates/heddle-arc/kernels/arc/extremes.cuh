// The largest, smallest, most and least common of a container (compact/extremes.rs).
//
// All functions are warp functions.
#pragma once
#include "containers.cuh"

// Which of some elements is the first largest or smallest number. `false` if some element
// is none.
template <typename F>
INLINE bool extreme_number(Space s, unsigned count, bool largest, F element_at, unsigned &best) {
    u64 most = 0;
    int first = 0x7fffffff;
    bool numbers = true;
#pragma unroll 1
    for (unsigned k = s.lane(); k < count; k += 32) {
        const Value element = element_at(k);
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
    best = (unsigned)warp_min(most == all ? first : 0x7fffffff);
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
    unsigned chosen;
    const auto element_at = [=](unsigned k) { return tuple_element(s, container, k); };
    if (extreme_number(s, (unsigned)count, largest, element_at, chosen)) {
        return tuple_element(s, container, chosen);
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

// The memory of one evaluation, its meter and its fault.
//
// Every lane holds the same `State`; the arenas lie in the scratch of the warp and are
// common. Three rules keep 32 lanes that may run apart from seeing each other's
// half-done work:
//
//   1. Whoever writes into an arena ends with `__syncwarp()`. So on entry to any
//      function everything written before can be read.
//   2. Memory is used again only after `cut` or `truncate`, which wait for all.
//   3. What is updated in place is read into registers by all, then `__syncwarp()`,
//      then written, then `__syncwarp()`.
//
// A fault is sticky: a function that fails sets it and returns anything; whoever
// called looks (`TRY`) and returns as well.
#pragma once
#include "state.cuh"

enum FaultKind {
    FAULT_NO, FAULT_KIND, FAULT_EMPTY, FAULT_MISSING, FAULT_RANGE, FAULT_OVERFLOW,
    FAULT_DIVIDE, FAULT_INCOMPARABLE, FAULT_ARITY, FAULT_BUDGET,
    // Not faults of the program: what a warp does not hold, and the processor does.
    FLAG_CELLS = 64, FLAG_ROWS, FLAG_VALUES, FLAG_STACK, FLAG_ROOM, FLAG_NESTING, FLAG_FORM,
    FLAG_ANSWER, FLAG_STEPS
};
enum Limit { LIMIT_STEPS, LIMIT_BYTES, LIMIT_TIME, LIMIT_DEPTH };

#define NO_CULPRIT 0xffu

#define TRY(space)                                                                             \
    if ((space)->fault != 0) {                                                                 \
        return none();                                                                         \
    }
// The same where the answer is not a value.
#define TRY_OR(space, answer)                                                                  \
    if ((space)->fault != 0) {                                                                 \
        return answer;                                                                         \
    }

// All of these are lane functions: they only touch the lane's own `State`.
INLINE Value fail(Space s, unsigned kind, unsigned a = 0, unsigned b = 0) {
    if (s->fault == 0) {
        s->fault = kind | a << 8 | b << 16;
    }
    return none();
}
INLINE Value fail_kind(Space s, unsigned expected, Value found) {
    return fail(s, FAULT_KIND, expected, kind_of(found));
}
INLINE Value fail_empty(Space s, unsigned noun) { return fail(s, FAULT_EMPTY, noun); }
INLINE Value fail_missing(Space s, unsigned noun) { return fail(s, FAULT_MISSING, noun); }
INLINE Value fail_range(Space s, unsigned noun) { return fail(s, FAULT_RANGE, noun); }
INLINE Value fail_overflow(Space s) { return fail(s, FAULT_OVERFLOW); }
INLINE Value fail_budget(Space s, unsigned limit) { return fail(s, FAULT_BUDGET, limit); }
// The processor takes it from here.
INLINE Value flag(Space s, unsigned reason) { return fail(s, reason); }

// The number a value is, or a fault.
INLINE i64 int_of(Space s, Value v) {
    if (!is_number(v)) {
        fail_kind(s, Noun_Int, v);
        return 0;
    }
    return number_in(v);
}

// Charges work about to be done.
INLINE void work(Space s, u64 steps) {
    const unsigned left = s->steps_left;
    if (steps > left) {
        fail_budget(s, LIMIT_STEPS);
    } else {
        s->steps_left = left - (unsigned)steps;
    }
}

// Charges memory about to be taken, and the work of filling it.
INLINE void charge(Space s, u64 bytes) {
    const unsigned left = s->bytes_left;
    if (bytes > left) {
        fail(s, s.arena().bytes_fault);
        return;
    }
    const unsigned rest = left - (unsigned)bytes;
    s->bytes_left = rest;
    if (rest < s->least_bytes_left) {
        s->least_bytes_left = rest;
    }
    work(s, bytes / 16);
}
// The same, where it is not the whole of a function that is called.
APART void take(Space s, u64 bytes) { charge(s, bytes); }

struct Mark {
    unsigned cells, rows, values, bytes_left;
};
INLINE Mark mark_of(Space s) {
    Mark mark;
    mark.cells = s->cells_len;
    mark.rows = s->rows_len;
    mark.values = s->values_len;
    mark.bytes_left = s->bytes_left;
    return mark;
}

// From here on warp functions.

// Cuts off everything made since `mark`. No value made since may be used.
INLINE void cut(Space s, Mark mark) {
    __syncwarp();
    s->cells_len = mark.cells;
    s->rows_len = mark.rows;
    s->values_len = mark.values;
    if (s->bytes_left < mark.bytes_left) {
        s->bytes_left = mark.bytes_left;
    }
}

// Takes everything off the stack from `base` on.
INLINE void truncate(Space s, unsigned base) {
    __syncwarp();
    s->stack_len = base;
}

// Takes `count` of an arena whose end is `len`; where the first lies, 0 at a fault.
INLINE unsigned taken(Space s, u64 count, unsigned bytes_each, unsigned &len, unsigned cap,
                      unsigned full) {
    charge(s, count * bytes_each);
    TRY_OR(s, 0)
    const unsigned at = len;
    if (count > cap - at) {
        flag(s, full);
        return 0;
    }
    len = at + (unsigned)count;
    __syncwarp();
    return at;
}

// Cells at the end that the caller writes, every one of them, before any is read;
// their place.
APART unsigned raw_cells(Space s, u64 count) {
    return taken(s, count, 1, s->cells_len, s.arena().cells_cap, FLAG_CELLS);
}
// The same for mask rows.
APART unsigned raw_rows(Space s, u64 count) {
    return taken(s, count, sizeof(Bits), s->rows_len, s.arena().rows_cap, FLAG_ROWS);
}
// The same for values.
APART unsigned raw_values(Space s, u64 count) {
    return taken(s, count, sizeof(Value), s->values_len, s.arena().values_cap, FLAG_VALUES);
}

// Zeroed cells at the end; their place.
APART unsigned new_cells(Space s, u64 count) {
    const unsigned at = raw_cells(s, count);
    TRY_OR(s, 0)
    const unsigned end = s->cells_len;
#pragma unroll 1
    for (unsigned place = at + s.lane(); place < end; place += 32) {
        s.cells()[place] = 0;
    }
    __syncwarp();
    return at;
}
// Zeroed mask rows at the end; their place.
APART unsigned new_rows(Space s, u64 count) {
    const unsigned at = raw_rows(s, count);
    TRY_OR(s, 0)
    const unsigned end = s->rows_len;
#pragma unroll 1
    for (unsigned place = at + s.lane(); place < end; place += 32) {
        s.rows()[place] = 0;
    }
    __syncwarp();
    return at;
}

// Room on the stack for `count` values that the caller writes; where the first lies.
// What lives on the stack is not charged.
APART unsigned raw_stack(Space s, u64 count) {
    const unsigned at = s->stack_len;
    if (count > s.arena().stack_cap - at) {
        flag(s, FLAG_STACK);
        return at;
    }
    s->stack_len = at + (unsigned)count;
    __syncwarp();
    return at;
}

// Pushes one value, equal in all lanes.
APART void push(Space s, Value value) {
    const unsigned at = raw_stack(s, 1);
    if (s->fault == 0 && s.lane() == 0) {
        s.stack()[at] = value;
    }
    __syncwarp();
}

// Writes one value on the stack, equal in all lanes.
APART void put(Space s, unsigned at, Value value) {
    __syncwarp();
    if (s.lane() == 0) {
        s.stack()[at] = value;
    }
    __syncwarp();
}

// Room for `count` of T, aligned to 16 bytes, not zeroed and not charged. The caller
// remembers `spare_len` before its first call and sets it back at its end, after a
// `__syncwarp()`; `leave_room` does both.
template <typename T> INLINE T *room(Space s, u64 count) {
    const u64 bytes = (count * sizeof(T) + 15) & ~15ull;
    T *at = (T *)(s.spare() + s->spare_len);
    if (count > s.arena().spare_cap || bytes > s.arena().spare_cap - s->spare_len) {
        flag(s, FLAG_ROOM);
        return at;
    }
    s->spare_len += (unsigned)bytes;
    __syncwarp();
    return at;
}
INLINE void leave_room(Space s, unsigned spare_len) {
    __syncwarp();
    s->spare_len = spare_len;
}

// A new grid whose every cell the caller writes. `false`, and no fault, if it has
// no cells or is too large for the form.
INLINE bool raw_grid(Space s, u64 height, u64 width, unsigned &at) {
    at = 0;
    if (height == 0 || width == 0 || height > 0xffff || width > 0xffff) {
        return false;
    }
    at = raw_cells(s, height * width);
    return true;
}

// How many locations a mask holds.
APART unsigned count_of(Space s, Mask m) {
    unsigned count = 0;
#pragma unroll 1
    for (int row = (int)s.lane(); row < m.height; row += 32) {
        count += (unsigned)bit_count(s.rows()[m.rows + row]);
    }
    return warp_sum(count);
}

// The word of a mask in a row of the plane, as seen from column `from`; lane.
APART Bits word_at(Space s, Mask m, int i, int from) {
    // Also where the difference has 33 bits: the sign is gone, but it stays large.
    const unsigned row = (unsigned)i - (unsigned)m.i;
    return row < (unsigned)m.height ? moved_bits(s.rows()[m.rows + row], m.j - from) : 0;
}

// Whether a mask holds a location; lane.
APART bool mask_holds(Space s, Mask m, int i, int j) {
    const unsigned bit = (unsigned)j - (unsigned)m.j;
    return bit < (unsigned)m.width && has_bit(word_at(s, m, i, m.j), (int)bit);
}

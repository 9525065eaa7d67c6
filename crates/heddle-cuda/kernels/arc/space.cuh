// The memory of one evaluation, its meter and its fault.
//
// Every lane holds the same `Space` in its own registers; the arenas it points to
// lie in the scratch of the warp and are common. Three rules keep 32 lanes that may
// run apart from seeing each other's half-done work:
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
#include "value.cuh"

enum FaultKind {
    FAULT_NO, FAULT_KIND, FAULT_EMPTY, FAULT_MISSING, FAULT_RANGE, FAULT_OVERFLOW,
    FAULT_DIVIDE, FAULT_INCOMPARABLE, FAULT_ARITY, FAULT_BUDGET,
    // Not faults of the program: what a warp does not hold, and the processor does.
    FLAG_CELLS = 64, FLAG_ROWS, FLAG_VALUES, FLAG_STACK, FLAG_ROOM, FLAG_NESTING, FLAG_FORM,
    FLAG_ANSWER, FLAG_STEPS
};
enum Limit { LIMIT_STEPS, LIMIT_BYTES, LIMIT_TIME, LIMIT_DEPTH };

#define NO_CULPRIT 0xffu

struct Space {
    Colour *cells;
    Bits *rows;
    Value *values;
    Value *stack;
    // Results of the steps of running function bodies.
    Value *frame;
    // Room for what lives no longer than the function that asks; see `room`.
    unsigned char *spare;
    unsigned cells_len, rows_len, values_len, stack_len, frame_len, spare_len;
    unsigned cells_cap, rows_cap, values_cap, stack_cap, frame_cap, spare_cap;
    u64 steps, bytes, peak_bytes;
    u64 most_steps, most_bytes;
    unsigned call_depth;
    // A kind, then up to two nouns or numbers, a byte each from the lowest up.
    unsigned fault;
    unsigned culprit;
    unsigned lane;
};

#define TRY(space)                                                                             \
    if ((space).fault != 0) {                                                                  \
        return none();                                                                         \
    }
// The same where the answer is not a value.
#define TRY_OR(space, answer)                                                                  \
    if ((space).fault != 0) {                                                                  \
        return answer;                                                                         \
    }

// All of these are lane functions: they only touch the lane's own `Space`.
INLINE Value fail(Space &s, unsigned kind, unsigned a = 0, unsigned b = 0) {
    if (s.fault == 0) {
        s.fault = kind | a << 8 | b << 16;
    }
    return none();
}
INLINE Value fail_kind(Space &s, unsigned expected, const Value &found) {
    return fail(s, FAULT_KIND, expected, kind_of(found));
}
INLINE Value fail_empty(Space &s, unsigned noun) { return fail(s, FAULT_EMPTY, noun); }
INLINE Value fail_missing(Space &s, unsigned noun) { return fail(s, FAULT_MISSING, noun); }
INLINE Value fail_range(Space &s, unsigned noun) { return fail(s, FAULT_RANGE, noun); }
INLINE Value fail_overflow(Space &s) { return fail(s, FAULT_OVERFLOW); }
INLINE Value fail_budget(Space &s, unsigned limit) { return fail(s, FAULT_BUDGET, limit); }
// The processor takes it from here.
INLINE Value flag(Space &s, unsigned reason) { return fail(s, reason); }

// The number a value is, or a fault.
INLINE i64 int_of(Space &s, const Value &v) {
    if (!is_number(v)) {
        fail_kind(s, Noun_Int, v);
        return 0;
    }
    return number_in(v);
}

// Charges work about to be done.
INLINE void work(Space &s, u64 steps) {
    const u64 sum = s.steps + steps;
    s.steps = sum < steps ? ~0ull : sum;
    if (s.steps > s.most_steps) {
        fail_budget(s, LIMIT_STEPS);
    }
}

// Charges memory about to be taken, and the work of filling it.
APART void take(Space &s, u64 bytes) {
    const u64 sum = s.bytes + bytes;
    if (sum < bytes || sum > s.most_bytes) {
        fail_budget(s, LIMIT_BYTES);
        return;
    }
    s.bytes = sum;
    if (sum > s.peak_bytes) {
        s.peak_bytes = sum;
    }
    work(s, bytes / 16);
}

struct Mark {
    unsigned cells, rows, values;
    u64 bytes;
};
INLINE Mark mark_of(const Space &s) {
    Mark mark;
    mark.cells = s.cells_len;
    mark.rows = s.rows_len;
    mark.values = s.values_len;
    mark.bytes = s.bytes;
    return mark;
}

// From here on warp functions.

// Cuts off everything made since `mark`. No value made since may be used.
INLINE void cut(Space &s, const Mark &mark) {
    __syncwarp();
    s.cells_len = mark.cells;
    s.rows_len = mark.rows;
    s.values_len = mark.values;
    if (s.bytes > mark.bytes) {
        s.bytes = mark.bytes;
    }
}

// Takes everything off the stack from `base` on.
INLINE void truncate(Space &s, unsigned base) {
    __syncwarp();
    s.stack_len = base;
}

// Zeroed cells at the end; their place.
APART unsigned new_cells(Space &s, u64 count) {
    take(s, count);
    TRY_OR(s, 0)
    const unsigned at = s.cells_len;
    if (count > s.cells_cap - at) {
        flag(s, FLAG_CELLS);
        return 0;
    }
    const unsigned end = at + (unsigned)count;
    __syncwarp();
#pragma unroll 1
    for (unsigned place = at + s.lane; place < end; place += 32) {
        s.cells[place] = 0;
    }
    __syncwarp();
    s.cells_len = end;
    return at;
}

// Cells at the end that the caller writes, every one of them, before any is read;
// their place.
APART unsigned raw_cells(Space &s, u64 count) {
    take(s, count);
    TRY_OR(s, 0)
    const unsigned at = s.cells_len;
    if (count > s.cells_cap - at) {
        flag(s, FLAG_CELLS);
        return 0;
    }
    s.cells_len = at + (unsigned)count;
    __syncwarp();
    return at;
}

// Zeroed mask rows at the end; their place.
APART unsigned new_rows(Space &s, u64 count) {
    take(s, count * sizeof(Bits));
    TRY_OR(s, 0)
    const unsigned at = s.rows_len;
    if (count > s.rows_cap - at) {
        flag(s, FLAG_ROWS);
        return 0;
    }
    const unsigned end = at + (unsigned)count;
    __syncwarp();
#pragma unroll 1
    for (unsigned place = at + s.lane; place < end; place += 32) {
        s.rows[place] = 0;
    }
    __syncwarp();
    s.rows_len = end;
    return at;
}

// The same, for a caller that writes every one of them before any is read.
APART unsigned raw_rows(Space &s, u64 count) {
    take(s, count * sizeof(Bits));
    TRY_OR(s, 0)
    const unsigned at = s.rows_len;
    if (count > s.rows_cap - at) {
        flag(s, FLAG_ROWS);
        return 0;
    }
    s.rows_len = at + (unsigned)count;
    __syncwarp();
    return at;
}

// Values at the end that the caller writes, every one of them; their place.
APART unsigned raw_values(Space &s, u64 count) {
    take(s, count * sizeof(Value));
    TRY_OR(s, 0)
    const unsigned at = s.values_len;
    if (count > s.values_cap - at) {
        flag(s, FLAG_VALUES);
        return 0;
    }
    s.values_len = at + (unsigned)count;
    __syncwarp();
    return at;
}

// Room on the stack for `count` values that the caller writes; where the first lies.
// What lives on the stack is not charged.
APART unsigned raw_stack(Space &s, u64 count) {
    const unsigned at = s.stack_len;
    if (count > s.stack_cap - at) {
        flag(s, FLAG_STACK);
        return at;
    }
    s.stack_len = at + (unsigned)count;
    __syncwarp();
    return at;
}

// Pushes one value, equal in all lanes.
APART void push(Space &s, const Value &value) {
    const unsigned at = raw_stack(s, 1);
    if (s.fault == 0 && s.lane == 0) {
        s.stack[at] = value;
    }
    __syncwarp();
}

// Writes one value on the stack, equal in all lanes.
APART void put(Space &s, unsigned at, const Value &value) {
    __syncwarp();
    if (s.lane == 0) {
        s.stack[at] = value;
    }
    __syncwarp();
}

// Room for `count` of T, aligned to 16 bytes, not zeroed and not charged. The caller
// remembers `spare_len` before its first call and sets it back at its end, after a
// `__syncwarp()`; `leave_room` does both.
template <typename T> INLINE T *room(Space &s, u64 count) {
    const u64 bytes = (count * sizeof(T) + 15) & ~15ull;
    T *at = (T *)(s.spare + s.spare_len);
    if (count > s.spare_cap || bytes > s.spare_cap - s.spare_len) {
        flag(s, FLAG_ROOM);
        return at;
    }
    s.spare_len += (unsigned)bytes;
    __syncwarp();
    return at;
}
INLINE void leave_room(Space &s, unsigned spare_len) {
    __syncwarp();
    s.spare_len = spare_len;
}

// A new grid whose every cell the caller writes. `false`, and no fault, if it has
// no cells or is too large for the form.
APART bool raw_grid(Space &s, u64 height, u64 width, unsigned &at) {
    at = 0;
    if (height == 0 || width == 0 || height > 0xffff || width > 0xffff) {
        return false;
    }
    at = raw_cells(s, height * width);
    return true;
}

// How many locations a mask holds.
APART unsigned count_of(const Space &s, const Mask &m) {
    unsigned count = 0;
#pragma unroll 1
    for (int row = (int)s.lane; row < m.height; row += 32) {
        count += (unsigned)bit_count(s.rows[m.rows + row]);
    }
    return warp_sum(count);
}

// The word of a mask in a row of the plane, as seen from column `from`; lane.
APART Bits word_at(const Space &s, const Mask &m, i64 i, i64 from) {
    const i64 row = i - m.i;
    if (row < 0 || row >= m.height) {
        return 0;
    }
    return moved_bits(s.rows[m.rows + (unsigned)row], m.j - from);
}

// Whether a mask holds a location; lane.
APART bool mask_holds(const Space &s, const Mask &m, i64 i, i64 j) {
    const i64 bit = j - m.j;
    return bit >= 0 && bit < m.width && has_bit(word_at(s, m, i, m.j), (int)bit);
}

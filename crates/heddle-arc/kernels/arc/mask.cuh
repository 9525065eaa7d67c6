// Making masks, and what sets of locations do to each other.
//
// A mask is written into the rows of a window, the last rows there are, and then
// sealed: its box made tight. What sealing cuts off stays charged, as it does in the
// processor's engine.
#pragma once
#include "space.cuh"

// A rectangle a mask can be written in.
struct Window {
    int top, left, bottom, right;
};

// All of these are lane functions.

INLINE unsigned height_of(Window w) { return (unsigned)(w.bottom - w.top + 1); }
INLINE unsigned width_of(Window w) { return (unsigned)(w.right - w.left + 1); }

// The rectangle, if every mask inside it has a compact form.
INLINE bool fit(i64 top, i64 left, i64 bottom, i64 right, Window &w) {
    // What is cut off here did not fit.
    w.top = (int)top;
    w.left = (int)left;
    w.bottom = (int)bottom;
    w.right = (int)right;
    return fits_i16(top) && fits_i16(left) && fits_i16(bottom) && fits_i16(right) &&
           bottom - top < MASK_ROWS && right - left < MASK_COLUMNS;
}

INLINE Window window_of_mask(Mask m) {
    Window w;
    w.top = top(m);
    w.left = left(m);
    w.bottom = bottom(m);
    w.right = right(m);
    return w;
}

// The mask of rows that fill this window tightly.
INLINE Mask mask_at(Window w, unsigned rows) {
    Mask m;
    m.rows = rows;
    m.i = (short)w.top;
    m.j = (short)w.left;
    m.height = (int)height_of(w);
    m.width = (int)width_of(w);
    return m;
}

INLINE bool joined(Window a, Window b, Window &w) {
    return fit(a.top < b.top ? a.top : b.top, a.left < b.left ? a.left : b.left,
               a.bottom < b.bottom ? b.bottom : a.bottom, a.right < b.right ? b.right : a.right,
               w);
}

// Adds bits to a word of 128, whoever else does so at the same time; lane.
INLINE void or_bits(Bits *word, Bits bits) {
    unsigned *parts = (unsigned *)word;
#pragma unroll
    for (int part = 0; part < 4; part++) {
        const unsigned own = (unsigned)(bits >> 32 * part);
        if (own != 0) {
            atomicOr(parts + part, own);
        }
    }
}
// The same for one bit; lane. Whether it was there before.
INLINE bool or_bit(Bits *word, unsigned bit) {
    const unsigned own = 1u << bit % 32;
    return (atomicOr((unsigned *)word + bit / 32, own) & own) != 0;
}

// From here on warp functions.

// Zeroed rows for a window, at the end.
INLINE unsigned new_window(Space s, Window w) { return new_rows(s, height_of(w)); }
// The same, for a caller that writes every one of them before any is read.
INLINE unsigned raw_window(Space s, Window w) { return raw_rows(s, height_of(w)); }

// Takes the rows from `at` on away again, without giving back what they cost.
INLINE void drop_rows(Space s, unsigned at) {
    __syncwarp();
    s->rows_len = at;
}
INLINE void drop_cells(Space s, unsigned at) {
    __syncwarp();
    s->cells_len = at;
}

// Makes the box of a freshly written window tight. The window must be the last thing
// in `rows`. Of no height if it holds nothing.
APART Mask tightened(Space s, unsigned at, Window w) {
    const unsigned count = s->rows_len - at;
    unsigned first = count, end = 0;
    int least = MASK_COLUMNS, most = -1;
#pragma unroll 1
    for (unsigned base = 0; base < count; base += 32) {
        const unsigned row = base + s.lane();
        const Bits word = row < count ? s.rows()[at + row] : 0;
        if (word != 0) {
            const int low = lowest_bit(word), high = highest_bit(word);
            least = low < least ? low : least;
            most = high > most ? high : most;
        }
        const unsigned filled = ballot(word != 0);
        if (filled != 0) {
            if (end == 0) {
                first = base + (unsigned)(__ffs((int)filled) - 1);
            }
            end = base + 32 - (unsigned)__clz((int)filled);
        }
    }
    Mask m;
    m.rows = at;
    m.i = m.j = m.height = m.width = 0;
    if (end == 0) {
        drop_rows(s, at);
        return m;
    }
    least = warp_min(least);
    most = warp_max(most);
    const unsigned height = end - first;
    if (first > 0 || least > 0) {
        // Rows only move up, so what a round writes no later one reads.
#pragma unroll 1
        for (unsigned base = 0; base < height; base += 32) {
            const unsigned row = base + s.lane();
            const Bits word = row < height ? s.rows()[at + first + row] >> least : 0;
            __syncwarp();
            if (row < height) {
                s.rows()[at + row] = word;
            }
            __syncwarp();
        }
    }
    drop_rows(s, at + height);
    m.i = (short)(w.top + first);
    m.j = (short)(w.left + least);
    m.height = (int)height;
    m.width = most - least + 1;
    return m;
}
// The same; `false` if it holds nothing.
INLINE bool seal(Space s, unsigned at, Window w, Mask &m) {
    m = tightened(s, at, w);
    return m.height > 0;
}

// The set of locations written into a window.
INLINE Value sealed_mask(Space s, unsigned at, Window w) {
    Mask m;
    return seal(s, at, w, m) ? mask_value(m) : empty_set();
}

// The cells of one colour written into a window.
INLINE Value sealed_object(Space s, unsigned at, Window w, int colour) {
    Mask m;
    return seal(s, at, w, m) ? object_value(m, colour) : empty_set();
}

// Whether a mask has one colour in a looser box of colours that begins for it at
// `start` and is `loose` wide; and which.
INLINE bool one_colour(Space s, Mask m, unsigned start, unsigned loose, int &colour) {
    const unsigned width = (unsigned)m.width, area = (unsigned)m.height * width;
    colour = s.cells()[start + (unsigned)lowest_bit(s.rows()[m.rows])];
#pragma unroll 1
    for (unsigned base = 0; base < area; base += 32) {
        const unsigned k = base + s.lane();
        bool other = false;
        if (k < area) {
            const unsigned row = k / width, column = k - row * width;
            other = has_bit(s.rows()[m.rows + row], (int)column) &&
                    s.cells()[start + row * loose + column] != colour;
        }
        if (any_lane(other)) {
            return false;
        }
    }
    return true;
}

// The cells written into a window, their colours into a box of the same size whose
// other cells are zero. Both must be the last of their kind.
APART Value sealed_cells(Space s, unsigned rows, unsigned cells, Window w) {
    Mask m;
    if (!seal(s, rows, w, m)) {
        drop_cells(s, cells);
        return empty_set();
    }
    const unsigned loose = width_of(w);
    const unsigned start = cells + (unsigned)(m.i - w.top) * loose + (unsigned)(m.j - w.left);
    int colour;
    if (one_colour(s, m, start, loose, colour)) {
        drop_cells(s, cells);
        return object_value(m, colour);
    }
    const unsigned width = (unsigned)m.width, area = (unsigned)m.height * width;
    if ((unsigned)m.height != height_of(w) || width != loose) {
        // Cells only move forward, as rows do in `seal`.
#pragma unroll 1
        for (unsigned base = 0; base < area; base += 32) {
            const unsigned k = base + s.lane();
            Colour held = 0;
            if (k < area) {
                const unsigned row = k / width;
                held = s.cells()[start + row * loose + (k - row * width)];
            }
            __syncwarp();
            if (k < area) {
                s.cells()[cells + k] = held;
            }
            __syncwarp();
        }
        drop_cells(s, cells + area);
    }
    return painted_value(m, cells);
}

// Writes `combine(a, b)` of two masks into the rows of a window; where they begin.
template <typename F>
INLINE unsigned combined(Space s, Mask a, Mask b, Window w, F combine) {
    const unsigned at = raw_window(s, w);
    TRY_OR(s, 0)
    const unsigned height = height_of(w);
#pragma unroll 1
    for (unsigned row = s.lane(); row < height; row += 32) {
        const int i = w.top + (int)row;
        s.rows()[at + row] = combine(word_at(s, a, i, w.left), word_at(s, b, i, w.left));
    }
    __syncwarp();
    return at;
}

// The full rectangle.
APART Value rectangle(Space s, Window w) {
    const unsigned at = raw_window(s, w);
    TRY(s)
    const unsigned height = height_of(w);
    if (height == 0 || w.right < w.left) {
        drop_rows(s, at);
        return empty_set();
    }
    const Bits word = full_bits((int)width_of(w));
#pragma unroll 1
    for (unsigned row = s.lane(); row < height; row += 32) {
        s.rows()[at + row] = word;
    }
    __syncwarp();
    return mask_value(mask_at(w, at));
}

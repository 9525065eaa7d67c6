// Calls that need no memory, answered at once (compact/quick.rs).
//
// Most calls inside function bodies pick a component, compare or add. All of these
// are lane functions, so that 32 elements are answered together; everything else,
// and every fault, is left to the primitives themselves.
#pragma once
#include "value.cuh"

// Sums, differences and products that fit 32 or 64 bits.
INLINE bool narrow(i64 wide, int &out) {
    out = (int)wide;
    return fits_i32(wide);
}
INLINE bool sum64(i64 a, i64 b, i64 &out) {
    out = (i64)((u64)a + (u64)b);
    return ((a ^ out) & (b ^ out)) >= 0;
}
INLINE bool difference64(i64 a, i64 b, i64 &out) {
    out = (i64)((u64)a - (u64)b);
    return ((a ^ b) & (a ^ out)) >= 0;
}
INLINE bool product64(i64 a, i64 b, i64 &out) {
    const __int128 wide = (__int128)a * b;
    out = (i64)wide;
    return (__int128)out == wide;
}

// The value, if this is one of the cases.
INLINE Value only_if(bool known, Value value) { return known ? value : no_answer(); }
// `value` is a reference so that it is read after the sum that decides `fits` was made,
// whichever argument comes first.
INLINE Value quick_int(bool fits, const i64 &value) { return only_if(fits, integer(value)); }
INLINE Value quick_pair(i64 i, i64 j) {
    return only_if(fits_i32(i) && fits_i32(j), pair_of((int)i, (int)j));
}
INLINE i64 sign_of(int n) { return n > 0 ? 1 : n < 0 ? -1 : 0; }

// The answer of a primitive of one argument, if it is one of these.
APART Value quick_one(unsigned prim, Value x) {
    const bool is_pair = x.tag() == PAIR;
    const bool is_int = x.tag() == INT;
    const i64 i = row_in(x), j = column_in(x);
    i64 n = is_int ? int_in(x) : 0;
    switch (prim) {
    case Prim_First:
        return only_if(is_pair || x.tag() == CELL, integer(is_pair ? i : colour_in(x)));
    case Prim_Last:
        return is_pair ? integer(j) : only_if(x.tag() == CELL, pair_of((int)i, (int)j));
    case Prim_Even: return only_if(is_int, boolean(n % 2 == 0));
    case Prim_Positive: return only_if(is_int, boolean(n > 0));
    case Prim_Flip: return boolean(!truth(x));
    case Prim_Increment:
        return is_pair ? quick_pair(i + 1, j + 1) : quick_int(sum64(n, 1, n) && is_int, n);
    case Prim_Decrement:
        return is_pair ? quick_pair(i - 1, j - 1) : quick_int(difference64(n, 1, n) && is_int, n);
    case Prim_Double: return quick_int(sum64(n, n, n) && is_int, n);
    case Prim_Invert:
        return is_pair ? quick_pair(-i, -j) : quick_int(difference64(0, n, n) && is_int, n);
    case Prim_Toivec: return only_if(is_int, quick_pair(n, 0));
    case Prim_Tojvec: return only_if(is_int, quick_pair(0, n));
    case Prim_Maximum: return only_if(is_pair, integer(i < j ? j : i));
    case Prim_Minimum: return only_if(is_pair, integer(i < j ? i : j));
    case Prim_Sign:
        return only_if(is_pair, pair_of((int)sign_of((int)i), (int)sign_of((int)j)));
    case Prim_Color: return only_if(x.tag() == OBJECT, integer(colour_in(x)));
    case Prim_Toindices: return only_if(has_mask(x), make(MASK, x.x, x.y, 0, x.box()));
    case Prim_Normalize: return only_if(has_mask(x), moved_to(x, 0, 0));
    default: return no_answer();
    }
}

INLINE u64 apart_by(i64 a, i64 b) { return a < b ? (u64)(b - a) : (u64)(a - b); }

APART Value quick_two(unsigned prim, Value x, Value y) {
    const bool ints = x.tag() == INT && y.tag() == INT;
    const bool pairs = x.tag() == PAIR && y.tag() == PAIR;
    const i64 a = row_in(x), b = column_in(x), c = row_in(y), d = column_in(y);
    const i64 m = x.tag() == INT ? int_in(x) : 0, n = y.tag() == INT ? int_in(y) : 0;
    i64 sum = 0;
    switch (prim) {
    case Prim_Equality: return only_if(ints || pairs, boolean(ints ? m == n : a == c && b == d));
    case Prim_Greater: return only_if(ints, boolean(m > n));
    case Prim_Add:
        return pairs ? quick_pair(a + c, b + d) : quick_int(sum64(m, n, sum) && ints, sum);
    case Prim_Subtract:
        return pairs ? quick_pair(a - c, b - d) : quick_int(difference64(m, n, sum) && ints, sum);
    case Prim_Multiply:
        return pairs ? quick_pair(a * c, b * d) : quick_int(product64(m, n, sum) && ints, sum);
    case Prim_Both: return truth(x) ? y : x;
    case Prim_Either: return truth(x) ? x : y;
    case Prim_Astuple:
        if (x.tag() != INT || !fits_i32(m)) {
            return no_answer();
        }
        return y.tag() == PAIR ? cell_of((int)m, (int)c, (int)d)
                               : only_if(ints && fits_i32(n), pair_of((int)m, (int)n));
    case Prim_Recolor:
        return only_if(x.tag() == INT && fits_i8(m) && has_mask(y),
                       make(OBJECT, y.x, y.y, (unsigned)(int)m, y.box()));
    case Prim_Connect:
        // Neither in a row, nor in a column, nor on a diagonal.
        return only_if(pairs && a != c && b != d && apart_by(a, c) != apart_by(b, d),
                       empty_set());
    case Prim_Shift: {
        if (y.tag() != PAIR || !has_mask(x)) {
            return no_answer();
        }
        const Mask mask = mask_in(x);
        const i64 i = mask.i + c, j = mask.j + d;
        return only_if(fits_i16(i) && fits_i16(j) && fits_i16(i + mask.height - 1) &&
                           fits_i16(j + mask.width - 1),
                       moved_to(x, (int)i, (int)j));
    }
    default: return no_answer();
    }
}

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

// Puts out what fitted. `value` is a reference so that it is read after the sum that
// decides `fits` was made, whichever argument comes first.
INLINE bool quick_int(bool fits, const i64 &value, Value &out) {
    out = integer(value);
    return fits;
}
INLINE bool quick_pair(i64 i, i64 j, Value &out) {
    out = pair_of((int)i, (int)j);
    return fits_i32(i) && fits_i32(j);
}
INLINE i64 sign_of(int n) { return n > 0 ? 1 : n < 0 ? -1 : 0; }

// Whether it is one of these; the answer.
APART bool quick_one(unsigned prim, Value x, Value &out) {
    const bool is_pair = x.tag() == PAIR;
    const bool is_int = x.tag() == INT;
    const i64 i = row_in(x), j = column_in(x);
    i64 n = is_int ? int_in(x) : 0;
    switch (prim) {
    case Prim_First:
        out = integer(is_pair ? i : colour_in(x));
        return is_pair || x.tag() == CELL;
    case Prim_Last:
        out = is_pair ? integer(j) : pair_of((int)i, (int)j);
        return is_pair || x.tag() == CELL;
    case Prim_Even: out = boolean(n % 2 == 0); return is_int;
    case Prim_Positive: out = boolean(n > 0); return is_int;
    case Prim_Flip: out = boolean(!truth(x)); return true;
    case Prim_Increment:
        return is_pair ? quick_pair(i + 1, j + 1, out) : is_int && quick_int(sum64(n, 1, n), n, out);
    case Prim_Decrement:
        return is_pair ? quick_pair(i - 1, j - 1, out)
                       : is_int && quick_int(difference64(n, 1, n), n, out);
    case Prim_Double: return is_int && quick_int(sum64(n, n, n), n, out);
    case Prim_Invert:
        return is_pair ? quick_pair(-i, -j, out) : is_int && quick_int(difference64(0, n, n), n, out);
    case Prim_Toivec: return is_int && quick_pair(n, 0, out);
    case Prim_Tojvec: return is_int && quick_pair(0, n, out);
    case Prim_Maximum: out = integer(i < j ? j : i); return is_pair;
    case Prim_Minimum: out = integer(i < j ? i : j); return is_pair;
    case Prim_Sign: out = pair_of((int)sign_of((int)i), (int)sign_of((int)j)); return is_pair;
    case Prim_Color: out = integer(colour_in(x)); return x.tag() == OBJECT;
    case Prim_Toindices:
        out = make(MASK, x.x, x.y, 0, x.box());
        return has_mask(x);
    case Prim_Normalize:
        out = moved_to(x, 0, 0);
        return has_mask(x);
    default: return false;
    }
}

INLINE u64 apart_by(i64 a, i64 b) { return a < b ? (u64)(b - a) : (u64)(a - b); }

APART bool quick_two(unsigned prim, Value x, Value y, Value &out) {
    const bool ints = x.tag() == INT && y.tag() == INT;
    const bool pairs = x.tag() == PAIR && y.tag() == PAIR;
    const i64 a = row_in(x), b = column_in(x), c = row_in(y), d = column_in(y);
    const i64 m = x.tag() == INT ? int_in(x) : 0, n = y.tag() == INT ? int_in(y) : 0;
    i64 sum = 0;
    switch (prim) {
    case Prim_Equality:
        out = boolean(ints ? m == n : a == c && b == d);
        return ints || pairs;
    case Prim_Greater: out = boolean(m > n); return ints;
    case Prim_Add:
        return pairs ? quick_pair(a + c, b + d, out) : ints && quick_int(sum64(m, n, sum), sum, out);
    case Prim_Subtract:
        return pairs ? quick_pair(a - c, b - d, out)
                     : ints && quick_int(difference64(m, n, sum), sum, out);
    case Prim_Multiply:
        return pairs ? quick_pair(a * c, b * d, out)
                     : ints && quick_int(product64(m, n, sum), sum, out);
    case Prim_Both: out = truth(x) ? y : x; return true;
    case Prim_Either: out = truth(x) ? x : y; return true;
    case Prim_Astuple:
        if (x.tag() != INT || !fits_i32(m)) {
            return false;
        }
        if (y.tag() == PAIR) {
            out = cell_of((int)m, (int)c, (int)d);
            return true;
        }
        out = pair_of((int)m, (int)n);
        return ints && fits_i32(n);
    case Prim_Recolor:
        out = make(OBJECT, y.x, y.y, (unsigned)(int)m, y.box());
        return x.tag() == INT && fits_i8(m) && has_mask(y);
    case Prim_Connect:
        // Neither in a row, nor in a column, nor on a diagonal.
        out = empty_set();
        return pairs && a != c && b != d && apart_by(a, c) != apart_by(b, d);
    case Prim_Shift: {
        if (y.tag() != PAIR || !has_mask(x)) {
            return false;
        }
        const Mask mask = mask_in(x);
        const i64 i = mask.i + c, j = mask.j + d;
        if (!fits_i16(i) || !fits_i16(j) || !fits_i16(i + mask.height - 1) ||
            !fits_i16(j + mask.width - 1)) {
            return false;
        }
        out = moved_to(x, (int)i, (int)j);
        return true;
    }
    default: return false;
    }
}

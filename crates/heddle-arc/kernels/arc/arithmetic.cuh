// Numbers, alone or in pairs (section 6.1).
//
// The one thing to know: `arithmetic_number` and `arithmetic_number_one` hold the
// language's overflow, floor and sign rules; the lifts apply them to numbers or to the
// components of pairs, the first before the second.
#pragma once
#include "build.cuh"
#include "elements.cuh"

// lane
INLINE i64 checked_add(Space s, i64 a, i64 b) {
    const i64 most = 0x7fffffffffffffffll, least = -most - 1;
    if (b > 0 ? a > most - b : a < least - b) {
        fail_overflow(s);
        return 0;
    }
    return a + b;
}

// lane
INLINE i64 checked_subtract(Space s, i64 a, i64 b) {
    const i64 most = 0x7fffffffffffffffll, least = -most - 1;
    if (b > 0 ? a < least + b : a > most + b) {
        fail_overflow(s);
        return 0;
    }
    return a - b;
}

// lane
INLINE i64 checked_multiply(Space s, i64 a, i64 b) {
    const __int128 product = (__int128)a * b;
    if (product != (__int128)(i64)product) {
        fail_overflow(s);
        return 0;
    }
    return (i64)product;
}

// lane. Rounds towards minus infinity.
INLINE i64 checked_divide(Space s, i64 a, i64 b) {
    if (b == 0) {
        fail(s, FAULT_DIVIDE);
        return 0;
    }
    if (b == -1) {
        return checked_subtract(s, 0, a);
    }
    const i64 quotient = a / b;
    const bool rounded_up = a % b != 0 && (a < 0) != (b < 0);
    return rounded_up ? quotient - 1 : quotient;
}

// lane
INLINE i64 sign_of(i64 n) { return n > 0 ? 1 : n < 0 ? -1 : 0; }

// lane
APART i64 arithmetic_number(Space s, unsigned prim, i64 a, i64 b) {
    switch (prim) {
    case Prim_Add: return checked_add(s, a, b);
    case Prim_Subtract: return checked_subtract(s, a, b);
    case Prim_Multiply: return checked_multiply(s, a, b);
    default: return checked_divide(s, a, b);
    }
}

// lane
APART i64 arithmetic_number_one(Space s, unsigned prim, i64 n) {
    switch (prim) {
    case Prim_Invert: return checked_subtract(s, 0, n);
    case Prim_Double: return checked_add(s, n, n);
    case Prim_Halve: return checked_divide(s, n, 2);
    case Prim_Increment: return checked_add(s, n, 1);
    case Prim_Decrement: return checked_subtract(s, n, 1);
    case Prim_Crement: return checked_add(s, n, sign_of(n));
    default: return sign_of(n);
    }
}

// lane, called with equal arguments by all. The two numbers of a tuple of at least two,
// or a number twice; `false` on a fault.
APART bool arithmetic_components(Space s, Value n, i64 &i, i64 &j) {
    i = j = 0;
    if (n.tag() == PAIR) {
        i = row_in(n);
        j = column_in(n);
        return true;
    }
    if (is_tuple(n)) {
        if (len_alone(s, n) < 2) {
            fail_kind(s, Noun_Pair, n);
            return false;
        }
        i = int_of(s, tuple_element(s, n, 0));
        TRY_OR(s, false)
        j = int_of(s, tuple_element(s, n, 1));
        return s->fault == 0;
    }
    i = j = int_of(s, n);
    return s->fault == 0;
}

// lane, called with equal arguments by all. A location or direction: a tuple of exactly
// two numbers; `false` on a fault.
APART bool arithmetic_location(Space s, Value v, i64 &i, i64 &j) {
    i = j = 0;
    if (v.tag() == PAIR || (v.tag() == TUPLE && v.y == 2)) {
        return arithmetic_components(s, v, i, j);
    }
    fail_kind(s, Noun_Pair, v);
    return false;
}

// warp. Add, Subtract, Multiply, Divide.
APART Value arithmetic_lift(Space s, unsigned prim, Value x, Value y) {
    if (is_number(x) && is_number(y)) {
        return integer(arithmetic_number(s, prim, number_in(x), number_in(y)));
    }
    i64 ai, aj, bi, bj;
    arithmetic_components(s, x, ai, aj);
    TRY(s)
    arithmetic_components(s, y, bi, bj);
    TRY(s)
    const i64 i = arithmetic_number(s, prim, ai, bi);
    TRY(s)
    const i64 j = arithmetic_number(s, prim, aj, bj);
    TRY(s)
    return pair_value(s, i, j);
}

// warp. Invert, Double, Halve, Increment, Decrement, Crement, Sign.
APART Value arithmetic_lift_one(Space s, unsigned prim, Value x) {
    if (is_number(x)) {
        return integer(arithmetic_number_one(s, prim, number_in(x)));
    }
    i64 i, j;
    arithmetic_components(s, x, i, j);
    TRY(s)
    i = arithmetic_number_one(s, prim, i);
    TRY(s)
    j = arithmetic_number_one(s, prim, j);
    TRY(s)
    return pair_value(s, i, j);
}

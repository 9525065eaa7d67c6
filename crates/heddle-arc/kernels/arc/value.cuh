// Values as the kernel holds them: sixteen bytes, parts in a `Space`.
//
// The forms, and the rule that every value has exactly one of them, are those of
// the processor's engine (crates/heddle-arc/src/value); the bytes are written and
// read on the host by crates/heddle-arc/src/gpu/image.rs.
#pragma once
#include "warp.cuh"
#include "names.cuh"

enum Tag {
    NONE, BOOL, INT, PAIR, CELL, ROW, GRID, TUPLE, SET, MASK, OBJECT, PAINTED, LAYERS, PRIM,
    BUILT, BODY,
    // Not a value: there is no answer yet, or not this way.
    NO_ANSWER
};

// The fields by tag; what is not named is zero.
//
//   BOOL          x truth
//   INT           x low, y high half
//   PAIR          x i, y j
//   CELL          x i, y j, z colour
//   ROW           x at (cells), y len
//   GRID          x at (cells), y height, z width
//   TUPLE, SET    x at (values), y len, depth
//   MASK          x at (rows), y origin, box
//   OBJECT        x at (rows), y origin, z colour, box
//   PAINTED       x at (rows), y origin, z at (cells), box
//   LAYERS        x at (values), y len
//   PRIM          x number
//   BUILT         x at (values), z number of the builder, depth
//   BODY          x at (values), y number, box captures, depth
//
// An origin is row | column << 16, both signed; a box is height | width << 8.
// Four words, so that one is read and written at once; the last holds the box, the
// depth and the tag.
struct __align__(16) Value {
    unsigned x, y, z, w;
    __device__ __forceinline__ unsigned box() const { return w & 0xffffu; }
    __device__ __forceinline__ unsigned depth() const { return w >> 16 & 0xffu; }
    __device__ __forceinline__ unsigned tag() const { return w >> 24; }
};

// One word of a mask.
typedef unsigned __int128 Bits;

#define MASK_COLUMNS 128
#define MASK_ROWS 255
#define MAX_VALUE_DEPTH 64
#define MAX_CALL_DEPTH 96

INLINE Value make(unsigned tag, unsigned x = 0, unsigned y = 0, unsigned z = 0,
                  unsigned box = 0, unsigned depth = 0) {
    Value value;
    value.x = x;
    value.y = y;
    value.z = z;
    value.w = box | depth << 16 | tag << 24;
    return value;
}

INLINE Value none() { return make(NONE); }
INLINE Value no_answer() { return make(NO_ANSWER); }
INLINE bool is_answer(Value v) { return v.tag() != NO_ANSWER; }
INLINE Value boolean(bool value) { return make(BOOL, value ? 1 : 0); }
INLINE Value integer(i64 value) { return make(INT, (unsigned)(u64)value, (unsigned)((u64)value >> 32)); }
INLINE Value pair_of(int i, int j) { return make(PAIR, (unsigned)i, (unsigned)j); }
INLINE Value cell_of(int colour, int i, int j) {
    return make(CELL, (unsigned)i, (unsigned)j, (unsigned)colour);
}
INLINE Value row_of_cells(unsigned at, unsigned len) { return make(ROW, at, len); }
INLINE Value grid_at(unsigned at, unsigned height, unsigned width) {
    return make(GRID, at, height, width);
}
INLINE Value empty_tuple() { return make(TUPLE); }
INLINE Value empty_set() { return make(SET); }

// A set of locations: `height` words from `rows` on; bit b of word r is the
// location (i + r, j + b). The box is tight on all four sides.
struct Mask {
    unsigned rows;
    int i, j;
    int height, width;
};

INLINE int top(Mask m) { return m.i; }
INLINE int left(Mask m) { return m.j; }
INLINE int bottom(Mask m) { return m.i + m.height - 1; }
INLINE int right(Mask m) { return m.j + m.width - 1; }

INLINE unsigned origin_of(int i, int j) { return ((unsigned)i & 0xffffu) | (unsigned)j << 16; }
INLINE unsigned box_of(int height, int width) { return (unsigned)height | (unsigned)width << 8; }

INLINE Value mask_value(Mask m) {
    return make(MASK, m.rows, origin_of(m.i, m.j), 0, box_of(m.height, m.width));
}
INLINE Value object_value(Mask m, int colour) {
    return make(OBJECT, m.rows, origin_of(m.i, m.j), (unsigned)colour, box_of(m.height, m.width));
}
INLINE Value painted_value(Mask m, unsigned cells) {
    return make(PAINTED, m.rows, origin_of(m.i, m.j), cells, box_of(m.height, m.width));
}

INLINE bool has_mask(Value v) { return v.tag() >= MASK && v.tag() <= PAINTED; }
// Only where `has_mask`.
INLINE Mask mask_in(Value v) {
    Mask m;
    m.rows = v.x;
    m.i = (short)(v.y & 0xffffu);
    m.j = (short)(v.y >> 16);
    m.height = v.box() & 0xff;
    m.width = v.box() >> 8;
    return m;
}

INLINE i64 int_in(Value v) { return (i64)((u64)v.y << 32 | v.x); }
INLINE int row_in(Value v) { return (int)v.x; }
INLINE int column_in(Value v) { return (int)v.y; }
INLINE int colour_in(Value v) { return (int)v.z; }

INLINE bool is_number(Value v) { return v.tag() == INT || v.tag() == BOOL; }
// Only where `is_number`.
INLINE i64 number_in(Value v) { return v.tag() == INT ? int_in(v) : (i64)v.x; }
INLINE bool is_tuple(Value v) { return v.tag() >= PAIR && v.tag() <= TUPLE; }
INLINE bool is_set(Value v) { return v.tag() >= SET && v.tag() <= LAYERS; }
INLINE bool is_function(Value v) { return v.tag() >= PRIM; }
INLINE bool is_empty_container(Value v) {
    return (v.tag() == TUPLE || v.tag() == SET) && v.y == 0;
}
INLINE bool is_empty_set(Value v) { return v.tag() == SET && v.y == 0; }
// Whether it has no parts in a space.
INLINE bool is_free(Value v) {
    return v.tag() <= CELL || v.tag() == PRIM || is_empty_container(v);
}
INLINE bool truth(Value v) {
    switch (v.tag()) {
    case NONE: return false;
    case BOOL: return v.x != 0;
    case INT: return (v.x | v.y) != 0;
    case TUPLE:
    case SET: return v.y > 0;
    default: return true;
    }
}
INLINE bool fits_i8(i64 n) { return n >= -128 && n <= 127; }
INLINE bool fits_i16(i64 n) { return n >= -32768 && n <= 32767; }
INLINE bool fits_i32(i64 n) { return n >= -2147483648ll && n <= 2147483647ll; }
// Whether it is a number of 8 bits.
INLINE bool is_small(Value v) { return is_number(v) && fits_i8(number_in(v)); }

INLINE unsigned kind_of(Value v) {
    switch (v.tag()) {
    case NONE: return Noun_None;
    case BOOL: return Noun_Bool;
    case INT: return Noun_Int;
    default: return is_tuple(v) ? Noun_Tuple : is_set(v) ? Noun_Set : Noun_Function;
    }
}

INLINE unsigned depth_of(Value v) {
    switch (v.tag()) {
    case NONE: case BOOL: case INT: case PRIM: return 0;
    case PAIR: case ROW: return 1;
    case CELL: case GRID: case MASK: return 2;
    case OBJECT: case PAINTED: case LAYERS: return 3;
    default: return v.depth();
    }
}

// The same compact patch elsewhere; only where `has_mask` and the place fits 16 bits.
INLINE Value moved_to(Value v, int i, int j) {
    Value moved = v;
    moved.y = origin_of(i, j);
    return moved;
}

// Words of 128 bits.
INLINE Bits bit_at(int place) { return (Bits)1 << place; }
INLINE bool has_bit(Bits word, int place) { return ((unsigned)(word >> place) & 1u) != 0; }
INLINE u64 low_half(Bits word) { return (u64)word; }
INLINE u64 high_half(Bits word) { return (u64)(word >> 64); }
INLINE Bits whole(u64 high, u64 low) { return (Bits)high << 64 | low; }
INLINE int bit_count(Bits word) { return __popcll(low_half(word)) + __popcll(high_half(word)); }
// Only of words that are not zero.
INLINE int lowest_bit(Bits word) {
    return low_half(word) != 0 ? __ffsll((i64)low_half(word)) - 1
                               : 63 + __ffsll((i64)high_half(word));
}
INLINE int highest_bit(Bits word) {
    return high_half(word) != 0 ? 127 - __clzll((i64)high_half(word))
                                : 63 - __clzll((i64)low_half(word));
}
INLINE Bits without_lowest(Bits word) { return word & (word - 1); }
// A word with its columns moved by `by`, left where negative.
INLINE Bits moved_bits(Bits word, int by) {
    if (by >= 0) {
        return by < 128 ? word << by : 0;
    }
    return by > -128 ? word >> -by : 0;
}
// The lowest `width` bits.
INLINE Bits full_bits(int width) { return width >= 128 ? ~(Bits)0 : ((Bits)1 << width) - 1; }

INLINE Bits warp_or128(Bits word) {
    const u64 low = warp_or64(low_half(word));
    return whole(warp_or64(high_half(word)), low);
}

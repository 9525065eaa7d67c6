// Cells that share locations: one mask for each colour.
//
// Layers are put together in planes of rows, one for each colour, that lie in the
// room of the evaluation from `begin_layers` to `end_layers`; nothing is charged for
// them. Lanes add to the planes as they like, each on its own.
#pragma once
#include "elements.cuh"
#include "mask.cuh"

struct Layering {
    Window window;
    Colours colours;
    Bits *planes;
    // Where the room ended before.
    unsigned spare_len;

    // Where the rows of a colour begin, for `add_at`; lane.
    __device__ __forceinline__ unsigned plane(int colour) const {
        return colours.before(colour) * height_of(window);
    }
    // Adds cells at a row counted from the beginning of all planes; lane.
    __device__ __forceinline__ void add_at(unsigned row, Bits bits) {
        or_bits(planes + row, bits);
    }
    // Adds cells of a colour in a row of the window; lane.
    __device__ __forceinline__ void add(int colour, unsigned row, Bits bits) {
        add_at(plane(colour) + row, bits);
    }
};

// All that follow are warp functions.

// Empty planes for these colours, equal in all lanes. May flag.
APART Layering begin_layers(Space s, Window w, const Colours &colours) {
    Layering layering;
    layering.window = w;
    layering.colours = colours;
    layering.spare_len = s->spare_len;
    const unsigned rows = colours.len() * height_of(w);
    layering.planes = room<Bits>(s, rows);
    TRY_OR(s, layering)
#pragma unroll 1
    for (unsigned row = s.lane(); row < rows; row += 32) {
        layering.planes[row] = 0;
    }
    __syncwarp();
    return layering;
}

// Layers of the objects on the stack from `base` on, which are taken off.
APART Value layers_from(Space s, unsigned base) {
    const unsigned len = s->stack_len - base;
    const unsigned at = raw_values(s, len);
    TRY(s)
#pragma unroll 1
    for (unsigned k = s.lane(); k < len; k += 32) {
        s.values()[at + k] = s.stack()[base + k];
    }
    truncate(s, base);
    return make(LAYERS, at, len);
}

// The set of all cells added. The caller knows that two of them share a location, so
// that no other form takes them.
APART Value end_layers(Space s, const Layering &layering) {
    const Window w = layering.window;
    const unsigned height = height_of(w), base = s->stack_len;
    const Bits *plane = layering.planes;
    Colours later = layering.colours;
    int colour;
    __syncwarp();
#pragma unroll 1
    while (later.least(colour)) {
        later.remove(colour);
        const unsigned at = raw_window(s, w);
        TRY(s)
#pragma unroll 1
        for (unsigned row = s.lane(); row < height; row += 32) {
            s.rows()[at + row] = plane[row];
        }
        __syncwarp();
        plane += height;
        Mask m;
        if (seal(s, at, w, m)) {
            push(s, object_value(m, colour));
            TRY(s)
        }
    }
    leave_room(s, layering.spare_len);
    return layers_from(s, base);
}

// The box around all layers, if it fits a mask.
APART bool layers_window(Space s, Value layers, Window &w) {
    const unsigned len = layers.tag() == LAYERS ? layers.y : 0;
    int least_i = 0x7fffffff, least_j = 0x7fffffff, most_i = -0x7fffffff, most_j = -0x7fffffff;
#pragma unroll 1
    for (unsigned k = s.lane(); k < len; k += 32) {
        const Mask m = mask_in(s.values()[layers.x + k]);
        least_i = top(m) < least_i ? top(m) : least_i;
        least_j = left(m) < least_j ? left(m) : least_j;
        most_i = bottom(m) > most_i ? bottom(m) : most_i;
        most_j = right(m) > most_j ? right(m) : most_j;
    }
    // A box that grows does not come to fit again: the last one decides.
    return fit(warp_min(least_i), warp_min(least_j), warp_max(most_i), warp_max(most_j), w) &&
           len > 0;
}

// All locations of layers. `false` with no fault if they are too far apart.
APART bool layers_mask(Space s, Value layers, Mask &m) {
    Window w;
    if (!layers_window(s, layers, w)) {
        return false;
    }
    const unsigned at = raw_window(s, w);
    TRY_OR(s, false)
    const unsigned height = height_of(w);
#pragma unroll 1
    for (unsigned row = s.lane(); row < height; row += 32) {
        const int i = w.top + (int)row;
        Bits word = 0;
#pragma unroll 1
        for (unsigned k = 0; k < layers.y; k++) {
            word |= word_at(s, mask_in(s.values()[layers.x + k]), i, w.left);
        }
        s.rows()[at + row] = word;
    }
    __syncwarp();
    return seal(s, at, w, m);
}

// Unions of many sets at once.
//
// Sets of locations and objects are put together without being listed: every lane
// owns rows of the common box and goes through all the sets for them, so that no two
// lanes ever write the same row. All functions are warp unless they say otherwise.
#pragma once
#include "build.cuh"
#include "elements.cuh"
#include "layers.cuh"
#include "mask.cuh"

// What sets on the stack can be joined as without listing their elements.
enum UnionForm { UNION_LISTED, UNION_MASKS, UNION_OBJECTS, UNION_LAYERS };

// How the containers on the stack from `base` on can be joined, and the box around
// them all where they can.
APART unsigned union_form(Space s, unsigned base, Window &w) {
    const int far = 1 << 20;
    int least_i = far, least_j = far, most_i = -far, most_j = -far;
    unsigned boxes = 0;
    bool masks = false, objects = false, layers = false, other = false;
#pragma unroll 1
    for (unsigned place = base + s.lane(); place < s->stack_len; place += 32) {
        const Value item = s.stack()[place];
        if (is_empty_set(item)) {
            continue;
        }
        unsigned count = 1;
        if (item.tag() == LAYERS) {
            layers = true;
            count = item.y;
        } else if (item.tag() == MASK) {
            masks = true;
        } else if (has_mask(item)) {
            objects = true;
        } else {
            other = true;
            count = 0;
        }
#pragma unroll 1
        for (unsigned k = 0; k < count; k++) {
            const Mask m = mask_in(item.tag() == LAYERS ? s.values()[item.x + k] : item);
            least_i = top(m) < least_i ? top(m) : least_i;
            least_j = left(m) < least_j ? left(m) : least_j;
            most_i = bottom(m) > most_i ? bottom(m) : most_i;
            most_j = right(m) > most_j ? right(m) : most_j;
        }
        boxes += count;
    }
    if (any_lane(other)) {
        return UNION_LISTED;
    }
    masks = any_lane(masks);
    objects = any_lane(objects);
    layers = any_lane(layers);
    // A box alone is taken as it is; only where boxes meet must they fit a window.
    boxes = warp_sum(boxes);
    const bool fits = fit(warp_min(least_i), warp_min(least_j), warp_max(most_i),
                          warp_max(most_j), w);
    if (boxes == 0 || (boxes > 1 && !fits) || (masks && (objects || layers))) {
        return UNION_LISTED;
    }
    return masks ? UNION_MASKS : layers ? UNION_LAYERS : UNION_OBJECTS;
}

APART Value union_masks(Space s, unsigned base, Window w) {
    const unsigned end = s->stack_len;
    if (end - base == 1) {
        return s.stack()[base];
    }
    const unsigned at = raw_window(s, w);
    TRY(s)
    unsigned masks = 0;
#pragma unroll 1
    for (unsigned place = base + s.lane(); place < end; place += 32) {
        masks += s.stack()[place].tag() == MASK ? 1 : 0;
    }
    work(s, warp_sum(masks));
    TRY(s)
    const unsigned height = height_of(w);
#pragma unroll 1
    for (unsigned row = s.lane(); row < height; row += 32) {
        Bits word = 0;
#pragma unroll 1
        for (unsigned place = base; place < end; place++) {
            const Value item = s.stack()[place];
            if (item.tag() == MASK) {
                word |= word_at(s, mask_in(item), w.top + (int)row, w.left);
            }
        }
        s.rows()[at + row] = word;
    }
    __syncwarp();
    return sealed_mask(s, at, w);
}

// The colour of a cell of an object, which has one there; lane.
INLINE int union_colour(Space s, Value object, unsigned row, unsigned column) {
    return object.tag() == PAINTED ? s.cells()[object.z + row * (object.box() >> 8) + column]
                                 : colour_in(object);
}

// Whether two objects have different colours on some location.
APART bool union_contradict(Space s, Value a, Value b) {
    if (!has_mask(a) || !has_mask(b)) {
        return false;
    }
    const Mask x = mask_in(a), y = mask_in(b);
    const int from = top(x) > top(y) ? top(x) : top(y);
    const int to = bottom(x) < bottom(y) ? bottom(x) : bottom(y);
    bool differ = false;
#pragma unroll 1
    for (int i = from + (int)s.lane(); i <= to && !differ; i += 32) {
        Bits common = word_at(s, x, i, x.j) & word_at(s, y, i, x.j);
#pragma unroll 1
        while (common != 0) {
            const int bit = lowest_bit(common);
            common = without_lowest(common);
            const int j = x.j + bit;
            differ |= union_colour(s, a, (unsigned)(i - x.i), (unsigned)bit) !=
                      union_colour(s, b, (unsigned)(i - y.i), (unsigned)(j - y.j));
        }
    }
    return any_lane(differ);
}

// Writes the objects on the stack from `base` on into the rows and cells of a window.
// The place of the first that contradicts one before it, or the end of the stack.
APART unsigned union_written(Space s, unsigned base, Window w, unsigned at, unsigned cells) {
    const unsigned height = height_of(w), width = width_of(w);
    unsigned first = s->stack_len;
#pragma unroll 1
    for (unsigned row = s.lane(); row < height; row += 32) {
        Bits held = 0;
#pragma unroll 1
        for (unsigned place = base; place < first; place++) {
            const Value item = s.stack()[place];
            if (!has_mask(item)) {
                continue;
            }
            const Mask m = mask_in(item);
            const int own = w.top + (int)row - m.i;
            if (own < 0 || own >= m.height) {
                continue;
            }
            const Bits word = s.rows()[m.rows + (unsigned)own];
            const int shift = m.j - w.left;
            const unsigned to = cells + row * width + (unsigned)shift;
#pragma unroll 1
            for (Bits bits = word; bits != 0; bits = without_lowest(bits)) {
                const int bit = lowest_bit(bits);
                const int colour = union_colour(s, item, (unsigned)own, (unsigned)bit);
                if (has_bit(held, shift + bit) && s.cells()[to + (unsigned)bit] != colour) {
                    first = place;
                    break;
                }
                s.cells()[to + (unsigned)bit] = (Colour)colour;
            }
            held |= word << shift;
        }
        s.rows()[at + row] = held;
    }
    __syncwarp();
    return (unsigned)warp_min((int)first);
}

// Adds the cells of many-coloured objects in row `i` of the plane to the planes of their
// colours, a run of one colour at a time; lane.
INLINE void add_painted(Space s, Layering &layering, Value item, int i) {
    const Mask m = mask_in(item);
    if (i < top(m) || i > bottom(m)) {
        return;
    }
    const unsigned own = (unsigned)(i - m.i), row = (unsigned)(i - layering.window.top);
    const int shift = m.j - layering.window.left;
    int colour = NO_COLOUR;
    Bits run = 0;
#pragma unroll 1
    for (Bits bits = s.rows()[m.rows + own]; bits != 0; bits = without_lowest(bits)) {
        const int bit = lowest_bit(bits);
        const int next = union_colour(s, item, own, (unsigned)bit);
        if (next != colour) {
            if (run != 0) {
                layering.planes[layering.plane(colour) + row] |= run << shift;
            }
            colour = next;
            run = 0;
        }
        run |= bit_at(bit);
    }
    if (run != 0) {
        layering.planes[layering.plane(colour) + row] |= run << shift;
    }
}

// Adds all items on the stack from `base` to `end`. Each lane has rows of its own.
APART void add_all(Space s, Layering &layering, unsigned base, unsigned end) {
    const Window w = layering.window;
    const unsigned height = height_of(w);
#pragma unroll 1
    for (unsigned row = s.lane(); row < height; row += 32) {
        const int i = w.top + (int)row;
        // What comes one after another often has one colour.
        int colour = NO_COLOUR;
        unsigned plane = 0;
#pragma unroll 1
        for (unsigned place = base; place < end; place++) {
            const Value item = s.stack()[place];
            if (item.tag() == PAINTED) {
                add_painted(s, layering, item, i);
                continue;
            }
            const unsigned parts = item.tag() == LAYERS ? item.y : item.tag() == OBJECT ? 1 : 0;
#pragma unroll 1
            for (unsigned k = 0; k < parts; k++) {
                const Value part = item.tag() == LAYERS ? s.values()[item.x + k] : item;
                const Bits word = word_at(s, mask_in(part), i, w.left);
                if (word == 0) {
                    continue;
                }
                if (colour_in(part) != colour) {
                    colour = colour_in(part);
                    plane = layering.plane(colour) + row;
                }
                layering.planes[plane] |= word;
            }
        }
    }
}

// The union of objects and layers that have two colours on some location.
APART Value union_layers(Space s, unsigned base, Window w) {
    const unsigned end = s->stack_len;
    Colours colours = Colours();
    // Shifted copies of one object share its parts, and come one after another.
    unsigned seen_rows = ~0u, seen_cells = ~0u;
#pragma unroll 1
    for (unsigned place = base; place < end; place++) {
        const Value item = s.stack()[place];
        if (item.tag() == OBJECT) {
            colours.add(colour_in(item));
        } else if (item.tag() == PAINTED) {
            if (item.x == seen_rows && item.z == seen_cells) {
                continue;
            }
            seen_rows = item.x;
            seen_cells = item.z;
            Colours own = box_colours(s, mask_in(item), item.z);
            int colour;
#pragma unroll 1
            while (own.least(colour)) {
                own.remove(colour);
                colours.add(colour);
            }
        } else if (item.tag() == LAYERS) {
#pragma unroll 1
            for (unsigned k = 0; k < item.y; k++) {
                colours.add(colour_in(s.values()[item.x + k]));
            }
        }
    }
    work(s, end - base);
    TRY(s)
    Layering layering = begin_layers(s, w, colours);
    TRY(s)
    add_all(s, layering, base, end);
    return end_layers(s, layering);
}

APART Value union_objects(Space s, unsigned base, Window w) {
    const unsigned end = s->stack_len;
    if (end - base == 1) {
        return s.stack()[base];
    }
    if (end - base == 2 && union_contradict(s, s.stack()[base], s.stack()[base + 1])) {
        return union_layers(s, base, w);
    }
    const Mark mark = mark_of(s);
    const unsigned at = raw_window(s, w);
    TRY(s)
    const unsigned cells = new_cells(s, (u64)height_of(w) * width_of(w));
    TRY(s)
    const unsigned first = union_written(s, base, w, at, cells);
    // The one that contradicts has been paid for, those after it have not.
    unsigned rows = 0;
#pragma unroll 1
    for (unsigned place = base + s.lane(); place < end && place <= first; place += 32) {
        const Value item = s.stack()[place];
        rows += has_mask(item) ? (unsigned)mask_in(item).height : 0;
    }
    work(s, warp_sum(rows));
    TRY(s)
    if (first < end) {
        cut(s, mark);
        return union_layers(s, base, w);
    }
    return sealed_cells(s, at, cells, w);
}

// The union of the containers on the stack from `base` on, which are taken off.
APART Value union_from(Space s, unsigned base) {
    Window w;
    const unsigned form = union_form(s, base, w);
    Value joint;
    if (form == UNION_LISTED) {
        const unsigned end = s->stack_len;
#pragma unroll 1
        for (unsigned place = base; place < end; place++) {
            spread(s, s.stack()[place]);
            TRY(s)
        }
        joint = set_from(s, end);
    } else if (form == UNION_MASKS) {
        joint = union_masks(s, base, w);
    } else if (form == UNION_OBJECTS) {
        joint = union_objects(s, base, w);
    } else {
        joint = union_layers(s, base, w);
    }
    TRY(s)
    truncate(s, base);
    return joint;
}

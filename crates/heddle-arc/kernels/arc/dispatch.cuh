// From the number of a primitive to what it does (compact/call.rs, `dispatch`).
//
// Primitives that take functions are not here: they start calls and are in
// higher.cuh. All functions are warp functions.
#pragma once
#include "arithmetic.cuh"
#include "build.cuh"
#include "colours.cuh"
#include "components.cuh"
#include "construct.cuh"
#include "containers.cuh"
#include "extremes.cuh"
#include "members.cuh"
#include "difference.cuh"
#include "geometry.cuh"
#include "scale.cuh"
#include "lines.cuh"
#include "order.cuh"
#include "paint.cuh"
#include "patterns.cuh"
#include "query.cuh"
#include "split.cuh"

// Whether a primitive calls functions or builds them; lane.
INLINE bool is_higher(unsigned prim) {
    switch (prim) {
    case Prim_Order: case Prim_Valmax: case Prim_Valmin: case Prim_Argmax: case Prim_Argmin:
    case Prim_Sfilter: case Prim_Mfilter: case Prim_Extract: case Prim_Compose: case Prim_Chain:
    case Prim_Matcher: case Prim_Rbind: case Prim_Lbind: case Prim_Power: case Prim_Fork:
    case Prim_Apply: case Prim_Rapply: case Prim_Mapply: case Prim_Papply: case Prim_Mpapply:
    case Prim_Prapply:
        return true;
    default:
        return false;
    }
}

// The families apart, so that each is compiled on its own.
APART Value dispatch_numbers(Space s, unsigned prim, Value x, Value y, Value z) {
    switch (prim) {
    case Prim_Add: case Prim_Subtract: case Prim_Multiply: case Prim_Divide:
        return arithmetic_lift(s, prim, x, y);
    case Prim_Invert: case Prim_Double: case Prim_Halve: case Prim_Increment:
    case Prim_Decrement: case Prim_Crement: case Prim_Sign:
        return arithmetic_lift_one(s, prim, x);
    case Prim_Even: return boolean(int_of(s, x) % 2 == 0);
    case Prim_Positive: return boolean(int_of(s, x) > 0);
    case Prim_Toivec: {
        const i64 i = int_of(s, x);
        TRY(s)
        return pair_value(s, i, 0);
    }
    case Prim_Tojvec: {
        const i64 j = int_of(s, x);
        TRY(s)
        return pair_value(s, 0, j);
    }
    case Prim_Greater: return boolean(greater(s, x, y));
    case Prim_Equality: return boolean(equal_together(s, x, y));
    case Prim_Flip: return boolean(!truth(x));
    case Prim_Both: return truth(x) ? y : x;
    case Prim_Either: return truth(x) ? x : y;
    default: return truth(x) ? y : z;
    }
}

APART Value dispatch_containers(Space s, unsigned prim, Value x, Value y, Value z) {
    switch (prim) {
    case Prim_Identity: return x;
    case Prim_Contained: return containers_contained(s, x, y);
    case Prim_Combine: return containers_combine(s, x, y);
    case Prim_Intersection: return difference_intersection(s, x, y);
    case Prim_Difference: return difference_difference(s, x, y);
    case Prim_Dedupe: return containers_dedupe(s, x);
    case Prim_Repeat: return containers_repeat(s, x, y);
    case Prim_Size: return containers_size(s, x);
    case Prim_Merge: return containers_merge(s, x);
    case Prim_Maximum: return containers_extreme(s, x, true);
    case Prim_Minimum: return containers_extreme(s, x, false);
    case Prim_Mostcommon: return containers_common(s, x, true);
    case Prim_Leastcommon: return containers_common(s, x, false);
    case Prim_Initset: return containers_initset(s, x);
    case Prim_Insert: return containers_insert(s, x, y);
    case Prim_Remove: return containers_remove(s, x, y);
    case Prim_Other: return containers_other(s, x, y);
    case Prim_First: return containers_first(s, x);
    case Prim_Last: return containers_last(s, x);
    case Prim_Totuple: return containers_totuple(s, x);
    case Prim_Interval: return containers_interval(s, x, y, z);
    case Prim_Astuple: return couple(s, x, y);
    case Prim_Product: return containers_product(s, x, y);
    case Prim_Pair: return containers_pair(s, x, y);
    default: return higher_sizefilter(s, x, y);
    }
}

APART Value dispatch_grids(Space s, unsigned prim, Value x, Value y, Value z) {
    switch (prim) {
    case Prim_Rot90: case Prim_Rot180: case Prim_Rot270: case Prim_Hmirror: case Prim_Vmirror:
    case Prim_Dmirror: case Prim_Cmirror:
        return geometry_symmetry(s, prim, x);
    case Prim_Crop: return geometry_crop(s, x, y, z);
    case Prim_Subgrid: return geometry_subgrid(s, x, y);
    case Prim_Trim: return geometry_trim(s, x);
    case Prim_Tophalf: case Prim_Bottomhalf: case Prim_Lefthalf: case Prim_Righthalf:
        return geometry_half(s, prim, x);
    case Prim_Hupscale: case Prim_Vupscale: case Prim_Upscale:
        return geometry_upscale(s, prim, x, y);
    case Prim_Downscale: return geometry_downscale(s, x, y);
    case Prim_Replace: return geometry_replace(s, x, y, z);
    case Prim_Switch: return geometry_switch(s, x, y, z);
    case Prim_Canvas: return geometry_canvas(s, x, y);
    case Prim_Hconcat: return split_hconcat(s, x, y);
    case Prim_Vconcat: return split_vconcat(s, x, y);
    case Prim_Hsplit: case Prim_Vsplit: return split_pieces(s, prim, x, y);
    case Prim_Cellwise: return split_cellwise(s, x, y, z);
    case Prim_Fill: case Prim_Underfill: return paint_fill(s, prim, x, y, z);
    case Prim_Paint: case Prim_Underpaint: return paint_paint(s, prim, x, y);
    case Prim_Cover: return paint_cover(s, x, y);
    case Prim_Move: return paint_displace(s, x, y, z);
    default: return geometry_mir_rot(s, x, y);
    }
}

APART Value dispatch_queries(Space s, unsigned prim, Value x, Value y) {
    switch (prim) {
    case Prim_Mostcolor: return colours_mostcolor(s, x);
    case Prim_Leastcolor: return colours_leastcolor(s, x);
    case Prim_Palette: return colours_palette(s, x);
    case Prim_Numcolors: return colours_numcolors(s, x);
    case Prim_Colorcount: return colours_colorcount(s, x, y);
    case Prim_Color: return colours_color(s, x);
    case Prim_Height: return query_height(s, x);
    case Prim_Width: case Prim_Shape: case Prim_Portrait: case Prim_Square: case Prim_Vline:
    case Prim_Hline:
        return query_by_shape(s, prim, x);
    case Prim_Uppermost: case Prim_Lowermost: case Prim_Leftmost: case Prim_Rightmost:
    case Prim_Ulcorner: case Prim_Urcorner: case Prim_Llcorner: case Prim_Lrcorner:
        return query_by_extremes(s, prim, x);
    case Prim_Center: return query_center(s, x);
    case Prim_Centerofmass: return query_centerofmass(s, x);
    case Prim_Hmatching: case Prim_Vmatching: return query_matching(s, prim, x, y);
    case Prim_Manhattan: return query_manhattan(s, x, y);
    case Prim_Adjacent: return query_adjacent(s, x, y);
    case Prim_Bordering: return query_bordering(s, x, y);
    case Prim_Position: return query_position(s, x, y);
    case Prim_Gravitate: return query_gravitate(s, x, y);
    case Prim_Index: return query_index(s, x, y);
    case Prim_Asindices: return query_asindices(s, x);
    case Prim_Ofcolor: return query_ofcolor(s, x, y);
    case Prim_Occurrences: return patterns_occurrences(s, x, y);
    case Prim_Compress: return patterns_compress(s, x);
    default: return patterns_period(s, prim, x);
    }
}

APART Value dispatch_patches(Space s, unsigned prim, Value x, Value y, Value z, Value w) {
    switch (prim) {
    case Prim_Objects: return components_objects(s, x, truth(y), truth(z), truth(w));
    case Prim_Partition: case Prim_Fgpartition: return construct_partition(s, prim, x);
    case Prim_Colorfilter: return construct_colorfilter(s, x, y);
    case Prim_Toindices: return construct_toindices(s, x);
    case Prim_Recolor: return construct_recolor(s, x, y);
    case Prim_Shift: return construct_shift(s, x, y);
    case Prim_Normalize: return construct_normalize(s, x);
    case Prim_Toobject: return construct_toobject(s, x, y);
    case Prim_Asobject: return construct_asobject(s, x);
    case Prim_Backdrop: return construct_backdrop(s, x);
    case Prim_Delta: return construct_delta(s, x);
    case Prim_Dneighbors: case Prim_Ineighbors: case Prim_Neighbors:
        return lines_around(s, prim, x);
    case Prim_Connect: return lines_connect(s, x, y);
    case Prim_Shoot: return lines_shoot(s, x, y);
    case Prim_Vfrontier: case Prim_Hfrontier: return lines_frontier(s, prim, x);
    case Prim_Corners: return lines_corners(s, x);
    case Prim_Box: case Prim_Outbox: case Prim_Inbox: return lines_frame(s, prim, x);
    case Prim_Frontiers: return lines_frontiers(s, x);
    default: return construct_o_g(s, x, y);
    }
}

APART Value dispatch_additions(Space s, unsigned prim, Value x, Value y) {
    switch (prim) {
    case Prim_Second: return containers_second(s, x);
    case Prim_PG: return colours_colours_ascending(s, x);
    case Prim_DifferenceTuple: return containers_difference_tuple(s, x, y);
    case Prim_GetNthT: return containers_get_nth_t(s, x, y);
    default: return containers_get_nth_f(s, x, y);
    }
}

// A primitive that calls no functions.
INLINE Value dispatch(Space s, unsigned prim, Value x, Value y, Value z, Value w) {
    work(s, 1);
    TRY(s)
    if (prim <= Prim_Branch) {
        return dispatch_numbers(s, prim, x, y, z);
    }
    if (prim <= Prim_Pair || prim == Prim_Sizefilter) {
        return dispatch_containers(s, prim, x, y, z);
    }
    if (prim <= Prim_Move || prim == Prim_MirRotT) {
        return dispatch_grids(s, prim, x, y, z);
    }
    switch (prim) {
    case Prim_Second: case Prim_PG: case Prim_DifferenceTuple: case Prim_GetNthT:
    case Prim_GetNthF:
        return dispatch_additions(s, prim, x, y);
    case Prim_Occurrences: case Prim_Compress: case Prim_Hperiod: case Prim_Vperiod:
        return dispatch_queries(s, prim, x, y);
    default:
        return prim <= Prim_Ofcolor ? dispatch_queries(s, prim, x, y)
                                    : dispatch_patches(s, prim, x, y, z, w);
    }
}

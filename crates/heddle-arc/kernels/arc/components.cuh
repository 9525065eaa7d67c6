// Connected components of a grid: one row of the grid a lane, flooded by shifts.
//
// Nothing here knows colours once the links are made: a word of bits says for each
// cell of a row whether it belongs together with the cell to its left, and three more
// for the cells above. Components are found in the order of their first cells, row by
// row, which is the order in which the processor's engine pays for them. All functions
// are warp functions unless they say otherwise.
#pragma once
#include "build.cuh"
#include "colours.cuh"
#include "degenerate.cuh"
#include "elements.cuh"
#include "mask.cuh"
#include "sort.cuh"

// A row of at most 32 cells, cut into the eight bits of its colours.
struct Slices {
    unsigned bit[8];
};

// The lane's own row of a grid of at most 32 x 32; zero beyond its last.
INLINE Slices row_slices(Space s, unsigned at, unsigned height, unsigned width) {
    Slices slices;
#pragma unroll
    for (int b = 0; b < 8; b++) {
        slices.bit[b] = 0;
    }
    if (s.lane() >= height) {
        return slices;
    }
    // Rows begin at any byte and are read by aligned words.
    const unsigned from = at + s.lane() * width, skip = from % 4;
    const unsigned *next = (const unsigned *)s.cells() + from / 4;
    unsigned held = *next;
#pragma unroll 1
    for (unsigned column = 0; column < width; column += 4) {
        const unsigned ahead = skip + (width - column) > 4 ? *++next : 0;
        const unsigned four = (unsigned)(((u64)ahead << 32 | held) >> 8 * skip);
        held = ahead;
#pragma unroll
        for (int b = 0; b < 8; b++) {
            // The lowest bits of four bytes, gathered in the top four of the product.
            const unsigned bits = (four >> b & 0x01010101u) * 0x10204080u >> 28;
            slices.bit[b] |= bits << column;
        }
    }
    const unsigned columns = width >= 32 ? ~0u : (1u << width) - 1;
#pragma unroll
    for (int b = 0; b < 8; b++) {
        slices.bit[b] &= columns;
    }
    return slices;
}

// Where the row has a colour; `within` are its columns. lane
INLINE unsigned of_colour(const Slices &slices, int colour, unsigned within) {
#pragma unroll
    for (int b = 0; b < 8; b++) {
        within &= (colour >> b & 1) != 0 ? slices.bit[b] : ~slices.bit[b];
    }
    return within;
}

// The most frequent colour of a grid in slices, ties to the smallest.
INLINE int sliced_background(Space s, Value grid, const Slices &slices, unsigned within) {
    const unsigned high = slices.bit[4] | slices.bit[5] | slices.bit[6] | slices.bit[7];
    if (any_lane(high != 0)) {
        return colours_background(s, grid);
    }
    int best = 0;
    unsigned most = 0;
#pragma unroll 1
    for (int first = 0; first < 16; first += 4) {
        // Four counts at once: none is above 1024.
        u64 counts = 0;
#pragma unroll 1
        for (int k = 0; k < 4; k++) {
            counts |= (u64)(unsigned)__popc(of_colour(slices, first + k, within)) << 16 * k;
        }
        counts = warp_fold(counts, [](u64 a, u64 b) { return a + b; });
#pragma unroll 1
        for (int k = 0; k < 4; k++) {
            const unsigned count = (unsigned)(counts >> 16 * k) & 0xffffu;
            if (count > most) {
                most = count;
                best = first + k;
            }
        }
    }
    return best;
}

// Spreads `seeds` to higher columns; bit b of `links` ties column b to b - 1. A carry
// runs through a whole chain of links at once. lane
template <typename Word> INLINE Word spread_up(Word seeds, Word links) {
    const Word first = (Word)(seeds << 1) & links;
    return seeds | ((((links + first) ^ links) | first) & links);
}

// The order of the bits turned around. lane
INLINE unsigned turned(unsigned word) { return __brev(word); }
INLINE Bits turned(Bits word) {
    return whole(__brevll(low_half(word)), __brevll(high_half(word)));
}

// All objects of one colour on the stack from `base` on, in the order of their first
// cells, as a set. Within a colour that is canonical order already.
INLINE Value components_by_colour(Space s, unsigned base, Colours seen) {
    const unsigned count = s->stack_len - base;
    if (count == 0) {
        return empty_set();
    }
    const unsigned at = raw_values(s, count);
    TRY(s)
    const unsigned before = (1u << s.lane()) - 1;
    unsigned place = at;
    int colour;
#pragma unroll 1
    while (seen.least(colour)) {
        seen.remove(colour);
#pragma unroll 1
        for (unsigned from = 0; from < count; from += 32) {
            const unsigned k = from + s.lane();
            const bool own = k < count && colour_in(s.stack()[base + k]) == colour;
            const unsigned chosen = ballot(own);
            if (own) {
                s.values()[place + (unsigned)__popc(chosen & before)] = s.stack()[base + k];
            }
            place += (unsigned)__popc(chosen);
        }
    }
    truncate(s, base);
    // Objects nest three levels.
    return make(SET, at, count, 0, 0, 4);
}

// An object of a grid's own colours on rows already written.
INLINE Value many_coloured(Space s, Value grid, Mask m) {
    const unsigned width = (unsigned)m.width, area = (unsigned)m.height * width;
    const unsigned cells = raw_cells(s, area);
    TRY(s)
    const unsigned from = grid.x + (unsigned)m.i * grid.z + (unsigned)m.j;
    int least = 127, most = -128;
#pragma unroll 1
    for (unsigned k = s.lane(); k < area; k += 32) {
        const unsigned row = k / width, column = k - row * width;
        Colour colour = 0;
        if (has_bit(s.rows()[m.rows + row], (int)column)) {
            colour = s.cells()[from + row * grid.z + column];
            least = colour < least ? colour : least;
            most = colour > most ? colour : most;
        }
        s.cells()[cells + k] = colour;
    }
    least = warp_min(least);
    most = warp_max(most);
    if (least == most) {
        drop_cells(s, cells);
        return object_value(m, least);
    }
    __syncwarp();
    return painted_value(m, cells);
}

// The masks on the stack from `base` on as objects of the grid's colours, and their set.
APART Value components_many_coloured(Space s, Value grid, unsigned base) {
#pragma unroll 1
    for (unsigned place = base; place < s->stack_len; place++) {
        const Mask m = mask_in(s.stack()[place]);
        const Value object = many_coloured(s, grid, m);
        TRY(s)
        put(s, place, object);
    }
    sort_from(s, base);
    TRY(s)
    return sorted_set(s, base);
}

// Grids of at most 32 x 32, all in registers.
APART Value components_small(Space s, Value grid, bool univalued, bool diagonal,
                             bool without_background) {
    const unsigned at = grid.x, height = grid.y, width = grid.z;
    const Slices slices = row_slices(s, at, height, width);
    unsigned open = s.lane() >= height ? 0 : width >= 32 ? ~0u : (1u << width) - 1;
    if (without_background) {
        const int hidden = sliced_background(s, grid, slices, open);
        open &= ~of_colour(slices, hidden, open);
    }
    // Each cell with the one to its left, above, above on the left, above on the right.
    unsigned across = ~0u, straight = ~0u, falling = ~0u, rising = ~0u;
    if (univalued) {
#pragma unroll
        for (int b = 0; b < 8; b++) {
            const unsigned own = slices.bit[b];
            const unsigned above = __shfl_up_sync(ALL_LANES, own, 1);
            across &= ~(own ^ own << 1);
            straight &= ~(own ^ above);
            falling &= ~(own ^ above << 1);
            rising &= ~(own ^ above >> 1);
        }
    }
    unsigned open_above = __shfl_up_sync(ALL_LANES, open, 1);
    if (s.lane() == 0) {
        open_above = 0;
    }
    across &= open & open << 1;
    straight &= open & open_above;
    falling &= diagonal ? open & open_above << 1 : 0;
    rising &= diagonal ? open & open_above >> 1 : 0;
    const unsigned across_turned = turned(across >> 1);

    const unsigned base = s->stack_len;
    Colours seen = Colours();
#pragma unroll 1
    for (;;) {
        const unsigned rows_left = ballot(open != 0);
        if (rows_left == 0) {
            break;
        }
        const int first_row = __ffs((int)rows_left) - 1;
        const unsigned first_word = __shfl_sync(ALL_LANES, open, first_row);
        const int first_column = __ffs((int)first_word) - 1;
        unsigned part = (int)s.lane() == first_row ? 1u << first_column : 0;
#pragma unroll 1
        for (;;) {
            part = spread_up(part, across);
            part = turned(spread_up(turned(part), across_turned));
            const unsigned upward =
                (part & straight) | (part & falling) >> 1 | (part & rising) << 1;
            const unsigned above = __shfl_up_sync(ALL_LANES, part, 1);
            const unsigned below = __shfl_down_sync(ALL_LANES, upward, 1);
            // The first lane has no links up.
            const unsigned grown = part | (above & straight) | (above << 1 & falling) |
                                   (above >> 1 & rising) | (s.lane() < 31 ? below : 0);
            if (!any_lane(grown != part)) {
                break;
            }
            part = grown;
        }
        open &= ~part;
        Mask m;
        m.i = first_row;
        m.height = 32 - __clz((int)ballot(part != 0)) - first_row;
        // Single cells and bars are what noisy grids have most of.
        const unsigned columns =
            m.height == 1 ? __shfl_sync(ALL_LANES, part, first_row)
                          : warp_fold(part, [](unsigned a, unsigned b) { return a | b; });
        m.j = __ffs((int)columns) - 1;
        m.width = 32 - __clz((int)columns) - m.j;
        m.rows = raw_rows(s, (u64)m.height);
        TRY(s)
        const unsigned place = raw_stack(s, 1);
        TRY(s)
        const unsigned row = s.lane() - (unsigned)first_row;
        if (row < (unsigned)m.height) {
            s.rows()[m.rows + row] = part >> m.j;
        }
        Value found = mask_value(m);
        if (univalued) {
            const int colour =
                s.cells()[at + (unsigned)first_row * width + (unsigned)first_column];
            seen.add(colour);
            found = object_value(m, colour);
        }
        if (s.lane() == 0) {
            s.stack()[place] = found;
        }
    }
    __syncwarp();
    return univalued ? components_by_colour(s, base, seen)
                     : components_many_coloured(s, grid, base);
}

// What `components_small` has in registers, for up to 255 rows of 128 columns.
struct Links {
    Bits *open, *part, *across, *straight, *falling, *rising;
};

// Which cells of a grid belong together, a row a lane.
INLINE void link_rows(Space s, Value grid, bool univalued, bool diagonal,
                      bool without_background, int hidden, const Links &links) {
    const unsigned height = grid.y, width = grid.z;
#pragma unroll 1
    for (unsigned row = s.lane(); row < height; row += 32) {
        const Colour *cells = s.cells() + grid.x + row * width;
        Bits open = 0, across = 0, straight = 0, falling = 0, rising = 0;
#pragma unroll 1
        for (unsigned column = 0; column < width; column++) {
            const Colour colour = cells[column];
            if (without_background && colour == hidden) {
                continue;
            }
            const Bits bit = bit_at((int)column);
            const auto together = [&](const Colour *other) {
                return univalued ? *other == colour
                                 : !(without_background && *other == hidden);
            };
            open |= bit;
            if (column > 0 && together(cells + column - 1)) {
                across |= bit;
            }
            if (row == 0) {
                continue;
            }
            const Colour *above = cells - width;
            if (together(above + column)) {
                straight |= bit;
            }
            if (diagonal && column > 0 && together(above + column - 1)) {
                falling |= bit;
            }
            if (diagonal && column + 1 < width && together(above + column + 1)) {
                rising |= bit;
            }
        }
        links.open[row] = open;
        links.part[row] = 0;
        links.across[row] = across;
        links.straight[row] = straight;
        links.falling[row] = falling;
        links.rising[row] = rising;
    }
    __syncwarp();
}

// Floods `links.part` from whatever it holds in row `first` on.
INLINE void flood_rows(Space s, unsigned height, unsigned first, const Links &links) {
    bool changed = true;
#pragma unroll 1
    while (changed) {
        changed = false;
#pragma unroll 1
        for (unsigned from = first; from < height; from += 32) {
            const unsigned row = from + s.lane();
            Bits part = 0, grown = 0;
            if (row < height) {
                part = grown = links.part[row];
                if (row > 0) {
                    const Bits above = links.part[row - 1];
                    grown |= (above & links.straight[row]) |
                             (above << 1 & links.falling[row]) |
                             (above >> 1 & links.rising[row]);
                }
                if (row + 1 < height) {
                    const Bits below = links.part[row + 1];
                    grown |= (below & links.straight[row + 1]) |
                             (below & links.falling[row + 1]) >> 1 |
                             (below & links.rising[row + 1]) << 1;
                }
                const Bits across = links.across[row];
                grown = spread_up(grown, across);
                grown = turned(spread_up(turned(grown), turned((Bits)(across >> 1))));
            }
            changed = any_lane(grown != part) || changed;
            __syncwarp();
            if (grown != part) {
                links.part[row] = grown;
            }
            __syncwarp();
        }
    }
}

// Larger grids: the same, with the rows in memory.
APART Value components_large(Space s, Value grid, bool univalued, bool diagonal,
                             bool without_background) {
    const unsigned at = grid.x, height = grid.y, width = grid.z;
    const int hidden = without_background ? colours_background(s, grid) : 0;
    TRY(s)
    const unsigned held = s->spare_len;
    Bits *words = room<Bits>(s, (u64)height * 6);
    TRY(s)
    Links links;
    links.open = words;
    links.part = words + height;
    links.across = words + height * 2;
    links.straight = words + height * 3;
    links.falling = words + height * 4;
    links.rising = words + height * 5;
    link_rows(s, grid, univalued, diagonal, without_background, hidden, links);

    const unsigned base = s->stack_len;
    Colours seen = Colours();
    unsigned first_row = 0;
#pragma unroll 1
    for (;;) {
        unsigned rows_left = 0;
#pragma unroll 1
        while (first_row < height) {
            const unsigned row = first_row + s.lane();
            rows_left = ballot(row < height && links.open[row] != 0);
            if (rows_left != 0) {
                first_row += (unsigned)(__ffs((int)rows_left) - 1);
                break;
            }
            first_row += 32;
        }
        if (rows_left == 0) {
            break;
        }
        const int first_column = lowest_bit(links.open[first_row]);
        if (s.lane() == 0) {
            links.part[first_row] = bit_at(first_column);
        }
        __syncwarp();
        flood_rows(s, height, first_row, links);

        int lowest = (int)first_row, least = MASK_COLUMNS, most = -1;
#pragma unroll 1
        for (unsigned row = first_row + s.lane(); row < height; row += 32) {
            const Bits part = links.part[row];
            if (part != 0) {
                lowest = (int)row;
                least = lowest_bit(part) < least ? lowest_bit(part) : least;
                most = highest_bit(part) > most ? highest_bit(part) : most;
            }
        }
        Mask m;
        m.i = (int)first_row;
        m.height = warp_max(lowest) - m.i + 1;
        m.j = warp_min(least);
        m.width = warp_max(most) - m.j + 1;
        m.rows = raw_rows(s, (u64)m.height);
        TRY(s)
        const unsigned place = raw_stack(s, 1);
        TRY(s)
#pragma unroll 1
        for (unsigned row = s.lane(); row < (unsigned)m.height; row += 32) {
            const Bits part = links.part[first_row + row];
            s.rows()[m.rows + row] = part >> m.j;
            links.open[first_row + row] &= ~part;
            links.part[first_row + row] = 0;
        }
        Value found = mask_value(m);
        if (univalued) {
            const int colour = s.cells()[at + first_row * width + (unsigned)first_column];
            seen.add(colour);
            found = object_value(m, colour);
        }
        if (s.lane() == 0) {
            s.stack()[place] = found;
        }
        __syncwarp();
    }
    leave_room(s, held);
    return univalued ? components_by_colour(s, base, seen)
                     : components_many_coloured(s, grid, base);
}

// All cells of a grid as one object, if a mask holds them: `window` is the grid's.
APART Value construct_whole(Space s, Value grid, Window window) {
    const unsigned at = raw_window(s, window);
    TRY(s)
    const unsigned area = grid.y * grid.z;
    const Bits word = full_bits((int)grid.z);
#pragma unroll 1
    for (unsigned row = s.lane(); row < grid.y; row += 32) {
        s.rows()[at + row] = word;
    }
    const Mask m = mask_at(window, at);
    const int colour = s.cells()[grid.x];
    bool other = false;
#pragma unroll 1
    for (unsigned k = s.lane(); k < area; k += 32) {
        other = other || s.cells()[grid.x + k] != colour;
    }
    __syncwarp();
    // The grid's own cells are the colours of the object.
    return any_lane(other) ? painted_value(m, grid.x) : object_value(m, colour);
}

// The objects of a grid. `prim` is who asks: `objects` or `o_g`.
APART Value components_objects(Space s, Value grid, bool univalued, bool diagonal,
                               bool without_background, unsigned prim = Prim_Objects) {
    if (grid.tag() != GRID) {
        unsigned rows;
        if (bare_rows(s, grid, rows) && rows > 0) {
            return without_background ? fail_empty(s, Noun_Element) : empty_set();
        }
        return plainly(s, prim, grid);
    }
    Window window;
    const bool fits = fit(0, 0, (i64)grid.y - 1, (i64)grid.z - 1, window);
    if (!univalued && !without_background) {
        // Everything connects: the whole grid.
        if (!fits) {
            return plainly(s, prim, grid);
        }
        const Value all = construct_whole(s, grid, window);
        TRY(s)
        const unsigned base = s->stack_len;
        push(s, all);
        TRY(s)
        return set_from(s, base);
    }
    work(s, (u64)grid.y * grid.z / 4 + 1);
    TRY(s)
    if (grid.y <= 32 && grid.z <= 32) {
        return components_small(s, grid, univalued, diagonal, without_background);
    }
    if (!fits) {
        // Components of such a grid may fit no mask.
        return flag(s, FLAG_FORM);
    }
    return components_large(s, grid, univalued, diagonal, without_background);
}

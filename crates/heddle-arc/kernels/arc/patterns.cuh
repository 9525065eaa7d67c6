// Repetition and occurrence: where an object lies in a grid, what a grid repeats.
//
// All functions are warp functions unless they say otherwise. Where an object occurs is
// found for a whole row of places at once, one bit for each, a row to a lane.
#pragma once
#include "query.cuh"

// The shifts at which every bit of `word`, which is not zero, meets a bit of `line`;
// lane.
INLINE Bits patterns_placements(Bits line, Bits word) {
    const int start = lowest_bit(word);
    const Bits gaps = ~(word >> start);
    const int run = gaps == 0 ? 128 : lowest_bit(gaps);
    Bits hits = line >> start;
    // A run of n bits in log n steps.
#pragma unroll 1
    for (int done = 1; done < run;) {
        const int step = min(done, run - done);
        hits &= hits >> step;
        done += step;
    }
    Bits rest = start + run >= 128 ? 0 : word >> (start + run) << (start + run);
#pragma unroll 1
    while (rest != 0) {
        hits &= line >> lowest_bit(rest);
        rest = without_lowest(rest);
    }
    return hits;
}

// Strikes out the candidates, `places` rows from `at` on, that the cells of one colour of
// an object contradict. Each candidate row is written by one lane alone.
APART void patterns_strike(Space s, Value grid, Value object, int colour, unsigned at,
                           unsigned places) {
    const Mask m = mask_in(object);
    const unsigned spare_len = s->spare_len;
    const unsigned height = (unsigned)m.height, width = (unsigned)m.width;
    Bits *plane = room<Bits>(s, grid.y);
    Bits *words = room<Bits>(s, height);
    TRY_OR(s, )
#pragma unroll 1
    for (unsigned i = s.lane(); i < grid.y; i += 32) {
        plane[i] = query_colour_bits(s, grid.x + i * grid.z, grid.z, colour);
    }
#pragma unroll 1
    for (unsigned row = s.lane(); row < height; row += 32) {
        Bits word = s.rows()[m.rows + row];
        if (object.tag() == PAINTED) {
            word &= query_colour_bits(s, object.z + row * width, width, colour);
        }
        words[row] = word;
    }
    __syncwarp();
#pragma unroll 1
    for (unsigned place = s.lane(); place < places; place += 32) {
        Bits candidates = s.rows()[at + place];
#pragma unroll 1
        for (unsigned row = 0; row < height && candidates != 0; row++) {
            const Bits word = words[row];
            if (word != 0) {
                candidates &= patterns_placements(plane[place + row], word);
            }
        }
        s.rows()[at + place] = candidates;
    }
    // Charged as if equal neighbours among the object's rows were matched once.
    Bits matched = 0;
    u64 steps = 0;
#pragma unroll 1
    for (unsigned row = 0; row < height; row++) {
        const Bits word = words[row];
        if (word != 0 && word != matched) {
            matched = word;
            steps += grid.y;
        }
    }
    leave_room(s, spare_len);
    work(s, steps);
}

// All places where an object agrees with a grid: one plane of bits for each of its
// colours, and each of its rows strikes out the places it contradicts.
APART Value patterns_occurrences(Space s, Value grid, Value object) {
    Window window;
    if (grid.tag() != GRID || !query_grid_window(grid, window) ||
        (object.tag() != OBJECT && object.tag() != PAINTED)) {
        return plainly(s, Prim_Occurrences, grid, object);
    }
    const Mask m = mask_in(object);
    if ((unsigned)m.height > grid.y || (unsigned)m.width > grid.z) {
        return empty_set();
    }
    window.bottom = (i64)grid.y - m.height;
    window.right = (i64)grid.z - m.width;
    const unsigned places = height_of(window);
    const unsigned at = raw_rows(s, places);
    TRY(s)
    const Bits all = full_bits((int)width_of(window));
#pragma unroll 1
    for (unsigned row = s.lane(); row < places; row += 32) {
        s.rows()[at + row] = all;
    }
    __syncwarp();
    if (object.tag() == OBJECT) {
        patterns_strike(s, grid, object, colour_in(object), at, places);
        TRY(s)
    } else {
        Colours left = box_colours(s, m, object.z);
        int colour;
#pragma unroll 1
        while (left.least(colour)) {
            left.remove(colour);
            patterns_strike(s, grid, object, colour, at, places);
            TRY(s)
        }
    }
    return sealed_mask(s, at, window);
}

// Writes down which of `count` lines of a grid are not of one colour throughout, in
// order; how many those are. A line begins `apart` cells after the one before, and has
// `length` cells that lie `step` apart.
APART unsigned patterns_varied(Space s, unsigned at, unsigned count, unsigned apart,
                               unsigned length, unsigned step, unsigned *lines) {
    unsigned kept = 0;
#pragma unroll 1
    for (unsigned base = 0; base < count; base += 32) {
        const unsigned line = base + s.lane();
        bool varied = false;
        if (line < count) {
            const Colour *cells = s.cells() + at + line * apart;
#pragma unroll 1
            for (unsigned k = 1; k < length && !varied; k++) {
                varied = cells[k * step] != cells[0];
            }
        }
        const unsigned here = ballot(varied);
        if (varied) {
            lines[kept + (unsigned)__popc(here & ((1u << s.lane()) - 1))] = line;
        }
        kept += (unsigned)__popc(here);
    }
    __syncwarp();
    return kept;
}

APART Value patterns_compress(Space s, Value grid) {
    if (grid.tag() != GRID) {
        return plainly(s, Prim_Compress, grid);
    }
    const unsigned spare_len = s->spare_len;
    const unsigned at = grid.x, height = grid.y, width = grid.z;
    unsigned *rows = room<unsigned>(s, height);
    unsigned *columns = room<unsigned>(s, width);
    TRY(s)
    const unsigned kept_rows = patterns_varied(s, at, height, width, width, 1, rows);
    const unsigned kept_columns = patterns_varied(s, at, width, 1, height, width, columns);
    if (kept_rows == height && kept_columns == width) {
        leave_room(s, spare_len);
        return grid;
    }
    if (kept_rows == 0 || kept_columns == 0) {
        leave_room(s, spare_len);
        return kept_rows == 0 ? empty_tuple() : bare_grid(s, kept_rows);
    }
    unsigned to;
    raw_grid(s, kept_rows, kept_columns, to);
    TRY(s)
    const unsigned area = kept_rows * kept_columns;
#pragma unroll 1
    for (unsigned place = s.lane(); place < area; place += 32) {
        const unsigned row = place / kept_columns, column = place - row * kept_columns;
        s.cells()[to + place] = s.cells()[at + rows[row] * width + columns[column]];
    }
    leave_room(s, spare_len);
    return grid_at(to, kept_rows, kept_columns);
}

// Whether every cell that has a place `down` rows and `across` columns before it finds
// its own colour there.
APART bool patterns_repeats(Space s, Value object, unsigned down, unsigned across) {
    const Mask m = mask_in(object);
    const unsigned height = (unsigned)m.height, width = (unsigned)m.width;
    bool differs = false;
#pragma unroll 1
    for (unsigned row = down + s.lane(); row < height && !differs; row += 32) {
        const Bits moved = s.rows()[m.rows + row] >> across;
        differs = (moved & ~s.rows()[m.rows + row - down]) != 0;
        if (object.tag() == PAINTED) {
            const Colour *here = s.cells() + object.z + row * width + across;
            const Colour *before = s.cells() + object.z + (row - down) * width;
#pragma unroll 1
            for (Bits bits = moved; bits != 0 && !differs; bits = without_lowest(bits)) {
                const int bit = lowest_bit(bits);
                differs = here[bit] != before[bit];
            }
        }
    }
    return !any_lane(differs);
}

APART Value patterns_period(Space s, unsigned prim, Value object) {
    if (object.tag() != OBJECT && object.tag() != PAINTED) {
        return plainly(s, prim, object);
    }
    const Mask m = mask_in(object);
    const bool down = prim == Prim_Vperiod;
    const unsigned length = (unsigned)(down ? m.height : m.width);
#pragma unroll 1
    for (unsigned period = 1; period < length; period++) {
        work(s, (u64)m.height);
        TRY(s)
        if (patterns_repeats(s, object, down ? period : 0, down ? 0 : period)) {
            return integer(period);
        }
    }
    return integer(length);
}

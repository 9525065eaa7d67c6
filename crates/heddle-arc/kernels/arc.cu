// Programs over grids: one launch interprets every program of a tile on its examples.
//
// One warp runs one evaluation at a time. The interpreter is much larger than the
// memory a multiprocessor has for instructions, and fetching them is what takes the
// time. So the warps of a block go step by step together: what one of them fetched, all
// have. They run rows that lie side by side, and the host puts those with the same or a
// similar program there.
// Results come back as a fault or the number of cells that match; whole values only
// where there is room for them. What the buffers hold is said in
// crates/heddle-arc/src/gpu/mod.rs.
// machine code for sm_90
#include "arc/higher.cuh"

#define INPUTS 4u
#define EXAMPLE_BYTES 128u
#define NO_STEP 0xffffffu
// The highest byte of what is said first: none of them is zero.
#define SAID_UNDEFINED 0x80000000u
#define SAID_DEFINED 0xc0000000u
#define MOST_STEPS_SAID 0xffffffu

struct Job {
    const unsigned char *data;
    // In memory of the host. Behind the results is what was flagged, as it comes.
    u64 *results;
    unsigned results_len, flagged_len;
    unsigned *flagged;
    unsigned char *dumps;
    u64 dump_bytes, budget_bytes;
    // Whether a warp may take fewer steps than the budget has.
    bool steps_capped;
};

// A program on a list of examples.
struct __align__(16) Turn {
    unsigned program, first_row, first_spot, place;
};

// An example of a list: its number, its first program's result, how far apart those of the
// others are.
struct __align__(16) Spot {
    unsigned example, result, stride, unused;
};

// warp: the last turn that begins with this row or before it; the first begins with 0.
APART Turn turn_of(const Turn *turns, unsigned turns_len, unsigned row, unsigned lane) {
    unsigned low = 0, high = turns_len;
#pragma unroll 1
    while (high - low > 1) {
        const unsigned apart = (high - low + 31) / 32, at = low + lane * apart;
        const bool before = at < high && turns[at].first_row <= row;
        low += (__popc(ballot(before)) - 1) * apart;
        high = high - low < apart ? high : low + apart;
    }
    return turns[low];
}

// Copies bytes; both ends are aligned to 16, and may be written up to the next 16.
INLINE void copy_in(void *to, const void *from, u64 bytes, unsigned lane) {
    uint4 *out = (uint4 *)to;
    const uint4 *in = (const uint4 *)from;
#pragma unroll 1
    for (u64 k = lane; k < (bytes + 15) / 16; k += 32) {
        out[k] = in[k];
    }
}

// Takes in the example; `false` if it does not fit.
APART bool take_in(Space s, const unsigned char *data, const unsigned *record,
                   bool whole_image) {
    const Arena &arena = s.arena();
    s->cells_len = whole_image ? record[1] : record[2];
    s->rows_len = whole_image ? record[4] : 0;
    s->values_len = whole_image ? record[6] : 0;
    if (s->cells_len > arena.cells_cap || s->rows_len > arena.rows_cap ||
        s->values_len > arena.values_cap) {
        return false;
    }
    copy_in(s.cells(), data + record[0], s->cells_len, s.lane());
    copy_in(s.rows(), data + record[3], (u64)s->rows_len * 16, s.lane());
    copy_in(s.values(), data + record[5], (u64)s->values_len * 16, s.lane());
    copy_in(s.frame(), record + 16, INPUTS * 16, s.lane());
    __syncwarp();
    return true;
}

// An evaluation that a warp has begun.
struct Running {
    unsigned program, pc, step, steps;
    // Where it went wrong, if it did.
    unsigned wrong;
    u64 spent_steps, spent_bytes;
};

// Runs the next step of a program and adds up what it cost.
APART void run_step(Machine m, Running &r, u64 budget_bytes) {
    const Space s = m.s;
    const Arena &arena = s.arena();
    truncate(s, 0);
    s->frame_len = INPUTS + m.code()[r.program + 5];
    s->spare_len = 0;
    s->steps_left = arena.most_steps;
    s->bytes_left = s->least_bytes_left = arena.most_bytes;
    s->at.call_depth = 0;
    const Mark mark = mark_of(s);
    const unsigned word = m.code()[r.pc];
    const Value value = run(m, start_step(m, r.pc, operands_at(s.frame(), INPUTS, 1, 0)));
    r.pc = behind(r.pc, word);
    // Nothing of a step stays that its value has no part in.
    if (s->fault == 0 && is_free(value)) {
        cut(s, mark);
    }
    if (s->fault == 0) {
        const u64 peak = r.spent_bytes + (arena.most_bytes - s->least_bytes_left);
        r.spent_steps += arena.most_steps - s->steps_left;
        r.spent_bytes += arena.most_bytes - s->bytes_left;
        const bool steps_over = r.spent_steps > arena.most_steps;
        if (steps_over || peak > budget_bytes) {
            const unsigned operation = word & 0xff;
            s->at.culprit = operation < CALL ? operation : NO_CULPRIT;
            fail_budget(s, steps_over ? LIMIT_STEPS : LIMIT_BYTES);
        }
    }
    if (s->fault != 0) {
        r.wrong = r.step;
        return;
    }
    put_frame(m, INPUTS + (word >> 16), value);
    r.step += 1;
}

// How the answer compares with the grid that is wanted.
APART unsigned compare(Space s, Value answer, const unsigned char *data,
                       const unsigned *record) {
    if (answer.tag() != GRID || answer.y != record[8] || answer.z != record[9]) {
        return 0;
    }
    const unsigned area = answer.y * answer.z;
    const Colour *wanted = (const Colour *)data + record[7];
    unsigned matched = 0;
#pragma unroll 1
    for (unsigned k = s.lane(); k < area; k += 32) {
        matched += s.cells()[answer.x + k] == wanted[k] ? 1 : 0;
    }
    matched = warp_sum(matched);
    return matched | 1u << 30 | (matched == area ? 1u << 31 : 0);
}

// The answer with everything it may have parts in.
APART void dump(Space s, Value answer, const Job &job, unsigned evaluation) {
    const u64 bytes = 32 + (u64)s->rows_len * 16 + (u64)s->values_len * 16 + s->cells_len;
    if (((bytes + 15) & ~15ull) > job.dump_bytes) {
        flag(s, FLAG_ANSWER);
        return;
    }
    unsigned char *out = job.dumps + evaluation * job.dump_bytes;
    if (s.lane() == 0) {
        *(Value *)out = answer;
        ((unsigned *)out)[4] = s->cells_len;
        ((unsigned *)out)[5] = s->rows_len;
        ((unsigned *)out)[6] = s->values_len;
        ((unsigned *)out)[7] = 0;
    }
    out += 32;
    copy_in(out, s.rows(), (u64)s->rows_len * 16, s.lane());
    out += (u64)s->rows_len * 16;
    copy_in(out, s.values(), (u64)s->values_len * 16, s.lane());
    out += (u64)s->values_len * 16;
    copy_in(out, s.cells(), s->cells_len, s.lane());
    __syncwarp();
}

APART void begin_evaluation(Machine m, Running &r, const unsigned char *data, unsigned program,
                            const unsigned *record) {
    const Space s = m.s;
    s->fault = 0;
    s->at.culprit = NO_CULPRIT;
    m.s->at.control_len = 0;
    if (s.lane() == 0) {
        s.arena().bodies = m.code()[program + 3];
        s.arena().constants = (const Value *)(m.code() + m.code()[program + 4]);
    }
    r.program = program;
    r.pc = program + 6;
    r.step = 0;
    r.steps = m.code()[program];
    r.wrong = NO_STEP;
    r.spent_steps = r.spent_bytes = 0;
    __syncwarp();
    if (INPUTS + m.code()[program + 5] > s.arena().frame_cap) {
        flag(s, FLAG_STACK);
    } else if (!take_in(s, data, record, (m.code()[program + 2] & 1) != 0)) {
        flag(s, FLAG_CELLS);
    }
}

APART void end_evaluation(Machine m, Running r, const Job &job, const unsigned *record,
                          unsigned evaluation) {
    const Space s = m.s;
    unsigned match = 0;
    if (s->fault == 0) {
        const Value answer =
            fetch(m, m.code()[r.program + 1], operands_at(s.frame(), INPUTS, 1, 0));
        match = compare(s, answer, job.data, record);
        if (job.dump_bytes > 0) {
            dump(s, answer, job, evaluation);
        }
    }
    // Long ones are the processor's, unless they are too long for it as well.
    if (s->fault == (FAULT_BUDGET | LIMIT_STEPS << 8) && job.steps_capped) {
        s->fault = FLAG_STEPS;
    }
    if (s.lane() == 0) {
        const unsigned steps =
            r.spent_steps < MOST_STEPS_SAID ? (unsigned)r.spent_steps : MOST_STEPS_SAID;
        const bool defined = s->fault == 0;
        const unsigned low = defined ? SAID_DEFINED | steps : SAID_UNDEFINED | s->fault;
        const unsigned high = defined ? match : s->at.culprit | r.wrong << 8;
        // At once, so that nobody reads half of it.
        *(volatile u64 *)(job.results + evaluation) = (u64)high << 32 | low;
        if ((s->fault & 0xff) >= FLAG_CELLS) {
            const unsigned place = atomicAdd(job.flagged, 1u);
            if (place < job.flagged_len) {
                const u64 said = (u64)(s->fault & 0xff) << 32 | evaluation;
                *(volatile u64 *)(job.results + job.results_len + place) = said;
            }
        }
    }
    __syncwarp();
}

extern "C" __global__ void __launch_bounds__(1024, 1)
    arc_evaluate(const unsigned *code, const unsigned char *data, const unsigned *schedule,
                 unsigned turns_len, unsigned rows_len, unsigned *queue, u64 *results,
                 unsigned results_len, unsigned flagged_len,
                 unsigned char *scratch, unsigned long long scratch_bytes, const unsigned *caps,
                 unsigned long long budget_steps, unsigned long long budget_bytes,
                 unsigned char *dumps, unsigned long long dump_bytes) {
    __shared__ Shared shared;
    const Space s(shared, threadIdx.x);
    const Machine m(s);
    const unsigned most_steps = caps[6] < budget_steps ? caps[6] : (unsigned)budget_steps;
    if (threadIdx.x % 32 == 0) {
        const unsigned warps_before = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
        Arena &arena = s.arena();
        arena.rows = (Bits *)(scratch + warps_before * scratch_bytes);
        arena.values = (Value *)(arena.rows + caps[1]);
        arena.stack = arena.values + caps[2];
        arena.frame = arena.stack + caps[3];
        arena.control = (Activation *)(arena.frame + caps[4]);
        arena.cells = (Colour *)(arena.control + CONTROL_FRAMES);
        arena.spare = (unsigned char *)arena.cells + caps[0];
        arena.code = code;
        arena.cells_cap = caps[0];
        arena.rows_cap = caps[1];
        arena.values_cap = caps[2];
        arena.stack_cap = caps[3];
        arena.frame_cap = caps[4];
        arena.spare_cap = caps[5];
        arena.most_steps = most_steps;
        // A step that takes more than 32 bits count is the processor's.
        const bool wide = budget_bytes > 0xffffffffull;
        arena.most_bytes = wide ? 0xffffffffu : (unsigned)budget_bytes;
        arena.bytes_fault = wide ? FLAG_ROOM : FAULT_BUDGET | LIMIT_BYTES << 8;
    }
    s->cells_len = s->rows_len = s->values_len = 0;
    s->stack_len = s->frame_len = s->spare_len = 0;
    s->fault = 0;
    Job job;
    job.data = data;
    job.results = results;
    job.results_len = results_len;
    job.flagged_len = flagged_len;
    job.flagged = queue + 1;
    job.dumps = dumps;
    job.dump_bytes = dump_bytes;
    job.budget_bytes = budget_bytes;
    job.steps_capped = most_steps < budget_steps;
    unsigned &first_row = shared.arenas[0].first_row;
    const unsigned warp = threadIdx.x / 32;
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) {
            first_row = atomicAdd(queue, blockDim.x / 32);
        }
        __syncthreads();
        if (first_row >= rows_len) {
            return;
        }
        const unsigned row = first_row + warp;
        const bool busy = row < rows_len;
        const unsigned *record = 0;
        unsigned evaluation = 0;
        Running r;
        r.step = r.steps = 0;
        if (busy) {
            const Turn *turns = (const Turn *)schedule;
            const Turn turn = turn_of(turns, turns_len, row, s.lane());
            const Spot *spots = (const Spot *)(turns + turns_len) + turn.first_spot;
            const Spot spot = spots[row - turn.first_row];
            record = (const unsigned *)(data + (u64)spot.example * EXAMPLE_BYTES);
            evaluation = spot.result + turn.place * spot.stride;
            begin_evaluation(m, r, data, turn.program, record);
        }
        while (true) {
            const bool more = busy && s->fault == 0 && r.step < r.steps;
            if (!__syncthreads_or(more)) {
                break;
            }
            if (more) {
                run_step(m, r, budget_bytes);
            }
        }
        if (busy) {
            end_evaluation(m, r, job, record, evaluation);
        }
    }
}

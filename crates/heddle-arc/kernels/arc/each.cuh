// One function over many elements on the stack (compact/columns.rs).
//
// Where a function body is applied to every element of a container, each of its steps
// is run over all elements of a chunk before the next: it is decoded once, and what
// needs no memory is answered for 32 elements together. Chunks and charges are those
// of the processor's engine, because they decide what runs out of its budget.
#pragma once
#include "machine.cuh"

// Elements done together, and how few are not worth it.
#define CHUNK 256u
#define FEW 4u

// Begins to replace the elements from `base` to `end` by what a function of one
// argument makes of them.
APART void begin_each(Machine m, Value function, unsigned base, unsigned end) {
    const bool body = function.tag() == BODY && end - base >= FEW &&
                      m.code()[m.code()[m.bodies() + function.y]] == 1;
    Activation a = begun(body ? DOING_COLUMNS : DOING_EACH);
    a.function = function;
    a.at = a.base = base;
    a.end = end;
    if (body) {
        enter(m.s);
        if (m.s->fault != 0) {
            return;
        }
        a.flags = ENDS_CALL;
        a.captured = function.x + 1;
    }
    begin(m, a);
}

APART Value resume_each(Machine m, Value value) {
    const Space s = m.s;
    const unsigned place = m.s->at.control_len - 1;
    const Activation &a = m.control()[place];
    const bool primitive = a.function.tag() == PRIM && PRIM_ARITY[a.function.x] == 1;
    unsigned at = a.at;
    while (true) {
        if (is_answer(value)) {
            put(s, at, value);
            at += 1;
        }
        if (primitive && at < a.end) {
            // As many of the next 32 as need no memory.
            const unsigned mine = at + s.lane();
            const Value answer =
                mine < a.end ? quick_one(a.function.x, s.stack()[mine]) : no_answer();
            const unsigned slow = ~ballot(is_answer(answer));
            const unsigned done = slow == 0 ? 32u : (unsigned)__ffs((int)slow) - 1;
            if (s.lane() < done) {
                s.stack()[mine] = answer;
            }
            __syncwarp();
            if (done > 0) {
                work(s, done);
                at += done;
                value = no_answer();
                TRY(s)
                continue;
            }
        }
        if (at >= a.end) {
            end(m, a, none());
            return none();
        }
        value = start_call_one(m, a.function, s.stack()[at]);
        TRY(s)
        if (!is_answer(value)) {
            change(m, place, [&](Activation &own) { own.at = at; });
            return value;
        }
    }
}

// A chunk of elements: where they lie on the stack, in the frame their columns, and in
// `values` what the body captured.
struct Chunk {
    unsigned at, count, registers, captured;
};
INLINE Chunk chunk_of(const Activation &a) {
    Chunk chunk;
    chunk.at = a.at;
    chunk.count = a.count;
    chunk.registers = a.registers;
    chunk.captured = a.captured;
    return chunk;
}

// The operands of a step for one element of the chunk; lane. Column `n` of the frame is
// the answers of step `n`.
INLINE Operands of_element(Machine m, Chunk chunk, unsigned element) {
    return operands_at(m.s.stack() + chunk.at + element, chunk.registers + element, chunk.count,
                       chunk.captured);
}

// The answers of a step that need no memory, element after element until the first
// that does; how many there are.
APART unsigned quick_column(Machine m, Chunk chunk, unsigned pc, unsigned out) {
    const Space s = m.s;
    const unsigned word = m.code()[pc];
    const unsigned operation = word & 0xff, given = word >> 8 & 0xff;
#pragma unroll 1
    for (unsigned base = 0; base < chunk.count; base += 32) {
        const unsigned element = base + s.lane();
        Value answer = no_answer();
        if (element < chunk.count) {
            const Operands from = of_element(m, chunk, element);
            const Value x = fetch(m, m.code()[pc + 1], from);
            answer = given == 1 ? quick_one(operation, x)
                                : quick_two(operation, x, fetch(m, m.code()[pc + 2], from));
        }
        const unsigned slow = ~ballot(is_answer(answer));
        const unsigned done = slow == 0 ? 32u : (unsigned)__ffs((int)slow) - 1;
        if (s.lane() < done) {
            s.frame()[out + element] = answer;
        }
        __syncwarp();
        if (done < 32) {
            return base + done < chunk.count ? base + done : chunk.count;
        }
    }
    return chunk.count;
}

// Writes the answers of a chunk over its elements and forgets what it made, if none of
// them has parts in it.
APART void end_chunk(Machine m, Chunk chunk, Mark mark, unsigned result) {
    const Space s = m.s;
    bool all_free = true;
#pragma unroll 1
    for (unsigned base = 0; base < chunk.count; base += 32) {
        const unsigned element = base + s.lane();
        Value answer = none();
        if (element < chunk.count) {
            answer = fetch(m, result, of_element(m, chunk, element));
        }
        __syncwarp();
        if (element < chunk.count) {
            s.stack()[chunk.at + element] = answer;
        }
        all_free = every_lane(is_free(answer)) && all_free;
    }
    leave_frame(m, chunk.registers);
    if (all_free) {
        cut(s, mark);
    }
}

// States: 0 before a chunk, 1 before a step, 2 within a step, where alone it waits.
APART Value resume_columns(Machine m, Value value) {
    const Space s = m.s;
    const unsigned place = m.s->at.control_len - 1;
    const Activation &a = m.control()[place];
    const unsigned header = m.code()[m.bodies() + a.function.y];
    const unsigned steps = m.code()[header + 1];
    unsigned state = a.state, pc = a.pc, step = a.step, element = a.element;
    while (true) {
        if (state == 0) {
            if (a.at >= a.end) {
                end(m, a, none());
                return none();
            }
            change(m, place, [&](Activation &own) {
                own.count = own.end - own.at < CHUNK ? own.end - own.at : CHUNK;
                remember(own, mark_of(s));
                own.registers = s->frame_len;
            });
            pc = header + 6;
            step = 0;
            state = 1;
        }
        if (state == 1 && step == steps) {
            end_chunk(m, chunk_of(a), remembered(a), m.code()[header + 2]);
            change(m, place, [](Activation &own) { own.at += own.count; });
            state = 0;
            continue;
        }
        const unsigned word = m.code()[pc];
        const unsigned operation = word & 0xff, given = word >> 8 & 0xff;
        const unsigned out = a.registers + step * a.count;
        if (state == 1) {
            const bool column = operation < CALL && given <= 2;
            if (column) {
                work(s, a.count);
                TRY(s)
            }
            new_frame(m, a.count);
            TRY(s)
            element = column ? quick_column(m, chunk_of(a), pc, out) : 0;
            state = 2;
        }
        if (is_answer(value)) {
            put_frame(m, out + element, value);
            element += 1;
            value = no_answer();
        }
#pragma unroll 1
        while (element < a.count) {
            value = start_step(m, pc, of_element(m, chunk_of(a), element));
            TRY(s)
            if (!is_answer(value)) {
                change(m, place, [&](Activation &own) {
                    own.state = state;
                    own.pc = pc;
                    own.step = step;
                    own.element = element;
                });
                return value;
            }
            put_frame(m, out + element, value);
            element += 1;
        }
        value = no_answer();
        pc = behind(pc, word);
        step += 1;
        state = 1;
    }
}

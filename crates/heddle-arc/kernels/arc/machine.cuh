// Calls without recursion: what waits for the answer of a call lies on a stack of
// activations in the scratch of the warp.
//
// Starting something either answers at once (`true`, the answer in `out`) or leaves
// an activation on the stack, which `run` resumes until its answer is there. All
// functions are warp functions unless they say otherwise.
#pragma once
#include "dispatch.cuh"
#include "quick.cuh"

enum Activity {
    // The steps of a function body.
    DOING_BODY,
    // A callable that a primitive built when it ran.
    DOING_BUILT,
    // A primitive that calls functions.
    DOING_HIGHER,
    // One function over elements on the stack, which its answers replace.
    DOING_EACH,
    // The same by columns: each step of a body over all elements of a chunk.
    DOING_COLUMNS
};

// What to do when an activation ends.
#define ENDS_CALL 1u // one call less deep
#define FORGETS 2u   // what it made is cut off if the answer has no parts in it

#define CONTROL_FRAMES 64
#define CALL 254u
#define CLOSE 255u

// 128 bytes; which fields mean something depends on the activity.
struct __align__(16) Activation {
    Value function;
    Value model;
    Value held;
    unsigned activity, prim, state, flags;
    // Places on the stack, of elements.
    unsigned base, end, at, count;
    // Of bodies: the next word of code, the step, and in `frame` where parameters and
    // registers begin.
    unsigned pc, step, parameters, registers;
    // In `values`, where captured values begin.
    unsigned captured;
    unsigned mark_cells, mark_rows, mark_values;
    unsigned mark_bytes_left;
    unsigned element, unused[2];
};

// An evaluation with its program.
struct Machine {
    Space s;
    __device__ __forceinline__ explicit Machine(Space s) : s(s) {}
    __device__ __forceinline__ const unsigned *code() const { return global(s.arena().code); }
    __device__ __forceinline__ const Value *constants() const {
        return global(s.arena().constants);
    }
    __device__ __forceinline__ unsigned bodies() const { return s.arena().bodies; }
    __device__ __forceinline__ Activation *control() const { return global(s.arena().control); }
};

// Lane.
INLINE Activation begun(unsigned activity) {
    Activation a;
    a.function = a.model = a.held = none();
    a.activity = activity;
    a.prim = NO_CULPRIT;
    a.state = a.flags = 0;
    a.base = a.end = a.at = a.count = 0;
    a.pc = a.step = a.parameters = a.registers = a.captured = 0;
    a.mark_cells = a.mark_rows = a.mark_values = 0;
    a.mark_bytes_left = 0;
    a.element = a.unused[0] = a.unused[1] = 0;
    return a;
}
INLINE void remember(Activation &a, Mark mark) {
    a.mark_cells = mark.cells;
    a.mark_rows = mark.rows;
    a.mark_values = mark.values;
    a.mark_bytes_left = mark.bytes_left;
}
INLINE Mark remembered(const Activation &a) {
    Mark mark;
    mark.cells = a.mark_cells;
    mark.rows = a.mark_rows;
    mark.values = a.mark_values;
    mark.bytes_left = a.mark_bytes_left;
    return mark;
}

// Changes the activation at a place. What waits for calls leaves its activation there
// and reads what it needs of it: 32 lanes that each held a copy would spill it.
template <typename F> INLINE void change(Machine m, unsigned place, F written) {
    __syncwarp();
    if (m.s.lane() == 0) {
        written(m.control()[place]);
    }
    __syncwarp();
}

// Leaves an activation on the stack.
INLINE void begin(Machine m, const Activation &a) {
    if (m.s->at.control_len == CONTROL_FRAMES) {
        flag(m.s, FLAG_NESTING);
        return;
    }
    change(m, m.s->at.control_len, [&](Activation &place) { place = a; });
    m.s->at.control_len += 1;
}

// Takes the topmost activation, which is `a`, off the stack; its answer is `value`.
INLINE void end(Machine m, const Activation &a, Value value) {
    m.s->at.control_len -= 1;
    if ((a.flags & ENDS_CALL) != 0) {
        m.s->at.call_depth -= 1;
    }
    if ((a.flags & FORGETS) != 0 && m.s->fault == 0 && is_free(value)) {
        cut(m.s, remembered(a));
    }
}

// Takes `count` values in `frame`; where the first lies.
INLINE unsigned new_frame(Machine m, unsigned count) {
    const Space s = m.s;
    const unsigned at = s->frame_len;
    if (count > s.arena().frame_cap - at) {
        flag(s, FLAG_STACK);
        return at;
    }
    s->frame_len = at + count;
    __syncwarp();
    return at;
}
INLINE void put_frame(Machine m, unsigned at, Value value) {
    __syncwarp();
    if (m.s.lane() == 0) {
        m.s.frame()[at] = value;
    }
    __syncwarp();
}
INLINE void leave_frame(Machine m, unsigned at) {
    __syncwarp();
    m.s->frame_len = at;
}

// Goes one call deeper.
INLINE void enter(Space s) {
    if (s->at.call_depth >= MAX_CALL_DEPTH) {
        fail_budget(s, LIMIT_DEPTH);
        return;
    }
    s->at.call_depth += 1;
}

// Where the operands of a step lie: the arguments of a body, in the frame the answers of
// its steps, `stride` apart, and in `values` what it captured.
struct Operands {
    const Value *arguments;
    unsigned registers, stride, captured;
};
INLINE Operands operands_at(const Value *arguments, unsigned registers, unsigned stride,
                            unsigned captured) {
    Operands from;
    from.arguments = arguments;
    from.registers = registers;
    from.stride = stride;
    from.captured = captured;
    return from;
}

// An operand of a step; lane.
INLINE Value fetch(Machine m, unsigned operand, Operands from) {
    const unsigned place = operand & 0x3fffffffu;
    switch (operand >> 30) {
    case 0: return global(from.arguments)[place];
    case 1: return m.s.frame()[from.registers + place * from.stride];
    case 2: return m.s.values()[from.captured + place];
    default: return m.constants()[place];
    }
}

// The primitive a fault is laid to where none has taken it: the innermost that runs.
INLINE void blame(Machine m) {
#pragma unroll 1
    for (unsigned place = m.s->at.control_len; m.s->at.culprit == NO_CULPRIT && place > 0;
         place -= 1) {
        m.s->at.culprit = m.control()[place - 1].prim;
    }
}
INLINE void blame_on(Space s, unsigned prim) {
    if (s->fault != 0 && s->at.culprit == NO_CULPRIT) {
        s->at.culprit = prim;
    }
}

// What starts a call gives its answer, or none where an activation was begun that will.
// At a fault it gives anything.

// In higher.cuh.
APART Value start_higher(Machine m, unsigned prim, Value x, Value y, Value z);

// Calls a primitive with as many arguments as it takes.
APART Value start_primitive(Machine m, unsigned prim, unsigned given, Value x, Value y,
                            Value z, Value w) {
    const Space s = m.s;
    Value answer = given == 1   ? quick_one(prim, x)
                   : given == 2 ? quick_two(prim, x, y)
                                : no_answer();
    if (is_answer(answer)) {
        work(s, 1);
        return answer;
    }
    answer = is_higher(prim) ? start_higher(m, prim, x, y, z) : dispatch(s, prim, x, y, z, w);
    blame_on(s, prim);
    return answer;
}

// How many arguments a callable takes.
INLINE unsigned arity_of(Machine m, Value function) {
    const Space s = m.s;
    Value inner = function;
    unsigned bound = 0;
#pragma unroll 1
    while (inner.tag() == BUILT && (inner.z == Prim_Lbind || inner.z == Prim_Rbind)) {
        inner = s.values()[inner.x];
        bound += 1;
    }
    unsigned arity = 1;
    if (inner.tag() == PRIM) {
        arity = PRIM_ARITY[inner.x];
    } else if (inner.tag() == BODY) {
        arity = m.code()[m.code()[m.bodies() + inner.y]];
    } else if (inner.tag() != BUILT) {
        fail_kind(s, Noun_Function, inner);
    }
#pragma unroll 1
    for (; bound > 0; bound -= 1) {
        arity = arity == 2 ? 1 : arity == 3 ? 2 : 3;
    }
    return arity;
}

// Calls a function value. What the call made is forgotten at once when its answer has
// no parts: a key or a condition leaves nothing behind.
APART Value start_call(Machine m, Value function, unsigned given, Value x, Value y, Value z,
                       Value w) {
    const Space s = m.s;
    if (function.tag() == PRIM && PRIM_ARITY[function.x] == given) {
        const unsigned prim = function.x;
        const Mark mark = mark_of(s);
        const unsigned before = m.s->at.control_len;
        const Value answer = start_primitive(m, prim, given, x, y, z, w);
        TRY(s)
        if (is_answer(answer)) {
            if (is_free(answer)) {
                cut(s, mark);
            }
            return answer;
        }
        change(m, before, [&](Activation &a) {
            a.flags |= FORGETS;
            remember(a, mark);
        });
        return no_answer();
    }
    const unsigned takes = arity_of(m, function);
    TRY(s)
    if (takes != given) {
        fail(s, FAULT_ARITY, takes, given);
        return none();
    }
    const Mark mark = mark_of(s);
    enter(s);
    TRY(s)
    Activation a = begun(function.tag() == BODY ? DOING_BODY : DOING_BUILT);
    a.flags = ENDS_CALL | FORGETS;
    remember(a, mark);
    a.function = function;
    a.count = given;
    const unsigned header = function.tag() == BODY ? m.code()[m.bodies() + function.y] : 0;
    const unsigned registers = function.tag() == BODY ? m.code()[header + 5] : 0;
    a.parameters = new_frame(m, given + registers);
    a.registers = a.parameters + given;
    TRY(s)
    if (s.lane() == 0) {
        if (given > 0) {
            s.frame()[a.parameters] = x;
        }
        if (given > 1) {
            s.frame()[a.parameters + 1] = y;
        }
        if (given > 2) {
            s.frame()[a.parameters + 2] = z;
        }
        if (given > 3) {
            s.frame()[a.parameters + 3] = w;
        }
    }
    __syncwarp();
    if (function.tag() == BODY) {
        a.pc = header + 6;
        a.captured = function.x + 1;
    }
    begin(m, a);
    return no_answer();
}

INLINE Value start_call_one(Machine m, Value function, Value x) {
    return start_call(m, function, 1, x, none(), none(), none());
}

// Where the step behind one begins.
INLINE unsigned behind(unsigned pc, unsigned word) {
    return pc + ((word & 0xff) == CLOSE ? 2 : 1) + (word >> 8 & 0xff);
}

// Starts the step whose first word is at `pc`.
APART Value start_step(Machine m, unsigned pc, Operands from) {
    const Space s = m.s;
    const unsigned word = m.code()[pc];
    const unsigned operation = word & 0xff, given = word >> 8 & 0xff;
    if (operation == CLOSE) {
        const unsigned body = m.code()[pc + 1];
        const unsigned header = m.code()[m.bodies() + body];
        const unsigned base = raw_stack(s, given);
        if (s->fault == 0) {
#pragma unroll 1
            for (unsigned k = s.lane(); k < given; k += 32) {
                s.stack()[base + k] = fetch(m, m.code()[pc + 2 + k], from);
            }
        }
        __syncwarp();
        TRY(s)
        const u64 fingerprint = (u64)m.code()[header + 4] << 32 | m.code()[header + 3];
        return closure_from(s, body, (i64)fingerprint, base);
    }
    Value v[5];
#pragma unroll
    for (unsigned k = 0; k < 5; k += 1) {
        v[k] = k < given ? fetch(m, m.code()[pc + 1 + k], from) : none();
    }
    return operation == CALL ? start_call(m, v[0], given - 1, v[1], v[2], v[3], v[4])
                             : start_primitive(m, operation, given, v[0], v[1], v[2], v[3]);
}

// Where a body has its operands; lane.
INLINE Operands operands_of(Machine m, const Activation &a) {
    return operands_at(m.s.frame() + a.parameters, a.registers, 1, a.captured);
}

// Whatever goes on gets the answer it waits for, if it does wait, and gives its own when
// it has it.

// Goes on with the steps of a body.
APART Value resume_body(Machine m, Value value) {
    const unsigned place = m.s->at.control_len - 1;
    const Activation &a = m.control()[place];
    const unsigned header = m.code()[m.bodies() + a.function.y];
    const unsigned steps = m.code()[header + 1];
    unsigned pc = a.pc, step = a.step;
    while (true) {
        if (is_answer(value)) {
            put_frame(m, a.registers + step, value);
            step += 1;
        }
        if (step == steps) {
            value = fetch(m, m.code()[header + 2], operands_of(m, a));
            leave_frame(m, a.parameters);
            end(m, a, value);
            return value;
        }
        value = start_step(m, pc, operands_of(m, a));
        TRY(m.s)
        pc = behind(pc, m.code()[pc]);
        if (!is_answer(value)) {
            change(m, place, [&](Activation &own) {
                own.pc = pc;
                own.step = step;
            });
            return value;
        }
    }
}

// Goes on with a callable that a primitive built: its parts called in turn.
APART Value resume_built(Machine m, Value value) {
    const Space s = m.s;
    const unsigned place = m.s->at.control_len - 1;
    const Activation &a = m.control()[place];
    const unsigned prim = a.function.z;
    const Value *parts = s.values() + a.function.x;
    unsigned state = a.state;
    Value held = a.held;
    if (!is_answer(value) && state == 0) {
        work(s, 1);
        TRY(s)
    }
    while (true) {
        // The arguments of the next call: as a rule the answer of the last.
        Value function = none(), x = value, y = none(), z = none(), w = none();
        unsigned given = 1;
        bool done = false, on_arguments = false;
        switch (prim) {
        case Prim_Compose:
        case Prim_Chain: {
            const unsigned last = prim == Prim_Chain ? 2 : 1;
            done = state > last;
            on_arguments = state == 0;
            function = done ? none() : parts[last - state];
            break;
        }
        case Prim_Matcher:
            done = state == 1;
            on_arguments = true;
            function = parts[0];
            if (done) {
                value = boolean(equal_together(s, value, parts[1]));
            }
            break;
        case Prim_Fork:
            done = state == 3;
            on_arguments = state < 2;
            function = done ? none() : parts[state == 2 ? 0 : state + 1];
            if (state == 1) {
                held = value;
            } else if (state == 2) {
                x = held;
                y = value;
                given = 2;
            }
            break;
        case Prim_Lbind:
        case Prim_Rbind: {
            done = state == 1;
            function = parts[0];
            const Value fixed = parts[1];
            const Value *args = s.frame() + a.parameters;
            given = a.count + 1;
            const bool first = prim == Prim_Lbind;
            const unsigned shift = first ? 1 : 0;
            x = first ? fixed : args[0];
            y = a.count == 1 && !first ? fixed : args[1 - shift];
            z = a.count == 2 && !first ? fixed : a.count >= 2 ? args[2 - shift] : none();
            w = a.count == 3 ? (first ? args[2] : fixed) : none();
            break;
        }
        default: {
            const i64 times = int_of(s, parts[1]);
            TRY(s)
            x = state == 0 ? s.frame()[a.parameters] : value;
            done = (i64)state >= times;
            value = x;
            function = parts[0];
            if (!done) {
                work(s, 1);
            }
            break;
        }
        }
        TRY(s)
        if (done) {
            leave_frame(m, a.parameters);
            end(m, a, value);
            return value;
        }
        if (on_arguments) {
            const Value *args = s.frame() + a.parameters;
            given = a.count;
            x = args[0];
            y = a.count > 1 ? args[1] : none();
            z = a.count > 2 ? args[2] : none();
            w = a.count > 3 ? args[3] : none();
        }
        state += 1;
        value = start_call(m, function, given, x, y, z, w);
        TRY(s)
        if (!is_answer(value)) {
            change(m, place, [&](Activation &own) {
                own.state = state;
                own.held = held;
            });
            return value;
        }
    }
}

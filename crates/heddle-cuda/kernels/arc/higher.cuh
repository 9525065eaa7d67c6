// Primitives that call functions (compact/higher.rs, and those of containers.rs that
// take a key). All functions are warp functions.
#pragma once
#include "each.cuh"
#include "pairs.cuh"
#include "sort.cuh"

// A callable of parts.
APART Value higher_build(Space s, unsigned builder, Value x, Value y, Value z) {
    if ((builder == Prim_Lbind || builder == Prim_Rbind) && !is_function(x)) {
        return fail_kind(s, Noun_Function, x);
    }
    if (builder == Prim_Power) {
        const i64 times = int_of(s, y);
        TRY(s)
        if (times <= 0) {
            return fail_range(s, Noun_PowerBelowOne);
        }
        if (times == 1) {
            return x;
        }
    }
    const Value parts[3] = {x, y, z};
    return built(s, builder, parts, PRIM_ARITY[builder]);
}

// Pushes the values from `base` on once more.
INLINE void push_again(Space s, unsigned base, unsigned count) {
    const unsigned copy = raw_stack(s, count);
    if (s->fault == 0) {
#pragma unroll 1
        for (unsigned k = s.lane(); k < count; k += 32) {
            s.stack()[copy + k] = s.stack()[base + k];
        }
    }
    __syncwarp();
}

// Keeps those of `count` elements from `base` on whose companion, as far behind, is
// true; they stay on the stack and nothing after them.
APART void keep_true(Space s, unsigned base, unsigned count) {
    unsigned kept = base;
#pragma unroll 1
    for (unsigned from = 0; from < count; from += 32) {
        const unsigned mine = base + from + s.lane();
        const bool inside = from + s.lane() < count;
        const bool wanted = inside && truth(s.stack()[mine + count]);
        const Value element = inside ? s.stack()[mine] : none();
        const unsigned votes = ballot(wanted);
        if (wanted) {
            s.stack()[kept + __popc(votes & ((1u << s.lane()) - 1))] = element;
        }
        __syncwarp();
        kept += (unsigned)__popc(votes);
    }
    truncate(s, kept);
}

// Whether the functions of a primitive are called by `begin_each`; lane.
INLINE bool goes_by_each(unsigned prim) {
    switch (prim) {
    case Prim_Rapply: case Prim_Papply: case Prim_Mpapply: case Prim_Prapply: case Prim_Extract:
        return false;
    default:
        return true;
    }
}

APART bool start_higher(Machine m, unsigned prim, Value x, Value y, Value z, Value &out) {
    const Space s = m.s;
    work(s, 1);
    if (s->fault != 0) {
        return true;
    }
    switch (prim) {
    case Prim_Compose: case Prim_Chain: case Prim_Matcher: case Prim_Fork: case Prim_Lbind:
    case Prim_Rbind: case Prim_Power:
        out = higher_build(s, prim, x, y, z);
        return true;
    case Prim_Mapply:
        if (x.tag() == PRIM && y.tag() == MASK && lines_dilated(s, x.x, mask_in(y), out)) {
            return true;
        }
        break;
    case Prim_Prapply:
        if (x.tag() == PRIM && y.tag() == MASK && z.tag() == MASK) {
            const bool same = y.x == z.x && y.y == z.y && y.box() == z.box();
            const bool known =
                x.x == Prim_Add ? pairs_sums(s, mask_in(y), mask_in(z), out)
                                : x.x == Prim_Connect && same && pairs_segments(s, mask_in(y), out);
            if (known) {
                return true;
            }
        }
        break;
    default: break;
    }
    if (s->fault != 0) {
        return true;
    }
    Activation a = begun(DOING_HIGHER);
    a.prim = prim;
    const bool function_first = prim == Prim_Apply || prim == Prim_Mapply ||
                                prim == Prim_Papply || prim == Prim_Mpapply ||
                                prim == Prim_Prapply;
    a.function = function_first ? x : y;
    a.model = function_first ? y : x;
    a.held = z;
    a.base = spread(s, a.model);
    if (s->fault != 0) {
        return true;
    }
    a.at = a.base;
    a.end = s->stack_len;
    a.count = a.end - a.base;
    if (goes_by_each(prim)) {
        const bool in_place = prim == Prim_Apply || prim == Prim_Mapply;
        if (!in_place) {
            push_again(s, a.base, a.count);
        }
        if (s->fault == 0) {
            begin(m, a);
        }
        if (s->fault == 0) {
            begin_each(m, a.function, in_place ? a.base : a.end,
                       in_place ? a.end : a.end + a.count);
        }
        return s->fault != 0;
    }
    if (prim == Prim_Papply || prim == Prim_Mpapply || prim == Prim_Prapply) {
        // `at` is the left place, `element` the right one, `end` where the right begins,
        // `count` where the answers begin.
        a.end = spread(s, z);
        if (s->fault != 0) {
            return true;
        }
        a.count = s->stack_len;
        a.element = a.end;
    }
    begin(m, a);
    return s->fault != 0;
}

// The scan rule with a key: the chosen element and its key, `false` if there is none.
APART bool scan(Space s, const Activation &a, bool largest, Value &element, Value &key) {
#pragma unroll 1
    for (unsigned k = 0; k < a.count; k += 1) {
        const Value value = s.stack()[a.end + k];
        bool better = k == 0;
        if (!better) {
            better = largest ? greater(s, value, key) : greater(s, key, value);
            TRY_OR(s, false)
        }
        if (better) {
            element = s.stack()[a.base + k];
            key = value;
        }
    }
    truncate(s, a.base);
    return a.count > 0;
}

// `order` when its keys are there.
APART Value ordered(Space s, const Activation &a) {
    const unsigned count = a.count;
    work(s, (u64)count * (32 - __clz((int)(count > 0 ? count : 1))));
    TRY(s)
    sort_keyed(s, s.stack() + a.end, s.stack() + a.base, count);
    TRY(s)
#pragma unroll 1
    for (unsigned k = 1; k < count; k += 1) {
        greater(s, s.stack()[a.end + k - 1], s.stack()[a.end + k]);
        TRY(s)
    }
    truncate(s, a.end);
    return tuple_from(s, a.base);
}

// What a primitive makes of the answers `begin_each` has left on the stack. `false` if
// it has one more call to make.
APART bool after_each(Machine m, Activation &a, Value &value) {
    const Space s = m.s;
    Value element = none(), key = none();
    switch (a.prim) {
    case Prim_Apply: value = like_from(s, a.model, a.base); return true;
    case Prim_Mapply: value = merge_from(s, a.model, a.base); return true;
    case Prim_Sfilter:
        keep_true(s, a.base, a.count);
        if (s->stack_len == a.end) {
            truncate(s, a.base);
            value = a.model;
            return true;
        }
        if (a.model.tag() == SET && s->stack_len > a.base) {
            // A subset of a general set could fit a compact form only if it is of
            // locations or cells.
            const unsigned first = s.stack()[a.base].tag();
            if (first != PAIR && first != CELL) {
                value = sorted_set(s, a.base);
                return true;
            }
        }
        value = like_from(s, a.model, a.base);
        return true;
    case Prim_Mfilter:
        keep_true(s, a.base, a.count);
        value = merge_from(s, a.model, a.base);
        return true;
    case Prim_Order: value = ordered(s, a); return true;
    case Prim_Argmax:
    case Prim_Argmin: {
        const bool found = scan(s, a, a.prim == Prim_Argmax, element, key);
        if (!found && s->fault == 0) {
            fail_empty(s, Noun_Container);
        }
        value = element;
        return true;
    }
    default:
        if (scan(s, a, a.prim == Prim_Valmax, element, key) || s->fault != 0) {
            value = key;
            return true;
        }
        return false;
    }
}

APART bool resume_higher(Machine m, bool answered, Value &value) {
    const Space s = m.s;
    const unsigned place = m.s->at.control_len - 1;
    Activation a = m.control()[place];
    if (goes_by_each(a.prim)) {
        // State 1: the key of nothing, which is that of zero.
        bool done = a.state == 1;
        if (!done) {
            done = after_each(m, a, value);
            if (!done && s->fault == 0) {
                a.state = 1;
                save(m, place, a);
                if (!start_call_one(m, a.function, integer(0), value)) {
                    return false;
                }
                done = true;
            }
        }
        if (s->fault == 0) {
            end(m, a, value);
        }
        return true;
    }
    while (true) {
        bool done = false;
        if (answered) {
            switch (a.prim) {
            case Prim_Extract:
                if (truth(value)) {
                    value = s.stack()[a.at];
                    truncate(s, a.base);
                    end(m, a, value);
                    return true;
                }
                a.at += 1;
                break;
            case Prim_Rapply:
                put(s, a.at, value);
                a.at += 1;
                break;
            case Prim_Prapply:
                // Most pairs of a product have nothing in common.
                if (!is_empty_set(value) || a.state == 0) {
                    push(s, value);
                    a.state = is_empty_set(value) ? 1 : a.state;
                }
                a.element += 1;
                if (a.element == a.count) {
                    a.element = a.end;
                    a.at += 1;
                }
                break;
            default:
                push(s, value);
                a.at += 1;
                a.element += 1;
                break;
            }
            if (s->fault != 0) {
                return true;
            }
        }
        Value function = a.function, x = none(), y = none();
        unsigned given = 1;
        switch (a.prim) {
        case Prim_Extract:
            if (a.at == a.end) {
                fail_missing(s, Noun_ElementConditionHoldsFor);
                return true;
            }
            x = s.stack()[a.at];
            break;
        case Prim_Rapply:
            done = a.at == a.end;
            if (done) {
                value = like_from(s, a.model, a.base);
            } else {
                function = s.stack()[a.at];
                x = a.function;
            }
            break;
        case Prim_Prapply:
            given = 2;
            done = a.at == a.end || a.end == a.count;
            if (done) {
                value = set_from(s, a.count);
                truncate(s, a.base);
            } else {
                x = s.stack()[a.at];
                y = s.stack()[a.element];
            }
            break;
        default:
            given = 2;
            done = a.at == a.end || a.element == a.count;
            if (done) {
                value = a.prim == Prim_Papply ? tuple_from(s, a.count)
                                              : merge_from(s, empty_tuple(), a.count);
                truncate(s, a.base);
            } else {
                x = s.stack()[a.at];
                y = s.stack()[a.element];
            }
            break;
        }
        if (s->fault != 0) {
            return true;
        }
        if (done) {
            end(m, a, value);
            return true;
        }
        answered = start_call(m, function, given, x, y, none(), none(), value);
        if (s->fault != 0) {
            return true;
        }
        if (!answered) {
            save(m, place, a);
            return false;
        }
    }
}

// Goes on until everything that was started has its answer.
APART Value run(Machine m, bool answered, Value value) {
#pragma unroll 1
    while (m.s->fault == 0 && m.s->at.control_len > 0) {
        switch (m.control()[m.s->at.control_len - 1].activity) {
        case DOING_BODY: answered = resume_body(m, answered, value); break;
        case DOING_BUILT: answered = resume_built(m, answered, value); break;
        case DOING_HIGHER: answered = resume_higher(m, answered, value); break;
        case DOING_EACH: answered = resume_each(m, answered, value); break;
        default: answered = resume_columns(m, answered, value); break;
        }
    }
    if (m.s->fault != 0) {
        blame(m);
        m.s->at.control_len = 0;
    }
    return value;
}

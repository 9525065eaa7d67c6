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

APART Value start_higher(Machine m, unsigned prim, Value x, Value y, Value z) {
    const Space s = m.s;
    work(s, 1);
    TRY(s)
    Value out = none();
    switch (prim) {
    case Prim_Compose: case Prim_Chain: case Prim_Matcher: case Prim_Fork: case Prim_Lbind:
    case Prim_Rbind: case Prim_Power:
        return higher_build(s, prim, x, y, z);
    case Prim_Mapply:
        if (x.tag() == PRIM && y.tag() == MASK && lines_dilated(s, x.x, mask_in(y), out)) {
            return out;
        }
        break;
    case Prim_Prapply:
        if (x.tag() == PRIM && y.tag() == MASK && z.tag() == MASK) {
            const bool same = y.x == z.x && y.y == z.y && y.box() == z.box();
            const bool known =
                x.x == Prim_Add ? pairs_sums(s, mask_in(y), mask_in(z), out)
                                : x.x == Prim_Connect && same && pairs_segments(s, mask_in(y), out);
            if (known) {
                return out;
            }
        }
        break;
    default: break;
    }
    TRY(s)
    Activation a = begun(DOING_HIGHER);
    a.prim = prim;
    const bool function_first = prim == Prim_Apply || prim == Prim_Mapply ||
                                prim == Prim_Papply || prim == Prim_Mpapply ||
                                prim == Prim_Prapply;
    a.function = function_first ? x : y;
    a.model = function_first ? y : x;
    a.held = z;
    a.base = spread(s, a.model);
    TRY(s)
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
        return no_answer();
    }
    if (prim == Prim_Papply || prim == Prim_Mpapply || prim == Prim_Prapply) {
        // `at` is the left place, `element` the right one, `end` where the right begins,
        // `count` where the answers begin.
        a.end = spread(s, z);
        TRY(s)
        a.count = s->stack_len;
        a.element = a.end;
    }
    begin(m, a);
    return no_answer();
}

// The scan rule with a key: which of `count` keys from `keys` on is chosen.
APART unsigned scan(Space s, unsigned keys, unsigned count, bool largest) {
    unsigned best = 0;
    const auto key_at = [=](unsigned k) { return s.stack()[keys + k]; };
    if (count > 0 && extreme_number(s, count, largest, key_at, best)) {
        return best;
    }
    best = 0;
#pragma unroll 1
    for (unsigned k = 1; k < count; k += 1) {
        const Value value = s.stack()[keys + k], key = s.stack()[keys + best];
        if (largest ? greater(s, value, key) : greater(s, key, value)) {
            best = k;
        }
        TRY_OR(s, 0)
    }
    return best;
}

// `order` when its keys are there.
APART Value ordered(Space s, unsigned base, unsigned keys, unsigned count) {
    work(s, (u64)count * (32 - __clz((int)(count > 0 ? count : 1))));
    TRY(s)
    sort_keyed(s, s.stack() + keys, s.stack() + base, count);
    TRY(s)
    bool numbers = true;
#pragma unroll 1
    for (unsigned k = s.lane(); k < count; k += 32) {
        numbers = numbers && is_number(s.stack()[keys + k]);
    }
    // Numbers can be compared; whether others can, has to be tried.
    const unsigned tried = every_lane(numbers) ? 0 : count;
#pragma unroll 1
    for (unsigned k = 1; k < tried; k += 1) {
        greater(s, s.stack()[keys + k - 1], s.stack()[keys + k]);
        TRY(s)
    }
    truncate(s, keys);
    return tuple_from(s, base);
}

// What the topmost activation makes of the answers `begin_each` has left on the stack;
// no answer if it has one more call to make.
APART Value after_each(Machine m) {
    const Space s = m.s;
    const Activation &a = m.control()[s->at.control_len - 1];
    const unsigned prim = a.prim, base = a.base, end = a.end, count = a.count;
    const Value model = a.model;
    switch (prim) {
    case Prim_Apply: return like_from(s, model, base);
    case Prim_Mapply: return merge_from(s, model, base);
    case Prim_Sfilter:
        keep_true(s, base, count);
        if (s->stack_len == end) {
            truncate(s, base);
            return model;
        }
        if (model.tag() == SET && s->stack_len > base) {
            // A subset of a general set could fit a compact form only if it is of
            // locations or cells.
            const unsigned first = s.stack()[base].tag();
            if (first != PAIR && first != CELL) {
                return sorted_set(s, base);
            }
        }
        return like_from(s, model, base);
    case Prim_Mfilter:
        keep_true(s, base, count);
        return merge_from(s, model, base);
    case Prim_Order: return ordered(s, base, end, count);
    default: break;
    }
    const bool element = prim == Prim_Argmax || prim == Prim_Argmin;
    if (count == 0) {
        truncate(s, base);
        return element ? fail_empty(s, Noun_Container) : no_answer();
    }
    const unsigned best = scan(s, end, count, prim == Prim_Argmax || prim == Prim_Valmax);
    TRY(s)
    const Value chosen = s.stack()[(element ? base : end) + best];
    truncate(s, base);
    return chosen;
}

APART Value resume_higher(Machine m, Value value) {
    const Space s = m.s;
    const unsigned place = m.s->at.control_len - 1;
    const Activation &a = m.control()[place];
    if (goes_by_each(a.prim)) {
        // State 1: the key of nothing, which is that of zero.
        if (a.state == 0) {
            value = after_each(m);
            TRY(s)
            if (!is_answer(value)) {
                change(m, place, [](Activation &own) { own.state = 1; });
                value = start_call_one(m, a.function, integer(0));
                TRY(s)
                if (!is_answer(value)) {
                    return value;
                }
            }
        }
        end(m, a, value);
        return value;
    }
    unsigned at = a.at, element = a.element, state = a.state;
    while (true) {
        bool done = false;
        if (is_answer(value)) {
            switch (a.prim) {
            case Prim_Extract:
                if (truth(value)) {
                    value = s.stack()[at];
                    truncate(s, a.base);
                    end(m, a, value);
                    return value;
                }
                at += 1;
                break;
            case Prim_Rapply:
                put(s, at, value);
                at += 1;
                break;
            case Prim_Prapply:
                // Most pairs of a product have nothing in common.
                if (!is_empty_set(value) || state == 0) {
                    push(s, value);
                    state = is_empty_set(value) ? 1 : state;
                }
                element += 1;
                if (element == a.count) {
                    element = a.end;
                    at += 1;
                }
                break;
            default:
                push(s, value);
                at += 1;
                element += 1;
                break;
            }
            TRY(s)
        }
        Value function = a.function, x = none(), y = none();
        unsigned given = 1;
        switch (a.prim) {
        case Prim_Extract:
            if (at == a.end) {
                return fail_missing(s, Noun_ElementConditionHoldsFor);
            }
            x = s.stack()[at];
            break;
        case Prim_Rapply:
            done = at == a.end;
            if (done) {
                value = like_from(s, a.model, a.base);
            } else {
                function = s.stack()[at];
                x = a.function;
            }
            break;
        case Prim_Prapply:
            given = 2;
            done = at == a.end || a.end == a.count;
            if (done) {
                value = set_from(s, a.count);
                truncate(s, a.base);
            } else {
                x = s.stack()[at];
                y = s.stack()[element];
            }
            break;
        default:
            given = 2;
            done = at == a.end || element == a.count;
            if (done) {
                value = a.prim == Prim_Papply ? tuple_from(s, a.count)
                                              : merge_from(s, empty_tuple(), a.count);
                truncate(s, a.base);
            } else {
                x = s.stack()[at];
                y = s.stack()[element];
            }
            break;
        }
        TRY(s)
        if (done) {
            end(m, a, value);
            return value;
        }
        value = start_call(m, function, given, x, y, none(), none());
        TRY(s)
        if (!is_answer(value)) {
            change(m, place, [&](Activation &own) {
                own.at = at;
                own.element = element;
                own.state = state;
            });
            return value;
        }
    }
}

// Goes on until everything that was started has its answer.
APART Value run(Machine m, Value value) {
#pragma unroll 1
    while (m.s->fault == 0 && m.s->at.control_len > 0) {
        switch (m.control()[m.s->at.control_len - 1].activity) {
        case DOING_BODY: value = resume_body(m, value); break;
        case DOING_BUILT: value = resume_built(m, value); break;
        case DOING_HIGHER: value = resume_higher(m, value); break;
        case DOING_EACH: value = resume_each(m, value); break;
        default: value = resume_columns(m, value); break;
        }
    }
    if (m.s->fault != 0) {
        blame(m);
        m.s->at.control_len = 0;
    }
    return value;
}

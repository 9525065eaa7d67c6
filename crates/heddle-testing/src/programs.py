# Programs for the tests of heddle-arc, chosen by name.


def solve_largest(I):
    x1 = objects(I, T, F, T)
    x2 = argmax(x1, size)
    O = subgrid(x2, I)
    return O


def solve_largest_turned(I):
    x1 = objects(I, T, F, T)
    x2 = argmax(x1, size)
    x3 = subgrid(x2, I)
    x4 = hmirror(x3)
    O = rot90(x4)
    return O


def solve_modes(I):
    x1 = objects(I, T, T, T)
    x2 = objects(I, F, F, T)
    x3 = size(x1)
    x4 = size(x2)
    x5 = astuple(x3, x4)
    O = canvas(FIVE, x5)
    return O


def solve_closures(I):
    x1 = lbind(lbind, shift)
    x2 = rbind(compose, invert)
    x3 = chain(x2, x1, asobject)
    x4 = x3(I)
    x5 = fork(add, identity, double)
    x6 = compose(x4, x5)
    x7 = asindices(I)
    x8 = apply(x6, x7)
    x9 = merge(x8)
    O = paint(I, x9)
    return O


def solve_functions(I):
    x1 = initset(hmirror)
    x2 = insert(vmirror, x1)
    x3 = insert(identity, x2)
    x4 = rapply(x3, I)
    x5 = power(rot90, THREE)
    x6 = apply(x5, x4)
    x7 = totuple(x6)
    O = merge(x7)
    return O


def solve_dead(I):
    x1 = first(ZERO)
    O = rot90(I)
    return O


def solve_powers(I):
    x1 = height(I)
    x2 = increment(x1)
    x3 = power(trim, x2)
    O = x3(I)
    return O


def solve_samples(S, I, C):
    x1 = apply(first, S)
    x2 = apply(mostcolor, x1)
    x3 = mostcommon(x2)
    x4 = lbind(replace, I)
    x5 = rbind(x4, x3)
    O = x5(F9)
    return O


def solve_wrong_arity(I):
    x1 = lbind(identity, ONE)
    O = x1(I)
    return O


def solve_mirror(I):
    x1 = hmirror(I)
    O = vconcat(I, x1)
    return O


def solve_faulty(I):
    x1 = ofcolor(I, TEN)
    O = subgrid(x1, I)
    return O


def solve_lines(I):
    x1 = ofcolor(I, ONE)
    x2 = prapply(connect, x1, x1)
    x3 = mfilter(x2, hline)
    O = fill(I, FIVE, x3)
    return O


def solve_grows(I):
    x1 = upscale(I, TEN)
    x2 = upscale(x1, TEN)
    O = upscale(x2, TEN)
    return O


def solve_odd(I):
    x1 = canvas(TEN, UNITY)
    x2 = multiply(TEN, TEN)
    x3 = replace(x1, TEN, x2)
    x4 = upscale(x3, THREE)
    O = hconcat(x4, I)
    return O


def solve_boxes(I):
    x1 = objects(I, T, F, T)
    x2 = mapply(box, x1)
    O = underfill(I, FIVE, x2)
    return O


def solve_closed(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ZERO)
    x3 = rbind(bordering, I)
    x4 = compose(flip, x3)
    x5 = mfilter(x2, x4)
    O = fill(I, FOUR, x5)
    return O


def solve_cells(I):
    x1 = asobject(I)
    x2 = compose(positive, first)
    x3 = sfilter(x1, x2)
    x4 = shift(x3, UNITY)
    O = paint(I, x4)
    return O


def solve_objects(I):
    x1 = objects(I, F, T, T)
    x2 = compose(invert, size)
    x3 = order(x1, x2)
    x4 = first(x3)
    x5 = lbind(shift, x4)
    x6 = asindices(I)
    x7 = mapply(x5, x6)
    O = paint(I, x7)
    return O


def solve_shapes(I):
    x1 = hmirror(I)
    x2 = hconcat(I, x1)
    x3 = vmirror(x2)
    x4 = vconcat(x2, x3)
    x5 = upscale(x4, TWO)
    x6 = palette(x5)
    x7 = size(x6)
    x8 = ofcolor(x5, ONE)
    O = fill(x5, x7, x8)
    return O


def solve_rays(I):
    x1 = ofcolor(I, ONE)
    x2 = rbind(shoot, RIGHT)
    x3 = rbind(shoot, UNITY)
    x4 = fork(combine, x2, x3)
    x5 = mapply(x4, x1)
    x6 = matcher(first, ONE)
    x7 = compose(flip, x6)
    x8 = sfilter(x5, x7)
    O = underfill(I, FIVE, x8)
    return O

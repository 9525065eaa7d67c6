# Heddle: programs for ARC training tasks whose names begin with 3.
#
# Written for this project in the language of heddle-arc, one function for each
# task, in the order of their names; none depends on another. Each solves every
# train and test pair of its task. The tasks themselves (Apache-2.0) are not part
# of this repository. Licence: MIT OR Apache-2.0, like the rest of it.
#
# Run them:  heddle arc eval --data DATA --programs programs/*.py

# keep only the unique pixel and ring it with 2
def solve_31aa019c(I):
    x1 = merge(I)
    x2 = leastcommon(x1)
    x3 = ofcolor(I, x2)
    x4 = shape(I)
    x5 = canvas(ZERO, x4)
    x6 = toobject(x3, I)
    x7 = paint(x5, x6)
    x8 = outbox(x3)
    O = fill(x7, TWO, x8)
    return O


# 8 shapes are replaced by the coloured pattern, which moves away
def solve_321b1fc6(I):
    x1 = objects(I, T, F, T)
    x2 = colorfilter(x1, EIGHT)
    x3 = difference(x1, x2)
    x4 = merge(x3)
    x5 = cover(I, x4)
    x6 = normalize(x4)
    x7 = lbind(shift, x6)
    x8 = apply(ulcorner, x2)
    x9 = mapply(x7, x8)
    O = paint(x5, x9)
    return O


# inside the box of the 8s, 1 turns to 3
def solve_32597951(I):
    x1 = ofcolor(I, EIGHT)
    x2 = delta(x1)
    x3 = ofcolor(I, ONE)
    x4 = intersection(x2, x3)
    O = fill(I, THREE, x4)
    return O


# the covering block goes away and the figure is completed by its mirror axis
def solve_3345333e(I):
    x1 = fgpartition(I)
    x2 = fork(equality, toindices, backdrop)
    x3 = extract(x1, x2)
    x4 = other(x1, x3)
    x5 = toindices(x4)
    x6 = toindices(x3)
    x7 = combine(x5, x6)
    x8 = vmirror(x4)
    x9 = toindices(x8)
    x10 = lbind(shift, x9)
    x11 = compose(x10, tojvec)
    x12 = invert(TEN)
    x13 = interval(x12, TEN, ONE)
    x14 = rbind(difference, x7)
    x15 = compose(x14, x11)
    x16 = compose(flip, x15)
    x17 = sfilter(x13, x16)
    x18 = lbind(intersection, x5)
    x19 = compose(x18, x11)
    x20 = compose(size, x19)
    x21 = argmax(x17, x20)
    x22 = cover(I, x3)
    x23 = color(x4)
    x24 = x11(x21)
    O = fill(x22, x23, x24)
    return O


# exclusive or of the two halves
def solve_3428a4f5(I):
    x1 = tophalf(I)
    x2 = bottomhalf(I)
    x3 = cellwise(x1, x2, THREE)
    O = replace(x3, TWO, ZERO)
    return O


# every 1 drops two rows
def solve_3618c87e(I):
    x1 = replace(I, ONE, ZERO)
    x2 = ofcolor(I, ONE)
    x3 = shift(x2, TWO_BY_ZERO)
    O = fill(x1, ONE, x3)
    return O


# restore the covered parts of a symmetric carpet
def solve_3631a71a(I):
    x1 = asobject(I)
    x2 = ofcolor(I, NINE)
    x3 = recolor(NINE, x2)
    x4 = difference(x1, x3)
    x5 = dmirror(x4)
    x6 = combine(x4, x5)
    x7 = hmirror(x6)
    x8 = shift(x7, TWO_BY_ZERO)
    x9 = combine(x6, x8)
    x10 = vmirror(x9)
    x11 = shift(x10, ZERO_BY_TWO)
    x12 = combine(x9, x11)
    O = paint(I, x12)
    return O


# copy the 3x3 pattern around every 1
def solve_363442ee(I):
    x1 = crop(I, ORIGIN, THREE_BY_THREE)
    x2 = asobject(x1)
    x3 = lbind(shift, x2)
    x4 = compose(x3, decrement)
    x5 = ofcolor(I, ONE)
    x6 = mapply(x4, x5)
    O = paint(I, x6)
    return O


# turned and mirrored copies of the model are completed from their 2 and 4 cells
def solve_36d67576(I):
    x1 = objects(I, F, T, T)
    x2 = argmax(x1, numcolors)
    x3 = initset(identity)
    x4 = insert(hmirror, x3)
    x5 = insert(vmirror, x3)
    x6 = insert(dmirror, x3)
    x7 = prapply(compose, x4, x5)
    x8 = prapply(compose, x7, x6)
    x9 = rapply(x8, x2)
    x10 = initset(FOUR)
    x11 = insert(TWO, x10)
    x12 = rbind(contained, x11)
    x13 = compose(x12, first)
    x14 = rbind(sfilter, x13)
    x15 = lbind(lbind, shift)
    x16 = chain(invert, ulcorner, x14)
    x17 = fork(shift, identity, x16)
    x18 = compose(x15, x17)
    x19 = lbind(occurrences, I)
    x20 = compose(x19, x14)
    x21 = fork(mapply, x18, x20)
    x22 = mapply(x21, x9)
    O = paint(I, x22)
    return O


# gaps inside each loose group of 2s are filled with 4
def solve_36fdfd69(I):
    x1 = ofcolor(I, TWO)
    x2 = shift(x1, RIGHT)
    x3 = combine(x1, x2)
    x4 = shape(I)
    x5 = canvas(ZERO, x4)
    x6 = shift(x3, DOWN)
    x7 = combine(x3, x6)
    x8 = fill(x5, ONE, x7)
    x9 = objects(x8, T, T, F)
    x10 = colorfilter(x9, ONE)
    x11 = lbind(intersection, x1)
    x12 = compose(x11, toindices)
    x13 = compose(delta, x12)
    x14 = mapply(x13, x10)
    O = fill(I, FOUR, x14)
    return O


# 2 bars rise until they touch
def solve_3906de3d(I):
    x1 = compose(invert, positive)
    x2 = rbind(order, x1)
    x3 = dmirror(I)
    x4 = apply(x2, x3)
    O = dmirror(x4)
    return O


# crop the shape that occurs most often
def solve_39a8645d(I):
    x1 = objects(I, T, T, T)
    x2 = totuple(x1)
    x3 = apply(normalize, x2)
    x4 = mostcommon(x3)
    x5 = shape(x4)
    x6 = canvas(ZERO, x5)
    O = paint(x6, x4)
    return O


# on the lattice of rooms the complete flower is copied to every lonely heart
def solve_39e1d7f9(I):
    x1 = frontiers(I)
    x2 = sfilter(x1, vline)
    x3 = valmin(x2, leftmost)
    x4 = increment(x3)
    x5 = downscale(I, x4)
    x6 = objects(x5, F, T, T)
    x7 = argmax(x6, size)
    x8 = center(x7)
    x9 = index(x5, x8)
    x10 = invert(x8)
    x11 = shift(x7, x10)
    x12 = lbind(shift, x11)
    x13 = ofcolor(x5, x9)
    x14 = mapply(x12, x13)
    x15 = paint(x5, x14)
    x16 = upscale(x15, x4)
    x17 = shape(I)
    x18 = crop(x16, ORIGIN, x17)
    x19 = merge(x1)
    x20 = color(x19)
    O = fill(x18, x20, x19)
    return O


# the missing corner of every L becomes 1
def solve_3aa6fb7a(I):
    x1 = objects(I, T, F, T)
    x2 = mapply(delta, x1)
    O = fill(I, ONE, x2)
    return O


# every top pixel zigzags downwards
def solve_3ac3eb23(I):
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = shift(x2, UNITY)
    x4 = shift(x2, DOWN_LEFT)
    x5 = combine(x3, x4)
    x6 = combine(x2, x5)
    x7 = height(I)
    x8 = interval(ZERO, x7, TWO)
    x9 = apply(toivec, x8)
    x10 = lbind(shift, x6)
    x11 = mapply(x10, x9)
    O = paint(I, x11)
    return O


# mirror to the right and then below
def solve_3af2c5a8(I):
    x1 = vmirror(I)
    x2 = hconcat(I, x1)
    x3 = hmirror(x2)
    O = vconcat(x2, x3)
    return O


# from the foot of the wall a diagonal of 2 and a floor of 4
def solve_3bd67248(I):
    x1 = asindices(I)
    x2 = llcorner(x1)
    x3 = add(x2, UP_RIGHT)
    x4 = shoot(x3, UP_RIGHT)
    x5 = fill(I, TWO, x4)
    x6 = add(x2, RIGHT)
    x7 = shoot(x6, RIGHT)
    O = fill(x5, FOUR, x7)
    return O


# punch every second cell of the middle row of each bar
def solve_3bdb4ada(I):
    x1 = chain(initset, increment, uppermost)
    x2 = rbind(interval, TWO)
    x3 = compose(increment, leftmost)
    x4 = fork(x2, x3, rightmost)
    x5 = fork(product, x1, x4)
    x6 = objects(I, T, F, T)
    x7 = mapply(x5, x6)
    O = fill(I, ZERO, x7)
    return O


# frame and core swap colours and the frame colour grows outwards by the core width
def solve_3befdf3e(I):
    x1 = objects(I, F, F, T)
    x2 = merge(x1)
    x3 = mostcolor(x2)
    x4 = leastcolor(x2)
    x5 = rbind(subtract, TWO)
    x6 = compose(x5, width)
    x7 = dneighbors(ORIGIN)
    x8 = rbind(apply, x7)
    x9 = lbind(lbind, multiply)
    x10 = compose(x9, x6)
    x11 = compose(x8, x10)
    x12 = lbind(lbind, shift)
    x13 = compose(x12, backdrop)
    x14 = fork(mapply, x13, x11)
    x15 = mapply(x14, x1)
    x16 = switch(I, x3, x4)
    O = underfill(x16, x3, x15)
    return O


# turn by a half turn
def solve_3c9b0459(I):
    O = rot180(I)
    return O


# take what lies between the four markers, in the marker colour
def solve_3de23699(I):
    x1 = fgpartition(I)
    x2 = sizefilter(x1, FOUR)
    x3 = fork(equality, corners, toindices)
    x4 = extract(x2, x3)
    x5 = color(x4)
    x6 = subgrid(x4, I)
    x7 = trim(x6)
    x8 = palette(I)
    x9 = remove(ZERO, x8)
    x10 = other(x9, x5)
    O = replace(x7, x10, x5)
    return O


# models are copied to lonely pixels: 3 as it is, 2 mirrored
def solve_3e980e27(I):
    x1 = objects(I, F, T, T)
    x2 = sizefilter(x1, ONE)
    x3 = difference(x1, x2)
    x4 = lbind(contained, TWO)
    x5 = compose(x4, palette)
    x6 = sfilter(x3, x5)
    x7 = difference(x3, x6)
    x8 = matcher(first, TWO)
    x9 = rbind(sfilter, x8)
    x10 = compose(ulcorner, x9)
    x11 = matcher(first, THREE)
    x12 = rbind(sfilter, x11)
    x13 = compose(ulcorner, x12)
    x14 = compose(invert, x10)
    x15 = fork(shift, identity, x14)
    x16 = compose(invert, x13)
    x17 = fork(shift, identity, x16)
    x18 = colorfilter(x2, TWO)
    x19 = apply(ulcorner, x18)
    x20 = colorfilter(x2, THREE)
    x21 = apply(ulcorner, x20)
    x22 = rbind(mapply, x19)
    x23 = lbind(lbind, shift)
    x24 = compose(x15, vmirror)
    x25 = compose(x23, x24)
    x26 = compose(x22, x25)
    x27 = rbind(mapply, x21)
    x28 = compose(x23, x17)
    x29 = compose(x27, x28)
    x30 = mapply(x26, x6)
    x31 = paint(I, x30)
    x32 = mapply(x29, x7)
    O = paint(x31, x32)
    return O


# the largest black rectangle at least two rows high becomes 6
def solve_3eda0437(I):
    x1 = interval(TWO, SIX, ONE)
    x2 = interval(TWO, TEN, ONE)
    x3 = product(x1, x2)
    x4 = lbind(canvas, ZERO)
    x5 = chain(asobject, x4, identity)
    x6 = apply(x5, x3)
    x7 = lbind(occurrences, I)
    x8 = sfilter(x6, x7)
    x9 = argmax(x8, size)
    x10 = occurrences(I, x9)
    x11 = toindices(x9)
    x12 = lbind(shift, x11)
    x13 = mapply(x12, x10)
    O = fill(I, SIX, x13)
    return O


# crop the part spanned by the 5 bars with their end pieces
def solve_3f7978a0(I):
    x1 = ofcolor(I, FIVE)
    x2 = ulcorner(x1)
    x3 = add(x2, UP)
    x4 = shape(x1)
    x5 = add(x4, TWO_BY_ZERO)
    O = crop(I, x3, x5)
    return O

# Heddle: programs for ARC training tasks whose names begin with 7.
#
# Written for this project in the language of heddle-arc, one function for each
# task, in the order of their names; none depends on another. Each solves every
# train and test pair of its task. The tasks themselves (Apache-2.0) are not part
# of this repository. Licence: MIT OR Apache-2.0, like the rest of it.
#
# Run them:  heddle arc eval --data DATA --programs programs/*.py

# incomplete patterns are completed after their two-coloured models
def solve_72322fa7(I):
    x1 = objects(I, F, T, T)
    x2 = matcher(numcolors, TWO)
    x3 = sfilter(x1, x2)
    x4 = lbind(matcher, first)
    x5 = compose(x4, mostcolor)
    x6 = fork(sfilter, identity, x5)
    x7 = compose(x4, leastcolor)
    x8 = fork(sfilter, identity, x7)
    x9 = lbind(lbind, shift)
    x10 = chain(invert, ulcorner, x6)
    x11 = fork(shift, identity, x10)
    x12 = compose(x9, x11)
    x13 = chain(invert, ulcorner, x8)
    x14 = fork(shift, identity, x13)
    x15 = compose(x9, x14)
    x16 = lbind(occurrences, I)
    x17 = compose(x16, x6)
    x18 = fork(mapply, x12, x17)
    x19 = compose(x16, x8)
    x20 = fork(mapply, x15, x19)
    x21 = fork(combine, x18, x20)
    x22 = mapply(x21, x3)
    O = paint(I, x22)
    return O


# crop the symmetric figure
def solve_72ca375d(I):
    x1 = objects(I, T, T, T)
    x2 = fork(equality, identity, vmirror)
    x3 = extract(x1, x2)
    O = subgrid(x3, I)
    return O


# restore a diagonal-symmetric carpet, the rest is copied along the diagonal
def solve_73251a56(I):
    x1 = compose(positive, first)
    x2 = rbind(sfilter, x1)
    x3 = compose(x2, asobject)
    x4 = x3(I)
    x5 = dmirror(x4)
    x6 = paint(I, x5)
    x7 = rbind(shift, UNITY)
    x8 = compose(x7, x3)
    x9 = fork(paint, identity, x8)
    x10 = fork(paint, x9, x3)
    x11 = power(x10, FOUR)
    O = x11(x6)
    return O


# pockets of the zigzag are filled with 4, every third one
def solve_7447852a(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ZERO)
    x3 = initset(NEG_ONE)
    x4 = insert(ZERO, x3)
    x5 = multiply(THREE, TEN)
    x6 = interval(FIVE, x5, SIX)
    x7 = combine(x4, x6)
    x8 = rbind(contained, x7)
    x9 = compose(x8, leftmost)
    x10 = mfilter(x2, x9)
    O = fill(I, FOUR, x10)
    return O


# crop and mirror
def solve_7468f01a(I):
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = subgrid(x2, I)
    O = vmirror(x3)
    return O


# one cell per stripe
def solve_746b3537(I):
    x1 = width(I)
    x2 = astuple(ONE, x1)
    x3 = crop(I, ORIGIN, x2)
    x4 = numcolors(x3)
    x5 = equality(x4, ONE)
    x6 = branch(x5, dmirror, identity)
    x7 = objects(I, T, F, F)
    x8 = order(x7, ulcorner)
    x9 = apply(color, x8)
    x10 = repeat(x9, ONE)
    O = x6(x10)
    return O


# transpose
def solve_74dd1130(I):
    O = dmirror(I)
    return O


# stack the four quarters in a fixed priority
def solve_75b8110e(I):
    x1 = tophalf(I)
    x2 = lefthalf(x1)
    x3 = compose(positive, first)
    x4 = bottomhalf(I)
    x5 = righthalf(x4)
    x6 = asobject(x5)
    x7 = sfilter(x6, x3)
    x8 = lefthalf(x4)
    x9 = asobject(x8)
    x10 = sfilter(x9, x3)
    x11 = righthalf(x1)
    x12 = asobject(x11)
    x13 = sfilter(x12, x3)
    x14 = paint(x2, x7)
    x15 = paint(x14, x10)
    O = paint(x15, x13)
    return O


# the 8 figure is mirrored to the side the 4 figure leans to
def solve_760b3cac(I):
    x1 = tojvec(THREE)
    x2 = crop(I, x1, THREE_BY_THREE)
    x3 = vmirror(x2)
    x4 = asobject(x3)
    x5 = index(I, THREE_BY_THREE)
    x6 = equality(x5, FOUR)
    x7 = branch(x6, ZERO, SIX)
    x8 = tojvec(x7)
    x9 = shift(x4, x8)
    O = paint(I, x9)
    return O


# figures like the one in the 5 frame take its colour
def solve_776ffc46(I):
    x1 = objects(I, T, F, T)
    x2 = colorfilter(x1, FIVE)
    x3 = fork(equality, toindices, box)
    x4 = sfilter(x2, x3)
    x5 = mapply(delta, x4)
    x6 = rbind(difference, x5)
    x7 = compose(x6, toindices)
    x8 = compose(flip, x7)
    x9 = sfilter(x1, x8)
    x10 = compose(normalize, toindices)
    x11 = lbind(mfilter, x1)
    x12 = lbind(matcher, x10)
    x13 = chain(x11, x12, x10)
    x14 = fork(recolor, color, x13)
    x15 = mapply(x14, x9)
    O = paint(I, x15)
    return O


# the 8 pattern is coloured by quarter with the corner colours
def solve_77fdfe62(I):
    x1 = trim(I)
    x2 = trim(x1)
    x3 = width(I)
    x4 = decrement(x3)
    x5 = downscale(I, x4)
    x6 = width(x2)
    x7 = halve(x6)
    x8 = upscale(x5, x7)
    x9 = ofcolor(x2, ZERO)
    O = fill(x8, ZERO, x9)
    return O


# one cell per noisy block
def solve_780d0b14(I):
    x1 = objects(I, T, T, T)
    x2 = rbind(greater, FIVE)
    x3 = compose(x2, size)
    x4 = sfilter(x1, x3)
    x5 = shape(I)
    x6 = canvas(ZERO, x5)
    x7 = fork(recolor, color, backdrop)
    x8 = mapply(x7, x4)
    x9 = paint(x6, x8)
    x10 = compress(x9)
    x11 = dedupe(x10)
    x12 = dmirror(x11)
    x13 = dedupe(x12)
    O = dmirror(x13)
    return O


# lattice cells whose four corner nodes agree show that colour
def solve_7837ac64(I):
    x1 = width(I)
    x2 = astuple(ONE, x1)
    x3 = crop(I, ORIGIN, x2)
    x4 = fgpartition(x3)
    x5 = merge(x4)
    x6 = leftmost(x5)
    x7 = astuple(x6, x6)
    x8 = shape(I)
    x9 = crop(I, x7, x8)
    x10 = increment(x6)
    x11 = downscale(x9, x10)
    x12 = tojvec(x6)
    x13 = index(I, x12)
    x14 = replace(x11, x13, ZERO)
    x15 = asobject(x14)
    x16 = compose(positive, first)
    x17 = sfilter(x15, x16)
    x18 = subgrid(x17, x14)
    x19 = crop(x18, ORIGIN, THREE_BY_THREE)
    x20 = crop(x18, RIGHT, THREE_BY_THREE)
    x21 = cellwise(x19, x20, ZERO)
    x22 = crop(x18, DOWN, THREE_BY_THREE)
    x23 = crop(x18, UNITY, THREE_BY_THREE)
    x24 = cellwise(x22, x23, ZERO)
    O = cellwise(x21, x24, ZERO)
    return O


# count the 1s as 2s in a fixed reading order
def solve_794b24be(I):
    x1 = ofcolor(I, ONE)
    x2 = size(x1)
    x3 = equality(x2, FOUR)
    x4 = branch(x3, THREE, x2)
    x5 = canvas(ZERO, THREE_BY_THREE)
    x6 = decrement(x4)
    x7 = tojvec(x6)
    x8 = connect(ORIGIN, x7)
    x9 = fill(x5, TWO, x8)
    x10 = branch(x3, UNITY, ORIGIN)
    x11 = initset(x10)
    O = fill(x9, TWO, x11)
    return O


# closed rooms 2, outside 3
def solve_7b6016b9(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ZERO)
    x3 = merge(x2)
    x4 = fill(I, TWO, x3)
    x5 = rbind(bordering, I)
    x6 = mfilter(x2, x5)
    O = fill(x4, THREE, x6)
    return O


# one half of the doubled picture
def solve_7b7f7511(I):
    x1 = asobject(I)
    x2 = vperiod(x1)
    x3 = hperiod(x1)
    x4 = astuple(x2, x3)
    O = crop(I, ORIGIN, x4)
    return O


# the 2x2 colour key colours the quarters of the pattern
def solve_7c008303(I):
    x1 = index(I, TWO_BY_ZERO)
    x2 = equality(x1, EIGHT)
    x3 = index(I, ZERO_BY_TWO)
    x4 = equality(x3, EIGHT)
    x5 = branch(x2, ZERO, SEVEN)
    x6 = branch(x4, ZERO, SEVEN)
    x7 = astuple(x5, x6)
    x8 = crop(I, x7, TWO_BY_TWO)
    x9 = branch(x2, THREE, ZERO)
    x10 = branch(x4, THREE, ZERO)
    x11 = astuple(x9, x10)
    x12 = astuple(SIX, SIX)
    x13 = crop(I, x11, x12)
    x14 = upscale(x8, THREE)
    x15 = ofcolor(x13, ZERO)
    O = fill(x14, ZERO, x15)
    return O


# diagonal tails grow to the border
def solve_7ddcd7ec(I):
    x1 = objects(I, T, F, T)
    x2 = sizefilter(x1, ONE)
    x3 = difference(x1, x2)
    x4 = first(x3)
    x5 = lbind(position, x4)
    x6 = fork(shoot, ulcorner, x5)
    x7 = color(x4)
    x8 = mapply(x6, x2)
    O = fill(I, x7, x8)
    return O


# constellations of 4 equal to the one in the plate get a plate too, in any orientation
def solve_7df24a62(I):
    x1 = ofcolor(I, ONE)
    x2 = subgrid(x1, I)
    x3 = trim(x2)
    x4 = replace(x3, ONE, ZERO)
    x5 = asobject(x4)
    x6 = initset(identity)
    x7 = insert(hmirror, x6)
    x8 = insert(vmirror, x6)
    x9 = insert(dmirror, x6)
    x10 = prapply(compose, x7, x8)
    x11 = prapply(compose, x10, x9)
    x12 = rapply(x11, x5)
    x13 = lbind(lbind, shift)
    x14 = chain(backdrop, outbox, normalize)
    x15 = compose(x13, x14)
    x16 = lbind(occurrences, I)
    x17 = fork(mapply, x15, x16)
    x18 = mapply(x17, x12)
    O = underfill(I, ONE, x18)
    return O


# noise pixels join the rectangle they sit in, the others vanish
def solve_7e0986d6(I):
    x1 = leastcolor(I)
    x2 = palette(I)
    x3 = remove(ZERO, x2)
    x4 = other(x3, x1)
    x5 = rbind(colorcount, x4)
    x6 = rbind(toobject, I)
    x7 = chain(x5, x6, dneighbors)
    x8 = ofcolor(I, x1)
    x9 = rbind(greater, ONE)
    x10 = compose(x9, x7)
    x11 = sfilter(x8, x10)
    x12 = replace(I, x1, ZERO)
    O = fill(x12, x4, x11)
    return O


# only cells inside solid 2x2 blocks survive
def solve_7f4411dc(I):
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = color(x2)
    x4 = canvas(x3, TWO_BY_TWO)
    x5 = asobject(x4)
    x6 = lbind(shift, x5)
    x7 = occurrences(I, x5)
    x8 = mapply(x6, x7)
    x9 = shape(I)
    x10 = canvas(ZERO, x9)
    O = paint(x10, x8)
    return O


# four quarter turns put together
def solve_7fe24cdd(I):
    x1 = rot90(I)
    x2 = hconcat(I, x1)
    x3 = rot180(x2)
    O = vconcat(x2, x3)
    return O

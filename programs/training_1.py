# Heddle: programs for ARC training tasks whose names begin with 1.
#
# Written for this project in the language of heddle-arc, one function for each
# task, in the order of their names; none depends on another. Each solves every
# train and test pair of its task. The tasks themselves (Apache-2.0) are not part
# of this repository. Licence: MIT OR Apache-2.0, like the rest of it.
#
# Run them:  heddle arc eval --data DATA --programs programs/*.py

# tile the grid two by two and put 8 diagonally next to every coloured cell
def solve_10fcaaa3(I):
    x1 = hconcat(I, I)
    x2 = vconcat(x1, x1)
    x3 = fgpartition(x2)
    x4 = merge(x3)
    x5 = toindices(x4)
    x6 = mapply(ineighbors, x5)
    O = underfill(x2, EIGHT, x6)
    return O


# complete the five by five ornament to full symmetry
def solve_11852cab(I):
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = dmirror(x2)
    x4 = combine(x2, x3)
    x5 = hmirror(x4)
    x6 = combine(x4, x5)
    x7 = vmirror(x6)
    x8 = combine(x6, x7)
    O = paint(I, x8)
    return O


# count the rooms between separator lines: one cell per room
def solve_1190e5a7(I):
    x1 = frontiers(I)
    x2 = sfilter(x1, hline)
    x3 = size(x2)
    x4 = sfilter(x1, vline)
    x5 = size(x4)
    x6 = astuple(x3, x5)
    x7 = mostcolor(I)
    x8 = increment(x6)
    O = canvas(x7, x8)
    return O


# overlay the surroundings of all 5 cells in one 3x3
def solve_137eaa0f(I):
    x1 = rbind(toobject, I)
    x2 = compose(x1, neighbors)
    x3 = lbind(subtract, UNITY)
    x4 = fork(shift, x2, x3)
    x5 = ofcolor(I, FIVE)
    x6 = mapply(x4, x5)
    x7 = matcher(first, ZERO)
    x8 = compose(flip, x7)
    x9 = sfilter(x6, x8)
    x10 = canvas(ZERO, THREE_BY_THREE)
    x11 = paint(x10, x9)
    x12 = initset(UNITY)
    O = fill(x11, FIVE, x12)
    return O


# cover the figure exactly with 2x2 tiles of 8 and bars of three 2s
def solve_150deff5(I):
    x1 = multiply(TEN, FOUR)
    x2 = astuple(x1, x1)
    x3 = canvas(FIVE, TWO_BY_TWO)
    x4 = asobject(x3)
    x5 = astuple(ONE, THREE)
    x6 = canvas(FIVE, x5)
    x7 = asobject(x6)
    x8 = astuple(THREE, ONE)
    x9 = canvas(FIVE, x8)
    x10 = asobject(x9)
    x11 = canvas(SEVEN, UNITY)
    x12 = asobject(x11)
    x13 = initset(x12)
    x14 = insert(x10, x13)
    x15 = insert(x7, x14)
    x16 = insert(x4, x15)
    x17 = initset(x2)
    x18 = lbind(combine, x17)
    x19 = rbind(ofcolor, FIVE)
    x20 = chain(minimum, x18, x19)
    x21 = rbind(apply, x16)
    x22 = lbind(rbind, shift)
    x23 = compose(x22, x20)
    x24 = compose(x21, x23)
    x25 = shift(x12, x2)
    x26 = lbind(combine, x25)
    x27 = compose(x26, asobject)
    x28 = lbind(compose, flip)
    x29 = lbind(rbind, difference)
    x30 = chain(x28, x29, x27)
    x31 = fork(sfilter, x24, x30)
    x32 = lbind(add, TWO)
    x33 = lbind(multiply, SIX)
    x34 = compose(even, size)
    x35 = chain(x32, x33, x34)
    x36 = fork(recolor, x35, identity)
    x37 = rbind(compose, x36)
    x38 = lbind(lbind, paint)
    x39 = compose(x37, x38)
    x40 = fork(apply, x39, x31)
    x41 = lbind(mapply, x40)
    x42 = add(TEN, FIVE)
    x43 = power(x41, x42)
    x44 = initset(I)
    x45 = x43(x44)
    O = first(x45)
    return O


# 2s draw columns, then 1s and 3s draw rows over them
def solve_178fcbfb(I):
    x1 = ofcolor(I, TWO)
    x2 = mapply(vfrontier, x1)
    x3 = fill(I, TWO, x2)
    x4 = ofcolor(I, ONE)
    x5 = mapply(hfrontier, x4)
    x6 = fill(x3, ONE, x5)
    x7 = ofcolor(I, THREE)
    x8 = mapply(hfrontier, x7)
    O = fill(x6, THREE, x8)
    return O


# pixels fly to the line of their colour, others vanish
def solve_1a07d186(I):
    x1 = objects(I, T, F, T)
    x2 = sizefilter(x1, ONE)
    x3 = difference(x1, x2)
    x4 = lbind(fork, shift)
    x5 = lbind(x4, identity)
    x6 = lbind(rbind, gravitate)
    x7 = compose(x5, x6)
    x8 = lbind(colorfilter, x2)
    x9 = compose(x8, color)
    x10 = fork(mapply, x7, x9)
    x11 = mapply(x10, x3)
    x12 = merge(x2)
    x13 = cover(I, x12)
    O = paint(x13, x11)
    return O


# cells empty in both halves become 8
def solve_1b2d62fb(I):
    x1 = lefthalf(I)
    x2 = righthalf(I)
    x3 = cellwise(x1, x2, NINE)
    x4 = replace(x3, ZERO, EIGHT)
    O = replace(x4, NINE, ZERO)
    return O


# add the missing arm of a four-fold turning figure in colour 2
def solve_1b60fb0c(I):
    x1 = ofcolor(I, ONE)
    x2 = height(x1)
    x3 = uppermost(x1)
    x4 = rightmost(x1)
    x5 = increment(x4)
    x6 = subtract(x5, x2)
    x7 = astuple(x3, x6)
    x8 = astuple(x2, x2)
    x9 = crop(I, x7, x8)
    x10 = rot270(x9)
    x11 = ofcolor(x10, ONE)
    x12 = shift(x11, x7)
    O = underfill(I, TWO, x12)
    return O


# two pixels: each half is framed and lined in its pixel's colour
def solve_1bfc4729(I):
    x1 = width(I)
    x2 = decrement(x1)
    x3 = tojvec(x2)
    x4 = hfrontier(ORIGIN)
    x5 = hfrontier(TWO_BY_ZERO)
    x6 = combine(x4, x5)
    x7 = vfrontier(ORIGIN)
    x8 = vfrontier(x3)
    x9 = combine(x7, x8)
    x10 = combine(x6, x9)
    x11 = tophalf(I)
    x12 = bottomhalf(I)
    x13 = hmirror(x12)
    x14 = leastcolor(x11)
    x15 = fill(x11, x14, x10)
    x16 = leastcolor(x13)
    x17 = fill(x13, x16, x10)
    x18 = hmirror(x17)
    O = vconcat(x15, x18)
    return O


# take what is inside the big one-coloured frame
def solve_1c786137(I):
    x1 = objects(I, T, F, F)
    x2 = fork(equality, toindices, box)
    x3 = sfilter(x1, x2)
    x4 = argmax(x3, size)
    x5 = subgrid(x4, I)
    O = trim(x5)
    return O


# slide all blocks vertically to the level of the 1 block
def solve_1caeab9d(I):
    x1 = objects(I, T, T, T)
    x2 = ofcolor(I, ONE)
    x3 = lowermost(x2)
    x4 = lbind(subtract, x3)
    x5 = chain(toivec, x4, lowermost)
    x6 = fork(shift, identity, x5)
    x7 = mapply(x6, x1)
    x8 = merge(x1)
    x9 = cover(I, x8)
    O = paint(x9, x7)
    return O


# crop to the figure
def solve_1cf80156(I):
    x1 = fgpartition(I)
    x2 = merge(x1)
    O = subgrid(x2, I)
    return O


# all cells fall to the bottom of their column
def solve_1e0a9b12(I):
    x1 = rbind(order, positive)
    x2 = dmirror(I)
    x3 = apply(x1, x2)
    O = dmirror(x3)
    return O


# the full figure of the first room is completed in all rooms with the line colour
def solve_1e32b0e9(I):
    x1 = astuple(FIVE, FIVE)
    x2 = crop(I, ORIGIN, x1)
    x3 = fgpartition(x2)
    x4 = merge(x3)
    x5 = double(NINE)
    x6 = interval(ZERO, x5, SIX)
    x7 = toindices(x4)
    x8 = lbind(shift, x7)
    x9 = product(x6, x6)
    x10 = mapply(x8, x9)
    x11 = frontiers(I)
    x12 = merge(x11)
    x13 = mostcolor(x12)
    O = underfill(I, x13, x10)
    return O


# a 2x2 square shoots off diagonally towards its corners marked 2
def solve_1f0c79e5(I):
    x1 = objects(I, F, T, T)
    x2 = first(x1)
    x3 = palette(x2)
    x4 = other(x3, TWO)
    x5 = ulcorner(x2)
    x6 = rbind(subtract, x5)
    x7 = chain(decrement, double, x6)
    x8 = ofcolor(I, TWO)
    x9 = apply(x7, x8)
    x10 = interval(ZERO, TEN, ONE)
    x11 = prapply(multiply, x9, x10)
    x12 = toindices(x2)
    x13 = lbind(shift, x12)
    x14 = mapply(x13, x11)
    O = fill(I, x4, x14)
    return O


# pixels colour the facing edge cell of the block
def solve_1f642eb9(I):
    x1 = objects(I, T, F, T)
    x2 = argmax(x1, size)
    x3 = rbind(gravitate, x2)
    x4 = compose(crement, x3)
    x5 = fork(shift, identity, x4)
    x6 = remove(x2, x1)
    x7 = mapply(x5, x6)
    O = paint(I, x7)
    return O


# crop the only large object out of the noise
def solve_1f85a75f(I):
    x1 = objects(I, T, T, T)
    x2 = argmax(x1, size)
    O = subgrid(x2, I)
    return O


# pixels of one colour are joined by a diagonal
def solve_1f876c06(I):
    x1 = lbind(prapply, connect)
    x2 = fork(x1, toindices, toindices)
    x3 = compose(merge, x2)
    x4 = fork(recolor, color, x3)
    x5 = fgpartition(I)
    x6 = mapply(x4, x5)
    O = paint(I, x6)
    return O


# count the 2x2 blocks of 1 as a bar of five cells
def solve_1fad071e(I):
    x1 = objects(I, T, F, T)
    x2 = colorfilter(x1, ONE)
    x3 = sizefilter(x2, FOUR)
    x4 = size(x3)
    x5 = astuple(ONE, x4)
    x6 = canvas(ONE, x5)
    x7 = subtract(FIVE, x4)
    x8 = astuple(ONE, x7)
    x9 = canvas(ZERO, x8)
    O = hconcat(x6, x9)
    return O

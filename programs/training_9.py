# Heddle: programs for ARC training tasks whose names begin with 9.
#
# Written for this project in the language of heddle-arc, one function for each
# task, in the order of their names; none depends on another. Each solves every
# train and test pair of its task. The tasks themselves (Apache-2.0) are not part
# of this repository. Licence: MIT OR Apache-2.0, like the rest of it.
#
# Run them:  heddle arc eval --data DATA --programs programs/*.py

# one cell for each coloured field of the patchwork
def solve_90c28cc7(I):
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = subgrid(x2, I)
    x4 = dedupe(x3)
    x5 = rot90(x4)
    x6 = dedupe(x5)
    O = rot270(x6)
    return O


# broken off patterns are continued in blue after the model of the complete one
def solve_90f3ed37(I):
    x1 = objects(I, T, T, T)
    x2 = argmax(x1, size)
    x3 = toindices(x2)
    x4 = lbind(shift, x3)
    x5 = uppermost(x2)
    x6 = rbind(subtract, x5)
    x7 = compose(x6, uppermost)
    x8 = chain(x4, toivec, x7)
    x9 = invert(THREE)
    x10 = interval(TWO, x9, NEG_ONE)
    x11 = apply(tojvec, x10)
    x12 = rbind(apply, x11)
    x13 = lbind(lbind, shift)
    x14 = compose(x13, x8)
    x15 = compose(x12, x14)
    x16 = lbind(compose, size)
    x17 = lbind(lbind, intersection)
    x18 = compose(x17, toindices)
    x19 = compose(x16, x18)
    x20 = fork(argmax, x15, x19)
    x21 = remove(x2, x1)
    x22 = mapply(x20, x21)
    O = underfill(I, ONE, x22)
    return O


# each dot gets a ring, its colour depends on the dot
def solve_913fb3ed(I):
    x1 = ofcolor(I, THREE)
    x2 = mapply(neighbors, x1)
    x3 = fill(I, SIX, x2)
    x4 = ofcolor(I, EIGHT)
    x5 = mapply(neighbors, x4)
    x6 = fill(x3, FOUR, x5)
    x7 = ofcolor(I, TWO)
    x8 = mapply(neighbors, x7)
    O = fill(x6, ONE, x8)
    return O


# copies in reading order, one per coloured cell, on a square of panels as wide as there are empty cells
def solve_91413438(I):
    x1 = colorcount(I, ZERO)
    x2 = subtract(NINE, x1)
    x3 = canvas(ZERO, THREE_BY_THREE)
    x4 = dmirror(I)
    x5 = repeat(x4, x2)
    x6 = multiply(x1, x1)
    x7 = subtract(x6, x2)
    x8 = repeat(x3, x7)
    x9 = combine(x5, x8)
    x10 = merge(x9)
    x11 = vsplit(x10, x1)
    O = mapply(dmirror, x11)
    return O


# only the solid block survives the noise
def solve_91714a58(I):
    x1 = objects(I, T, F, T)
    x2 = argmax(x1, size)
    x3 = shift(x2, UP)
    x4 = intersection(x2, x3)
    x5 = shift(x2, LEFT)
    x6 = shift(x2, NEG_UNITY)
    x7 = intersection(x5, x6)
    x8 = intersection(x4, x7)
    x9 = shift(x8, DOWN)
    x10 = combine(x8, x9)
    x11 = shift(x8, RIGHT)
    x12 = shift(x8, UNITY)
    x13 = combine(x11, x12)
    x14 = combine(x10, x13)
    x15 = shape(I)
    x16 = canvas(ZERO, x15)
    O = paint(x16, x14)
    return O


# three times as large
def solve_9172f3a0(I):
    O = upscale(I, THREE)
    return O


# a frame just inside the four grey marks
def solve_928ad970(I):
    x1 = palette(I)
    x2 = remove(ZERO, x1)
    x3 = other(x2, FIVE)
    x4 = ofcolor(I, FIVE)
    x5 = inbox(x4)
    O = fill(I, x3, x5)
    return O


# each cell of the small square throws a block over the opposite corner
def solve_93b581b8(I):
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = lrcorner(x2)
    x4 = index(I, x3)
    x5 = crement(NEG_UNITY)
    x6 = shift(x2, x5)
    x7 = fill(I, x4, x6)
    x8 = llcorner(x2)
    x9 = index(I, x8)
    x10 = crement(UP_RIGHT)
    x11 = shift(x2, x10)
    x12 = fill(x7, x9, x11)
    x13 = urcorner(x2)
    x14 = index(I, x13)
    x15 = crement(DOWN_LEFT)
    x16 = shift(x2, x15)
    x17 = fill(x12, x14, x16)
    x18 = ulcorner(x2)
    x19 = index(I, x18)
    x20 = crement(UNITY)
    x21 = shift(x2, x20)
    O = fill(x17, x19, x21)
    return O


# first room blue, middle room red, last room green
def solve_941d9a10(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ZERO)
    x3 = astuple(FIVE, FIVE)
    x4 = astuple(ZERO, x3)
    x5 = lbind(contained, x4)
    x6 = extract(x2, x5)
    x7 = argmin(x2, ulcorner)
    x8 = fill(I, ONE, x7)
    x9 = argmax(x2, lrcorner)
    x10 = fill(x8, THREE, x9)
    O = fill(x10, TWO, x6)
    return O


# mark with red the cells empty in both halves
def solve_94f9d214(I):
    x1 = tophalf(I)
    x2 = ofcolor(x1, ZERO)
    x3 = bottomhalf(I)
    x4 = ofcolor(x3, ZERO)
    x5 = shape(x1)
    x6 = canvas(ZERO, x5)
    x7 = intersection(x4, x2)
    O = fill(x6, TWO, x7)
    return O


# the four cells in the corners of the box jump out over the opposite corner
def solve_952a094c(I):
    x1 = objects(I, T, F, T)
    x2 = argmax(x1, size)
    x3 = inbox(x2)
    x4 = outbox(x2)
    x5 = backdrop(x3)
    x6 = fill(I, ZERO, x5)
    x7 = lrcorner(x3)
    x8 = index(I, x7)
    x9 = ulcorner(x4)
    x10 = initset(x9)
    x11 = fill(x6, x8, x10)
    x12 = ulcorner(x3)
    x13 = index(I, x12)
    x14 = lrcorner(x4)
    x15 = initset(x14)
    x16 = fill(x11, x13, x15)
    x17 = urcorner(x3)
    x18 = index(I, x17)
    x19 = llcorner(x4)
    x20 = initset(x19)
    x21 = fill(x16, x18, x20)
    x22 = llcorner(x3)
    x23 = index(I, x22)
    x24 = urcorner(x4)
    x25 = initset(x24)
    O = fill(x21, x23, x25)
    return O


# keep the commonest colour, everything else becomes grey
def solve_9565186b(I):
    x1 = mostcolor(I)
    x2 = shape(I)
    x3 = canvas(FIVE, x2)
    x4 = ofcolor(I, x1)
    O = fill(x3, x1, x4)
    return O


# four different colours at the outer corners of each grey square
def solve_95990924(I):
    x1 = objects(I, T, F, T)
    x2 = sfilter(x1, square)
    x3 = apply(outbox, x2)
    x4 = apply(ulcorner, x3)
    x5 = fill(I, ONE, x4)
    x6 = apply(urcorner, x3)
    x7 = fill(x5, TWO, x6)
    x8 = apply(llcorner, x3)
    x9 = fill(x7, THREE, x8)
    x10 = apply(lrcorner, x3)
    O = fill(x9, FOUR, x10)
    return O


# continue the horizontal pattern to double width
def solve_963e52fc(I):
    x1 = asobject(I)
    x2 = hperiod(x1)
    x3 = height(I)
    x4 = astuple(x3, x2)
    x5 = crop(I, ORIGIN, x4)
    x6 = dmirror(x5)
    x7 = width(I)
    x8 = repeat(x6, x7)
    x9 = merge(x8)
    x10 = double(x7)
    x11 = astuple(x10, x3)
    x12 = crop(x9, ORIGIN, x11)
    O = dmirror(x12)
    return O


# every cell runs right, alternating with grey
def solve_97999447(I):
    x1 = asobject(I)
    x2 = sfilter(x1, first)
    x3 = rbind(shoot, RIGHT)
    x4 = compose(x3, last)
    x5 = fork(recolor, first, x4)
    x6 = width(I)
    x7 = interval(ONE, x6, TWO)
    x8 = apply(tojvec, x7)
    x9 = mapply(x5, x2)
    x10 = paint(I, x9)
    x11 = apply(last, x2)
    x12 = prapply(add, x11, x8)
    O = fill(x10, FIVE, x12)
    return O


# the keys are turned to fit the holes of the red plate
def solve_97a05b5b(I):
    x1 = objects(I, F, F, T)
    x2 = argmax(x1, size)
    x3 = subgrid(x2, I)
    x4 = remove(x2, x1)
    x5 = apply(normalize, x4)
    x6 = compose(hmirror, vmirror)
    x7 = initset(identity)
    x8 = insert(x6, x7)
    x9 = compose(cmirror, hmirror)
    x10 = compose(cmirror, vmirror)
    x11 = insert(x10, x8)
    x12 = insert(x9, x11)
    x13 = lbind(rapply, x12)
    x14 = mapply(x13, x5)
    x15 = matcher(first, TWO)
    x16 = rbind(sfilter, x15)
    x17 = compose(toindices, x16)
    x18 = lbind(mapply, neighbors)
    x19 = compose(x18, x17)
    x20 = fork(difference, x19, x17)
    x21 = lbind(recolor, ZERO)
    x22 = compose(x21, x17)
    x23 = lbind(recolor, TWO)
    x24 = compose(x23, x20)
    x25 = fork(combine, x22, x24)
    x26 = chain(invert, ulcorner, x25)
    x27 = fork(shift, identity, x26)
    x28 = lbind(lbind, shift)
    x29 = compose(x28, x27)
    x30 = lbind(occurrences, x3)
    x31 = compose(x30, x25)
    x32 = fork(mapply, x29, x31)
    x33 = mapply(x32, x14)
    O = paint(x3, x33)
    return O


# the block loses its tail and moves up to the other block
def solve_98cf29f8(I):
    x1 = fgpartition(I)
    x2 = compose(size, delta)
    x3 = extract(x1, x2)
    x4 = other(x1, x3)
    x5 = shift(x3, UP)
    x6 = intersection(x3, x5)
    x7 = shift(x3, LEFT)
    x8 = shift(x3, NEG_UNITY)
    x9 = intersection(x7, x8)
    x10 = intersection(x6, x9)
    x11 = shift(x10, DOWN)
    x12 = combine(x10, x11)
    x13 = shift(x10, RIGHT)
    x14 = shift(x10, UNITY)
    x15 = combine(x13, x14)
    x16 = combine(x12, x15)
    x17 = cover(I, x3)
    x18 = gravitate(x16, x4)
    x19 = shift(x16, x18)
    O = paint(x17, x19)
    return O


# each of three panels is named by a colour for the place of its hole
def solve_995c5fa3(I):
    x1 = rbind(multiply, SIX)
    x2 = rbind(index, UNITY)
    x3 = matcher(x2, ZERO)
    x4 = compose(x1, x3)
    x5 = rbind(index, DOWN)
    x6 = matcher(x5, ZERO)
    x7 = astuple(THREE, ONE)
    x8 = rbind(index, x7)
    x9 = matcher(x8, ZERO)
    x10 = compose(double, x9)
    x11 = rbind(add, TWO)
    x12 = fork(add, x6, x10)
    x13 = fork(add, x4, x12)
    x14 = compose(x11, x13)
    x15 = astuple(ONE, THREE)
    x16 = rbind(canvas, x15)
    x17 = compose(x16, x14)
    x18 = hsplit(I, THREE)
    O = mapply(x17, x18)
    return O


# mark with green the cells set in exactly one of the halves
def solve_99b1bc43(I):
    x1 = vsplit(I, TWO)
    x2 = first(x1)
    x3 = ofcolor(x2, ZERO)
    x4 = last(x1)
    x5 = ofcolor(x4, ZERO)
    x6 = difference(x3, x5)
    x7 = difference(x5, x3)
    x8 = combine(x6, x7)
    x9 = shape(x2)
    x10 = canvas(ZERO, x9)
    O = fill(x10, THREE, x8)
    return O


# each cell runs right to the border and then down along it
def solve_99fa7670(I):
    x1 = width(I)
    x2 = decrement(x1)
    x3 = asobject(I)
    x4 = sfilter(x3, first)
    x5 = compose(first, last)
    x6 = order(x4, x5)
    x7 = rbind(shoot, RIGHT)
    x8 = compose(x7, last)
    x9 = rbind(shoot, DOWN)
    x10 = rbind(astuple, x2)
    x11 = compose(x10, x5)
    x12 = compose(x9, x11)
    x13 = fork(combine, x8, x12)
    x14 = fork(recolor, first, x13)
    x15 = mapply(x14, x6)
    O = paint(I, x15)
    return O


# the figure is put into the frame, its cells take the colour of the nearest side
def solve_9aec4887(I):
    x1 = ofcolor(I, EIGHT)
    x2 = fgpartition(I)
    x3 = merge(x2)
    x4 = recolor(EIGHT, x1)
    x5 = difference(x3, x4)
    x6 = subgrid(x5, I)
    x7 = height(x6)
    x8 = decrement(x7)
    x9 = normalize(x1)
    x10 = shift(x9, UNITY)
    x11 = fork(add, first, last)
    x12 = fork(greater, last, first)
    x13 = sfilter(x10, x12)
    x14 = fork(greater, first, last)
    x15 = sfilter(x10, x14)
    x16 = lbind(greater, x8)
    x17 = compose(x16, x11)
    x18 = sfilter(x10, x17)
    x19 = rbind(greater, x8)
    x20 = compose(x19, x11)
    x21 = sfilter(x10, x20)
    x22 = fill(x6, EIGHT, x10)
    x23 = index(x6, RIGHT)
    x24 = intersection(x13, x18)
    x25 = fill(x22, x23, x24)
    x26 = index(x6, DOWN)
    x27 = intersection(x15, x18)
    x28 = fill(x25, x26, x27)
    x29 = astuple(x8, ONE)
    x30 = index(x6, x29)
    x31 = intersection(x15, x21)
    x32 = fill(x28, x30, x31)
    x33 = astuple(ONE, x8)
    x34 = index(x6, x33)
    x35 = intersection(x13, x21)
    O = fill(x32, x34, x35)
    return O


# column chart of the colour counts, biggest first, hanging from the top
def solve_9af7a82c(I):
    x1 = partition(I)
    x2 = compose(invert, size)
    x3 = order(x1, x2)
    x4 = first(x3)
    x5 = size(x4)
    x6 = lbind(astuple, ONE)
    x7 = compose(x6, size)
    x8 = fork(canvas, color, x7)
    x9 = lbind(canvas, ZERO)
    x10 = lbind(subtract, x5)
    x11 = compose(x10, size)
    x12 = chain(x9, x6, x11)
    x13 = fork(hconcat, x8, x12)
    x14 = mapply(x13, x3)
    O = dmirror(x14)
    return O


# complete the ornament of dotted frames in all four quarters
def solve_9d9215db(I):
    x1 = width(I)
    x2 = decrement(x1)
    x3 = asobject(I)
    x4 = sfilter(x3, first)
    x5 = halve(x2)
    x6 = rbind(subtract, x5)
    x7 = compose(x6, last)
    x8 = fork(multiply, x7, x7)
    x9 = compose(first, x8)
    x10 = compose(last, x8)
    x11 = fork(equality, x9, x10)
    x12 = compose(flip, x11)
    x13 = sfilter(x4, x12)
    x14 = tojvec(x2)
    x15 = rbind(add, x14)
    x16 = invert(UP_RIGHT)
    x17 = rbind(multiply, x16)
    x18 = compose(x15, x17)
    x19 = toivec(x2)
    x20 = rbind(add, x19)
    x21 = rbind(multiply, UP_RIGHT)
    x22 = compose(x20, x21)
    x23 = fork(connect, identity, x18)
    x24 = compose(x23, last)
    x25 = fork(connect, identity, x22)
    x26 = compose(x25, last)
    x27 = rbind(argmin, size)
    x28 = fork(astuple, x24, x26)
    x29 = compose(x27, x28)
    x30 = fork(recolor, first, x29)
    x31 = mapply(x30, x13)
    x32 = compose(even, first)
    x33 = compose(even, last)
    x34 = fork(either, x32, x33)
    x35 = chain(flip, x34, last)
    x36 = sfilter(x31, x35)
    x37 = paint(I, x36)
    x38 = vmirror(x37)
    x39 = asobject(x38)
    x40 = sfilter(x39, first)
    x41 = paint(x37, x40)
    x42 = hmirror(x41)
    x43 = asobject(x42)
    x44 = sfilter(x43, first)
    O = paint(x41, x44)
    return O


# transpose
def solve_9dfd6313(I):
    O = dmirror(I)
    return O


# what the hole in a symmetric picture must show
def solve_9ecd008a(I):
    x1 = ofcolor(I, ZERO)
    x2 = rot180(I)
    O = subgrid(x1, x2)
    return O


# black areas that touch a blue cell turn blue
def solve_9edfc990(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ZERO)
    x3 = ofcolor(I, ONE)
    x4 = rbind(adjacent, x3)
    x5 = mfilter(x2, x4)
    O = fill(I, ONE, x5)
    return O


# one cell per panel of the lattice, seen in the mirror
def solve_9f236235(I):
    x1 = frontiers(I)
    x2 = sfilter(x1, vline)
    x3 = valmin(x2, leftmost)
    x4 = compress(I)
    x5 = downscale(x4, x3)
    O = vmirror(x5)
    return O

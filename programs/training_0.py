# Heddle: programs for ARC training tasks whose names begin with 0.
#
# Written for this project in the language of heddle-arc, one function for each
# task, in the order of their names; none depends on another. Each solves every
# train and test pair of its task. The tasks themselves (Apache-2.0) are not part
# of this repository. Licence: MIT OR Apache-2.0, like the rest of it.
#
# Run them:  heddle arc eval --data DATA --programs programs/*.py

# every coloured cell of the 3x3 grid becomes a copy of the whole grid, empty cells become empty blocks
def solve_007bbfb7(I):
    x1 = hconcat(I, I)
    x2 = hconcat(x1, I)
    x3 = vconcat(x2, x2)
    x4 = vconcat(x3, x2)
    x5 = upscale(I, THREE)
    O = cellwise(x5, x4, ZERO)
    return O


# black regions closed off from the border are filled with colour 4
def solve_00d62c1b(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ZERO)
    x3 = rbind(bordering, I)
    x4 = compose(flip, x3)
    x5 = mfilter(x2, x4)
    O = fill(I, FOUR, x5)
    return O


# continue the vertical period to nine rows and colour it 2
def solve_017c7c7b(I):
    x1 = asobject(I)
    x2 = vperiod(x1)
    x3 = astuple(x2, THREE)
    x4 = crop(I, ORIGIN, x3)
    x5 = repeat(x4, NINE)
    x6 = merge(x5)
    x7 = astuple(NINE, THREE)
    x8 = crop(x6, ORIGIN, x7)
    O = replace(x8, ONE, TWO)
    return O


# slide each slanted outline one to the right, its bottom row and right edge stay
def solve_025d127b(I):
    x1 = compose(hfrontier, lrcorner)
    x2 = compose(vfrontier, lrcorner)
    x3 = fork(combine, x1, x2)
    x4 = rbind(toobject, I)
    x5 = compose(x4, x3)
    x6 = fork(difference, identity, x5)
    x7 = objects(I, T, T, T)
    x8 = mapply(x6, x7)
    O = move(I, x8, RIGHT)
    return O


# the big shape is stamped repeatedly towards each coloured fragment, in the fragment's colour
def solve_045e512c(I):
    x1 = objects(I, T, T, T)
    x2 = argmax(x1, size)
    x3 = remove(x2, x1)
    x4 = double(TEN)
    x5 = interval(FOUR, x4, FOUR)
    x6 = lbind(lbind, shift)
    x7 = rbind(recolor, x2)
    x8 = compose(x7, color)
    x9 = compose(x6, x8)
    x10 = rbind(apply, x5)
    x11 = lbind(lbind, multiply)
    x12 = lbind(position, x2)
    x13 = compose(x11, x12)
    x14 = compose(x10, x13)
    x15 = fork(mapply, x9, x14)
    x16 = mapply(x15, x3)
    O = paint(I, x16)
    return O


# cells set in both halves become 2
def solve_0520fde7(I):
    x1 = lefthalf(I)
    x2 = righthalf(I)
    x3 = cellwise(x1, x2, ZERO)
    O = replace(x3, ONE, TWO)
    return O


# extend the coloured anti-diagonals over the grid with period three
def solve_05269061(I):
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = rbind(shoot, UP_RIGHT)
    x4 = compose(x3, last)
    x5 = rbind(shoot, DOWN_LEFT)
    x6 = compose(x5, last)
    x7 = fork(combine, x4, x6)
    x8 = fork(recolor, first, x7)
    x9 = mapply(x8, x2)
    x10 = multiply(SIX, NEG_TWO)
    x11 = double(TEN)
    x12 = interval(x10, x11, THREE)
    x13 = apply(tojvec, x12)
    x14 = lbind(shift, x9)
    x15 = mapply(x14, x13)
    O = paint(I, x15)
    return O


# move the 2 shape until it touches the 8 square
def solve_05f2a901(I):
    x1 = ofcolor(I, TWO)
    x2 = recolor(TWO, x1)
    x3 = ofcolor(I, EIGHT)
    x4 = gravitate(x2, x3)
    O = move(I, x2, x4)
    return O


# join blocks of one colour along rows and columns of the lattice
def solve_06df4c85(I):
    x1 = partition(I)
    x2 = matcher(color, ZERO)
    x3 = compose(flip, x2)
    x4 = sfilter(x1, x3)
    x5 = argmax(x4, size)
    x6 = remove(x5, x4)
    x7 = lbind(prapply, connect)
    x8 = fork(x7, toindices, toindices)
    x9 = fork(either, vline, hline)
    x10 = rbind(mfilter, x9)
    x11 = compose(x10, x8)
    x12 = fork(recolor, color, x11)
    x13 = mapply(x12, x6)
    x14 = paint(I, x13)
    x15 = merge(x4)
    O = paint(x14, x15)
    return O


# number the bars by height, tallest first
def solve_08ed6ac7(I):
    x1 = objects(I, T, F, T)
    x2 = compose(invert, height)
    x3 = order(x1, x2)
    x4 = interval(ONE, FIVE, ONE)
    x5 = mpapply(recolor, x4, x3)
    O = paint(I, x5)
    return O


# the 3x3 panel with the fewest colours is blown up to the whole lattice
def solve_09629e4f(I):
    x1 = rbind(hsplit, THREE)
    x2 = vsplit(I, THREE)
    x3 = mapply(x1, x2)
    x4 = argmin(x3, numcolors)
    x5 = upscale(x4, FOUR)
    x6 = shape(I)
    x7 = crop(x5, ORIGIN, x6)
    x8 = ofcolor(I, FIVE)
    O = fill(x7, FIVE, x8)
    return O


# each small plus grows: its arms get longer and diagonals in the centre colour appear
def solve_0962bcdd(I):
    x1 = objects(I, F, F, T)
    x2 = compose(hfrontier, center)
    x3 = compose(vfrontier, center)
    x4 = fork(combine, x2, x3)
    x5 = compose(backdrop, outbox)
    x6 = fork(intersection, x4, x5)
    x7 = fork(connect, ulcorner, lrcorner)
    x8 = compose(x7, outbox)
    x9 = fork(connect, llcorner, urcorner)
    x10 = compose(x9, outbox)
    x11 = merge(x1)
    x12 = mostcolor(x11)
    x13 = mapply(x6, x1)
    x14 = fill(I, x12, x13)
    x15 = leastcolor(I)
    x16 = fork(combine, x8, x10)
    x17 = mapply(x16, x1)
    O = fill(x14, x15, x17)
    return O


# two pixels become alternating full stripes repeated to the far edge
def solve_0a938d79(I):
    x1 = portrait(I)
    x2 = branch(x1, dmirror, identity)
    x3 = x2(I)
    x4 = fgpartition(x3)
    x5 = merge(x4)
    x6 = width(x5)
    x7 = decrement(x6)
    x8 = double(x7)
    x9 = compose(vfrontier, last)
    x10 = fork(recolor, first, x9)
    x11 = mapply(x10, x5)
    x12 = width(x3)
    x13 = interval(ZERO, x12, x8)
    x14 = apply(tojvec, x13)
    x15 = lbind(shift, x11)
    x16 = mapply(x15, x14)
    x17 = paint(x3, x16)
    O = x2(x17)
    return O


# cut out the quadrant with the rare colour
def solve_0b148d64(I):
    x1 = leastcolor(I)
    x2 = ofcolor(I, x1)
    O = subgrid(x2, I)
    return O


# 1 gets a cross of 7, 2 gets diagonal 4s
def solve_0ca9ddb6(I):
    x1 = ofcolor(I, ONE)
    x2 = mapply(dneighbors, x1)
    x3 = fill(I, SEVEN, x2)
    x4 = ofcolor(I, TWO)
    x5 = mapply(ineighbors, x4)
    O = fill(x3, FOUR, x5)
    return O


# fixed pairs of colours are exchanged
def solve_0d3d703e(I):
    x1 = switch(I, ONE, FIVE)
    x2 = switch(x1, TWO, SIX)
    x3 = switch(x2, THREE, FOUR)
    O = switch(x3, EIGHT, NINE)
    return O


# black holes in a wallpaper are filled from its period in both directions
def solve_0dfd9992(I):
    x1 = asobject(I)
    x2 = ofcolor(I, ZERO)
    x3 = recolor(ZERO, x2)
    x4 = difference(x1, x3)
    x5 = lbind(shift, x4)
    x6 = compose(x5, tojvec)
    x7 = rbind(toobject, I)
    x8 = compose(x7, x6)
    x9 = lbind(combine, x3)
    x10 = compose(x9, x6)
    x11 = fork(difference, x8, x10)
    x12 = width(I)
    x13 = interval(ONE, x12, ONE)
    x14 = compose(flip, x11)
    x15 = extract(x13, x14)
    x16 = compose(x5, toivec)
    x17 = compose(x7, x16)
    x18 = compose(x9, x16)
    x19 = fork(difference, x17, x18)
    x20 = height(I)
    x21 = interval(ONE, x20, ONE)
    x22 = compose(flip, x19)
    x23 = extract(x21, x22)
    x24 = multiply(x23, NEG_TWO)
    x25 = multiply(x23, THREE)
    x26 = interval(x24, x25, x23)
    x27 = multiply(x15, NEG_TWO)
    x28 = multiply(x15, THREE)
    x29 = interval(x27, x28, x15)
    x30 = product(x26, x29)
    x31 = mapply(x5, x30)
    O = paint(I, x31)
    return O


# models move to the triples of marker cells, turned or mirrored as needed
def solve_0e206a2e(I):
    x1 = objects(I, F, T, T)
    x2 = merge(x1)
    x3 = mostcolor(x2)
    x4 = lbind(contained, x3)
    x5 = compose(x4, palette)
    x6 = sfilter(x1, x5)
    x7 = initset(identity)
    x8 = insert(hmirror, x7)
    x9 = insert(vmirror, x7)
    x10 = insert(dmirror, x7)
    x11 = prapply(compose, x8, x9)
    x12 = prapply(compose, x11, x10)
    x13 = lbind(rapply, x12)
    x14 = mapply(x13, x6)
    x15 = matcher(first, x3)
    x16 = compose(flip, x15)
    x17 = rbind(sfilter, x16)
    x18 = lbind(lbind, shift)
    x19 = chain(invert, ulcorner, x17)
    x20 = fork(shift, identity, x19)
    x21 = compose(x18, x20)
    x22 = lbind(occurrences, I)
    x23 = compose(x22, x17)
    x24 = fork(mapply, x21, x23)
    x25 = mapply(x24, x14)
    x26 = paint(I, x25)
    x27 = merge(x6)
    O = fill(x26, ZERO, x27)
    return O

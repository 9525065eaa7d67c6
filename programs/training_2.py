# Heddle: programs for ARC training tasks whose names begin with 2.
#
# Written for this project in the language of heddle-arc, one function for each
# task, in the order of their names; none depends on another. Each solves every
# train and test pair of its task. The tasks themselves (Apache-2.0) are not part
# of this repository. Licence: MIT OR Apache-2.0, like the rest of it.
#
# Run them:  heddle arc eval --data DATA --programs programs/*.py

# keep one quadrant of the symmetric figure
def solve_2013d3e2(I):
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = subgrid(x2, I)
    x4 = lefthalf(x3)
    O = tophalf(x4)
    return O


# 3s take the colour of the nearer wall
def solve_2204b7a8(I):
    x1 = ofcolor(I, THREE)
    x2 = objects(I, T, F, T)
    x3 = sizefilter(x2, TEN)
    x4 = rbind(compose, initset)
    x5 = lbind(rbind, manhattan)
    x6 = compose(x4, x5)
    x7 = lbind(greater, FIVE)
    x8 = lbind(compose, x7)
    x9 = compose(x8, x6)
    x10 = lbind(sfilter, x1)
    x11 = compose(x10, x9)
    x12 = fork(recolor, color, x11)
    x13 = mapply(x12, x3)
    O = paint(I, x13)
    return O


# fill each funnel: cells of one colour in a row are joined
def solve_22168020(I):
    x1 = lbind(prapply, connect)
    x2 = fork(x1, toindices, toindices)
    x3 = rbind(mfilter, hline)
    x4 = compose(x3, x2)
    x5 = fork(recolor, color, x4)
    x6 = objects(I, T, T, T)
    x7 = mapply(x5, x6)
    O = paint(I, x7)
    return O


# each diagonal pair of 3 squares gets two 8 squares continuing the empty diagonal
def solve_22233c11(I):
    x1 = objects(I, T, T, T)
    x2 = fork(contained, ulcorner, toindices)
    x3 = sfilter(x1, x2)
    x4 = difference(x1, x3)
    x5 = compose(halve, height)
    x6 = lbind(multiply, UP_RIGHT)
    x7 = compose(x6, x5)
    x8 = fork(shift, delta, x7)
    x9 = lbind(multiply, DOWN_LEFT)
    x10 = compose(x9, x5)
    x11 = fork(shift, delta, x10)
    x12 = lbind(multiply, UNITY)
    x13 = compose(x12, x5)
    x14 = fork(shift, delta, x13)
    x15 = lbind(multiply, NEG_UNITY)
    x16 = compose(x15, x5)
    x17 = fork(shift, delta, x16)
    x18 = fork(combine, x8, x11)
    x19 = fork(difference, x18, backdrop)
    x20 = mapply(x19, x3)
    x21 = fork(combine, x14, x17)
    x22 = fork(difference, x21, backdrop)
    x23 = mapply(x22, x4)
    x24 = combine(x20, x23)
    O = underfill(I, EIGHT, x24)
    return O


# marks on the top and right border span a lattice of 2s
def solve_2281f1f4(I):
    x1 = ofcolor(I, FIVE)
    x2 = matcher(first, ZERO)
    x3 = sfilter(x1, x2)
    x4 = difference(x1, x3)
    x5 = apply(first, x4)
    x6 = apply(last, x3)
    x7 = product(x5, x6)
    O = underfill(I, TWO, x7)
    return O


# loose shapes are put into the holes of the same outline
def solve_228f6490(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ZERO)
    x3 = fgpartition(I)
    x4 = compose(normalize, toindices)
    x5 = compose(x4, first)
    x6 = compose(x4, last)
    x7 = fork(equality, x5, x6)
    x8 = product(x2, x3)
    x9 = sfilter(x8, x7)
    x10 = compose(color, last)
    x11 = fork(recolor, x10, first)
    x12 = mapply(x11, x9)
    x13 = mapply(last, x9)
    x14 = cover(I, x13)
    O = paint(x14, x12)
    return O


# rows with equal ends are filled with that colour
def solve_22eb0ac0(I):
    x1 = vmirror(I)
    x2 = cellwise(I, x1, ZERO)
    x3 = asobject(x2)
    x4 = compose(positive, first)
    x5 = sfilter(x3, x4)
    x6 = compose(hfrontier, last)
    x7 = fork(recolor, first, x6)
    x8 = mapply(x7, x5)
    O = paint(I, x8)
    return O


# chain the pieces from left to right, joining them at their 5 connectors
def solve_234bbc79(I):
    x1 = objects(I, F, T, T)
    x2 = order(x1, leftmost)
    x3 = matcher(first, FIVE)
    x4 = rbind(sfilter, x3)
    x5 = compose(last, last)
    x6 = rbind(argmax, x5)
    x7 = compose(x6, x4)
    x8 = compose(last, x7)
    x9 = rbind(argmin, x5)
    x10 = compose(x9, x4)
    x11 = compose(last, x10)
    x12 = rbind(other, FIVE)
    x13 = compose(x12, palette)
    x14 = fork(recolor, x13, identity)
    x15 = compose(first, last)
    x16 = rbind(add, RIGHT)
    x17 = compose(first, first)
    x18 = chain(x16, x8, x17)
    x19 = compose(x11, x15)
    x20 = fork(subtract, x18, x19)
    x21 = fork(shift, x15, x20)
    x22 = compose(last, first)
    x23 = compose(x14, x21)
    x24 = fork(combine, x22, x23)
    x25 = fork(astuple, x21, x24)
    x26 = fork(remove, x15, last)
    x27 = fork(astuple, x25, x26)
    x28 = first(x2)
    x29 = remove(x28, x2)
    x30 = size(x29)
    x31 = power(x27, x30)
    x32 = x14(x28)
    x33 = astuple(x28, x32)
    x34 = astuple(x33, x29)
    x35 = x31(x34)
    x36 = first(x35)
    x37 = last(x36)
    x38 = height(I)
    x39 = width(x37)
    x40 = astuple(x38, x39)
    x41 = canvas(ZERO, x40)
    O = paint(x41, x37)
    return O


# both pixels draw a cross over the grid, crossings are 2
def solve_23581191(I):
    x1 = fgpartition(I)
    x2 = compose(hfrontier, ulcorner)
    x3 = compose(vfrontier, ulcorner)
    x4 = fork(combine, x2, x3)
    x5 = fork(recolor, color, x4)
    x6 = mapply(x5, x1)
    x7 = paint(I, x6)
    x8 = first(x1)
    x9 = x4(x8)
    x10 = last(x1)
    x11 = x4(x10)
    x12 = intersection(x9, x11)
    O = fill(x7, TWO, x12)
    return O


# is there a path of 8 between the two 2 blocks
def solve_239be575(I):
    x1 = objects(I, F, T, T)
    x2 = rbind(colorcount, TWO)
    x3 = valmax(x1, x2)
    x4 = equality(x3, EIGHT)
    x5 = branch(x4, EIGHT, ZERO)
    O = canvas(x5, UNITY)
    return O


# crop the smallest rectangle
def solve_23b5c85d(I):
    x1 = leastcolor(I)
    x2 = ofcolor(I, x1)
    O = subgrid(x2, I)
    return O


# aligned 8s are joined by 3
def solve_253bf280(I):
    x1 = ofcolor(I, EIGHT)
    x2 = prapply(connect, x1, x1)
    x3 = fork(either, vline, hline)
    x4 = mfilter(x2, x3)
    x5 = difference(x4, x1)
    O = fill(I, THREE, x5)
    return O


# the odd pixel at the base shoots a beam through the tip
def solve_25d487eb(I):
    x1 = leastcolor(I)
    x2 = ofcolor(I, x1)
    x3 = fgpartition(I)
    x4 = merge(x3)
    x5 = ulcorner(x2)
    x6 = position(x2, x4)
    x7 = shoot(x5, x6)
    O = underfill(I, x1, x7)
    return O


# mark one-coloured rows with 5
def solve_25d8a9c8(I):
    x1 = frontiers(I)
    x2 = mfilter(x1, hline)
    x3 = shape(I)
    x4 = canvas(ZERO, x3)
    O = fill(x4, FIVE, x2)
    return O


# move the figure one row down
def solve_25ff71a9(I):
    x1 = fgpartition(I)
    x2 = merge(x1)
    O = move(I, x2, DOWN)
    return O


# every heart pixel in a block gets the emblem and its lines across the block
def solve_264363fd(I):
    x1 = objects(I, F, F, T)
    x2 = argmin(x1, size)
    x3 = center(x2)
    x4 = index(I, x3)
    x5 = ofcolor(I, x4)
    x6 = toindices(x2)
    x7 = difference(x5, x6)
    x8 = height(x2)
    x9 = equality(x8, FIVE)
    x10 = branch(x9, vfrontier, initset)
    x11 = width(x2)
    x12 = equality(x11, FIVE)
    x13 = branch(x12, hfrontier, initset)
    x14 = uppermost(x2)
    x15 = last(x3)
    x16 = astuple(x14, x15)
    x17 = first(x3)
    x18 = leftmost(x2)
    x19 = astuple(x17, x18)
    x20 = branch(x9, x16, x19)
    x21 = fork(combine, x10, x13)
    x22 = lbind(mapply, x21)
    x23 = lbind(intersection, x7)
    x24 = chain(x22, x23, toindices)
    x25 = fork(intersection, toindices, x24)
    x26 = cover(I, x2)
    x27 = index(I, x20)
    x28 = remove(x2, x1)
    x29 = mapply(x25, x28)
    x30 = fill(x26, x27, x29)
    x31 = invert(x3)
    x32 = shift(x2, x31)
    x33 = lbind(shift, x32)
    x34 = mapply(x33, x7)
    x35 = merge(x28)
    x36 = toindices(x35)
    x37 = rbind(contained, x36)
    x38 = compose(x37, last)
    x39 = sfilter(x34, x38)
    O = paint(x30, x39)
    return O


# colour the five rooms touching the middle by their direction
def solve_272f95fa(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ZERO)
    x3 = rbind(bordering, I)
    x4 = compose(flip, x3)
    x5 = extract(x2, x4)
    x6 = lbind(position, x5)
    x7 = remove(x5, x2)
    x8 = fill(I, SIX, x5)
    x9 = matcher(x6, UP)
    x10 = mfilter(x7, x9)
    x11 = fill(x8, TWO, x10)
    x12 = matcher(x6, DOWN)
    x13 = mfilter(x7, x12)
    x14 = fill(x11, ONE, x13)
    x15 = matcher(x6, LEFT)
    x16 = mfilter(x7, x15)
    x17 = fill(x14, FOUR, x16)
    x18 = matcher(x6, RIGHT)
    x19 = mfilter(x7, x18)
    O = fill(x17, THREE, x19)
    return O


# name the pattern by a number
def solve_27a28665(I):
    x1 = objects(I, T, F, F)
    x2 = size(x1)
    x3 = equality(x2, SEVEN)
    x4 = branch(x3, ONE, TWO)
    x5 = equality(x2, FOUR)
    x6 = branch(x5, THREE, x4)
    x7 = equality(x2, FIVE)
    x8 = branch(x7, SIX, x6)
    O = canvas(x8, UNITY)
    return O


# crop the figure and put it twice side by side
def solve_28bf18c6(I):
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = subgrid(x2, I)
    O = hconcat(x3, x3)
    return O


# draw a spiral: each step turns the smaller spiral by 180 degrees and wraps it
def solve_28e73c20(I):
    x1 = width(I)
    x2 = even(x1)
    x3 = branch(x2, TWO, ONE)
    x4 = lbind(canvas, ZERO)
    x5 = rbind(add, TWO)
    x6 = chain(x4, x5, shape)
    x7 = lbind(recolor, THREE)
    x8 = compose(box, asindices)
    x9 = chain(x7, x8, x6)
    x10 = fork(paint, x6, x9)
    x11 = rbind(shift, TWO_BY_ZERO)
    x12 = compose(asobject, rot180)
    x13 = compose(x11, x12)
    x14 = initset(DOWN)
    x15 = rbind(fill, x14)
    x16 = rbind(x15, ZERO)
    x17 = fork(paint, x10, x13)
    x18 = compose(x16, x17)
    x19 = subtract(x1, x3)
    x20 = halve(x19)
    x21 = power(x18, x20)
    x22 = astuple(x3, x3)
    x23 = canvas(THREE, x22)
    O = x21(x23)
    return O


# panels with the most cells are filled, the others emptied
def solve_29623171(I):
    x1 = interval(ZERO, NINE, FOUR)
    x2 = canvas(ZERO, THREE_BY_THREE)
    x3 = asindices(x2)
    x4 = lbind(shift, x3)
    x5 = product(x1, x1)
    x6 = apply(x4, x5)
    x7 = rbind(toobject, I)
    x8 = apply(x7, x6)
    x9 = rbind(colorcount, ZERO)
    x10 = valmin(x8, x9)
    x11 = matcher(x9, x10)
    x12 = mfilter(x8, x11)
    x13 = leastcolor(I)
    x14 = ofcolor(I, x13)
    x15 = fill(I, ZERO, x14)
    O = fill(x15, x13, x12)
    return O


# the two ends run towards the middle and meet at a 5
def solve_29c11459(I):
    x1 = lefthalf(I)
    x2 = righthalf(I)
    x3 = compose(hfrontier, last)
    x4 = fork(recolor, first, x3)
    x5 = fgpartition(x1)
    x6 = merge(x5)
    x7 = mapply(x4, x6)
    x8 = paint(x1, x7)
    x9 = fgpartition(x2)
    x10 = merge(x9)
    x11 = mapply(x4, x10)
    x12 = paint(x2, x11)
    x13 = height(I)
    x14 = astuple(x13, ONE)
    x15 = canvas(ZERO, x14)
    x16 = mapply(x3, x6)
    x17 = fill(x15, FIVE, x16)
    x18 = hconcat(x8, x17)
    O = hconcat(x18, x12)
    return O


# repair a periodic wallpaper with black holes
def solve_29ec7d0e(I):
    x1 = ofcolor(I, ZERO)
    x2 = recolor(ZERO, x1)
    x3 = asobject(I)
    x4 = difference(x3, x2)
    x5 = rbind(toobject, I)
    x6 = lbind(combine, x2)
    x7 = fork(difference, x5, x6)
    x8 = compose(flip, x7)
    x9 = lbind(shift, x4)
    x10 = compose(x9, tojvec)
    x11 = compose(x9, toivec)
    x12 = width(I)
    x13 = interval(ONE, x12, ONE)
    x14 = compose(x8, x10)
    x15 = extract(x13, x14)
    x16 = compose(x8, x11)
    x17 = extract(x13, x16)
    x18 = interval(NEG_TWO, THREE, ONE)
    x19 = astuple(x17, x15)
    x20 = lbind(multiply, x19)
    x21 = product(x18, x18)
    x22 = apply(x20, x21)
    x23 = mapply(x9, x22)
    O = paint(I, x23)
    return O


# mirror the figure over the side marked by 2s, background 3
def solve_2bcee788(I):
    x1 = ofcolor(I, TWO)
    x2 = palette(I)
    x3 = remove(ZERO, x2)
    x4 = other(x3, TWO)
    x5 = ofcolor(I, x4)
    x6 = recolor(x4, x5)
    x7 = uppermost(x1)
    x8 = lowermost(x6)
    x9 = greater(x7, x8)
    x10 = uppermost(x6)
    x11 = lowermost(x1)
    x12 = greater(x10, x11)
    x13 = subtract(x9, x12)
    x14 = leftmost(x1)
    x15 = rightmost(x6)
    x16 = greater(x14, x15)
    x17 = leftmost(x6)
    x18 = rightmost(x1)
    x19 = greater(x17, x18)
    x20 = subtract(x16, x19)
    x21 = branch(x13, hmirror, vmirror)
    x22 = astuple(x13, x20)
    x23 = shape(x6)
    x24 = multiply(x22, x23)
    x25 = replace(I, TWO, ZERO)
    x26 = x21(x6)
    x27 = shift(x26, x24)
    x28 = paint(x25, x27)
    O = replace(x28, ZERO, THREE)
    return O


# inner rows and columns that are completely free become 3
def solve_2bee17df(I):
    x1 = trim(I)
    x2 = frontiers(x1)
    x3 = colorfilter(x2, ZERO)
    x4 = merge(x3)
    x5 = shift(x4, UNITY)
    O = fill(I, THREE, x5)
    return O


# pixels level with the block are joined to it
def solve_2c608aff(I):
    x1 = objects(I, T, F, T)
    x2 = argmax(x1, size)
    x3 = rbind(hmatching, x2)
    x4 = rbind(vmatching, x2)
    x5 = fork(either, x3, x4)
    x6 = remove(x2, x1)
    x7 = sfilter(x6, x5)
    x8 = rbind(gravitate, x2)
    x9 = fork(add, ulcorner, x8)
    x10 = fork(connect, ulcorner, x9)
    x11 = fork(recolor, color, x10)
    x12 = mapply(x11, x7)
    O = paint(I, x12)
    return O


# take the quarter that holds the odd pixel
def solve_2dc579da(I):
    x1 = rbind(hsplit, TWO)
    x2 = vsplit(I, TWO)
    x3 = mapply(x1, x2)
    O = argmax(x3, numcolors)
    return O


# the 3 ray runs to an obstacle, turns, runs again, turns and ends at the 2s
def solve_2dd70a9a(I):
    x1 = ofcolor(I, THREE)
    x2 = portrait(x1)
    x3 = branch(x2, identity, dmirror)
    x4 = x3(I)
    x5 = ofcolor(x4, THREE)
    x6 = ofcolor(x4, TWO)
    x7 = ofcolor(x4, EIGHT)
    x8 = combine(x6, x7)
    x9 = asindices(x4)
    x10 = outbox(x9)
    x11 = combine(x8, x10)
    x12 = initset(DOWN)
    x13 = insert(UP, x12)
    x14 = initset(RIGHT)
    x15 = insert(LEFT, x14)
    x16 = product(x13, x15)
    x17 = product(x16, x13)
    x18 = compose(first, first)
    x19 = compose(last, first)
    x20 = ulcorner(x5)
    x21 = lbind(add, x20)
    x22 = rbind(multiply, ZERO)
    x23 = chain(x21, x22, x18)
    x24 = lbind(intersection, x11)
    x25 = fork(shoot, x23, x18)
    x26 = compose(x24, x25)
    x27 = compose(initset, x23)
    x28 = fork(gravitate, x27, x26)
    x29 = fork(add, x23, x28)
    x30 = fork(shoot, x29, x19)
    x31 = compose(x24, x30)
    x32 = compose(initset, x29)
    x33 = fork(gravitate, x32, x31)
    x34 = fork(add, x29, x33)
    x35 = fork(shoot, x34, last)
    x36 = compose(x24, x35)
    x37 = compose(initset, x34)
    x38 = fork(gravitate, x37, x36)
    x39 = fork(add, x34, x38)
    x40 = rbind(contained, x6)
    x41 = fork(add, x39, last)
    x42 = compose(x40, x41)
    x43 = extract(x17, x42)
    x44 = x23(x43)
    x45 = x29(x43)
    x46 = connect(x44, x45)
    x47 = x34(x43)
    x48 = connect(x45, x47)
    x49 = x39(x43)
    x50 = connect(x47, x49)
    x51 = combine(x48, x50)
    x52 = combine(x46, x51)
    x53 = underfill(x4, THREE, x52)
    O = x3(x53)
    return O


# one third of the repeated picture
def solve_2dee498d(I):
    x1 = hsplit(I, THREE)
    O = first(x1)
    return O

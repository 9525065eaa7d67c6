# Heddle: programs for ARC training tasks whose names begin with d.
#
# Written for this project in the language of heddle-arc, one function for each
# task, in the order of their names; none depends on another. Each solves every
# train and test pair of its task. The tasks themselves (Apache-2.0) are not part
# of this repository. Licence: MIT OR Apache-2.0, like the rest of it.
#
# Run them:  heddle arc eval --data DATA --programs programs/*.py

# every coloured cell runs down until the next one in its column
def solve_d037b0a7(I):
    x1 = asobject(I)
    x2 = sfilter(x1, first)
    x3 = compose(first, last)
    x4 = order(x2, x3)
    x5 = rbind(shoot, DOWN)
    x6 = compose(x5, last)
    x7 = fork(recolor, first, x6)
    x8 = mapply(x7, x4)
    O = paint(I, x8)
    return O


# stairs climb to the upper right and descend to the lower left of the marked cell
def solve_d06dbe63(I):
    x1 = ofcolor(I, EIGHT)
    x2 = first(x1)
    x3 = double(UP)
    x4 = connect(UP, x3)
    x5 = double(UP_RIGHT)
    x6 = connect(x3, x5)
    x7 = combine(x4, x6)
    x8 = rbind(multiply, x5)
    x9 = interval(ZERO, TEN, ONE)
    x10 = apply(x8, x9)
    x11 = prapply(add, x7, x10)
    x12 = shift(x11, x2)
    x13 = apply(invert, x11)
    x14 = shift(x13, x2)
    x15 = combine(x12, x14)
    O = fill(I, FIVE, x15)
    return O


# diagonals run from all specks, their colour depends on the ground they cross
def solve_d07ae81c(I):
    x1 = partition(I)
    x2 = compose(invert, size)
    x3 = order(x1, x2)
    x4 = apply(color, x3)
    x5 = first(x4)
    x6 = remove(x5, x4)
    x7 = first(x6)
    x8 = remove(x7, x6)
    x9 = first(x8)
    x10 = ofcolor(I, x9)
    x11 = last(x8)
    x12 = ofcolor(I, x11)
    x13 = combine(x10, x12)
    x14 = rbind(shoot, UNITY)
    x15 = mapply(x14, x13)
    x16 = rbind(shoot, NEG_UNITY)
    x17 = mapply(x16, x13)
    x18 = rbind(shoot, UP_RIGHT)
    x19 = mapply(x18, x13)
    x20 = rbind(shoot, DOWN_LEFT)
    x21 = mapply(x20, x13)
    x22 = combine(x15, x17)
    x23 = combine(x19, x21)
    x24 = combine(x22, x23)
    x25 = rbind(toobject, I)
    x26 = lbind(mapply, dneighbors)
    x27 = lbind(ofcolor, I)
    x28 = chain(x25, x26, x27)
    x29 = compose(mostcolor, x28)
    x30 = matcher(x29, x5)
    x31 = extract(x8, x30)
    x32 = other(x8, x31)
    x33 = ofcolor(I, x5)
    x34 = intersection(x24, x33)
    x35 = fill(I, x31, x34)
    x36 = ofcolor(I, x7)
    x37 = intersection(x24, x36)
    O = fill(x35, x32, x37)
    return O


# as many diagonal cells as there are shapes
def solve_d0f5fe59(I):
    x1 = objects(I, T, F, T)
    x2 = size(x1)
    x3 = astuple(x2, x2)
    x4 = canvas(ZERO, x3)
    x5 = shoot(ORIGIN, UNITY)
    O = fill(x4, EIGHT, x5)
    return O


# the upper left two by two tile
def solve_d10ecb37(I):
    O = crop(I, ORIGIN, TWO_BY_TWO)
    return O


# all cells run diagonally down into a grid of twice the size
def solve_d13f3404(I):
    x1 = asobject(I)
    x2 = sfilter(x1, first)
    x3 = rbind(shoot, UNITY)
    x4 = compose(x3, last)
    x5 = fork(recolor, first, x4)
    x6 = shape(I)
    x7 = double(x6)
    x8 = canvas(ZERO, x7)
    x9 = mapply(x5, x2)
    O = paint(x8, x9)
    return O


# square waves around the corner dots, each in the area nearest to its dot
def solve_d22278a0(I):
    x1 = asobject(I)
    x2 = sfilter(x1, first)
    x3 = toindices(x2)
    x4 = rbind(compose, initset)
    x5 = lbind(lbind, manhattan)
    x6 = compose(x4, x5)
    x7 = lbind(difference, x3)
    x8 = chain(x6, x7, toindices)
    x9 = compose(x6, toindices)
    x10 = lbind(fork, greater)
    x11 = fork(x10, x8, x9)
    x12 = fork(multiply, identity, sign)
    x13 = chain(even, maximum, x12)
    x14 = lbind(compose, x13)
    x15 = lbind(rbind, subtract)
    x16 = chain(x14, x15, ulcorner)
    x17 = asindices(I)
    x18 = lbind(sfilter, x17)
    x19 = lbind(fork, both)
    x20 = fork(x19, x11, x16)
    x21 = compose(x18, x20)
    x22 = fork(recolor, color, x21)
    x23 = apply(initset, x2)
    x24 = mapply(x22, x23)
    O = paint(I, x24)
    return O


# keep only the middle column
def solve_d23f8c26(I):
    x1 = width(I)
    x2 = halve(x1)
    x3 = tojvec(x2)
    x4 = vfrontier(x3)
    x5 = shape(I)
    x6 = canvas(ZERO, x5)
    x7 = toobject(x4, I)
    O = paint(x6, x7)
    return O


# shapes of six cells are red, all others blue
def solve_d2abd087(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, FIVE)
    x3 = replace(I, FIVE, ONE)
    x4 = sizefilter(x2, SIX)
    x5 = merge(x4)
    O = fill(x3, TWO, x5)
    return O


# every blue cell gets four coloured side neighbours
def solve_d364b489(I):
    x1 = ofcolor(I, ONE)
    x2 = shift(x1, UP)
    x3 = fill(I, TWO, x2)
    x4 = shift(x1, DOWN)
    x5 = fill(x3, EIGHT, x4)
    x6 = shift(x1, LEFT)
    x7 = fill(x5, SEVEN, x6)
    x8 = shift(x1, RIGHT)
    x9 = fill(x7, SIX, x8)
    O = fill(x9, ONE, x1)
    return O


# grey cells in every second column, counted from the right, turn green
def solve_d406998b(I):
    x1 = vmirror(I)
    x2 = ofcolor(x1, FIVE)
    x3 = compose(even, last)
    x4 = sfilter(x2, x3)
    x5 = fill(x1, THREE, x4)
    O = vmirror(x5)
    return O


# cells in line with the green block draw a line up to it
def solve_d43fd935(I):
    x1 = ofcolor(I, THREE)
    x2 = asobject(I)
    x3 = sfilter(x2, first)
    x4 = recolor(THREE, x1)
    x5 = difference(x3, x4)
    x6 = apply(initset, x5)
    x7 = rbind(hmatching, x1)
    x8 = rbind(vmatching, x1)
    x9 = fork(either, x7, x8)
    x10 = sfilter(x6, x9)
    x11 = rbind(gravitate, x1)
    x12 = fork(add, ulcorner, x11)
    x13 = fork(connect, ulcorner, x12)
    x14 = fork(recolor, color, x13)
    x15 = mapply(x14, x10)
    O = paint(I, x15)
    return O


# the colour names one of three crosses: T, plus or corner
def solve_d4469b4b(I):
    x1 = palette(I)
    x2 = other(x1, ZERO)
    x3 = equality(x2, ONE)
    x4 = equality(x2, TWO)
    x5 = branch(x4, RIGHT, TWO_BY_TWO)
    x6 = branch(x3, UNITY, x5)
    x7 = canvas(ZERO, THREE_BY_THREE)
    x8 = hfrontier(x6)
    x9 = vfrontier(x6)
    x10 = combine(x8, x9)
    O = fill(x7, FIVE, x10)
    return O


# a yellow angle from the light blue cell vertically, then sideways to the red cell
def solve_d4a91cb9(I):
    x1 = ofcolor(I, EIGHT)
    x2 = first(x1)
    x3 = ofcolor(I, TWO)
    x4 = first(x3)
    x5 = first(x4)
    x6 = last(x2)
    x7 = astuple(x5, x6)
    x8 = connect(x2, x7)
    x9 = connect(x7, x4)
    x10 = combine(x8, x9)
    O = underfill(I, FOUR, x10)
    return O


# fill the box and let the fill flow out through the gap
def solve_d4f3cd78(I):
    x1 = ofcolor(I, FIVE)
    x2 = backdrop(x1)
    x3 = difference(x2, x1)
    x4 = box(x1)
    x5 = intersection(x4, x3)
    x6 = first(x5)
    x7 = lbind(shoot, x6)
    x8 = dneighbors(ORIGIN)
    x9 = apply(x7, x8)
    x10 = lbind(intersection, x1)
    x11 = chain(flip, size, x10)
    x12 = mfilter(x9, x11)
    x13 = combine(x3, x12)
    O = fill(I, EIGHT, x13)
    return O


# grey and light blue change places
def solve_d511f180(I):
    O = switch(I, FIVE, EIGHT)
    return O


# every closed frame shows only its inside, in green
def solve_d5d6de2d(I):
    x1 = objects(I, T, F, T)
    x2 = merge(x1)
    x3 = cover(I, x2)
    x4 = mapply(delta, x1)
    O = fill(x3, THREE, x4)
    return O


# one row, as long as the number of coloured cells, in their colour
def solve_d631b094(I):
    x1 = palette(I)
    x2 = other(x1, ZERO)
    x3 = ofcolor(I, x2)
    x4 = size(x3)
    x5 = astuple(ONE, x4)
    O = canvas(x2, x5)
    return O


# dots move to the wall of their colour, dots without a wall vanish
def solve_d687bc17(I):
    x1 = objects(I, T, F, T)
    x2 = sizefilter(x1, ONE)
    x3 = difference(x1, x2)
    x4 = apply(color, x3)
    x5 = rbind(contained, x4)
    x6 = compose(x5, color)
    x7 = sfilter(x2, x6)
    x8 = lbind(colorfilter, x3)
    x9 = chain(first, x8, color)
    x10 = fork(gravitate, identity, x9)
    x11 = fork(shift, identity, x10)
    x12 = merge(x2)
    x13 = fill(I, ZERO, x12)
    x14 = mapply(x11, x7)
    O = paint(x13, x14)
    return O


# a bridge between the two rectangles, one cell narrower on each side than their overlap
def solve_d6ad076f(I):
    x1 = fgpartition(I)
    x2 = compose(backdrop, inbox)
    x3 = apply(x2, x1)
    x4 = first(x3)
    x5 = other(x3, x4)
    x6 = mapply(hfrontier, x4)
    x7 = mapply(hfrontier, x5)
    x8 = intersection(x6, x7)
    x9 = mapply(vfrontier, x4)
    x10 = mapply(vfrontier, x5)
    x11 = intersection(x9, x10)
    x12 = combine(x8, x11)
    x13 = merge(x1)
    x14 = backdrop(x13)
    x15 = intersection(x12, x14)
    O = underfill(I, EIGHT, x15)
    return O


# each lone cell colours the nearest cell of the square
def solve_d89b689b(I):
    x1 = ofcolor(I, EIGHT)
    x2 = asobject(I)
    x3 = sfilter(x2, first)
    x4 = recolor(EIGHT, x1)
    x5 = difference(x3, x4)
    x6 = rbind(compose, initset)
    x7 = lbind(lbind, manhattan)
    x8 = chain(x6, x7, initset)
    x9 = lbind(argmin, x1)
    x10 = chain(x9, x8, last)
    x11 = shape(I)
    x12 = canvas(ZERO, x11)
    x13 = fork(astuple, first, x10)
    x14 = apply(x13, x5)
    O = paint(x12, x14)
    return O


# continue the ornament to the right border
def solve_d8c310e9(I):
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = hperiod(x2)
    x4 = width(I)
    x5 = interval(ZERO, x4, x3)
    x6 = apply(tojvec, x5)
    x7 = lbind(shift, x2)
    x8 = mapply(x7, x6)
    O = paint(I, x8)
    return O


# where green touches red, green turns light blue and red vanishes
def solve_d90796e8(I):
    x1 = ofcolor(I, THREE)
    x2 = ofcolor(I, TWO)
    x3 = mapply(dneighbors, x2)
    x4 = intersection(x1, x3)
    x5 = mapply(dneighbors, x1)
    x6 = intersection(x2, x5)
    x7 = fill(I, EIGHT, x4)
    O = fill(x7, ZERO, x6)
    return O


# red lines rise from the floor and step to the right below an obstacle
def solve_d9f24cd1(I):
    x1 = ofcolor(I, TWO)
    x2 = mapply(vfrontier, x1)
    x3 = ofcolor(I, FIVE)
    x4 = intersection(x3, x2)
    x5 = rbind(shoot, UP)
    x6 = mapply(x5, x4)
    x7 = shift(x4, UNITY)
    x8 = mapply(x5, x7)
    x9 = fill(I, TWO, x2)
    x10 = fill(x9, ZERO, x6)
    x11 = fill(x10, TWO, x8)
    O = fill(x11, FIVE, x3)
    return O


# one cell with the colour enclosed by the ring
def solve_d9fac9be(I):
    x1 = objects(I, T, F, T)
    x2 = argmax(x1, size)
    x3 = color(x2)
    x4 = palette(I)
    x5 = remove(ZERO, x4)
    x6 = other(x5, x3)
    O = canvas(x6, UNITY)
    return O


# union of the two halves in pink
def solve_dae9d2b5(I):
    x1 = lefthalf(I)
    x2 = replace(x1, FOUR, SIX)
    x3 = righthalf(I)
    x4 = replace(x3, THREE, SIX)
    O = cellwise(x2, x4, SIX)
    return O


# hang a triangle on the line whose columns alternate between two colours
def solve_db3e9e38(I):
    x1 = ofcolor(I, SEVEN)
    x2 = lrcorner(x1)
    x3 = shoot(x2, UP_RIGHT)
    x4 = shoot(x2, NEG_UNITY)
    x5 = combine(x3, x4)
    x6 = rbind(shoot, UP)
    x7 = mapply(x6, x5)
    x8 = last(x2)
    x9 = rbind(subtract, x8)
    x10 = chain(even, x9, last)
    x11 = fill(I, EIGHT, x7)
    x12 = sfilter(x7, x10)
    O = fill(x11, SEVEN, x12)
    return O


# squares get a green border half as thick as they are wide and a blue shadow below
def solve_db93a21d(I):
    x1 = objects(I, T, F, T)
    x2 = colorfilter(x1, NINE)
    x3 = compose(halve, width)
    x4 = fork(subtract, ulcorner, x3)
    x5 = fork(add, lrcorner, x3)
    x6 = fork(astuple, x4, x5)
    x7 = compose(backdrop, x6)
    x8 = ofcolor(I, NINE)
    x9 = rbind(shoot, DOWN)
    x10 = mapply(x9, x8)
    x11 = fill(I, ONE, x10)
    x12 = mapply(x7, x2)
    x13 = fill(x11, THREE, x12)
    O = fill(x13, NINE, x8)
    return O


# join blue cells in a common row or column by light blue lines
def solve_dbc1a6ce(I):
    x1 = ofcolor(I, ONE)
    x2 = prapply(connect, x1, x1)
    x3 = fork(either, hline, vline)
    x4 = mfilter(x2, x3)
    O = underfill(I, EIGHT, x4)
    return O


# what the green patch in a symmetric picture hides
def solve_dc0a314f(I):
    x1 = ofcolor(I, THREE)
    x2 = vmirror(I)
    x3 = toobject(x1, x2)
    x4 = paint(I, x3)
    x5 = ofcolor(x4, THREE)
    x6 = hmirror(x4)
    x7 = toobject(x5, x6)
    x8 = paint(x4, x7)
    O = subgrid(x1, x8)
    return O


# a blue ring around every red cell
def solve_dc1df850(I):
    x1 = ofcolor(I, TWO)
    x2 = mapply(neighbors, x1)
    O = underfill(I, ONE, x2)
    return O


# the green cell takes one step towards the yellow cell
def solve_dc433765(I):
    x1 = ofcolor(I, THREE)
    x2 = recolor(THREE, x1)
    x3 = ofcolor(I, FOUR)
    x4 = position(x2, x3)
    O = move(I, x2, x4)
    return O


# grey blocks take the colour of the dot above them in the top row
def solve_ddf7fa4f(I):
    x1 = objects(I, T, F, T)
    x2 = colorfilter(x1, FIVE)
    x3 = width(I)
    x4 = astuple(ONE, x3)
    x5 = crop(I, ORIGIN, x4)
    x6 = asobject(x5)
    x7 = sfilter(x6, first)
    x8 = lbind(mfilter, x2)
    x9 = lbind(lbind, vmatching)
    x10 = compose(x8, x9)
    x11 = fork(recolor, color, x10)
    x12 = apply(initset, x7)
    x13 = mapply(x11, x12)
    O = paint(I, x13)
    return O


# the colour of the area with the most specks
def solve_de1cd16c(I):
    x1 = leastcolor(I)
    x2 = partition(I)
    x3 = colorfilter(x2, x1)
    x4 = difference(x2, x3)
    x5 = ofcolor(I, x1)
    x6 = lbind(intersection, x5)
    x7 = chain(size, x6, backdrop)
    x8 = argmax(x4, x7)
    x9 = color(x8)
    O = canvas(x9, UNITY)
    return O


# join light blue cells that see each other along a row or column
def solve_ded97339(I):
    x1 = ofcolor(I, EIGHT)
    x2 = prapply(connect, x1, x1)
    x3 = fork(either, vline, hline)
    x4 = mfilter(x2, x3)
    O = fill(I, EIGHT, x4)
    return O

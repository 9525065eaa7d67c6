# Heddle: programs for ARC training tasks whose names begin with e.
#
# Written for this project in the language of heddle-arc, one function for each
# task, in the order of their names; none depends on another. Each solves every
# train and test pair of its task. The tasks themselves (Apache-2.0) are not part
# of this repository. Licence: MIT OR Apache-2.0, like the rest of it.
#
# Run them:  heddle arc eval --data DATA --programs programs/*.py

# bouncing ball on a light blue ground
def solve_e179c5f4(I):
    x1 = width(I)
    x2 = shoot(ORIGIN, UNITY)
    x3 = decrement(x1)
    x4 = astuple(x3, x1)
    x5 = canvas(EIGHT, x4)
    x6 = fill(x5, ONE, x2)
    x7 = vmirror(x6)
    x8 = vconcat(x6, x7)
    x9 = height(I)
    x10 = repeat(x8, x9)
    x11 = merge(x10)
    x12 = shape(I)
    x13 = crop(x11, ORIGIN, x12)
    O = hmirror(x13)
    return O


# both arms of the cross repeat their colours to the borders
def solve_e21d9049(I):
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = toindices(x2)
    x4 = totuple(x3)
    x5 = compose(first, last)
    x6 = apply(first, x4)
    x7 = mostcommon(x6)
    x8 = matcher(x5, x7)
    x9 = sfilter(x2, x8)
    x10 = compose(last, last)
    x11 = apply(last, x4)
    x12 = mostcommon(x11)
    x13 = matcher(x10, x12)
    x14 = sfilter(x2, x13)
    x15 = invert(TEN)
    x16 = interval(x15, TEN, ONE)
    x17 = width(x9)
    x18 = lbind(multiply, x17)
    x19 = compose(tojvec, x18)
    x20 = apply(x19, x16)
    x21 = height(x14)
    x22 = lbind(multiply, x21)
    x23 = compose(toivec, x22)
    x24 = apply(x23, x16)
    x25 = lbind(shift, x9)
    x26 = mapply(x25, x20)
    x27 = paint(I, x26)
    x28 = lbind(shift, x14)
    x29 = mapply(x28, x24)
    O = paint(x27, x29)
    return O


# remove the specks from a striped picture
def solve_e26a3af2(I):
    x1 = fork(repeat, mostcommon, size)
    x2 = apply(x1, I)
    x3 = dmirror(I)
    x4 = apply(x1, x3)
    x5 = dmirror(x4)
    x6 = cellwise(I, x2, NEG_ONE)
    x7 = colorcount(x6, NEG_ONE)
    x8 = cellwise(I, x5, NEG_ONE)
    x9 = colorcount(x8, NEG_ONE)
    x10 = greater(x7, x9)
    O = branch(x10, x5, x2)
    return O


# fold the right side over onto the left side
def solve_e3497940(I):
    x1 = righthalf(I)
    x2 = vmirror(x1)
    x3 = asobject(x2)
    x4 = lefthalf(I)
    x5 = sfilter(x3, first)
    O = paint(x4, x5)
    return O


# turn the flower around its solid core until it looks the same from all four sides
def solve_e40b9e2f(I):
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = toindices(x2)
    x4 = shift(x3, UP)
    x5 = intersection(x3, x4)
    x6 = shift(x3, LEFT)
    x7 = shift(x3, NEG_UNITY)
    x8 = intersection(x6, x7)
    x9 = intersection(x5, x8)
    x10 = shift(x9, UNITY)
    x11 = combine(x9, x10)
    x12 = ulcorner(x11)
    x13 = lrcorner(x11)
    x14 = add(x12, x13)
    x15 = leftmost(x11)
    x16 = uppermost(x11)
    x17 = astuple(x15, x16)
    x18 = subtract(x12, x17)
    x19 = rbind(add, x18)
    x20 = fork(astuple, last, first)
    x21 = compose(x19, x20)
    x22 = first(x14)
    x23 = toivec(x22)
    x24 = rbind(add, x23)
    x25 = rbind(multiply, UP_RIGHT)
    x26 = compose(x24, x25)
    x27 = chain(x26, x21, last)
    x28 = lbind(subtract, x14)
    x29 = compose(x28, last)
    x30 = fork(astuple, first, x27)
    x31 = apply(x30, x2)
    x32 = combine(x2, x31)
    x33 = fork(astuple, first, x29)
    x34 = apply(x33, x32)
    x35 = combine(x32, x34)
    O = paint(I, x35)
    return O


# the cross moves down and left as many steps as there are grey cells
def solve_e48d4e1a(I):
    x1 = colorcount(I, FIVE)
    x2 = frontiers(I)
    x3 = extract(x2, hline)
    x4 = extract(x2, vline)
    x5 = uppermost(x3)
    x6 = leftmost(x4)
    x7 = astuple(x5, x6)
    x8 = multiply(x1, DOWN_LEFT)
    x9 = add(x7, x8)
    x10 = shape(I)
    x11 = canvas(ZERO, x10)
    x12 = color(x3)
    x13 = hfrontier(x9)
    x14 = vfrontier(x9)
    x15 = combine(x13, x14)
    O = fill(x11, x12, x15)
    return O


# shapes with a fork are red, plain angles blue, brackets pink
def solve_e509e548(I):
    x1 = objects(I, T, F, T)
    x2 = ofcolor(I, THREE)
    x3 = lbind(intersection, x2)
    x4 = chain(size, x3, dneighbors)
    x5 = rbind(greater, TWO)
    x6 = compose(x5, x4)
    x7 = sfilter(x2, x6)
    x8 = lbind(intersection, x7)
    x9 = chain(size, x8, toindices)
    x10 = compose(decrement, width)
    x11 = fork(add, height, x10)
    x12 = fork(equality, size, x11)
    x13 = replace(I, THREE, SIX)
    x14 = mfilter(x1, x12)
    x15 = fill(x13, ONE, x14)
    x16 = mfilter(x1, x9)
    O = fill(x15, TWO, x16)
    return O


# the rectangle with the most red cells
def solve_e50d258f(I):
    x1 = shape(I)
    x2 = canvas(ZERO, x1)
    x3 = hconcat(I, x2)
    x4 = objects(x3, F, F, T)
    x5 = rbind(colorcount, TWO)
    x6 = argmax(x4, x5)
    O = subgrid(x6, I)
    return O


# the drawings move to the half where only their marks are shown
def solve_e6721834(I):
    x1 = portrait(I)
    x2 = vsplit(I, TWO)
    x3 = hsplit(I, TWO)
    x4 = branch(x1, x2, x3)
    x5 = argmin(x4, numcolors)
    x6 = other(x4, x5)
    x7 = lbind(matcher, first)
    x8 = compose(x7, leastcolor)
    x9 = fork(sfilter, identity, x8)
    x10 = chain(invert, ulcorner, x9)
    x11 = fork(shift, identity, x10)
    x12 = lbind(lbind, shift)
    x13 = compose(x12, x11)
    x14 = lbind(occurrences, x5)
    x15 = compose(x14, x9)
    x16 = fork(mapply, x13, x15)
    x17 = objects(x6, F, F, T)
    x18 = compose(size, x9)
    x19 = matcher(x18, ONE)
    x20 = sfilter(x17, x19)
    x21 = difference(x17, x20)
    x22 = mapply(x16, x21)
    x23 = paint(x5, x22)
    x24 = mostcolor(x5)
    x25 = lbind(recolor, x24)
    x26 = fork(difference, identity, x9)
    x27 = compose(x25, x26)
    x28 = fork(combine, x9, x27)
    x29 = compose(x12, normalize)
    x30 = lbind(occurrences, x23)
    x31 = compose(x30, x28)
    x32 = fork(mapply, x29, x31)
    x33 = mapply(x32, x20)
    O = paint(x23, x33)
    return O


# boxes on the lines are filled with yellow, street blocks are not
def solve_e73095fd(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ZERO)
    x3 = ofcolor(I, FIVE)
    x4 = fork(equality, toindices, backdrop)
    x5 = rbind(difference, x3)
    x6 = asindices(I)
    x7 = lbind(intersection, x6)
    x8 = compose(x7, outbox)
    x9 = chain(flip, x5, x8)
    x10 = lbind(mapply, dneighbors)
    x11 = chain(x10, corners, outbox)
    x12 = fork(difference, x11, outbox)
    x13 = lbind(intersection, x3)
    x14 = chain(flip, x13, x12)
    x15 = fork(both, x9, x14)
    x16 = fork(both, x4, x15)
    x17 = mfilter(x2, x16)
    O = fill(I, FOUR, x17)
    return O


# copy the coloured sample into each grey rectangle
def solve_e76a88a6(I):
    x1 = objects(I, T, F, T)
    x2 = colorfilter(x1, FIVE)
    x3 = fgpartition(I)
    x4 = merge(x3)
    x5 = merge(x2)
    x6 = difference(x4, x5)
    x7 = normalize(x6)
    x8 = lbind(shift, x7)
    x9 = compose(x8, ulcorner)
    x10 = mapply(x9, x2)
    O = paint(I, x10)
    return O


# holes of one, two, three cells become green, red, blue
def solve_e8593010(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ZERO)
    x3 = sizefilter(x2, ONE)
    x4 = merge(x3)
    x5 = fill(I, THREE, x4)
    x6 = sizefilter(x2, TWO)
    x7 = merge(x6)
    x8 = fill(x5, TWO, x7)
    O = replace(x8, ZERO, ONE)
    return O


# the figure is repeated in the colour of the dot in the direction of the dot
def solve_e8dc4411(I):
    x1 = leastcolor(I)
    x2 = ofcolor(I, ZERO)
    x3 = ofcolor(I, x1)
    x4 = position(x2, x3)
    x5 = first(x3)
    x6 = invert(x4)
    x7 = shoot(x5, x6)
    x8 = intersection(x7, x2)
    x9 = size(x8)
    x10 = multiply(x9, x4)
    x11 = rbind(multiply, x10)
    x12 = interval(ONE, TEN, ONE)
    x13 = apply(x11, x12)
    x14 = prapply(add, x2, x13)
    O = fill(I, x1, x14)
    return O


# a green plus halfway between the two blue cells
def solve_e9614598(I):
    x1 = ofcolor(I, ONE)
    x2 = centerofmass(x1)
    x3 = dneighbors(x2)
    x4 = insert(x2, x3)
    O = fill(I, THREE, x4)
    return O


# lay the lower picture over the upper one
def solve_e98196ab(I):
    x1 = bottomhalf(I)
    x2 = asobject(x1)
    x3 = tophalf(I)
    x4 = sfilter(x2, first)
    O = underpaint(x3, x4)
    return O


# the two row colours alternate along every row
def solve_e9afcf9a(I):
    x1 = astuple(TWO, ONE)
    x2 = crop(I, ORIGIN, x1)
    x3 = hmirror(x2)
    x4 = hconcat(x2, x3)
    x5 = hconcat(x4, x4)
    O = hconcat(x4, x5)
    return O


# longest bar blue, shortest red, middle yellow
def solve_ea32f347(I):
    x1 = objects(I, T, F, T)
    x2 = replace(I, FIVE, FOUR)
    x3 = argmax(x1, size)
    x4 = fill(x2, ONE, x3)
    x5 = argmin(x1, size)
    O = fill(x4, TWO, x5)
    return O


# erase both diagonals
def solve_ea786f4a(I):
    x1 = shoot(ORIGIN, UNITY)
    x2 = width(I)
    x3 = decrement(x2)
    x4 = tojvec(x3)
    x5 = shoot(x4, DOWN_LEFT)
    x6 = combine(x1, x5)
    O = fill(I, ZERO, x6)
    return O


# the strip swings down and up again, shared rows drawn once
def solve_eb281b96(I):
    x1 = height(I)
    x2 = decrement(x1)
    x3 = width(I)
    x4 = astuple(x2, x3)
    x5 = hmirror(I)
    x6 = crop(x5, DOWN, x4)
    x7 = crop(I, DOWN, x4)
    x8 = vconcat(I, x6)
    x9 = vconcat(x7, x6)
    O = vconcat(x8, x9)
    return O


# squeeze repeated rows and columns
def solve_eb5a1d5d(I):
    x1 = fork(equality, first, last)
    x2 = compose(flip, x1)
    x3 = repeat(ZERO, ONE)
    x4 = combine(x3, I)
    x5 = pair(I, x4)
    x6 = sfilter(x5, x2)
    x7 = apply(first, x6)
    x8 = dmirror(x7)
    x9 = combine(x3, x8)
    x10 = papply(astuple, x8, x9)
    x11 = sfilter(x10, x2)
    x12 = apply(first, x11)
    O = dmirror(x12)
    return O


# the colour inside the open box shoots away from the corners of the box
def solve_ec883f72(I):
    x1 = fgpartition(I)
    x2 = fork(multiply, height, width)
    x3 = argmax(x1, x2)
    x4 = palette(I)
    x5 = remove(ZERO, x4)
    x6 = color(x3)
    x7 = other(x5, x6)
    x8 = ulcorner(x3)
    x9 = shoot(x8, NEG_UNITY)
    x10 = lrcorner(x3)
    x11 = shoot(x10, UNITY)
    x12 = combine(x9, x11)
    x13 = urcorner(x3)
    x14 = shoot(x13, UP_RIGHT)
    x15 = llcorner(x3)
    x16 = shoot(x15, DOWN_LEFT)
    x17 = combine(x14, x16)
    x18 = combine(x12, x17)
    O = underfill(I, x7, x18)
    return O


# red beams run to the nearest lines and make a ring where they hit
def solve_ecdecbb3(I):
    x1 = frontiers(I)
    x2 = colorfilter(x1, EIGHT)
    x3 = sfilter(x2, hline)
    x4 = size(x3)
    x5 = positive(x4)
    x6 = dmirror(I)
    x7 = branch(x5, I, x6)
    x8 = ofcolor(x7, EIGHT)
    x9 = apply(first, x8)
    x10 = compose(last, first)
    x11 = fork(astuple, last, x10)
    x12 = fork(connect, first, x11)
    x13 = ofcolor(x7, TWO)
    x14 = product(x13, x9)
    x15 = apply(x12, x14)
    x16 = lbind(intersection, x8)
    x17 = compose(size, x16)
    x18 = matcher(x17, ONE)
    x19 = sfilter(x15, x18)
    x20 = mapply(x16, x19)
    x21 = merge(x19)
    x22 = fill(x7, TWO, x21)
    x23 = mapply(neighbors, x20)
    x24 = fill(x22, EIGHT, x23)
    x25 = fill(x24, TWO, x20)
    x26 = dmirror(x25)
    O = branch(x5, x25, x26)
    return O


# quarter turn anticlockwise
def solve_ed36ccf7(I):
    O = rot270(I)
    return O


# gaps between red blocks in the same row become maroon, the bottom row stays free
def solve_ef135b50(I):
    x1 = ofcolor(I, TWO)
    x2 = prapply(connect, x1, x1)
    x3 = mfilter(x2, hline)
    x4 = ofcolor(I, ZERO)
    x5 = intersection(x3, x4)
    x6 = height(I)
    x7 = decrement(x6)
    x8 = lbind(greater, x7)
    x9 = compose(x8, first)
    x10 = sfilter(x5, x9)
    O = fill(I, NINE, x10)
    return O

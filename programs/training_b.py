# Heddle: programs for ARC training tasks whose names begin with b.
#
# Written for this project in the language of heddle-arc, one function for each
# task, in the order of their names; none depends on another. Each solves every
# train and test pair of its task. The tasks themselves (Apache-2.0) are not part
# of this repository. Licence: MIT OR Apache-2.0, like the rest of it.
#
# Run them:  heddle arc eval --data DATA --programs programs/*.py

# how many rows of the cup stay empty, counted in a snake of lamps
def solve_b0c4d837(I):
    x1 = ofcolor(I, FIVE)
    x2 = height(x1)
    x3 = decrement(x2)
    x4 = ofcolor(I, EIGHT)
    x5 = height(x4)
    x6 = subtract(x3, x5)
    x7 = astuple(ONE, NINE)
    x8 = canvas(ZERO, x7)
    x9 = decrement(x6)
    x10 = tojvec(x9)
    x11 = connect(ORIGIN, x10)
    x12 = fill(x8, EIGHT, x11)
    x13 = hsplit(x12, THREE)
    x14 = tojvec(THREE)
    x15 = astuple(ONE, THREE)
    x16 = crop(x12, x14, x15)
    x17 = first(x13)
    x18 = vmirror(x16)
    x19 = last(x13)
    x20 = vconcat(x18, x19)
    O = vconcat(x17, x20)
    return O


# each coloured cell of one half becomes the light blue pattern of the other half in its colour
def solve_b190f7f5(I):
    x1 = portrait(I)
    x2 = vsplit(I, TWO)
    x3 = hsplit(I, TWO)
    x4 = branch(x1, x2, x3)
    x5 = lbind(contained, EIGHT)
    x6 = compose(x5, palette)
    x7 = extract(x4, x6)
    x8 = other(x4, x7)
    x9 = height(x7)
    x10 = repeat(x7, x9)
    x11 = merge(x10)
    x12 = dmirror(x11)
    x13 = repeat(x12, x9)
    x14 = merge(x13)
    x15 = dmirror(x14)
    x16 = upscale(x8, x9)
    x17 = ofcolor(x15, ZERO)
    O = fill(x16, ZERO, x17)
    return O


# pink becomes red
def solve_b1948b0a(I):
    O = replace(I, SIX, TWO)
    return O


# the shape that occurs once is red, the others are blue
def solve_b230c067(I):
    x1 = objects(I, T, T, T)
    x2 = totuple(x1)
    x3 = apply(normalize, x2)
    x4 = leastcommon(x3)
    x5 = replace(I, EIGHT, ONE)
    x6 = matcher(normalize, x4)
    x7 = mfilter(x1, x6)
    O = fill(x5, TWO, x7)
    return O


# a green frame around every red domino
def solve_b27ca6d3(I):
    x1 = objects(I, T, F, T)
    x2 = sizefilter(x1, TWO)
    x3 = mapply(outbox, x2)
    O = fill(I, THREE, x3)
    return O


# closed loops turn light blue
def solve_b2862040(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, NINE)
    x3 = rbind(bordering, I)
    x4 = compose(flip, x3)
    x5 = mfilter(x2, x4)
    x6 = colorfilter(x1, ONE)
    x7 = rbind(adjacent, x5)
    x8 = mfilter(x6, x7)
    O = fill(I, EIGHT, x8)
    return O


# from the red mark of each rectangle a beam leaves it, accompanied by green according to the thickness
def solve_b527c5c6(I):
    x1 = objects(I, F, F, T)
    x2 = matcher(first, TWO)
    x3 = rbind(sfilter, x2)
    x4 = compose(ulcorner, x3)
    x5 = chain(decrement, minimum, shape)
    x6 = rbind(multiply, RIGHT)
    x7 = compose(x6, x5)
    x8 = rbind(multiply, DOWN)
    x9 = compose(x8, x5)
    x10 = fork(subtract, x4, x7)
    x11 = fork(add, x4, x7)
    x12 = fork(connect, x10, x11)
    x13 = fork(subtract, x4, x9)
    x14 = fork(add, x4, x9)
    x15 = fork(connect, x13, x14)
    x16 = lbind(index, I)
    x17 = rbind(add, UP)
    x18 = chain(x16, x17, x4)
    x19 = matcher(x18, ZERO)
    x20 = sfilter(x1, x19)
    x21 = rbind(add, DOWN)
    x22 = chain(x16, x21, x4)
    x23 = matcher(x22, ZERO)
    x24 = sfilter(x1, x23)
    x25 = rbind(add, LEFT)
    x26 = chain(x16, x25, x4)
    x27 = matcher(x26, ZERO)
    x28 = sfilter(x1, x27)
    x29 = rbind(add, RIGHT)
    x30 = chain(x16, x29, x4)
    x31 = matcher(x30, ZERO)
    x32 = sfilter(x1, x31)
    x33 = rbind(shoot, UP)
    x34 = mapply(x12, x20)
    x35 = mapply(x33, x34)
    x36 = rbind(shoot, DOWN)
    x37 = mapply(x12, x24)
    x38 = mapply(x36, x37)
    x39 = rbind(shoot, LEFT)
    x40 = mapply(x15, x28)
    x41 = mapply(x39, x40)
    x42 = rbind(shoot, RIGHT)
    x43 = mapply(x15, x32)
    x44 = mapply(x42, x43)
    x45 = combine(x35, x38)
    x46 = combine(x41, x44)
    x47 = combine(x45, x46)
    x48 = underfill(I, THREE, x47)
    x49 = apply(x4, x20)
    x50 = mapply(x33, x49)
    x51 = apply(x4, x24)
    x52 = mapply(x36, x51)
    x53 = apply(x4, x28)
    x54 = mapply(x39, x53)
    x55 = apply(x4, x32)
    x56 = mapply(x42, x55)
    x57 = combine(x50, x52)
    x58 = combine(x54, x56)
    x59 = combine(x57, x58)
    O = fill(x48, TWO, x59)
    return O


# stretch the framed rectangle until it reaches the light blue cell
def solve_b548a754(I):
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = matcher(first, EIGHT)
    x4 = compose(flip, x3)
    x5 = sfilter(x2, x4)
    x6 = ulcorner(x5)
    x7 = index(I, x6)
    x8 = palette(x5)
    x9 = other(x8, x7)
    x10 = backdrop(x2)
    x11 = fill(I, x9, x10)
    x12 = box(x2)
    O = fill(x11, x7, x12)
    return O


# each grey cell becomes a ring of grey corners and blue sides
def solve_b60334d2(I):
    x1 = ofcolor(I, FIVE)
    x2 = replace(I, FIVE, ZERO)
    x3 = mapply(dneighbors, x1)
    x4 = fill(x2, ONE, x3)
    x5 = mapply(ineighbors, x1)
    O = fill(x4, FIVE, x5)
    return O


# rectangles get red insides, yellow sides and blue corners
def solve_b6afb2da(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, FIVE)
    x3 = replace(I, FIVE, TWO)
    x4 = mapply(box, x2)
    x5 = fill(x3, FOUR, x4)
    x6 = mapply(corners, x2)
    O = fill(x5, ONE, x6)
    return O


# the two dots reach for each other and end in two facing brackets
def solve_b7249182(I):
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = portrait(x2)
    x4 = dmirror(I)
    x5 = branch(x3, x4, I)
    x6 = fgpartition(x5)
    x7 = merge(x6)
    x8 = compose(last, last)
    x9 = order(x7, x8)
    x10 = first(x9)
    x11 = last(x10)
    x12 = last(x9)
    x13 = last(x12)
    x14 = subtract(x13, x11)
    x15 = last(x14)
    x16 = subtract(x15, THREE)
    x17 = halve(x16)
    x18 = tojvec(x17)
    x19 = add(x11, x18)
    x20 = subtract(x13, x18)
    x21 = double(UP)
    x22 = add(x19, x21)
    x23 = add(x19, TWO_BY_ZERO)
    x24 = connect(x22, x23)
    x25 = add(x20, x21)
    x26 = add(x20, TWO_BY_ZERO)
    x27 = connect(x25, x26)
    x28 = connect(x11, x19)
    x29 = combine(x24, x28)
    x30 = corners(x24)
    x31 = shift(x30, RIGHT)
    x32 = combine(x29, x31)
    x33 = connect(x13, x20)
    x34 = combine(x27, x33)
    x35 = corners(x27)
    x36 = shift(x35, LEFT)
    x37 = combine(x34, x36)
    x38 = first(x10)
    x39 = fill(x5, x38, x32)
    x40 = first(x12)
    x41 = fill(x39, x40, x37)
    x42 = dmirror(x41)
    O = branch(x3, x42, x41)
    return O


# each seed at the rim of a figure grows into a mirrored copy in its own colour
def solve_b775ac94(I):
    x1 = objects(I, F, T, T)
    x2 = lbind(matcher, first)
    x3 = compose(x2, mostcolor)
    x4 = fork(sfilter, identity, x3)
    x5 = compose(x4, first)
    x6 = compose(shape, x5)
    x7 = fork(multiply, x6, last)
    x8 = compose(backdrop, x5)
    x9 = fork(shift, x8, x7)
    x10 = fork(difference, first, x5)
    x11 = compose(toindices, x10)
    x12 = fork(intersection, x9, x11)
    x13 = neighbors(ORIGIN)
    x14 = product(x1, x13)
    x15 = compose(size, x12)
    x16 = sfilter(x14, x15)
    x17 = fork(multiply, last, last)
    x18 = lbind(subtract, ONE)
    x19 = compose(double, x17)
    x20 = compose(x18, x19)
    x21 = fork(add, ulcorner, lrcorner)
    x22 = compose(x21, x5)
    x23 = fork(multiply, x17, x22)
    x24 = fork(add, x23, x7)
    x25 = lbind(lbind, multiply)
    x26 = compose(x25, x20)
    x27 = compose(toindices, x5)
    x28 = fork(apply, x26, x27)
    x29 = rbind(toobject, I)
    x30 = chain(color, x29, x12)
    x31 = fork(shift, x28, x24)
    x32 = fork(recolor, x30, x31)
    x33 = mapply(x32, x16)
    O = paint(I, x33)
    return O


# the two colours flood the corridors of the maze like a chessboard
def solve_b782dc8a(I):
    x1 = leastcolor(I)
    x2 = palette(I)
    x3 = remove(EIGHT, x2)
    x4 = remove(ZERO, x3)
    x5 = other(x4, x1)
    x6 = ofcolor(I, x1)
    x7 = first(x6)
    x8 = replace(I, x1, ZERO)
    x9 = replace(x8, x5, ZERO)
    x10 = objects(x9, T, F, F)
    x11 = astuple(ZERO, x7)
    x12 = lbind(contained, x11)
    x13 = extract(x10, x12)
    x14 = fork(add, first, last)
    x15 = rbind(subtract, x7)
    x16 = chain(even, x14, x15)
    x17 = fill(I, x5, x13)
    x18 = toindices(x13)
    x19 = sfilter(x18, x16)
    O = fill(x17, x1, x19)
    return O


# repair the yellow patches by mirror symmetry
def solve_b8825c91(I):
    x1 = ofcolor(I, FOUR)
    x2 = vmirror(I)
    x3 = toobject(x1, x2)
    x4 = paint(I, x3)
    x5 = ofcolor(x4, FOUR)
    x6 = hmirror(x4)
    x7 = toobject(x5, x6)
    O = paint(x4, x7)
    return O


# the inner colour of the base shoots out diagonally past the bump above it
def solve_b8cdaf2b(I):
    x1 = leastcolor(I)
    x2 = ofcolor(I, x1)
    x3 = shift(x2, UP)
    x4 = ulcorner(x3)
    x5 = shoot(x4, NEG_UNITY)
    x6 = urcorner(x3)
    x7 = shoot(x6, UP_RIGHT)
    x8 = combine(x5, x7)
    O = underfill(I, x1, x8)
    return O


# enlarge by the number of colours
def solve_b91ae062(I):
    x1 = numcolors(I)
    x2 = decrement(x1)
    O = upscale(I, x2)
    return O


# cut out the square and exchange its two colours
def solve_b94a9452(I):
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = subgrid(x2, I)
    x4 = mostcolor(x3)
    x5 = leastcolor(x3)
    O = switch(x3, x4, x5)
    return O


# the colour of the rectangle that has a hole
def solve_b9b7f026(I):
    x1 = objects(I, T, F, T)
    x2 = compose(size, delta)
    x3 = extract(x1, x2)
    x4 = color(x3)
    O = canvas(x4, UNITY)
    return O


# in every third column yellow becomes pink
def solve_ba26e723(I):
    x1 = rbind(multiply, THREE)
    x2 = rbind(divide, THREE)
    x3 = chain(x1, x2, last)
    x4 = ofcolor(I, FOUR)
    x5 = fork(equality, last, x3)
    x6 = sfilter(x4, x5)
    O = fill(I, SIX, x6)
    return O


# the bar lying behind comes to the front at the crossing
def solve_ba97ae07(I):
    x1 = fgpartition(I)
    x2 = totuple(x1)
    x3 = first(x2)
    x4 = backdrop(x3)
    x5 = last(x2)
    x6 = backdrop(x5)
    x7 = intersection(x4, x6)
    x8 = ulcorner(x7)
    x9 = index(I, x8)
    x10 = palette(I)
    x11 = remove(ZERO, x10)
    x12 = other(x11, x9)
    O = fill(I, x12, x7)
    return O


# the inside of each rectangle turns red
def solve_bb43febb(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, FIVE)
    x3 = replace(I, FIVE, TWO)
    x4 = mapply(box, x2)
    O = fill(x3, FIVE, x4)
    return O


# staircase: each next row has one more coloured cell
def solve_bbc9ae5d(I):
    x1 = width(I)
    x2 = index(I, ORIGIN)
    x3 = colorcount(I, x2)
    x4 = decrement(x3)
    x5 = tojvec(x4)
    x6 = shoot(x5, UNITY)
    x7 = halve(x1)
    x8 = astuple(x7, x1)
    x9 = canvas(ZERO, x8)
    x10 = rbind(shoot, LEFT)
    x11 = mapply(x10, x6)
    O = fill(x9, x2, x11)
    return O


# lay the four corner pieces on top of each other
def solve_bc1d5164(I):
    x1 = crop(I, ORIGIN, THREE_BY_THREE)
    x2 = crop(I, TWO_BY_ZERO, THREE_BY_THREE)
    x3 = tojvec(FOUR)
    x4 = crop(I, x3, THREE_BY_THREE)
    x5 = astuple(TWO, FOUR)
    x6 = crop(I, x5, THREE_BY_THREE)
    x7 = palette(I)
    x8 = other(x7, ZERO)
    x9 = ofcolor(x1, x8)
    x10 = ofcolor(x2, x8)
    x11 = combine(x9, x10)
    x12 = ofcolor(x4, x8)
    x13 = ofcolor(x6, x8)
    x14 = combine(x12, x13)
    x15 = combine(x11, x14)
    O = fill(x1, x8, x15)
    return O


# the top colours are listed again as full rows, two rounds
def solve_bd4472b8(I):
    x1 = width(I)
    x2 = rbind(repeat, x1)
    x3 = first(I)
    x4 = apply(x2, x3)
    x5 = astuple(TWO, x1)
    x6 = crop(I, ORIGIN, x5)
    x7 = combine(x4, x4)
    O = combine(x6, x7)
    return O


# nested frames pass their colours one layer inwards
def solve_bda2d7a6(I):
    x1 = index(I, ORIGIN)
    x2 = trim(I)
    x3 = index(x2, ORIGIN)
    x4 = palette(I)
    x5 = remove(x1, x4)
    x6 = other(x5, x3)
    x7 = switch(I, x1, x3)
    O = switch(x7, x3, x6)
    return O


# extend both bars over the whole grid, their crossing is yellow
def solve_bdad9b1f(I):
    x1 = ofcolor(I, TWO)
    x2 = mapply(hfrontier, x1)
    x3 = ofcolor(I, EIGHT)
    x4 = mapply(vfrontier, x3)
    x5 = fill(I, TWO, x2)
    x6 = fill(x5, EIGHT, x4)
    x7 = intersection(x2, x4)
    O = fill(x6, FOUR, x7)
    return O


# cut out the largest shape
def solve_be94b721(I):
    x1 = objects(I, T, F, T)
    x2 = argmax(x1, size)
    O = subgrid(x2, I)
    return O


# bars sorted by length, standing on the floor, flush right
def solve_beb8660c(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ZERO)
    x3 = difference(x1, x2)
    x4 = order(x3, size)
    x5 = lbind(astuple, ONE)
    x6 = compose(x5, size)
    x7 = fork(canvas, color, x6)
    x8 = lbind(canvas, ZERO)
    x9 = width(I)
    x10 = lbind(subtract, x9)
    x11 = compose(x10, size)
    x12 = chain(x8, x5, x11)
    x13 = fork(hconcat, x12, x7)
    x14 = mapply(x13, x4)
    x15 = height(I)
    x16 = size(x4)
    x17 = subtract(x15, x16)
    x18 = astuple(x17, x9)
    x19 = canvas(ZERO, x18)
    O = vconcat(x19, x14)
    return O

# Heddle: programs for ARC training tasks whose names begin with 5.
#
# Written for this project in the language of heddle-arc, one function for each
# task, in the order of their names; none depends on another. Each solves every
# train and test pair of its task. The tasks themselves (Apache-2.0) are not part
# of this repository. Licence: MIT OR Apache-2.0, like the rest of it.
#
# Run them:  heddle arc eval --data DATA --programs programs/*.py

# crosses of 2 hidden in the noise are completed with 8
def solve_50846271(I):
    x1 = ofcolor(I, TWO)
    x2 = toivec(NEG_TWO)
    x3 = connect(x2, TWO_BY_ZERO)
    x4 = tojvec(NEG_TWO)
    x5 = connect(x4, ZERO_BY_TWO)
    x6 = combine(x3, x5)
    x7 = invert(THREE)
    x8 = toivec(x7)
    x9 = toivec(THREE)
    x10 = connect(x8, x9)
    x11 = tojvec(x7)
    x12 = tojvec(THREE)
    x13 = connect(x11, x12)
    x14 = combine(x10, x13)
    x15 = rbind(colorcount, ZERO)
    x16 = rbind(toobject, I)
    x17 = lbind(shift, x14)
    x18 = compose(x16, x17)
    x19 = asindices(I)
    x20 = compose(x15, x18)
    x21 = compose(flip, x20)
    x22 = sfilter(x19, x21)
    x23 = mapply(x17, x22)
    x24 = difference(x1, x23)
    x25 = flip(x24)
    x26 = branch(x25, x14, x6)
    x27 = lbind(shift, x26)
    x28 = compose(x16, x27)
    x29 = compose(x15, x28)
    x30 = compose(flip, x29)
    x31 = sfilter(x19, x30)
    x32 = rbind(colorcount, TWO)
    x33 = compose(x32, x28)
    x34 = lbind(intersection, x31)
    x35 = compose(x34, dneighbors)
    x36 = fork(insert, identity, x35)
    x37 = rbind(argmax, x33)
    x38 = compose(x37, x36)
    x39 = fork(equality, identity, x38)
    x40 = rbind(greater, TWO)
    x41 = compose(x40, x33)
    x42 = sfilter(x31, x41)
    x43 = sfilter(x42, x39)
    x44 = mapply(x27, x43)
    x45 = ofcolor(I, FIVE)
    x46 = intersection(x44, x45)
    O = fill(I, EIGHT, x46)
    return O


# the 8 ray is prolonged with 3 and bounces off the 2 wall
def solve_508bd3b6(I):
    x1 = ofcolor(I, TWO)
    x2 = width(x1)
    x3 = width(I)
    x4 = equality(x2, x3)
    x5 = uppermost(x1)
    x6 = positive(x5)
    x7 = branch(x6, dmirror, cmirror)
    x8 = leftmost(x1)
    x9 = positive(x8)
    x10 = branch(x9, identity, vmirror)
    x11 = branch(x4, x7, x10)
    x12 = x11(I)
    x13 = ofcolor(x12, EIGHT)
    x14 = ulcorner(x13)
    x15 = contained(x14, x13)
    x16 = lrcorner(x13)
    x17 = urcorner(x13)
    x18 = branch(x15, x16, x17)
    x19 = branch(x15, UNITY, UP_RIGHT)
    x20 = shoot(x18, x19)
    x21 = ofcolor(x12, TWO)
    x22 = leftmost(x21)
    x23 = decrement(x22)
    x24 = double(x23)
    x25 = leftmost(x20)
    x26 = rightmost(x20)
    x27 = add(x25, x26)
    x28 = subtract(x24, x27)
    x29 = vmirror(x20)
    x30 = tojvec(x28)
    x31 = shift(x29, x30)
    x32 = combine(x20, x31)
    x33 = underfill(x12, THREE, x32)
    O = x11(x33)
    return O


# the inside of each rectangle becomes 8
def solve_50cb2852(I):
    x1 = compose(backdrop, inbox)
    x2 = objects(I, T, F, T)
    x3 = mapply(x1, x2)
    O = fill(I, EIGHT, x3)
    return O


# crop the figure with the 8 in it and give the 8 the figure's colour
def solve_5117e062(I):
    x1 = objects(I, F, T, T)
    x2 = lbind(contained, EIGHT)
    x3 = compose(x2, palette)
    x4 = extract(x1, x3)
    x5 = subgrid(x4, I)
    x6 = mostcolor(x4)
    O = replace(x5, EIGHT, x6)
    return O


# the frame slides two steps along the dotted line
def solve_5168d44c(I):
    x1 = ofcolor(I, TWO)
    x2 = recolor(TWO, x1)
    x3 = ofcolor(I, THREE)
    x4 = portrait(x3)
    x5 = branch(x4, TWO_BY_ZERO, ZERO_BY_TWO)
    O = move(I, x2, x5)
    return O


# continue the nested corners on 10x10, cycling through the colours
def solve_539a4f51(I):
    x1 = first(I)
    x2 = sfilter(x1, positive)
    x3 = repeat(x2, TEN)
    x4 = merge(x3)
    x5 = repeat(x4, TEN)
    x6 = astuple(TEN, TEN)
    x7 = crop(x5, ORIGIN, x6)
    x8 = asindices(x7)
    x9 = fork(greater, first, last)
    x10 = sfilter(x8, x9)
    x11 = dmirror(x7)
    x12 = toobject(x10, x11)
    O = paint(x7, x12)
    return O


# continue the pattern downwards to ten rows
def solve_53b68214(I):
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = height(I)
    x4 = interval(ONE, x3, ONE)
    x5 = interval(ZERO, THREE, ONE)
    x6 = product(x4, x5)
    x7 = order(x6, identity)
    x8 = lbind(shift, x2)
    x9 = rbind(toobject, I)
    x10 = compose(x9, x8)
    x11 = fork(difference, x10, x8)
    x12 = compose(flip, x11)
    x13 = extract(x7, x12)
    x14 = lbind(multiply, x13)
    x15 = interval(ZERO, TEN, ONE)
    x16 = apply(x14, x15)
    x17 = astuple(TEN, TEN)
    x18 = canvas(ZERO, x17)
    x19 = mapply(x8, x16)
    O = paint(x18, x19)
    return O


# rings of 3 around and 4 inside every 6 figure
def solve_543a7ed5(I):
    x1 = objects(I, T, F, T)
    x2 = mapply(outbox, x1)
    x3 = fill(I, THREE, x2)
    x4 = mapply(delta, x1)
    O = fill(x3, FOUR, x4)
    return O


# a 4 on the floor below each opening
def solve_54d82841(I):
    x1 = height(I)
    x2 = decrement(x1)
    x3 = lbind(astuple, x2)
    x4 = chain(x3, last, center)
    x5 = objects(I, T, F, T)
    x6 = apply(x4, x5)
    O = fill(I, FOUR, x6)
    return O


# every room takes its pixel's colour plus five
def solve_54d9e175(I):
    x1 = objects(I, T, F, T)
    x2 = sizefilter(x1, ONE)
    x3 = merge(x2)
    x4 = chain(backdrop, neighbors, last)
    x5 = lbind(add, FIVE)
    x6 = compose(x5, first)
    x7 = fork(recolor, x6, x4)
    x8 = mapply(x7, x3)
    O = paint(I, x8)
    return O


# every rectangle rises by its own height
def solve_5521c0d9(I):
    x1 = objects(I, T, F, T)
    x2 = chain(toivec, invert, height)
    x3 = merge(x1)
    x4 = cover(I, x3)
    x5 = fork(shift, identity, x2)
    x6 = mapply(x5, x1)
    O = paint(x4, x6)
    return O


# flood with the commonest colour
def solve_5582e5ca(I):
    x1 = mostcolor(I)
    x2 = shape(I)
    O = canvas(x1, x2)
    return O


# main colour of each 3x3 block
def solve_5614dbcf(I):
    x1 = lbind(apply, mostcolor)
    x2 = rbind(hsplit, THREE)
    x3 = compose(x1, x2)
    x4 = vsplit(I, THREE)
    O = apply(x3, x4)
    return O


# the 3 figure flies to the 2 wall and an 8 wall closes it from behind
def solve_56dc2b01(I):
    x1 = ofcolor(I, THREE)
    x2 = recolor(THREE, x1)
    x3 = ofcolor(I, TWO)
    x4 = gravitate(x2, x3)
    x5 = sign(x4)
    x6 = shape(x2)
    x7 = increment(x6)
    x8 = multiply(x5, x7)
    x9 = invert(x8)
    x10 = move(I, x2, x4)
    x11 = shift(x3, x9)
    O = fill(x10, EIGHT, x11)
    return O


# pixels of one colour span a filled rectangle
def solve_56ff96f3(I):
    x1 = fork(recolor, color, backdrop)
    x2 = fgpartition(I)
    x3 = mapply(x1, x2)
    O = paint(I, x3)
    return O


# two-block hints grow to enlarged copies of the model in their own colour
def solve_57aa92db(I):
    x1 = objects(I, F, T, T)
    x2 = extract(x1, delta)
    x3 = remove(x2, x1)
    x4 = palette(x2)
    x5 = merge(x3)
    x6 = palette(x5)
    x7 = intersection(x4, x6)
    x8 = first(x7)
    x9 = matcher(first, x8)
    x10 = rbind(sfilter, x9)
    x11 = compose(ulcorner, x10)
    x12 = lbind(upscale, x2)
    x13 = compose(minimum, shape)
    x14 = compose(x12, x13)
    x15 = compose(x11, x14)
    x16 = fork(subtract, x11, x15)
    x17 = rbind(other, x8)
    x18 = compose(x17, palette)
    x19 = fork(shift, x14, x16)
    x20 = fork(recolor, x18, x19)
    x21 = mapply(x20, x3)
    x22 = paint(I, x21)
    x23 = ofcolor(I, x8)
    O = fill(x22, x8, x23)
    return O


# shrink the blocky figure to 3x3 and use the noise colour
def solve_5ad4f10b(I):
    x1 = objects(I, T, T, T)
    x2 = argmax(x1, size)
    x3 = shape(x2)
    x4 = canvas(ZERO, x3)
    x5 = normalize(x2)
    x6 = paint(x4, x5)
    x7 = width(x2)
    x8 = divide(x7, THREE)
    x9 = downscale(x6, x8)
    x10 = color(x2)
    x11 = palette(I)
    x12 = remove(ZERO, x11)
    x13 = other(x12, x10)
    O = replace(x9, x10, x13)
    return O


# the 3x3 corner at the upper right
def solve_5bd6f4ac(I):
    x1 = tojvec(SIX)
    O = crop(I, x1, THREE_BY_THREE)
    return O


# diagonals leave the 1 block up left and the 2 block down right
def solve_5c0a986e(I):
    x1 = ofcolor(I, ONE)
    x2 = ulcorner(x1)
    x3 = shoot(x2, NEG_UNITY)
    x4 = fill(I, ONE, x3)
    x5 = ofcolor(I, TWO)
    x6 = lrcorner(x5)
    x7 = shoot(x6, UNITY)
    O = fill(x4, TWO, x7)
    return O


# nested squares around the middle pixel at equal distances
def solve_5c2c9af4(I):
    x1 = leastcolor(I)
    x2 = ofcolor(I, x1)
    x3 = center(x2)
    x4 = height(x2)
    x5 = halve(x4)
    x6 = lbind(subtract, x3)
    x7 = compose(initset, x6)
    x8 = lbind(add, x3)
    x9 = compose(initset, x8)
    x10 = fork(combine, x7, x9)
    x11 = multiply(THREE, TEN)
    x12 = interval(x5, x11, x5)
    x13 = compose(box, x10)
    x14 = mapply(x13, x12)
    O = fill(I, x1, x14)
    return O


# cut out the area between the four lines, its pixels run to the line of their colour
def solve_5daaa586(I):
    x1 = ofcolor(I, ZERO)
    x2 = height(I)
    x3 = interval(ZERO, x2, ONE)
    x4 = apply(first, x1)
    x5 = difference(x3, x4)
    x6 = width(I)
    x7 = interval(ZERO, x6, ONE)
    x8 = apply(last, x1)
    x9 = difference(x7, x8)
    x10 = first(x5)
    x11 = first(x9)
    x12 = astuple(x10, x11)
    x13 = initset(x12)
    x14 = last(x5)
    x15 = last(x9)
    x16 = astuple(x14, x15)
    x17 = initset(x16)
    x18 = combine(x13, x17)
    x19 = subgrid(x18, I)
    x20 = objects(I, T, F, T)
    x21 = sizefilter(x20, ONE)
    x22 = totuple(x21)
    x23 = apply(color, x22)
    x24 = mostcommon(x23)
    x25 = index(x19, DOWN)
    x26 = equality(x25, x24)
    x27 = branch(x26, LEFT, RIGHT)
    x28 = hmirror(x19)
    x29 = index(x28, RIGHT)
    x30 = equality(x29, x24)
    x31 = branch(x30, DOWN, x27)
    x32 = index(x19, RIGHT)
    x33 = equality(x32, x24)
    x34 = branch(x33, UP, x31)
    x35 = rbind(shoot, x34)
    x36 = ofcolor(x19, x24)
    x37 = mapply(x35, x36)
    x38 = ofcolor(x19, ZERO)
    x39 = intersection(x37, x38)
    O = fill(x19, x24, x39)
    return O

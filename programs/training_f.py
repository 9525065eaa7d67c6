# Heddle: programs for ARC training tasks whose names begin with f.
#
# Written for this project in the language of heddle-arc, one function for each
# task, in the order of their names; none depends on another. Each solves every
# train and test pair of its task. The tasks themselves (Apache-2.0) are not part
# of this repository. Licence: MIT OR Apache-2.0, like the rest of it.
#
# Run them:  heddle arc eval --data DATA --programs programs/*.py

# rays step aside each time they pass a red mark
def solve_f15e1fac(I):
    x1 = ofcolor(I, EIGHT)
    x2 = portrait(x1)
    x3 = dmirror(I)
    x4 = branch(x2, x3, I)
    x5 = ofcolor(x4, EIGHT)
    x6 = uppermost(x5)
    x7 = positive(x6)
    x8 = hmirror(x4)
    x9 = branch(x7, x8, x4)
    x10 = ofcolor(x9, TWO)
    x11 = leftmost(x10)
    x12 = positive(x11)
    x13 = vmirror(x9)
    x14 = branch(x12, x13, x9)
    x15 = ofcolor(x14, TWO)
    x16 = lbind(intersection, x15)
    x17 = lbind(connect, ORIGIN)
    x18 = chain(size, x16, x17)
    x19 = compose(x18, toivec)
    x20 = ofcolor(x14, EIGHT)
    x21 = lbind(shift, x20)
    x22 = fork(astuple, identity, x19)
    x23 = compose(x21, x22)
    x24 = height(x14)
    x25 = interval(ZERO, x24, ONE)
    x26 = mapply(x23, x25)
    x27 = fill(x14, EIGHT, x26)
    x28 = vmirror(x27)
    x29 = branch(x12, x28, x27)
    x30 = hmirror(x29)
    x31 = branch(x7, x30, x29)
    x32 = dmirror(x31)
    O = branch(x2, x32, x31)
    return O


# notches of the core become lines that cut the core and go on outside the frame
def solve_f1cefba8(I):
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = ulcorner(x2)
    x4 = index(I, x3)
    x5 = palette(I)
    x6 = remove(ZERO, x5)
    x7 = other(x6, x4)
    x8 = ofcolor(I, x7)
    x9 = shift(x8, UP)
    x10 = intersection(x8, x9)
    x11 = shift(x8, LEFT)
    x12 = shift(x8, NEG_UNITY)
    x13 = intersection(x11, x12)
    x14 = intersection(x10, x13)
    x15 = shift(x14, DOWN)
    x16 = combine(x14, x15)
    x17 = shift(x14, RIGHT)
    x18 = shift(x14, UNITY)
    x19 = combine(x17, x18)
    x20 = combine(x16, x19)
    x21 = difference(x8, x20)
    x22 = apply(initset, x21)
    x23 = rbind(vmatching, x20)
    x24 = mfilter(x22, x23)
    x25 = mapply(vfrontier, x24)
    x26 = rbind(hmatching, x20)
    x27 = mfilter(x22, x26)
    x28 = mapply(hfrontier, x27)
    x29 = combine(x25, x28)
    x30 = fill(I, x4, x21)
    x31 = intersection(x29, x20)
    x32 = fill(x30, x4, x31)
    x33 = ofcolor(I, ZERO)
    x34 = intersection(x29, x33)
    O = fill(x32, x7, x34)
    return O


# cut out the shape and double it
def solve_f25fbde4(I):
    x1 = ofcolor(I, FOUR)
    x2 = subgrid(x1, I)
    O = upscale(x2, TWO)
    return O


# fill the upper half with the reflection of the lower half
def solve_f25ffba3(I):
    x1 = bottomhalf(I)
    x2 = hmirror(x1)
    O = vconcat(x2, x1)
    return O


# mark with green the cells empty in the left and in the right half
def solve_f2829549(I):
    x1 = lefthalf(I)
    x2 = ofcolor(x1, ZERO)
    x3 = righthalf(I)
    x4 = ofcolor(x3, ZERO)
    x5 = shape(x1)
    x6 = canvas(ZERO, x5)
    x7 = intersection(x2, x4)
    O = fill(x6, THREE, x7)
    return O


# four rings with exchanged colours, joined by dotted sides
def solve_f35d900a(I):
    x1 = asobject(I)
    x2 = sfilter(x1, first)
    x3 = palette(x2)
    x4 = first(x3)
    x5 = other(x3, x4)
    x6 = toindices(x2)
    x7 = box(x6)
    x8 = rbind(manhattan, x6)
    x9 = chain(even, x8, initset)
    x10 = sfilter(x7, x9)
    x11 = fill(I, FIVE, x10)
    x12 = ofcolor(I, x4)
    x13 = mapply(neighbors, x12)
    x14 = fill(x11, x5, x13)
    x15 = ofcolor(I, x5)
    x16 = mapply(neighbors, x15)
    x17 = fill(x14, x4, x16)
    O = paint(x17, x2)
    return O


# fill the columns under and over coloured cells, then tile two by two
def solve_f5b8619d(I):
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = toindices(x2)
    x4 = mapply(vfrontier, x3)
    x5 = underfill(I, EIGHT, x4)
    x6 = hconcat(x5, x5)
    O = vconcat(x6, x6)
    return O


# grey takes the other colour, the other colour is wiped
def solve_f76d97a5(I):
    x1 = palette(I)
    x2 = other(x1, FIVE)
    x3 = replace(I, x2, ZERO)
    O = replace(x3, FIVE, x2)
    return O


# the grey cells are reflected to the outside over the nearer wall
def solve_f8a8fe49(I):
    x1 = ofcolor(I, TWO)
    x2 = uppermost(x1)
    x3 = center(x1)
    x4 = last(x3)
    x5 = astuple(x2, x4)
    x6 = index(I, x5)
    x7 = equality(x6, TWO)
    x8 = dmirror(I)
    x9 = branch(x7, I, x8)
    x10 = ofcolor(x9, TWO)
    x11 = ofcolor(x9, FIVE)
    x12 = rbind(multiply, UP_RIGHT)
    x13 = center(x10)
    x14 = first(x13)
    x15 = lbind(greater, x14)
    x16 = compose(x15, first)
    x17 = sfilter(x11, x16)
    x18 = difference(x11, x17)
    x19 = apply(x12, x17)
    x20 = uppermost(x10)
    x21 = double(x20)
    x22 = toivec(x21)
    x23 = shift(x19, x22)
    x24 = apply(x12, x18)
    x25 = lowermost(x10)
    x26 = double(x25)
    x27 = toivec(x26)
    x28 = shift(x24, x27)
    x29 = fill(x9, ZERO, x11)
    x30 = combine(x23, x28)
    x31 = fill(x29, FIVE, x30)
    x32 = dmirror(x31)
    O = branch(x7, x31, x32)
    return O


# colours of the odd tiles, the most frequent first
def solve_f8b3ba0a(I):
    x1 = fgpartition(I)
    x2 = compose(invert, size)
    x3 = order(x1, x2)
    x4 = apply(color, x3)
    x5 = rbind(repeat, ONE)
    x6 = first(x4)
    x7 = remove(x6, x4)
    O = apply(x5, x7)
    return O


# nested angles are continued outwards at the same distance on a grey ground
def solve_f8c80d96(I):
    x1 = objects(I, T, F, T)
    x2 = compose(invert, size)
    x3 = order(x1, x2)
    x4 = first(x3)
    x5 = shape(x4)
    x6 = remove(x4, x3)
    x7 = first(x6)
    x8 = shape(x7)
    x9 = subtract(x5, x8)
    x10 = minimum(x9)
    x11 = rbind(multiply, x10)
    x12 = interval(ONE, TEN, ONE)
    x13 = apply(x11, x12)
    x14 = ulcorner(x4)
    x15 = lbind(subtract, x14)
    x16 = lrcorner(x4)
    x17 = lbind(add, x16)
    x18 = fork(astuple, x15, x17)
    x19 = color(x4)
    x20 = compose(box, x18)
    x21 = totuple(x13)
    x22 = mapply(x20, x21)
    x23 = fill(I, x19, x22)
    O = replace(x23, ZERO, FIVE)
    return O


# the colours of the shapes by size, largest on top
def solve_f8ff0b80(I):
    x1 = objects(I, T, T, T)
    x2 = compose(invert, size)
    x3 = order(x1, x2)
    x4 = rbind(canvas, UNITY)
    x5 = compose(x4, color)
    O = mapply(x5, x3)
    return O


# restore the erased part of a repeating pattern and give only that part
def solve_f9012d9b(I):
    x1 = lbind(contained, ZERO)
    x2 = compose(flip, x1)
    x3 = sfilter(I, x2)
    x4 = asobject(x3)
    x5 = hperiod(x4)
    x6 = dmirror(I)
    x7 = sfilter(x6, x2)
    x8 = asobject(x7)
    x9 = hperiod(x8)
    x10 = asobject(I)
    x11 = sfilter(x10, first)
    x12 = tojvec(x5)
    x13 = shift(x11, x12)
    x14 = paint(I, x13)
    x15 = invert(x5)
    x16 = tojvec(x15)
    x17 = shift(x11, x16)
    x18 = paint(x14, x17)
    x19 = toivec(x9)
    x20 = shift(x11, x19)
    x21 = paint(x18, x20)
    x22 = invert(x9)
    x23 = toivec(x22)
    x24 = shift(x11, x23)
    x25 = paint(x21, x24)
    x26 = ofcolor(I, ZERO)
    O = subgrid(x26, x25)
    return O


# mark with red the cells empty in the upper and in the lower half
def solve_fafffa47(I):
    x1 = tophalf(I)
    x2 = ofcolor(x1, ZERO)
    x3 = bottomhalf(I)
    x4 = ofcolor(x3, ZERO)
    x5 = canvas(ZERO, THREE_BY_THREE)
    x6 = intersection(x2, x4)
    O = fill(x5, TWO, x6)
    return O


# the largest box in the colour of the specks
def solve_fcb5c309(I):
    x1 = objects(I, T, F, T)
    x2 = argmax(x1, size)
    x3 = palette(I)
    x4 = remove(ZERO, x3)
    x5 = color(x2)
    x6 = other(x4, x5)
    x7 = subgrid(x2, I)
    O = replace(x7, x5, x6)
    return O


# under each square a green block as high as the square has colours
def solve_fcc82909(I):
    x1 = rbind(add, DOWN)
    x2 = compose(x1, llcorner)
    x3 = compose(toivec, numcolors)
    x4 = fork(add, lrcorner, x3)
    x5 = fork(astuple, x2, x4)
    x6 = compose(backdrop, x5)
    x7 = objects(I, F, F, T)
    x8 = mapply(x6, x7)
    O = underfill(I, THREE, x8)
    return O


# cells of the single row climb diagonally, the square grows with their number
def solve_feca6190(I):
    x1 = asobject(I)
    x2 = sfilter(x1, first)
    x3 = size(x2)
    x4 = width(I)
    x5 = multiply(x3, x4)
    x6 = decrement(x5)
    x7 = toivec(x6)
    x8 = shift(x2, x7)
    x9 = rbind(shoot, UP_RIGHT)
    x10 = compose(x9, last)
    x11 = fork(recolor, first, x10)
    x12 = astuple(x5, x5)
    x13 = canvas(ZERO, x12)
    x14 = mapply(x11, x8)
    O = paint(x13, x14)
    return O


# count the red squares and light that many lamps in a fixed order
def solve_ff28f65a(I):
    x1 = objects(I, T, F, T)
    x2 = size(x1)
    x3 = double(x2)
    x4 = interval(ZERO, x3, TWO)
    x5 = apply(tojvec, x4)
    x6 = astuple(ONE, NINE)
    x7 = canvas(ZERO, x6)
    x8 = fill(x7, ONE, x5)
    x9 = hsplit(x8, THREE)
    O = merge(x9)
    return O


# what the blue patch in a symmetric picture hides
def solve_ff805c23(I):
    x1 = ofcolor(I, ONE)
    x2 = hmirror(I)
    x3 = vmirror(I)
    x4 = subgrid(x1, x3)
    x5 = subgrid(x1, x2)
    x6 = asindices(x4)
    x7 = ofcolor(x4, ONE)
    x8 = difference(x6, x7)
    x9 = toobject(x8, x4)
    x10 = paint(x5, x9)
    O = identity(x10)
    return O

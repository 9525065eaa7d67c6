# Heddle: programs for ARC training tasks whose names begin with a.
#
# Written for this project in the language of heddle-arc, one function for each
# task, in the order of their names; none depends on another. Each solves every
# train and test pair of its task. The tasks themselves (Apache-2.0) are not part
# of this repository. Licence: MIT OR Apache-2.0, like the rest of it.
#
# Run them:  heddle arc eval --data DATA --programs programs/*.py

# move the red figure into the frame of green corners
def solve_a1570a43(I):
    x1 = ofcolor(I, TWO)
    x2 = recolor(TWO, x1)
    x3 = ofcolor(I, THREE)
    x4 = ulcorner(x3)
    x5 = increment(x4)
    x6 = ulcorner(x2)
    x7 = subtract(x5, x6)
    O = move(I, x2, x7)
    return O


# a light blue angle from the red cell sideways, then vertically to the green cell
def solve_a2fd1cf0(I):
    x1 = ofcolor(I, THREE)
    x2 = first(x1)
    x3 = ofcolor(I, TWO)
    x4 = first(x3)
    x5 = first(x4)
    x6 = last(x2)
    x7 = astuple(x5, x6)
    x8 = connect(x2, x7)
    x9 = connect(x7, x4)
    x10 = combine(x8, x9)
    O = underfill(I, EIGHT, x10)
    return O


# the colours of the largest shapes from left to right as columns of that size
def solve_a3325580(I):
    x1 = objects(I, T, F, T)
    x2 = valmax(x1, size)
    x3 = sizefilter(x1, x2)
    x4 = order(x3, leftmost)
    x5 = apply(color, x4)
    O = repeat(x5, x2)
    return O


# a ball rises from the corner and bounces between the side walls
def solve_a3df8b1e(I):
    x1 = width(I)
    x2 = astuple(x1, x1)
    x3 = canvas(ZERO, x2)
    x4 = decrement(x1)
    x5 = toivec(x4)
    x6 = shoot(x5, UP_RIGHT)
    x7 = fill(x3, ONE, x6)
    x8 = hmirror(x7)
    x9 = subtract(x1, TWO)
    x10 = astuple(x9, x1)
    x11 = crop(x8, DOWN, x10)
    x12 = vconcat(x11, x7)
    x13 = repeat(x12, TEN)
    x14 = merge(x13)
    x15 = hmirror(x14)
    x16 = shape(I)
    x17 = crop(x15, ORIGIN, x16)
    O = hmirror(x17)
    return O


# the grid twice side by side
def solve_a416b8f3(I):
    O = hconcat(I, I)
    return O


# the grey cells come up to the red block
def solve_a48eeaf7(I):
    x1 = ofcolor(I, FIVE)
    x2 = ofcolor(I, TWO)
    x3 = outbox(x2)
    x4 = rbind(compose, initset)
    x5 = lbind(lbind, manhattan)
    x6 = chain(x4, x5, initset)
    x7 = lbind(argmin, x3)
    x8 = compose(x7, x6)
    x9 = apply(x8, x1)
    x10 = fill(I, ZERO, x1)
    O = fill(x10, FIVE, x9)
    return O


# closed rooms are filled with blue
def solve_a5313dff(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ZERO)
    x3 = rbind(bordering, I)
    x4 = compose(flip, x3)
    x5 = mfilter(x2, x4)
    O = fill(I, ONE, x5)
    return O


# coloured cells in odd columns turn yellow
def solve_a5f85a15(I):
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = toindices(x2)
    x4 = chain(flip, even, last)
    x5 = sfilter(x3, x4)
    O = fill(I, FOUR, x5)
    return O


# put the four corner pieces together to a frame
def solve_a61ba2ce(I):
    x1 = chain(ulcorner, delta, normalize)
    x2 = lbind(subtract, UNITY)
    x3 = chain(double, x2, x1)
    x4 = fork(shift, normalize, x3)
    x5 = double(TWO_BY_TWO)
    x6 = canvas(ZERO, x5)
    x7 = objects(I, T, F, T)
    x8 = mapply(x4, x7)
    O = paint(x6, x8)
    return O


# the tallest bar turns blue, the shortest red, the others vanish
def solve_a61f2674(I):
    x1 = objects(I, T, F, T)
    x2 = argmax(x1, size)
    x3 = recolor(ONE, x2)
    x4 = argmin(x1, size)
    x5 = recolor(TWO, x4)
    x6 = shape(I)
    x7 = canvas(ZERO, x6)
    x8 = combine(x3, x5)
    O = paint(x7, x8)
    return O


# the wide empty street and the side streets that reach the border get a green lane one cell away from the noise
def solve_a64e4611(I):
    x1 = asindices(I)
    x2 = ofcolor(I, ZERO)
    x3 = difference(x1, x2)
    x4 = mapply(neighbors, x3)
    x5 = difference(x2, x4)
    x6 = difference(x1, x5)
    x7 = mapply(neighbors, x6)
    x8 = difference(x5, x7)
    x9 = difference(x1, x8)
    x10 = mapply(neighbors, x9)
    x11 = difference(x8, x10)
    x12 = portrait(x11)
    x13 = dmirror(I)
    x14 = branch(x12, I, x13)
    x15 = asindices(x14)
    x16 = ofcolor(x14, ZERO)
    x17 = difference(x15, x16)
    x18 = mapply(neighbors, x17)
    x19 = difference(x16, x18)
    x20 = difference(x15, x19)
    x21 = mapply(neighbors, x20)
    x22 = difference(x19, x21)
    x23 = difference(x15, x22)
    x24 = mapply(neighbors, x23)
    x25 = difference(x22, x24)
    x26 = lbind(mapply, neighbors)
    x27 = fork(combine, identity, x26)
    x28 = power(x27, TWO)
    x29 = x28(x25)
    x30 = intersection(x29, x15)
    x31 = lbind(intersection, x30)
    x32 = chain(size, x31, vfrontier)
    x33 = height(x30)
    x34 = matcher(x32, x33)
    x35 = sfilter(x30, x34)
    x36 = height(x14)
    x37 = interval(ZERO, x36, ONE)
    x38 = leftmost(x35)
    x39 = rbind(astuple, x38)
    x40 = fork(connect, toivec, x39)
    x41 = width(x14)
    x42 = decrement(x41)
    x43 = rbind(astuple, x42)
    x44 = rightmost(x35)
    x45 = rbind(astuple, x44)
    x46 = fork(connect, x43, x45)
    x47 = apply(x40, x37)
    x48 = apply(x46, x37)
    x49 = combine(x47, x48)
    x50 = rbind(difference, x19)
    x51 = compose(flip, x50)
    x52 = mfilter(x49, x51)
    x53 = fill(x14, THREE, x35)
    x54 = fill(x53, THREE, x52)
    x55 = dmirror(x54)
    O = branch(x12, x54, x55)
    return O


# stairs over and under the red bar, green growing upwards, blue shrinking downwards
def solve_a65b410d(I):
    x1 = ofcolor(I, TWO)
    x2 = urcorner(x1)
    x3 = rbind(shoot, LEFT)
    x4 = shoot(x2, UP_RIGHT)
    x5 = mapply(x3, x4)
    x6 = shoot(x2, DOWN_LEFT)
    x7 = mapply(x3, x6)
    x8 = fill(I, THREE, x5)
    x9 = fill(x8, ONE, x7)
    O = fill(x9, TWO, x1)
    return O


# four layers: orange over yellow over light blue over pink
def solve_a68b268e(I):
    x1 = tophalf(I)
    x2 = bottomhalf(I)
    x3 = righthalf(x2)
    x4 = lefthalf(x2)
    x5 = ofcolor(x4, EIGHT)
    x6 = fill(x3, EIGHT, x5)
    x7 = righthalf(x1)
    x8 = ofcolor(x7, FOUR)
    x9 = fill(x6, FOUR, x8)
    x10 = lefthalf(x1)
    x11 = ofcolor(x10, SEVEN)
    O = fill(x9, SEVEN, x11)
    return O


# a red cell between two blue cells in a row
def solve_a699fb00(I):
    x1 = ofcolor(I, ONE)
    x2 = shift(x1, RIGHT)
    x3 = shift(x1, LEFT)
    x4 = intersection(x2, x3)
    O = fill(I, TWO, x4)
    return O


# cut out the coloured part and blacken the background
def solve_a740d043(I):
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = subgrid(x2, I)
    O = replace(x3, ONE, ZERO)
    return O


# parallel lines pass the tips of the grey triangles, which vanish
def solve_a78176bb(I):
    x1 = ofcolor(I, FIVE)
    x2 = palette(I)
    x3 = remove(ZERO, x2)
    x4 = other(x3, FIVE)
    x5 = objects(I, T, F, T)
    x6 = colorfilter(x5, FIVE)
    x7 = apply(urcorner, x6)
    x8 = intersection(x7, x1)
    x9 = shift(x8, UP_RIGHT)
    x10 = apply(llcorner, x6)
    x11 = intersection(x10, x1)
    x12 = shift(x11, DOWN_LEFT)
    x13 = combine(x9, x12)
    x14 = rbind(shoot, UNITY)
    x15 = mapply(x14, x13)
    x16 = rbind(shoot, NEG_UNITY)
    x17 = mapply(x16, x13)
    x18 = combine(x15, x17)
    x19 = replace(I, FIVE, ZERO)
    O = fill(x19, x4, x18)
    return O


# the shape falls one row and turns red
def solve_a79310a0(I):
    x1 = ofcolor(I, EIGHT)
    x2 = cover(I, x1)
    x3 = shift(x1, DOWN)
    O = fill(x2, TWO, x3)
    return O


# each row gets a colour that tells in which column its grey cell stands
def solve_a85d4709(I):
    x1 = ofcolor(I, FIVE)
    x2 = matcher(last, ZERO)
    x3 = sfilter(x1, x2)
    x4 = mapply(hfrontier, x3)
    x5 = matcher(last, ONE)
    x6 = sfilter(x1, x5)
    x7 = mapply(hfrontier, x6)
    x8 = matcher(last, TWO)
    x9 = sfilter(x1, x8)
    x10 = mapply(hfrontier, x9)
    x11 = fill(I, TWO, x4)
    x12 = fill(x11, FOUR, x7)
    O = fill(x12, THREE, x10)
    return O


# of the square panels give the one whose pattern differs
def solve_a87f7484(I):
    x1 = shape(I)
    x2 = maximum(x1)
    x3 = divide(x2, THREE)
    x4 = portrait(I)
    x5 = vsplit(I, x3)
    x6 = hsplit(I, x3)
    x7 = branch(x4, x5, x6)
    x8 = rbind(ofcolor, ZERO)
    x9 = apply(x8, x7)
    x10 = leastcommon(x9)
    x11 = matcher(x8, x10)
    O = extract(x7, x11)
    return O


# assemble the eight marked pieces around a grey centre
def solve_a8c38be5(I):
    x1 = objects(I, T, F, T)
    x2 = colorfilter(x1, FIVE)
    x3 = difference(x1, x2)
    x4 = lbind(subtract, ONE)
    x5 = chain(ulcorner, delta, normalize)
    x6 = compose(x4, x5)
    x7 = lbind(subtract, THREE)
    x8 = compose(x7, shape)
    x9 = lbind(multiply, SEVEN)
    x10 = compose(x9, x6)
    x11 = fork(multiply, x8, x10)
    x12 = lbind(multiply, THREE)
    x13 = rbind(subtract, TWO)
    x14 = chain(x12, x13, shape)
    x15 = fork(add, x11, x14)
    x16 = fork(shift, normalize, x15)
    x17 = astuple(NINE, NINE)
    x18 = canvas(FIVE, x17)
    x19 = mapply(x16, x3)
    O = paint(x18, x19)
    return O


# black squares in the noise turn red, tall ones are taken first
def solve_a8d7556c(I):
    x1 = astuple(THREE, TWO)
    x2 = canvas(ZERO, x1)
    x3 = asobject(x2)
    x4 = toindices(x3)
    x5 = lbind(shift, x4)
    x6 = occurrences(I, x3)
    x7 = mapply(x5, x6)
    x8 = fill(I, TWO, x7)
    x9 = canvas(ZERO, TWO_BY_TWO)
    x10 = asobject(x9)
    x11 = toindices(x10)
    x12 = lbind(shift, x11)
    x13 = occurrences(x8, x10)
    x14 = mapply(x12, x13)
    O = fill(x8, TWO, x14)
    return O


# the red cell vanishes and leaves four colours at its diagonal neighbours
def solve_a9f96cdd(I):
    x1 = ofcolor(I, TWO)
    x2 = replace(I, TWO, ZERO)
    x3 = shift(x1, NEG_UNITY)
    x4 = fill(x2, THREE, x3)
    x5 = shift(x1, UP_RIGHT)
    x6 = fill(x4, SIX, x5)
    x7 = shift(x1, DOWN_LEFT)
    x8 = fill(x6, EIGHT, x7)
    x9 = shift(x1, UNITY)
    O = fill(x8, SEVEN, x9)
    return O


# the shape takes the colour of the lower left corner, the corner is wiped
def solve_aabf363d(I):
    x1 = asindices(I)
    x2 = llcorner(x1)
    x3 = index(I, x2)
    x4 = palette(I)
    x5 = remove(ZERO, x4)
    x6 = other(x5, x3)
    x7 = initset(x2)
    x8 = fill(I, ZERO, x7)
    O = replace(x8, x6, x3)
    return O


# the open box is filled and its light streams out straight and along two diagonals
def solve_aba27056(I):
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = delta(x2)
    x4 = box(x2)
    x5 = intersection(x4, x3)
    x6 = difference(x3, x5)
    x7 = position(x6, x5)
    x8 = last(x7)
    x9 = first(x7)
    x10 = astuple(x8, x9)
    x11 = multiply(x10, x10)
    x12 = rbind(shoot, x7)
    x13 = mapply(x12, x5)
    x14 = ulcorner(x5)
    x15 = subtract(x7, x11)
    x16 = shoot(x14, x15)
    x17 = lrcorner(x5)
    x18 = add(x7, x11)
    x19 = shoot(x17, x18)
    x20 = combine(x16, x19)
    x21 = combine(x13, x20)
    x22 = underfill(I, FOUR, x21)
    O = fill(x22, FOUR, x3)
    return O


# enlarge by the number of coloured cells
def solve_ac0a08a4(I):
    x1 = colorcount(I, ZERO)
    x2 = subtract(NINE, x1)
    O = upscale(I, x2)
    return O


# red attracts green, blue attracts orange
def solve_ae3edfdc(I):
    x1 = ofcolor(I, TWO)
    x2 = ofcolor(I, ONE)
    x3 = rbind(gravitate, x1)
    x4 = fork(shift, identity, x3)
    x5 = ofcolor(I, THREE)
    x6 = apply(initset, x5)
    x7 = mapply(x4, x6)
    x8 = rbind(gravitate, x2)
    x9 = fork(shift, identity, x8)
    x10 = ofcolor(I, SEVEN)
    x11 = apply(initset, x10)
    x12 = mapply(x9, x11)
    x13 = replace(I, THREE, ZERO)
    x14 = replace(x13, SEVEN, ZERO)
    x15 = fill(x14, THREE, x7)
    O = fill(x15, SEVEN, x12)
    return O


# the block with the most blue cells
def solve_ae4f1146(I):
    x1 = objects(I, F, F, T)
    x2 = rbind(colorcount, ONE)
    x3 = argmax(x1, x2)
    O = subgrid(x3, I)
    return O


# red cells without a red side neighbour turn blue
def solve_aedd82e4(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, TWO)
    x3 = sizefilter(x2, ONE)
    x4 = merge(x3)
    O = fill(I, ONE, x4)
    return O


# fill with red the inside of each rectangle given by four yellow corners
def solve_af902bf9(I):
    x1 = ofcolor(I, FOUR)
    x2 = compose(size, corners)
    x3 = matcher(x2, FOUR)
    x4 = rbind(difference, x1)
    x5 = chain(flip, x4, corners)
    x6 = product(x1, x1)
    x7 = fork(both, x3, x5)
    x8 = sfilter(x6, x7)
    x9 = chain(backdrop, inbox, corners)
    x10 = mapply(x9, x8)
    O = fill(I, TWO, x10)
    return O

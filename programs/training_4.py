# Heddle: programs for ARC training tasks whose names begin with 4.
#
# Written for this project in the language of heddle-arc, one function for each
# task, in the order of their names; none depends on another. Each solves every
# train and test pair of its task. The tasks themselves (Apache-2.0) are not part
# of this repository. Licence: MIT OR Apache-2.0, like the rest of it.
#
# Run them:  heddle arc eval --data DATA --programs programs/*.py

# pairs of one colour are joined, columns lie over rows
def solve_40853293(I):
    x1 = fgpartition(I)
    x2 = fork(recolor, color, backdrop)
    x3 = apply(x2, x1)
    x4 = mfilter(x3, hline)
    x5 = paint(I, x4)
    x6 = mfilter(x3, vline)
    O = paint(x5, x6)
    return O


# loose pixels pile up against the band and take its colour
def solve_4093f84a(I):
    x1 = ofcolor(I, FIVE)
    x2 = width(x1)
    x3 = width(I)
    x4 = equality(x2, x3)
    x5 = branch(x4, identity, dmirror)
    x6 = x5(I)
    x7 = ofcolor(x6, FIVE)
    x8 = uppermost(x7)
    x9 = width(x6)
    x10 = astuple(x8, x9)
    x11 = crop(x6, ORIGIN, x10)
    x12 = lowermost(x7)
    x13 = increment(x12)
    x14 = toivec(x13)
    x15 = height(x6)
    x16 = subtract(x15, x13)
    x17 = astuple(x16, x9)
    x18 = crop(x6, x14, x17)
    x19 = rbind(order, positive)
    x20 = dmirror(x11)
    x21 = apply(x19, x20)
    x22 = dmirror(x21)
    x23 = compose(invert, positive)
    x24 = rbind(order, x23)
    x25 = dmirror(x18)
    x26 = apply(x24, x25)
    x27 = dmirror(x26)
    x28 = subgrid(x7, x6)
    x29 = vconcat(x22, x28)
    x30 = vconcat(x29, x27)
    x31 = fgpartition(x30)
    x32 = merge(x31)
    x33 = toindices(x32)
    x34 = fill(x30, FIVE, x33)
    O = x5(x34)
    return O


# each ring sends a cross of 6 through its centre over free cells
def solve_41e4d17e(I):
    x1 = compose(hfrontier, centerofmass)
    x2 = compose(vfrontier, centerofmass)
    x3 = fork(combine, x1, x2)
    x4 = objects(I, T, F, T)
    x5 = mapply(x3, x4)
    O = underfill(I, SIX, x5)
    return O


# ring every 5 with 1
def solve_4258a5f9(I):
    x1 = ofcolor(I, FIVE)
    x2 = mapply(neighbors, x1)
    O = fill(I, ONE, x2)
    return O


# nest the rings by size around one centre, cut rings are completed by symmetry
def solve_4290ef0e(I):
    x1 = mostcolor(I)
    x2 = objects(I, T, F, T)
    x3 = compose(maximum, shape)
    x4 = lbind(colorfilter, x2)
    x5 = compose(x4, color)
    x6 = rbind(greater, ONE)
    x7 = compose(size, x5)
    x8 = compose(x6, x7)
    x9 = rbind(valmax, x3)
    x10 = compose(x9, x5)
    x11 = chain(increment, double, x10)
    x12 = fork(multiply, x8, x11)
    x13 = fork(astuple, x3, x12)
    x14 = compose(maximum, x13)
    x15 = fgpartition(I)
    x16 = order(x15, x14)
    x17 = size(x16)
    x18 = decrement(x17)
    x19 = compose(first, last)
    x20 = lbind(matcher, x19)
    x21 = compose(x20, uppermost)
    x22 = fork(sfilter, identity, x21)
    x23 = compose(last, last)
    x24 = lbind(matcher, x23)
    x25 = compose(x24, leftmost)
    x26 = fork(sfilter, identity, x25)
    x27 = compose(size, x22)
    x28 = compose(size, x26)
    x29 = fork(add, x27, x28)
    x30 = initset(identity)
    x31 = insert(hmirror, x30)
    x32 = insert(vmirror, x30)
    x33 = prapply(compose, x31, x32)
    x34 = rbind(argmax, x29)
    x35 = lbind(rapply, x33)
    x36 = chain(normalize, x34, x35)
    x37 = lbind(multiply, UNITY)
    x38 = interval(x18, NEG_ONE, NEG_ONE)
    x39 = apply(x37, x38)
    x40 = first(x16)
    x41 = x14(x40)
    x42 = double(x18)
    x43 = add(x41, x42)
    x44 = astuple(x43, x43)
    x45 = canvas(x1, x44)
    x46 = apply(x36, x16)
    x47 = mpapply(shift, x46, x39)
    x48 = paint(x45, x47)
    x49 = matcher(first, x1)
    x50 = compose(flip, x49)
    x51 = rbind(sfilter, x50)
    x52 = compose(x51, asobject)
    x53 = hmirror(x48)
    x54 = x52(x53)
    x55 = paint(x48, x54)
    x56 = vmirror(x55)
    x57 = x52(x56)
    O = paint(x55, x57)
    return O


# remove lonely pixels
def solve_42a50994(I):
    x1 = objects(I, T, T, T)
    x2 = sizefilter(x1, ONE)
    x3 = merge(x2)
    O = cover(I, x3)
    return O


# hollow out the rectangles
def solve_4347f46a(I):
    x1 = fork(difference, toindices, box)
    x2 = objects(I, T, F, T)
    x3 = mapply(x1, x2)
    O = cover(I, x3)
    return O


# cups fill up with the colour inside, one row above the rim included
def solve_444801d8(I):
    x1 = objects(I, T, F, T)
    x2 = colorfilter(x1, ONE)
    x3 = rbind(other, ZERO)
    x4 = rbind(toobject, I)
    x5 = compose(x4, delta)
    x6 = chain(x3, palette, x5)
    x7 = rbind(shift, UP)
    x8 = fork(connect, ulcorner, urcorner)
    x9 = compose(x7, x8)
    x10 = fork(combine, delta, x9)
    x11 = fork(recolor, x6, x10)
    x12 = mapply(x11, x2)
    O = paint(I, x12)
    return O


# colour of the bigger frame as a 2x2 square
def solve_445eab21(I):
    x1 = objects(I, T, F, T)
    x2 = fork(multiply, height, width)
    x3 = argmax(x1, x2)
    x4 = color(x3)
    O = canvas(x4, TWO_BY_TWO)
    return O


# enlarged copies of the model grow at markers of the matching size
def solve_447fd412(I):
    x1 = objects(I, F, T, T)
    x2 = argmax(x1, numcolors)
    x3 = lbind(upscale, x2)
    x4 = interval(ONE, FOUR, ONE)
    x5 = apply(x3, x4)
    x6 = matcher(first, TWO)
    x7 = rbind(sfilter, x6)
    x8 = lbind(mapply, neighbors)
    x9 = chain(x8, toindices, x7)
    x10 = compose(toindices, x7)
    x11 = fork(difference, x9, x10)
    x12 = lbind(recolor, ZERO)
    x13 = compose(x12, x11)
    x14 = fork(combine, x7, x13)
    x15 = lbind(lbind, shift)
    x16 = chain(invert, ulcorner, x14)
    x17 = fork(shift, identity, x16)
    x18 = compose(x15, x17)
    x19 = lbind(occurrences, I)
    x20 = compose(x19, x14)
    x21 = fork(mapply, x18, x20)
    x22 = apply(x21, x5)
    x23 = merge(x22)
    O = paint(I, x23)
    return O


# square holes are filled with 2
def solve_44d8ac46(I):
    x1 = objects(I, T, F, T)
    x2 = apply(delta, x1)
    x3 = mfilter(x2, square)
    O = fill(I, TWO, x3)
    return O


# is the picture left-right symmetric
def solve_44f52bb0(I):
    x1 = vmirror(I)
    x2 = equality(I, x1)
    x3 = branch(x2, ONE, SEVEN)
    O = canvas(x3, UNITY)
    return O


# the corner blob becomes two diagonal 4x4 blocks on 9x9
def solve_4522001f(I):
    x1 = astuple(FOUR, FOUR)
    x2 = canvas(ZERO, x1)
    x3 = asindices(x2)
    x4 = shift(x3, x1)
    x5 = combine(x3, x4)
    x6 = astuple(NINE, NINE)
    x7 = canvas(ZERO, x6)
    x8 = fill(x7, THREE, x5)
    x9 = ofcolor(I, THREE)
    x10 = ulcorner(x9)
    x11 = equality(x10, RIGHT)
    x12 = branch(x11, rot90, rot270)
    x13 = equality(x10, UNITY)
    x14 = branch(x13, rot180, x12)
    x15 = equality(x10, ORIGIN)
    x16 = branch(x15, identity, x14)
    O = x16(x8)
    return O


# complete the broken frame and its bar with 2
def solve_4612dd53(I):
    x1 = ofcolor(I, ONE)
    x2 = box(x1)
    x3 = difference(x1, x2)
    x4 = portrait(x3)
    x5 = branch(x4, vfrontier, hfrontier)
    x6 = mapply(x5, x3)
    x7 = backdrop(x1)
    x8 = intersection(x6, x7)
    x9 = combine(x2, x8)
    O = underfill(I, TWO, x9)
    return O


# four quarter turns put together
def solve_46442a0e(I):
    x1 = rot90(I)
    x2 = hconcat(I, x1)
    x3 = rot270(I)
    x4 = rot180(I)
    x5 = hconcat(x3, x4)
    O = vconcat(x2, x5)
    return O


# enlarge by the number of colours and send diagonals of 2 from the block
def solve_469497ad(I):
    x1 = numcolors(I)
    x2 = decrement(x1)
    x3 = upscale(I, x2)
    x4 = objects(x3, T, F, T)
    x5 = sfilter(x4, square)
    x6 = argmax(x5, size)
    x7 = ulcorner(x6)
    x8 = shoot(x7, NEG_UNITY)
    x9 = lrcorner(x6)
    x10 = shoot(x9, UNITY)
    x11 = combine(x8, x10)
    x12 = urcorner(x6)
    x13 = shoot(x12, UP_RIGHT)
    x14 = llcorner(x6)
    x15 = shoot(x14, DOWN_LEFT)
    x16 = combine(x13, x15)
    x17 = combine(x11, x16)
    O = underfill(x3, TWO, x17)
    return O


# every second cell is kept and blown up to 4x4
def solve_46f33fce(I):
    x1 = rot180(I)
    x2 = downscale(x1, TWO)
    x3 = rot180(x2)
    x4 = hupscale(x3, FOUR)
    O = vupscale(x4, FOUR)
    return O


# mirror the quarter figure four ways in the colour of the cross lines
def solve_47c1f68c(I):
    x1 = lefthalf(I)
    x2 = tophalf(x1)
    x3 = frontiers(I)
    x4 = merge(x3)
    x5 = mostcolor(x4)
    x6 = fgpartition(x2)
    x7 = merge(x6)
    x8 = fill(x2, x5, x7)
    x9 = vmirror(x8)
    x10 = hconcat(x8, x9)
    x11 = hmirror(x10)
    O = vconcat(x10, x11)
    return O


# fill the gaps of a doubly periodic pattern
def solve_484b58aa(I):
    x1 = ofcolor(I, ZERO)
    x2 = recolor(ZERO, x1)
    x3 = asobject(I)
    x4 = difference(x3, x2)
    x5 = rbind(toobject, I)
    x6 = rbind(combine, x2)
    x7 = fork(difference, x5, x6)
    x8 = lbind(shift, x4)
    x9 = chain(flip, x7, x8)
    x10 = interval(ZERO, EIGHT, ONE)
    x11 = product(x10, x10)
    x12 = sfilter(x11, x9)
    x13 = apply(invert, x12)
    x14 = combine(x12, x13)
    x15 = prapply(add, x14, x14)
    x16 = mapply(x8, x15)
    O = paint(I, x16)
    return O


# crop the figure hanging below the 5
def solve_48d8fb45(I):
    x1 = ofcolor(I, FIVE)
    x2 = objects(I, T, T, T)
    x3 = rbind(adjacent, x1)
    x4 = extract(x2, x3)
    O = subgrid(x4, I)
    return O


# reflect the figure about the 3 block in both directions
def solve_4938f0c2(I):
    x1 = ofcolor(I, THREE)
    x2 = ofcolor(I, TWO)
    x3 = toobject(x2, I)
    x4 = ulcorner(x1)
    x5 = lrcorner(x1)
    x6 = add(x4, x5)
    x7 = ulcorner(x3)
    x8 = lrcorner(x3)
    x9 = add(x7, x8)
    x10 = subtract(x6, x9)
    x11 = hmirror(x3)
    x12 = multiply(x10, DOWN)
    x13 = shift(x11, x12)
    x14 = combine(x3, x13)
    x15 = vmirror(x14)
    x16 = multiply(x10, RIGHT)
    x17 = shift(x15, x16)
    x18 = paint(I, x14)
    O = paint(x18, x17)
    return O


# the stripes on top are mirrored at the bottom
def solve_496994bd(I):
    x1 = hmirror(I)
    x2 = asobject(x1)
    O = underpaint(I, x2)
    return O


# put a border of repeated edge cells around the grid
def solve_49d1d64f(I):
    x1 = asobject(I)
    x2 = shape(I)
    x3 = add(x2, TWO)
    x4 = canvas(ZERO, x3)
    x5 = lbind(shift, x1)
    x6 = dneighbors(UNITY)
    x7 = mapply(x5, x6)
    x8 = paint(x4, x7)
    x9 = shift(x1, UNITY)
    O = paint(x8, x9)
    return O


# name the colour bands in order
def solve_4be741c5(I):
    x1 = first(I)
    x2 = dedupe(x1)
    x3 = size(x2)
    x4 = equality(x3, ONE)
    x5 = branch(x4, dmirror, identity)
    x6 = x5(I)
    x7 = first(x6)
    x8 = dedupe(x7)
    x9 = repeat(x8, ONE)
    O = x5(x9)
    return O


# upside-down copy on top
def solve_4c4377d9(I):
    x1 = hmirror(I)
    O = vconcat(x1, I)
    return O


# reflect the figure about the centre cross
def solve_4c5c2cf0(I):
    x1 = fgpartition(I)
    x2 = fork(equality, identity, hmirror)
    x3 = fork(equality, identity, vmirror)
    x4 = fork(both, x2, x3)
    x5 = extract(x1, x4)
    x6 = other(x1, x5)
    x7 = ulcorner(x5)
    x8 = lrcorner(x5)
    x9 = add(x7, x8)
    x10 = ulcorner(x6)
    x11 = lrcorner(x6)
    x12 = add(x10, x11)
    x13 = subtract(x9, x12)
    x14 = vmirror(x6)
    x15 = multiply(x13, RIGHT)
    x16 = shift(x14, x15)
    x17 = combine(x6, x16)
    x18 = hmirror(x17)
    x19 = multiply(x13, DOWN)
    x20 = shift(x18, x19)
    x21 = combine(x17, x20)
    O = paint(I, x21)
    return O

# Heddle: programs for ARC training tasks whose names begin with 6.
#
# Written for this project in the language of heddle-arc, one function for each
# task, in the order of their names; none depends on another. Each solves every
# train and test pair of its task. The tasks themselves (Apache-2.0) are not part
# of this repository. Licence: MIT OR Apache-2.0, like the rest of it.
#
# Run them:  heddle arc eval --data DATA --programs programs/*.py

# complete the 3x3 boxes of the 4 figures with 7
def solve_60b61512(I):
    x1 = objects(I, T, T, T)
    x2 = mapply(delta, x1)
    O = fill(I, SEVEN, x2)
    return O


# half turn
def solve_6150a2bd(I):
    x1 = hmirror(I)
    O = vmirror(x1)
    return O


# the pixel sends out all four diagonals
def solve_623ea044(I):
    x1 = leastcolor(I)
    x2 = ofcolor(I, x1)
    x3 = first(x2)
    x4 = lbind(shoot, x3)
    x5 = ineighbors(ORIGIN)
    x6 = mapply(x4, x5)
    O = fill(I, x1, x6)
    return O


# mirror to the right and below
def solve_62c24649(I):
    x1 = hmirror(I)
    x2 = vconcat(I, x1)
    x3 = vmirror(x2)
    O = hconcat(x2, x3)
    return O


# the figure equal to the one in the corner box becomes 5
def solve_63613498(I):
    x1 = crop(I, ORIGIN, THREE_BY_THREE)
    x2 = compose(normalize, toindices)
    x3 = asobject(x1)
    x4 = compose(positive, first)
    x5 = sfilter(x3, x4)
    x6 = x2(x5)
    x7 = objects(I, T, T, T)
    x8 = matcher(x2, x6)
    x9 = mfilter(x7, x8)
    x10 = fill(I, FIVE, x9)
    O = paint(x10, x3)
    return O


# cells free in both halves become 3
def solve_6430c8c4(I):
    x1 = tophalf(I)
    x2 = bottomhalf(I)
    x3 = cellwise(x1, x2, ONE)
    x4 = replace(x3, ZERO, THREE)
    O = replace(x4, ONE, ZERO)
    return O


# largest room 1, smallest rooms 8
def solve_6455b5f5(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ZERO)
    x3 = argmax(x2, size)
    x4 = fill(I, ONE, x3)
    x5 = valmin(x2, size)
    x6 = sizefilter(x2, x5)
    x7 = merge(x6)
    O = fill(x4, EIGHT, x7)
    return O


# the panel that is not symmetric about its diagonal
def solve_662c240a(I):
    x1 = fork(equality, identity, dmirror)
    x2 = compose(flip, x1)
    x3 = vsplit(I, THREE)
    O = extract(x3, x2)
    return O


# 3 groups of more than two cells become 8
def solve_67385a82(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, THREE)
    x3 = rbind(greater, TWO)
    x4 = compose(x3, size)
    x5 = mfilter(x2, x4)
    O = fill(I, EIGHT, x5)
    return O


# pixels shoot back to their wall, the other wall sends full lines at the same level
def solve_673ef223(I):
    x1 = ofcolor(I, EIGHT)
    x2 = objects(I, T, F, T)
    x3 = colorfilter(x2, TWO)
    x4 = rbind(hmatching, x1)
    x5 = extract(x3, x4)
    x6 = other(x3, x5)
    x7 = leftmost(x5)
    x8 = rbind(astuple, x7)
    x9 = compose(x8, first)
    x10 = fork(connect, identity, x9)
    x11 = mapply(x10, x1)
    x12 = uppermost(x6)
    x13 = uppermost(x5)
    x14 = subtract(x12, x13)
    x15 = toivec(x14)
    x16 = shift(x1, x15)
    x17 = mapply(hfrontier, x16)
    x18 = combine(x11, x17)
    x19 = underfill(I, EIGHT, x18)
    O = fill(x19, FOUR, x1)
    return O


# which panels hold exactly two 6s
def solve_6773b310(I):
    x1 = rbind(multiply, ONE)
    x2 = rbind(colorcount, SIX)
    x3 = matcher(x2, TWO)
    x4 = compose(x1, x3)
    x5 = lbind(apply, x4)
    x6 = rbind(hsplit, THREE)
    x7 = compose(x5, x6)
    x8 = vsplit(I, THREE)
    O = apply(x7, x8)
    return O


# mirror left and right
def solve_67a3c6ac(I):
    O = vmirror(I)
    return O


# ring the crossing of the two lines with 4
def solve_67a423a3(I):
    x1 = fgpartition(I)
    x2 = matcher(height, ONE)
    x3 = extract(x1, x2)
    x4 = uppermost(x3)
    x5 = matcher(width, ONE)
    x6 = extract(x1, x5)
    x7 = leftmost(x6)
    x8 = astuple(x4, x7)
    x9 = neighbors(x8)
    O = fill(I, FOUR, x9)
    return O


# kaleidoscope of four mirror images
def solve_67e8384a(I):
    x1 = vmirror(I)
    x2 = hconcat(I, x1)
    x3 = rot180(x2)
    O = vconcat(x2, x3)
    return O


# fit the two pieces together to a 3x3 square
def solve_681b3aeb(I):
    x1 = fgpartition(I)
    x2 = first(x1)
    x3 = normalize(x2)
    x4 = last(x1)
    x5 = canvas(ZERO, THREE_BY_THREE)
    x6 = asindices(x5)
    x7 = interval(ZERO, TWO, ONE)
    x8 = lbind(difference, x6)
    x9 = lbind(shift, x3)
    x10 = compose(toindices, x9)
    x11 = compose(x8, x10)
    x12 = toindices(x4)
    x13 = normalize(x12)
    x14 = product(x7, x7)
    x15 = compose(normalize, x11)
    x16 = matcher(x15, x13)
    x17 = extract(x14, x16)
    x18 = color(x4)
    x19 = canvas(x18, THREE_BY_THREE)
    x20 = shift(x3, x17)
    O = paint(x19, x20)
    return O


# 5 figures outside the brackets are reflected at them into the inside
def solve_6855a6e4(I):
    x1 = ofcolor(I, TWO)
    x2 = portrait(x1)
    x3 = branch(x2, identity, dmirror)
    x4 = x3(I)
    x5 = ofcolor(x4, TWO)
    x6 = ofcolor(x4, FIVE)
    x7 = uppermost(x5)
    x8 = lbind(greater, x7)
    x9 = compose(x8, first)
    x10 = sfilter(x6, x9)
    x11 = difference(x6, x10)
    x12 = double(x7)
    x13 = uppermost(x10)
    x14 = lowermost(x10)
    x15 = add(x13, x14)
    x16 = subtract(x12, x15)
    x17 = lowermost(x5)
    x18 = double(x17)
    x19 = uppermost(x11)
    x20 = lowermost(x11)
    x21 = add(x19, x20)
    x22 = subtract(x18, x21)
    x23 = hmirror(x10)
    x24 = toivec(x16)
    x25 = shift(x23, x24)
    x26 = hmirror(x11)
    x27 = toivec(x22)
    x28 = shift(x26, x27)
    x29 = combine(x25, x28)
    x30 = cover(x4, x6)
    x31 = fill(x30, FIVE, x29)
    O = x3(x31)
    return O


# upside down
def solve_68b16354(I):
    O = hmirror(I)
    return O


# inside of the smaller rectangle 1, of the bigger 2
def solve_694f12f3(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, FOUR)
    x3 = fork(difference, backdrop, box)
    x4 = argmin(x2, size)
    x5 = x3(x4)
    x6 = fill(I, ONE, x5)
    x7 = argmax(x2, size)
    x8 = x3(x7)
    O = fill(x6, TWO, x8)
    return O


# each 5 figure is plugged into the notch its top fits exactly
def solve_6a1e5592(I):
    x1 = objects(I, T, F, T)
    x2 = colorfilter(x1, FIVE)
    x3 = width(I)
    x4 = astuple(THREE, x3)
    x5 = crop(I, ORIGIN, x4)
    x6 = objects(x5, T, F, F)
    x7 = colorfilter(x6, ZERO)
    x8 = compose(uppermost, first)
    x9 = compose(height, last)
    x10 = fork(add, x8, x9)
    x11 = compose(first, last)
    x12 = rbind(compose, x11)
    x13 = lbind(lbind, greater)
    x14 = chain(x12, x13, x10)
    x15 = fork(sfilter, first, x14)
    x16 = compose(normalize, toindices)
    x17 = product(x2, x7)
    x18 = compose(x16, x15)
    x19 = compose(x16, last)
    x20 = fork(equality, x18, x19)
    x21 = sfilter(x17, x20)
    x22 = lbind(sfilter, x21)
    x23 = lbind(matcher, first)
    x24 = chain(x22, x23, identity)
    x25 = compose(size, last)
    x26 = rbind(argmax, x25)
    x27 = compose(x26, x24)
    x28 = apply(x27, x2)
    x29 = compose(ulcorner, last)
    x30 = compose(ulcorner, x15)
    x31 = fork(subtract, x29, x30)
    x32 = compose(toindices, first)
    x33 = fork(shift, x32, x31)
    x34 = mapply(x33, x28)
    x35 = replace(I, FIVE, ZERO)
    O = fill(x35, ONE, x34)
    return O


# the model is drawn turned, mirrored and enlarged wherever its two end markers fit
def solve_6aa20dc0(I):
    x1 = objects(I, F, T, T)
    x2 = argmax(x1, numcolors)
    x3 = mostcolor(x2)
    x4 = initset(identity)
    x5 = insert(hmirror, x4)
    x6 = insert(vmirror, x4)
    x7 = insert(dmirror, x4)
    x8 = prapply(compose, x5, x6)
    x9 = prapply(compose, x8, x7)
    x10 = rapply(x9, x2)
    x11 = interval(ONE, FIVE, ONE)
    x12 = prapply(upscale, x10, x11)
    x13 = matcher(first, x3)
    x14 = compose(flip, x13)
    x15 = rbind(sfilter, x14)
    x16 = lbind(lbind, shift)
    x17 = chain(invert, ulcorner, x15)
    x18 = fork(shift, identity, x17)
    x19 = compose(x16, x18)
    x20 = lbind(occurrences, I)
    x21 = compose(x20, x15)
    x22 = fork(mapply, x19, x21)
    x23 = mapply(x22, x12)
    O = paint(I, x23)
    return O


# the figure is enlarged to fit into the 2 frame
def solve_6b9890af(I):
    x1 = ofcolor(I, TWO)
    x2 = subgrid(x1, I)
    x3 = palette(I)
    x4 = remove(ZERO, x3)
    x5 = other(x4, TWO)
    x6 = ofcolor(I, x5)
    x7 = recolor(x5, x6)
    x8 = normalize(x7)
    x9 = width(x2)
    x10 = subtract(x9, TWO)
    x11 = width(x8)
    x12 = divide(x10, x11)
    x13 = upscale(x8, x12)
    x14 = shift(x13, UNITY)
    O = paint(x2, x14)
    return O


# closed rings of 1 become pluses of 2
def solve_6c434453(I):
    x1 = objects(I, T, F, T)
    x2 = sizefilter(x1, EIGHT)
    x3 = fork(equality, toindices, box)
    x4 = sfilter(x2, x3)
    x5 = compose(dneighbors, center)
    x6 = fork(insert, center, x5)
    x7 = merge(x4)
    x8 = cover(I, x7)
    x9 = mapply(x6, x4)
    O = fill(x8, TWO, x9)
    return O


# facing border pixels of the rare colour are joined by lines, all else vanishes
def solve_6cdd2623(I):
    x1 = leastcolor(I)
    x2 = ofcolor(I, x1)
    x3 = width(I)
    x4 = matcher(size, x3)
    x5 = fork(both, hline, x4)
    x6 = height(I)
    x7 = matcher(size, x6)
    x8 = fork(both, vline, x7)
    x9 = prapply(connect, x2, x2)
    x10 = fork(either, x5, x8)
    x11 = mfilter(x9, x10)
    x12 = shape(I)
    x13 = canvas(ZERO, x12)
    O = fill(x13, x1, x11)
    return O


# fill free 3x3 squares with 1, taken in reading order without overlap
def solve_6cf79266(I):
    x1 = canvas(ZERO, THREE_BY_THREE)
    x2 = asobject(x1)
    x3 = rbind(occurrences, x2)
    x4 = chain(initset, minimum, x3)
    x5 = fork(intersection, x3, x4)
    x6 = lbind(recolor, ONE)
    x7 = lbind(shift, x2)
    x8 = lbind(mapply, x7)
    x9 = compose(x8, x5)
    x10 = compose(x6, x9)
    x11 = fork(paint, identity, x10)
    x12 = power(x11, FIVE)
    O = x12(I)
    return O


# the panel with the 4 moves to the place its 4 points at
def solve_6d0160f0(I):
    x1 = ofcolor(I, FOUR)
    x2 = first(x1)
    x3 = divide(x2, FOUR)
    x4 = multiply(x3, FOUR)
    x5 = crop(I, x4, THREE_BY_THREE)
    x6 = asobject(x5)
    x7 = shape(I)
    x8 = canvas(ZERO, x7)
    x9 = ofcolor(I, FIVE)
    x10 = fill(x8, FIVE, x9)
    x11 = subtract(x2, x4)
    x12 = multiply(x11, FOUR)
    x13 = shift(x6, x12)
    O = paint(x10, x13)
    return O


# mirror image to the right
def solve_6d0aefbc(I):
    x1 = vmirror(I)
    O = papply(combine, I, x1)
    return O


# pixels below the wedge mark columns where a stream runs down from the wedge
def solve_6d58a25d(I):
    x1 = objects(I, T, T, T)
    x2 = argmax(x1, size)
    x3 = palette(I)
    x4 = remove(ZERO, x3)
    x5 = color(x2)
    x6 = other(x4, x5)
    x7 = uppermost(x2)
    x8 = rbind(greater, x7)
    x9 = compose(x8, uppermost)
    x10 = ofcolor(I, x6)
    x11 = apply(initset, x10)
    x12 = rbind(vmatching, x2)
    x13 = fork(both, x9, x12)
    x14 = sfilter(x11, x13)
    x15 = toindices(x2)
    x16 = lbind(intersection, x15)
    x17 = compose(vfrontier, ulcorner)
    x18 = compose(x16, x17)
    x19 = compose(lrcorner, x18)
    x20 = rbind(shoot, DOWN)
    x21 = compose(x20, x19)
    x22 = mapply(x21, x14)
    O = underfill(I, x6, x22)
    return O


# complete the figure's box with 2
def solve_6d75e8bb(I):
    x1 = ofcolor(I, EIGHT)
    x2 = delta(x1)
    O = fill(I, TWO, x2)
    return O


# number of colours chooses row, diagonal or other diagonal
def solve_6e02f1e3(I):
    x1 = numcolors(I)
    x2 = equality(x1, ONE)
    x3 = branch(x2, ZERO_BY_TWO, TWO_BY_TWO)
    x4 = equality(x1, THREE)
    x5 = branch(x4, ZERO_BY_TWO, ORIGIN)
    x6 = branch(x4, TWO_BY_ZERO, x3)
    x7 = canvas(ZERO, THREE_BY_THREE)
    x8 = connect(x5, x6)
    O = fill(x7, FIVE, x8)
    return O


# each L shoots a diagonal out of its opening
def solve_6e19193c(I):
    x1 = objects(I, T, F, T)
    x2 = compose(first, delta)
    x3 = compose(double, x2)
    x4 = fork(add, ulcorner, lrcorner)
    x5 = fork(subtract, x3, x4)
    x6 = fork(add, x2, x5)
    x7 = fork(shoot, x6, x5)
    x8 = leastcolor(I)
    x9 = mapply(x7, x1)
    O = fill(I, x8, x9)
    return O


# colour by number of cells
def solve_6e82a1ae(I):
    x1 = objects(I, T, F, T)
    x2 = sizefilter(x1, FOUR)
    x3 = merge(x2)
    x4 = fill(I, ONE, x3)
    x5 = sizefilter(x1, THREE)
    x6 = merge(x5)
    x7 = fill(x4, TWO, x6)
    x8 = sizefilter(x1, TWO)
    x9 = merge(x8)
    O = fill(x7, THREE, x9)
    return O


# the blocky figure masks the small colour table
def solve_6ecd11f4(I):
    x1 = objects(I, F, T, T)
    x2 = argmax(x1, numcolors)
    x3 = subgrid(x2, I)
    x4 = objects(I, T, T, T)
    x5 = argmax(x4, size)
    x6 = shape(x5)
    x7 = canvas(ZERO, x6)
    x8 = normalize(x5)
    x9 = paint(x7, x8)
    x10 = width(x5)
    x11 = width(x3)
    x12 = divide(x10, x11)
    x13 = downscale(x9, x12)
    x14 = ofcolor(x13, ZERO)
    O = fill(x3, ZERO, x14)
    return O


# frame the grid with 8
def solve_6f8cd79b(I):
    x1 = asindices(I)
    x2 = box(x1)
    O = fill(I, EIGHT, x2)
    return O


# mirror image below
def solve_6fa7a44f(I):
    x1 = hmirror(I)
    O = vconcat(I, x1)
    return O

# Heddle: programs for ARC training tasks whose names begin with 8.
#
# Written for this project in the language of heddle-arc, one function for each
# task, in the order of their names; none depends on another. Each solves every
# train and test pair of its task. The tasks themselves (Apache-2.0) are not part
# of this repository. Licence: MIT OR Apache-2.0, like the rest of it.
#
# Run them:  heddle arc eval --data DATA --programs programs/*.py

# the blocky figure becomes a fractal of itself
def solve_80af3007(I):
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = subgrid(x2, I)
    x4 = downscale(x3, THREE)
    x5 = hconcat(x4, x4)
    x6 = hconcat(x4, x5)
    x7 = vconcat(x6, x6)
    x8 = vconcat(x6, x7)
    O = cellwise(x3, x8, ZERO)
    return O


# closed frames become 3
def solve_810b9b61(I):
    x1 = fork(equality, toindices, box)
    x2 = fork(both, x1, delta)
    x3 = objects(I, T, F, T)
    x4 = mfilter(x3, x2)
    O = fill(I, THREE, x4)
    return O


# rows started in other colours continue like the full row
def solve_82819916(I):
    x1 = objects(I, F, F, T)
    x2 = argmax(x1, size)
    x3 = ulcorner(x2)
    x4 = index(I, x3)
    x5 = normalize(x2)
    x6 = matcher(first, x4)
    x7 = sfilter(x5, x6)
    x8 = toindices(x7)
    x9 = toindices(x5)
    x10 = difference(x9, x8)
    x11 = lbind(index, I)
    x12 = compose(x11, ulcorner)
    x13 = fork(other, palette, x12)
    x14 = lbind(shift, x8)
    x15 = compose(x14, ulcorner)
    x16 = fork(recolor, x12, x15)
    x17 = lbind(shift, x10)
    x18 = compose(x17, ulcorner)
    x19 = fork(recolor, x13, x18)
    x20 = fork(combine, x16, x19)
    x21 = remove(x2, x1)
    x22 = mapply(x20, x21)
    O = paint(I, x22)
    return O


# square closed rooms 3, leaking rooms 4
def solve_83302e8f(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ZERO)
    x3 = merge(x2)
    x4 = fill(I, FOUR, x3)
    x5 = mfilter(x2, square)
    O = fill(x4, THREE, x5)
    return O


# the pixel drops one row and stripes of 4 appear above it
def solve_834ec97d(I):
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = ulcorner(x2)
    x4 = invert(TEN)
    x5 = interval(x4, TEN, TWO)
    x6 = apply(tojvec, x5)
    x7 = lbind(add, x3)
    x8 = apply(x7, x6)
    x9 = rbind(shoot, UP)
    x10 = mapply(x9, x8)
    x11 = fill(I, FOUR, x10)
    x12 = shift(x2, DOWN)
    O = paint(x11, x12)
    return O


# stripes to the right of the pixel with 5s alternating at top and bottom
def solve_8403a5d5(I):
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = leftmost(x2)
    x4 = color(x2)
    x5 = compose(vfrontier, tojvec)
    x6 = interval(x3, TEN, TWO)
    x7 = mapply(x5, x6)
    x8 = fill(I, x4, x7)
    x9 = repeat(ZERO, TEN)
    x10 = increment(x3)
    x11 = interval(x10, TEN, FOUR)
    x12 = pair(x9, x11)
    x13 = repeat(NINE, TEN)
    x14 = add(x3, THREE)
    x15 = interval(x14, TEN, FOUR)
    x16 = pair(x13, x15)
    x17 = fill(x8, FIVE, x12)
    O = fill(x17, FIVE, x16)
    return O


# the figure is set into the frame, turned so that its colours match the posts
def solve_846bdb03(I):
    x1 = ofcolor(I, FOUR)
    x2 = subgrid(x1, I)
    x3 = index(x2, DOWN)
    x4 = objects(I, F, F, T)
    x5 = lbind(contained, FOUR)
    x6 = chain(flip, x5, palette)
    x7 = extract(x4, x6)
    x8 = matcher(first, x3)
    x9 = sfilter(x7, x8)
    x10 = leftmost(x9)
    x11 = leftmost(x7)
    x12 = equality(x10, x11)
    x13 = vmirror(x7)
    x14 = branch(x12, x7, x13)
    x15 = normalize(x14)
    x16 = shift(x15, UNITY)
    O = paint(x2, x16)
    return O


# each hole cuts its stripe crosswise
def solve_855e0971(I):
    x1 = frontiers(I)
    x2 = sfilter(x1, hline)
    x3 = size(x2)
    x4 = dmirror(I)
    x5 = branch(x3, I, x4)
    x6 = ofcolor(x5, ZERO)
    x7 = objects(x5, T, F, F)
    x8 = colorfilter(x7, ZERO)
    x9 = difference(x7, x8)
    x10 = lbind(mapply, vfrontier)
    x11 = lbind(intersection, x6)
    x12 = chain(x10, x11, backdrop)
    x13 = fork(intersection, backdrop, x12)
    x14 = mapply(x13, x9)
    x15 = fill(x5, ZERO, x14)
    x16 = dmirror(x15)
    O = branch(x3, x15, x16)
    return O


# nested frames take the colours in reverse order
def solve_85c4e7cd(I):
    x1 = objects(I, T, F, F)
    x2 = order(x1, size)
    x3 = compose(invert, size)
    x4 = order(x1, x3)
    x5 = apply(color, x4)
    x6 = mpapply(recolor, x5, x2)
    O = paint(I, x6)
    return O


# all frames: even ones are filled red, odd ones orange
def solve_868de0fa(I):
    x1 = objects(I, T, F, T)
    x2 = colorfilter(x1, ONE)
    x3 = compose(even, height)
    x4 = mapply(delta, x2)
    x5 = fill(I, SEVEN, x4)
    x6 = sfilter(x2, x3)
    x7 = mapply(delta, x6)
    O = fill(x5, TWO, x7)
    return O


# the solid block in the noise with full lines through its specks
def solve_8731374e(I):
    x1 = objects(I, T, F, F)
    x2 = argmax(x1, size)
    x3 = shift(x2, UP)
    x4 = intersection(x2, x3)
    x5 = shift(x2, LEFT)
    x6 = shift(x2, NEG_UNITY)
    x7 = intersection(x5, x6)
    x8 = intersection(x4, x7)
    x9 = shift(x8, UP)
    x10 = intersection(x8, x9)
    x11 = shift(x8, LEFT)
    x12 = shift(x8, NEG_UNITY)
    x13 = intersection(x11, x12)
    x14 = intersection(x10, x13)
    x15 = shift(x14, TWO_BY_TWO)
    x16 = combine(x14, x15)
    x17 = subgrid(x16, I)
    x18 = leastcolor(x17)
    x19 = ofcolor(x17, x18)
    x20 = mapply(hfrontier, x19)
    x21 = mapply(vfrontier, x19)
    x22 = combine(x20, x21)
    O = fill(x17, x18, x22)
    return O


# copy the figure so that its centre falls on the grey cell
def solve_88a10436(I):
    x1 = ofcolor(I, FIVE)
    x2 = fgpartition(I)
    x3 = merge(x2)
    x4 = recolor(FIVE, x1)
    x5 = difference(x3, x4)
    x6 = center(x1)
    x7 = center(x5)
    x8 = subtract(x6, x7)
    x9 = shift(x5, x8)
    x10 = replace(I, FIVE, ZERO)
    O = paint(x10, x9)
    return O


# of the four small panels give the one that differs
def solve_88a62173(I):
    x1 = vsplit(I, TWO)
    x2 = rbind(hsplit, TWO)
    x3 = mapply(x2, x1)
    O = leastcommon(x3)
    return O


# find the second room of the same size and frame it too
def solve_890034e9(I):
    x1 = leastcolor(I)
    x2 = ofcolor(I, x1)
    x3 = normalize(x2)
    x4 = shift(x3, NEG_UNITY)
    x5 = delta(x2)
    x6 = recolor(ZERO, x5)
    x7 = occurrences(I, x6)
    x8 = lbind(shift, x4)
    x9 = mapply(x8, x7)
    O = fill(I, x1, x9)
    return O


# the small drawing is enlarged into the frame where parts of it are already in place
def solve_8a004b2b(I):
    x1 = ofcolor(I, FOUR)
    x2 = asobject(I)
    x3 = sfilter(x2, first)
    x4 = recolor(FOUR, x1)
    x5 = difference(x3, x4)
    x6 = backdrop(x1)
    x7 = rbind(contained, x6)
    x8 = compose(x7, last)
    x9 = sfilter(x5, x8)
    x10 = difference(x5, x9)
    x11 = width(x9)
    x12 = width(x10)
    x13 = divide(x11, x12)
    x14 = normalize(x10)
    x15 = upscale(x14, x13)
    x16 = ulcorner(x9)
    x17 = ulcorner(x1)
    x18 = subtract(x16, x17)
    x19 = shift(x15, x18)
    x20 = subgrid(x1, I)
    O = paint(x20, x19)
    return O


# put the upside-down copy below
def solve_8be77c9e(I):
    x1 = hmirror(I)
    O = vconcat(I, x1)
    return O


# mirror to the left, then stack the strip mirrored, plain and mirrored
def solve_8d5021e8(I):
    x1 = vmirror(I)
    x2 = hconcat(x1, I)
    x3 = hmirror(x2)
    x4 = vconcat(x3, x2)
    O = vconcat(x4, x3)
    return O


# red cells run to the wall, blue cells run away from it
def solve_8d510a79(I):
    x1 = ofcolor(I, FIVE)
    x2 = uppermost(x1)
    x3 = width(I)
    x4 = astuple(x2, x3)
    x5 = crop(I, ORIGIN, x4)
    x6 = increment(x2)
    x7 = toivec(x6)
    x8 = shape(I)
    x9 = crop(I, x7, x8)
    x10 = hmirror(x9)
    x11 = rbind(shoot, UP)
    x12 = rbind(shoot, DOWN)
    x13 = ofcolor(x5, ONE)
    x14 = mapply(x11, x13)
    x15 = fill(x5, ONE, x14)
    x16 = ofcolor(x5, TWO)
    x17 = mapply(x12, x16)
    x18 = fill(x15, TWO, x17)
    x19 = ofcolor(x10, ONE)
    x20 = mapply(x11, x19)
    x21 = fill(x10, ONE, x20)
    x22 = ofcolor(x10, TWO)
    x23 = mapply(x12, x22)
    x24 = fill(x21, TWO, x23)
    x25 = astuple(ONE, x3)
    x26 = canvas(FIVE, x25)
    x27 = hmirror(x24)
    x28 = vconcat(x26, x27)
    O = vconcat(x18, x28)
    return O


# list the line colours in order as stripes of a square
def solve_8e1813be(I):
    x1 = fgpartition(I)
    x2 = colorfilter(x1, FIVE)
    x3 = difference(x1, x2)
    x4 = argmax(x3, size)
    x5 = portrait(x4)
    x6 = branch(x5, leftmost, uppermost)
    x7 = order(x3, x6)
    x8 = apply(color, x7)
    x9 = size(x3)
    x10 = repeat(x8, x9)
    x11 = dmirror(x10)
    O = branch(x5, x10, x11)
    return O


# complete the row of panels by a quarter and a half turn of the first
def solve_8e5a5113(I):
    x1 = hsplit(I, THREE)
    x2 = first(x1)
    x3 = astuple(THREE, ONE)
    x4 = canvas(FIVE, x3)
    x5 = rot90(x2)
    x6 = hconcat(x4, x5)
    x7 = hconcat(x2, x6)
    x8 = rot180(x2)
    x9 = hconcat(x4, x8)
    O = hconcat(x7, x9)
    return O


# repeat the band of rows over the whole height
def solve_8eb1be9a(I):
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = invert(TEN)
    x4 = interval(x3, TEN, ONE)
    x5 = lbind(shift, x2)
    x6 = height(x2)
    x7 = lbind(multiply, x6)
    x8 = chain(x5, toivec, x7)
    x9 = mapply(x8, x4)
    O = paint(I, x9)
    return O


# the rectangle with the most red specks
def solve_8efcae92(I):
    x1 = shape(I)
    x2 = canvas(ZERO, x1)
    x3 = hconcat(I, x2)
    x4 = objects(x3, F, F, T)
    x5 = rbind(colorcount, TWO)
    x6 = argmax(x4, x5)
    O = subgrid(x6, I)
    return O


# the figure is repeated wherever it has a cell itself
def solve_8f2ea7aa(I):
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = subgrid(x2, I)
    x4 = asindices(x3)
    x5 = ofcolor(x3, ZERO)
    x6 = difference(x4, x5)
    x7 = asobject(x3)
    x8 = sfilter(x7, first)
    x9 = lbind(shift, x8)
    x10 = rbind(multiply, THREE)
    x11 = chain(x9, x10, identity)
    x12 = shape(x3)
    x13 = multiply(THREE, x12)
    x14 = canvas(ZERO, x13)
    x15 = mapply(x11, x6)
    O = paint(x14, x15)
    return O

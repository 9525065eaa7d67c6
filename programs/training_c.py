# Heddle: programs for ARC training tasks whose names begin with c.
#
# Written for this project in the language of heddle-arc, one function for each
# task, in the order of their names; none depends on another. Each solves every
# train and test pair of its task. The tasks themselves (Apache-2.0) are not part
# of this repository. Licence: MIT OR Apache-2.0, like the rest of it.
#
# Run them:  heddle arc eval --data DATA --programs programs/*.py

# the inside of a frame is coloured by its size
def solve_c0f76784(I):
    x1 = objects(I, T, F, T)
    x2 = apply(delta, x1)
    x3 = sizefilter(x2, ONE)
    x4 = merge(x3)
    x5 = fill(I, SIX, x4)
    x6 = sizefilter(x2, FOUR)
    x7 = merge(x6)
    x8 = fill(x5, SEVEN, x7)
    x9 = sizefilter(x2, NINE)
    x10 = merge(x9)
    O = fill(x8, EIGHT, x10)
    return O


# entirely black rows and columns turn red
def solve_c1d99e64(I):
    x1 = frontiers(I)
    x2 = colorfilter(x1, ZERO)
    x3 = merge(x2)
    O = fill(I, TWO, x3)
    return O


# self-similar: copy the tile where it shows its commonest colour
def solve_c3e719e8(I):
    x1 = hconcat(I, I)
    x2 = hconcat(I, x1)
    x3 = vconcat(x2, x2)
    x4 = vconcat(x2, x3)
    x5 = upscale(I, THREE)
    x6 = mostcolor(I)
    x7 = ofcolor(x5, x6)
    x8 = asindices(x4)
    x9 = difference(x8, x7)
    O = fill(x4, ZERO, x9)
    return O


# fill the holes of a pattern whose antidiagonals are uniform
def solve_c3f564a4(I):
    x1 = asobject(I)
    x2 = sfilter(x1, first)
    x3 = width(I)
    x4 = invert(x3)
    x5 = interval(x4, x3, ONE)
    x6 = lbind(shift, x2)
    x7 = rbind(multiply, DOWN_LEFT)
    x8 = compose(x6, x7)
    x9 = mapply(x8, x5)
    O = paint(I, x9)
    return O


# the picture of one room appears in all rooms
def solve_c444b776(I):
    x1 = asobject(I)
    x2 = sfilter(x1, first)
    x3 = ofcolor(I, FOUR)
    x4 = recolor(FOUR, x3)
    x5 = difference(x2, x4)
    x6 = frontiers(I)
    x7 = colorfilter(x6, FOUR)
    x8 = sfilter(x7, hline)
    x9 = size(x8)
    x10 = sfilter(x7, vline)
    x11 = size(x10)
    x12 = astuple(x9, x11)
    x13 = shape(I)
    x14 = increment(x13)
    x15 = increment(x12)
    x16 = divide(x14, x15)
    x17 = interval(NEG_TWO, THREE, ONE)
    x18 = lbind(shift, x5)
    x19 = lbind(multiply, x16)
    x20 = compose(x18, x19)
    x21 = product(x17, x17)
    x22 = mapply(x20, x21)
    O = paint(I, x22)
    return O


# twice as large
def solve_c59eb873(I):
    x1 = hupscale(I, TWO)
    O = vupscale(x1, TWO)
    return O


# lay all colour patterns over each other with a common centre
def solve_c8cbb738(I):
    x1 = fgpartition(I)
    x2 = valmax(x1, height)
    x3 = valmax(x1, width)
    x4 = astuple(x2, x3)
    x5 = halve(x4)
    x6 = lbind(subtract, x5)
    x7 = compose(x6, center)
    x8 = fork(shift, identity, x7)
    x9 = mostcolor(I)
    x10 = canvas(x9, x4)
    x11 = mapply(x8, x1)
    O = paint(x10, x11)
    return O


# orange becomes grey
def solve_c8f0f002(I):
    O = replace(I, SEVEN, FIVE)
    return O


# cut out the frame in the rarest colour
def solve_c909285e(I):
    x1 = leastcolor(I)
    x2 = ofcolor(I, x1)
    O = subgrid(x2, I)
    return O


# put the mirror image to the right
def solve_c9e6f938(I):
    x1 = vmirror(I)
    O = hconcat(I, x1)
    return O


# grey cells take the colour at the left end of their row
def solve_c9f8e694(I):
    x1 = lbind(index, I)
    x2 = chain(x1, toivec, first)
    x3 = fork(astuple, x2, identity)
    x4 = ofcolor(I, FIVE)
    x5 = apply(x3, x4)
    O = paint(I, x5)
    return O


# continue the pattern over the whole grid, one column further on
def solve_caa06a1f(I):
    x1 = asindices(I)
    x2 = lrcorner(x1)
    x3 = index(I, x2)
    x4 = asobject(I)
    x5 = matcher(first, x3)
    x6 = compose(flip, x5)
    x7 = sfilter(x4, x6)
    x8 = vperiod(x7)
    x9 = hperiod(x7)
    x10 = astuple(x8, x9)
    x11 = crop(I, RIGHT, x10)
    x12 = repeat(x11, TEN)
    x13 = merge(x12)
    x14 = dmirror(x13)
    x15 = repeat(x14, TEN)
    x16 = merge(x15)
    x17 = dmirror(x16)
    x18 = shape(I)
    O = crop(x17, ORIGIN, x18)
    return O


# equal marks at both ends of a row or column of blocks also appear in the middle
def solve_cbded52d(I):
    x1 = asobject(I)
    x2 = rbind(greater, ONE)
    x3 = compose(x2, first)
    x4 = sfilter(x1, x3)
    x5 = tojvec(THREE)
    x6 = shift(x4, x5)
    x7 = invert(THREE)
    x8 = tojvec(x7)
    x9 = shift(x4, x8)
    x10 = intersection(x6, x9)
    x11 = toivec(THREE)
    x12 = shift(x4, x11)
    x13 = toivec(x7)
    x14 = shift(x4, x13)
    x15 = intersection(x12, x14)
    x16 = combine(x10, x15)
    O = paint(I, x16)
    return O


# self-similar: copy the tile where it shows red
def solve_cce03e0d(I):
    x1 = upscale(I, THREE)
    x2 = asobject(I)
    x3 = shift(x2, ORIGIN)
    x4 = rbind(multiply, THREE)
    x5 = ofcolor(I, TWO)
    x6 = apply(x4, x5)
    x7 = shape(x1)
    x8 = canvas(ZERO, x7)
    x9 = lbind(shift, x3)
    x10 = mapply(x9, x6)
    O = paint(x8, x10)
    return O


# read the cells from left to right and write them as a snake of three rows
def solve_cdecee7f(I):
    x1 = asobject(I)
    x2 = sfilter(x1, first)
    x3 = compose(last, last)
    x4 = order(x2, x3)
    x5 = apply(first, x4)
    x6 = size(x5)
    x7 = subtract(NINE, x6)
    x8 = repeat(ZERO, x7)
    x9 = combine(x5, x8)
    x10 = repeat(x9, ONE)
    x11 = hsplit(x10, THREE)
    x12 = tojvec(THREE)
    x13 = astuple(ONE, THREE)
    x14 = crop(x10, x12, x13)
    x15 = first(x11)
    x16 = vmirror(x14)
    x17 = last(x11)
    x18 = vconcat(x16, x17)
    O = vconcat(x15, x18)
    return O


# each grey cell becomes a blue three by three block
def solve_ce22a75a(I):
    x1 = ofcolor(I, FIVE)
    x2 = mapply(neighbors, x1)
    x3 = combine(x1, x2)
    O = fill(I, ONE, x3)
    return O


# mark with green the cells set in at least one of the halves
def solve_ce4f8723(I):
    x1 = vsplit(I, TWO)
    x2 = first(x1)
    x3 = ofcolor(x2, ONE)
    x4 = last(x1)
    x5 = ofcolor(x4, TWO)
    x6 = shape(x2)
    x7 = canvas(ZERO, x6)
    x8 = combine(x3, x5)
    O = fill(x7, THREE, x8)
    return O


# of the small figures the one of which the big figure is an enlargement
def solve_ce602527(I):
    x1 = fgpartition(I)
    x2 = argmax(x1, size)
    x3 = rbind(upscale, TWO)
    x4 = compose(toindices, x3)
    x5 = toindices(x2)
    x6 = normalize(x5)
    x7 = lbind(difference, x6)
    x8 = compose(normalize, x4)
    x9 = chain(size, x7, x8)
    x10 = vmirror(x5)
    x11 = normalize(x10)
    x12 = lbind(difference, x11)
    x13 = chain(normalize, vmirror, x4)
    x14 = chain(size, x12, x13)
    x15 = hmirror(x5)
    x16 = normalize(x15)
    x17 = lbind(difference, x16)
    x18 = chain(normalize, hmirror, x4)
    x19 = chain(size, x17, x18)
    x20 = compose(initset, x9)
    x21 = compose(initset, x14)
    x22 = compose(initset, x19)
    x23 = fork(combine, x21, x22)
    x24 = fork(combine, x20, x23)
    x25 = remove(x2, x1)
    x26 = compose(minimum, x24)
    x27 = argmin(x25, x26)
    O = subgrid(x27, I)
    return O


# the lower half of each bar turns light blue
def solve_ce9e57f2(I):
    x1 = compose(halve, height)
    x2 = fork(subtract, height, x1)
    x3 = compose(toivec, x2)
    x4 = fork(shift, identity, x3)
    x5 = fork(intersection, identity, x4)
    x6 = objects(I, T, F, T)
    x7 = mapply(x5, x6)
    O = fill(I, EIGHT, x7)
    return O


# three layers on top of each other: yellow over maroon over blue
def solve_cf98881b(I):
    x1 = hsplit(I, THREE)
    x2 = last(x1)
    x3 = remove(x2, x1)
    x4 = last(x3)
    x5 = ofcolor(x4, NINE)
    x6 = fill(x2, NINE, x5)
    x7 = first(x1)
    x8 = ofcolor(x7, FOUR)
    O = fill(x6, FOUR, x8)
    return O

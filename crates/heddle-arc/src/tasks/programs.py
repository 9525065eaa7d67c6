# Programs for the built-in tasks of heddle-arc, one for each, family by family.

# numbers


def solve_bar_twice_the_dots(I):
    x1 = objects(I, T, F, T)
    x2 = size(x1)
    x3 = double(x2)
    x4 = astuple(ONE, x3)
    x5 = leastcolor(I)
    O = canvas(x5, x4)
    return O


def solve_step_past_itself(I):
    x1 = objects(I, T, F, T)
    x2 = first(x1)
    x3 = shape(x2)
    x4 = increment(x3)
    O = move(I, x2, x4)
    return O


def solve_even_or_odd(I):
    x1 = ofcolor(I, ONE)
    x2 = size(x1)
    x3 = even(x2)
    x4 = branch(x3, TWO, THREE)
    x5 = shape(I)
    O = canvas(x4, x5)
    return O


def solve_upper_half_and_one(I):
    x1 = height(I)
    x2 = halve(x1)
    x3 = increment(x2)
    x4 = width(I)
    x5 = astuple(x3, x4)
    O = crop(I, ORIGIN, x5)
    return O


# tuples and sets


def solve_no_row_twice(I):
    O = dedupe(I)
    return O


def solve_rows_in_order(I):
    O = order(I, identity)
    return O


def solve_largest_alone(I):
    x1 = objects(I, T, F, T)
    x2 = argmax(x1, size)
    O = subgrid(x2, I)
    return O


def solve_in_both_halves(I):
    x1 = lefthalf(I)
    x2 = righthalf(I)
    x3 = ofcolor(x1, ONE)
    x4 = ofcolor(x2, ONE)
    x5 = intersection(x3, x4)
    x6 = shape(x1)
    x7 = canvas(ZERO, x6)
    O = fill(x7, FIVE, x5)
    return O


# functions of functions


def solve_fill_the_frames(I):
    x1 = objects(I, T, F, T)
    x2 = mapply(delta, x1)
    O = fill(I, FOUR, x2)
    return O


def solve_mark_those_of_four(I):
    x1 = objects(I, T, F, T)
    x2 = sizefilter(x1, FOUR)
    x3 = merge(x2)
    O = fill(I, EIGHT, x3)
    return O


def solve_squares_stay(I):
    x1 = objects(I, T, F, T)
    x2 = compose(flip, square)
    x3 = mfilter(x1, x2)
    O = cover(I, x3)
    return O


def solve_beside_its_half_turn(I):
    x1 = power(rot90, TWO)
    x2 = x1(I)
    O = hconcat(I, x2)
    return O


# turning, cutting, scaling


def solve_mirror_to_the_right(I):
    x1 = vmirror(I)
    O = hconcat(I, x1)
    return O


def solve_quarter_turn(I):
    O = rot90(I)
    return O


def solve_twice_as_large(I):
    O = upscale(I, TWO)
    return O


def solve_two_colours_change_places(I):
    O = switch(I, ONE, TWO)
    return O


def solve_without_the_edge(I):
    O = trim(I)
    return O


# splitting and joining


def solve_where_the_halves_agree(I):
    x1 = vsplit(I, TWO)
    x2 = first(x1)
    x3 = last(x1)
    O = cellwise(x2, x3, ZERO)
    return O


def solve_first_of_three(I):
    x1 = hsplit(I, THREE)
    O = first(x1)
    return O


def solve_mirror_below(I):
    x1 = hmirror(I)
    O = vconcat(I, x1)
    return O


def solve_halves_change_places(I):
    x1 = hsplit(I, TWO)
    x2 = first(x1)
    x3 = last(x1)
    O = hconcat(x3, x2)
    return O


# writing into grids


def solve_shadows(I):
    x1 = ofcolor(I, TWO)
    x2 = shift(x1, UNITY)
    O = underfill(I, FIVE, x2)
    return O


def solve_green_is_erased(I):
    x1 = ofcolor(I, THREE)
    O = cover(I, x1)
    return O


def solve_red_again_two_further(I):
    x1 = ofcolor(I, TWO)
    x2 = recolor(TWO, x1)
    x3 = shift(x2, ZERO_BY_TWO)
    O = paint(I, x3)
    return O


def solve_falls_by_one(I):
    x1 = objects(I, T, F, T)
    x2 = first(x1)
    O = move(I, x2, DOWN)
    return O


# queries


def solve_those_at_the_border(I):
    x1 = objects(I, T, F, T)
    x2 = rbind(bordering, I)
    x3 = mfilter(x1, x2)
    O = fill(I, TWO, x3)
    return O


def solve_as_large_as_yellow(I):
    x1 = ofcolor(I, FOUR)
    x2 = shape(x1)
    O = canvas(FOUR, x2)
    return O


def solve_the_rare_colour(I):
    x1 = leastcolor(I)
    x2 = ofcolor(I, x1)
    O = subgrid(x2, I)
    return O


def solve_lie_down(I):
    x1 = portrait(I)
    x2 = dmirror(I)
    O = branch(x1, x2, I)
    return O


# objects and patches


def solve_box_of_dots(I):
    x1 = ofcolor(I, THREE)
    x2 = backdrop(x1)
    x3 = fill(I, ONE, x2)
    O = fill(x3, THREE, x1)
    return O


def solve_into_the_corner(I):
    x1 = ofcolor(I, SIX)
    x2 = recolor(SIX, x1)
    x3 = normalize(x2)
    x4 = shape(I)
    x5 = canvas(ZERO, x4)
    O = paint(x5, x3)
    return O


def solve_square_of_colours(I):
    x1 = fgpartition(I)
    x2 = size(x1)
    x3 = astuple(x2, x2)
    O = canvas(ONE, x3)
    return O


def solve_only_yellow(I):
    x1 = objects(I, T, F, T)
    x2 = colorfilter(x1, FOUR)
    x3 = difference(x1, x2)
    x4 = merge(x3)
    O = cover(I, x4)
    return O


# segments, rays, frames


def solve_join_the_dots(I):
    x1 = ofcolor(I, EIGHT)
    x2 = first(x1)
    x3 = last(x1)
    x4 = connect(x2, x3)
    O = fill(I, EIGHT, x4)
    return O


def solve_cross_through_it(I):
    x1 = ofcolor(I, SEVEN)
    x2 = first(x1)
    x3 = vfrontier(x2)
    x4 = hfrontier(x2)
    x5 = combine(x3, x4)
    O = fill(I, SEVEN, x5)
    return O


def solve_frame_around_it(I):
    x1 = ofcolor(I, FIVE)
    x2 = outbox(x1)
    O = fill(I, ONE, x2)
    return O


def solve_ray_to_the_corner(I):
    x1 = ofcolor(I, NINE)
    x2 = first(x1)
    x3 = shoot(x2, UNITY)
    O = fill(I, THREE, x3)
    return O


# repetition and occurrence


def solve_where_the_corner_occurs(I):
    x1 = crop(I, ORIGIN, TWO_BY_TWO)
    x2 = asobject(x1)
    x3 = occurrences(I, x2)
    O = fill(I, NINE, x3)
    return O


def solve_squeezed(I):
    O = compress(I)
    return O


def solve_one_period_across(I):
    x1 = asobject(I)
    x2 = hperiod(x1)
    x3 = height(I)
    x4 = astuple(x3, x2)
    O = crop(I, ORIGIN, x4)
    return O


def solve_one_period_down(I):
    x1 = asobject(I)
    x2 = vperiod(x1)
    x3 = width(I)
    x4 = astuple(x2, x3)
    O = crop(I, ORIGIN, x4)
    return O


# additions to the original 160 primitives


def solve_colours_in_a_row(I):
    x1 = p_g(I)
    O = repeat(x1, ONE)
    return O


def solve_second_row_twice(I):
    x1 = second(I)
    O = repeat(x1, TWO)
    return O


def solve_turned_by_number(I):
    O = mir_rot_t(I, R6)
    return O


def solve_colour_of_the_examples(S, I, C):
    x1 = second(S)
    x2 = last(x1)
    x3 = leastcolor(x2)
    x4 = ofcolor(I, ONE)
    O = fill(I, x3, x4)
    return O


def solve_the_highest_colour(I):
    x1 = o_g(I, R5)
    x2 = get_nth_f(x1, L1)
    O = subgrid(x2, I)
    return O

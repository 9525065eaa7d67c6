//! Laws that the primitives obey on every grid.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test says so by failing"
)]

use heddle_arc::evaluators::CompactEvaluator;
use heddle_arc::golden::Evaluator;
use heddle_arc::plain::Plain;
use heddle_arc::prim::Prim;
use proptest::prelude::*;

fn call(prim: Prim, args: &[&Plain]) -> Plain {
    let args: Vec<Plain> = args.iter().map(|arg| (*arg).clone()).collect();
    CompactEvaluator::default()
        .evaluate(prim, &args, None)
        .unwrap_or_else(|fault| panic!("{prim}({args:?}): {fault}"))
}

fn grid() -> impl Strategy<Value = Plain> {
    (1_usize..12, 1_usize..12, 1_i64..5).prop_flat_map(|(height, width, colours)| {
        prop::collection::vec(prop::collection::vec(0..colours, width), height)
            .prop_map(Plain::grid)
    })
}

fn location() -> impl Strategy<Value = Plain> {
    (-40_i64..40, -40_i64..40).prop_map(|(i, j)| Plain::pair(i, j))
}

fn indices() -> impl Strategy<Value = Plain> {
    prop::collection::btree_set(location(), 0..20).prop_map(Plain::Set)
}

fn object() -> impl Strategy<Value = Plain> {
    let cell = (0_i64..4, -40_i64..40, -40_i64..40);
    prop::collection::vec(cell, 1..20).prop_map(|cells| {
        let cells = cells.into_iter();
        Plain::Set(
            cells
                .map(|(c, i, j)| Plain::cell(Plain::Int(c), i, j))
                .collect(),
        )
    })
}

fn size(container: &Plain) -> i64 {
    call(Prim::Size, &[container]).int().unwrap()
}

proptest! {
    #![proptest_config(heddle_testing::depth::cases(256))]

    #[test]
    fn mirroring_twice_is_the_identity(grid in grid(), object in object()) {
        for mirror in [Prim::Hmirror, Prim::Vmirror, Prim::Dmirror, Prim::Cmirror] {
            for piece in [&grid, &object] {
                prop_assert_eq!(&call(mirror, &[&call(mirror, &[piece])]), piece, "{}", mirror);
            }
        }
    }

    #[test]
    fn four_quarter_turns_are_the_identity(grid in grid()) {
        let half = call(Prim::Rot90, &[&call(Prim::Rot90, &[&grid])]);
        prop_assert_eq!(&half, &call(Prim::Rot180, &[&grid]));
        prop_assert_eq!(call(Prim::Rot270, &[&call(Prim::Rot90, &[&grid])]), grid.clone());
        prop_assert_eq!(call(Prim::Rot180, &[&half]), grid);
    }

    #[test]
    fn a_diagonal_mirror_is_a_turn_and_a_mirror(grid in grid()) {
        let turned = call(Prim::Rot90, &[&grid]);
        prop_assert_eq!(call(Prim::Vmirror, &[&turned]), call(Prim::Dmirror, &[&grid]));
        prop_assert_eq!(call(Prim::Hmirror, &[&turned]), call(Prim::Cmirror, &[&grid]));
    }

    #[test]
    fn shifting_by_an_offset_and_its_inverse_is_the_identity(
    object in object(), offset in location()
    ) {
        let back = call(Prim::Invert, &[&offset]);
        let there = call(Prim::Shift, &[&object, &offset]);
        prop_assert_eq!(call(Prim::Shift, &[&there, &back]), object);
    }

    #[test]
    fn normalised_patches_begin_at_the_origin(object in object()) {
        let normal = call(Prim::Normalize, &[&object]);
        prop_assert_eq!(call(Prim::Ulcorner, &[&normal]), Plain::pair(0, 0));
        prop_assert_eq!(call(Prim::Shape, &[&normal]), call(Prim::Shape, &[&object]));
    }

    #[test]
    fn a_grid_is_its_own_object(grid in grid()) {
        let object = call(Prim::Asobject, &[&grid]);
        prop_assert_eq!(&call(Prim::Paint, &[&grid, &object]), &grid);
        let blank = call(Prim::Canvas, &[&Plain::Int(9), &call(Prim::Shape, &[&grid])]);
        prop_assert_eq!(&call(Prim::Paint, &[&blank, &object]), &grid);
        prop_assert_eq!(call(Prim::Toindices, &[&object]), call(Prim::Asindices, &[&grid]));
    }

    #[test]
    fn covering_what_was_painted_leaves_the_background(grid in grid(), patch in indices()) {
        let background = call(Prim::Mostcolor, &[&grid]);
        let covered = call(Prim::Cover, &[&grid, &patch]);
        let there = call(Prim::Toobject, &[&patch, &covered]);
        let expected = call(Prim::Recolor, &[&background, &call(Prim::Toindices, &[&there])]);
        prop_assert_eq!(there, expected);
    }

    #[test]
    fn objects_partition_their_cells(
        grid in grid(), univalued: bool, diagonal: bool, without_background: bool
    ) {
        let [u, d, w] = [univalued, diagonal, without_background].map(Plain::Bool);
        let objects = call(Prim::Objects, &[&grid, &u, &d, &w]);
        let merged = call(Prim::Merge, &[&objects]);
        let total: i64 = objects.items().unwrap().into_iter().map(size).sum();
        prop_assert_eq!(size(&merged), total, "no cell is in two objects");
        let whole = call(Prim::Asobject, &[&grid]);
        let background = call(Prim::Mostcolor, &[&grid]);
        let expected = if without_background {
            let hidden = call(Prim::Recolor, &[&background, &call(Prim::Ofcolor, &[&grid, &background])]);
            call(Prim::Difference, &[&whole, &hidden])
        } else {
            whole
        };
        prop_assert_eq!(merged, expected);
        for object in objects.items().unwrap() {
            if univalued {
                prop_assert_eq!(call(Prim::Numcolors, &[object]), Plain::Int(1));
            }
        }
    }

    #[test]
    fn partition_has_one_object_per_colour(grid in grid()) {
        let parts = call(Prim::Partition, &[&grid]);
        prop_assert_eq!(size(&parts), call(Prim::Numcolors, &[&grid]).int().unwrap());
        prop_assert_eq!(call(Prim::Merge, &[&parts]), call(Prim::Asobject, &[&grid]));
    }

    #[test]
    fn sets_obey_their_algebra(a in indices(), b in indices()) {
        let union = call(Prim::Combine, &[&a, &b]);
        let common = call(Prim::Intersection, &[&a, &b]);
        let (left, right) = (call(Prim::Difference, &[&a, &b]), call(Prim::Difference, &[&b, &a]));
        prop_assert_eq!(&union, &call(Prim::Combine, &[&b, &a]));
        prop_assert_eq!(size(&union), size(&a) + size(&b) - size(&common));
        let again = call(Prim::Combine, &[&call(Prim::Combine, &[&left, &common]), &right]);
        prop_assert_eq!(again, union);
    }

    #[test]
    fn a_delta_completes_the_backdrop(patch in object()) {
        let delta = call(Prim::Delta, &[&patch]);
        let locations = call(Prim::Toindices, &[&patch]);
        prop_assert_eq!(size(&call(Prim::Intersection, &[&delta, &locations])), 0);
        let together = call(Prim::Combine, &[&delta, &locations]);
        prop_assert_eq!(together, call(Prim::Backdrop, &[&patch]));
    }

    #[test]
    fn halves_and_splits_join_again(grid in grid()) {
        let (top, bottom) = (call(Prim::Tophalf, &[&grid]), call(Prim::Bottomhalf, &[&grid]));
        let joined = call(Prim::Vconcat, &[&top, &bottom]);
        if size(&grid) % 2 == 0 {
            prop_assert_eq!(&joined, &grid);
        } else {
            prop_assert_eq!(size(&joined), size(&grid) - 1);
        }
        let doubled = call(Prim::Hconcat, &[&grid, &grid]);
        let halves = call(Prim::Hsplit, &[&doubled, &Plain::Int(2)]);
        prop_assert_eq!(halves, Plain::Tuple(vec![grid.clone(), grid]));
    }

    #[test]
    fn downscaling_undoes_upscaling(grid in grid(), factor in 1_i64..5) {
        let factor = Plain::Int(factor);
        let large = call(Prim::Upscale, &[&grid, &factor]);
        prop_assert_eq!(call(Prim::Downscale, &[&large, &factor]), grid);
    }

    #[test]
    fn switching_twice_is_the_identity(grid in grid(), a in 0_i64..5, b in 0_i64..5) {
        let (a, b) = (Plain::Int(a), Plain::Int(b));
        let switched = call(Prim::Switch, &[&grid, &a, &b]);
        prop_assert_eq!(call(Prim::Switch, &[&switched, &b, &a]), grid);
    }

    #[test]
    fn an_object_occurs_where_it_was_taken_from(grid in grid(), patch in indices()) {
        let object = call(Prim::Toobject, &[&patch, &grid]);
        if size(&object) > 0 {
            let found = call(Prim::Occurrences, &[&grid, &object]);
            let corner = call(Prim::Ulcorner, &[&object]);
            prop_assert_eq!(call(Prim::Contained, &[&corner, &found]), Plain::Bool(true));
        }
    }

    #[test]
    fn gravity_ends_beside_its_goal(a in indices(), b in indices()) {
        if size(&a) > 0 && size(&b) > 0 {
            let offset = call(Prim::Gravitate, &[&a, &b]);
            let moved = call(Prim::Shift, &[&a, &offset]);
            let far = offset == Plain::pair(42, 0) || offset == Plain::pair(-42, 0)
                || offset == Plain::pair(0, 42) || offset == Plain::pair(0, -42);
            prop_assert!(far || call(Prim::Adjacent, &[&moved, &b]) == Plain::Bool(true));
        }
    }
}

//! The typed dialect of the language: its names, its views of primitives, and what a primitive
//! returns where it fails in a soft reading.

use super::Prim;
use crate::reading::{Cells, Reading};
use std::sync::LazyLock;

/// How a primitive of the typed dialect is computed by another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    /// The primitive that computes it; itself if it has a body of its own.
    pub base: Prim,
    pub takes: Takes,
    pub empty: Empty,
}

/// What the patch or grid among the arguments is restricted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    Any,
    /// A tuple.
    Grid,
    /// A set, or a tuple of cells or locations.
    Patch,
    /// A patch of locations.
    Locations,
    /// A patch of cells.
    Cells,
    /// A container of rows, whose numbers are colours.
    Rows,
    /// A container of cells, whose first parts are colours.
    Colours,
}

/// The result for an empty patch or grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Empty {
    /// That of the base.
    Base,
    Fail,
    /// The argument.
    Same,
    Zero,
    Zeros,
    Tuple,
    Set,
    False,
    True,
    Nan,
}

/// What a primitive returns where it fails in a soft reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DefaultResult {
    Tuple,
    Set,
    Zero,
    False,
    /// [`Prim::Nothing`].
    Function,
}

/// Further names of the typed dialect, which mean the same in every reading of it.
const ALIASES: &[(&str, Prim)] = &[
    ("size_t", Prim::Size),
    ("size_f", Prim::Size),
    ("merge_t", Prim::Merge),
    ("merge_f", Prim::Merge),
    ("mfilter_f", Prim::Mfilter),
    ("valmax_t", Prim::Valmax),
    ("valmax_f", Prim::Valmax),
    ("valmin_t", Prim::Valmin),
    ("valmin_f", Prim::Valmin),
    ("argmax_t", Prim::Argmax),
    ("argmax_f", Prim::Argmax),
    ("argmin_t", Prim::Argmin),
    ("argmin_f", Prim::Argmin),
    ("mostcommon_t", Prim::Mostcommon),
    ("leastcommon_t", Prim::Leastcommon),
    ("c_branch", Prim::Branch),
    ("f_ofcolor", Prim::Ofcolor),
    ("difference_t", Prim::DifferenceTuple),
    ("objects_g", Prim::ObjectsT),
    ("o_g_tuple", Prim::OGT),
    ("get_val_rank_t", Prim::GetValRank),
    ("get_val_rank_f", Prim::GetValRank),
    ("get_common_rank_t", Prim::GetCommonRank),
    ("p_f", Prim::PaletteF),
    ("cmirror_i", Prim::CmirrorF),
    ("cmirror_o", Prim::CmirrorF),
];

/// What the dialect writes for a name that only the classic language has, for a grid and for
/// anything else.
const RENAMED: &[(Prim, &str, &str)] = &[
    (Prim::Cmirror, "cmirror_t", "cmirror_f"),
    (Prim::Colorcount, "colorcount_t", "colorcount_f"),
    (Prim::Dmirror, "dmirror_t", "dmirror_f"),
    (Prim::Height, "height_t", "height_f"),
    (Prim::Hline, "hline_i", "hline_o"),
    (Prim::Hmirror, "hmirror_t", "hmirror_f"),
    (Prim::Leastcolor, "leastcolor_t", "leastcolor_f"),
    (Prim::Mostcolor, "mostcolor_t", "mostcolor_f"),
    (Prim::Numcolors, "numcolors_t", "numcolors_f"),
    (Prim::Ofcolor, "f_ofcolor", "f_ofcolor"),
    (Prim::Palette, "palette_t", "palette_f"),
    (Prim::Portrait, "portrait_t", "portrait_f"),
    (Prim::Recolor, "recolor_i", "recolor_o"),
    (Prim::Shape, "shape_t", "shape_f"),
    (Prim::Square, "square_t", "square_f"),
    (Prim::Upscale, "upscale_t", "upscale_f"),
    (Prim::Vline, "vline_i", "vline_o"),
    (Prim::Vmirror, "vmirror_t", "vmirror_f"),
    (Prim::Width, "width_t", "width_f"),
];

/// The primitives that return anything but `()` where they fail.
const DEFAULTS: &[(DefaultResult, &str)] = &[
    (
        DefaultResult::Set,
        "apply_f asindices asobject backdrop box cmirror_f colorfilter combine_f connect corners \
         delta difference dmirror_f dmirror_i dmirror_o dneighbors f_ofcolor fgpartition \
         frontiers hfrontier hmirror_f hmirror_i hmirror_o inbox ineighbors initset insert \
         intersection mapply mapply_f mfilter mfilter_t neighbors normalize normalize_i normalize_o \
         objects occurrences outbox p_g p_o palette_f palette_t partition prapply product \
         rapply_f recolor_i recolor_o remove_f sfilter_f shift shoot sizefilter toindices \
         toindices_i toindices_o toobject upscale_f vfrontier vmirror_f vmirror_i vmirror_o",
    ),
    (
        DefaultResult::Zero,
        "c_iz_n c_zo_n color colorcount_f colorcount_t get_color_rank_f get_color_rank_t \
         get_rank height_f height_i height_o height_t hperiod index leastcolor_f leastcolor_t \
         leftmost leftmost_i leftmost_o lowermost lowermost_i lowermost_o manhattan maximum \
         minimum mostcolor_f mostcolor_t numcolors_f numcolors_t rightmost rightmost_i \
         rightmost_o size uppermost uppermost_i uppermost_o valmax valmin vperiod width_f \
         width_i width_o width_t",
    ),
    (
        DefaultResult::False,
        "adjacent bordering both contained either equality even flip greater hline_i hline_o \
         hmatching portrait_f portrait_t positive square_f square_t vline_i vline_o vmatching",
    ),
    (
        DefaultResult::Function,
        "chain compose fork lbind matcher power rbind",
    ),
];

/// What a primitive with a body of its own computes, in one sentence. A rank counts from 0, from
/// the end if it is negative; elements with equal keys stay in canonical order.
const MEANINGS: &str = "\
apply_t: the results of all elements, as a tuple
rapply_t: the results of all functions, as a tuple
sfilter_t: the elements that pass, as a tuple
remove_t: the elements other than the value, as a tuple
sizefilter_t: the elements of that size, as a tuple with copies
mapply_t: the elements of all results, as a tuple
sfilter_f: the elements that pass, as a set
mfilter_t: the elements that pass, as a set; they are not merged
combine_t: both tuples, one after the other; fails for another kind
combine_f: the union of two sets; fails for another kind
colorfilter_t: the tuples whose first cell has that colour
celltuple: cells of the k-th colour of the second at the k-th location of the first
first_t: the first element, `()` of anything false; fails for a set with elements
last_t: the last element, `()` of anything false; fails for a set with elements
first_f: the first element, `{}` of anything false
last_f: the last element, `{}` of anything false
other_t: the first element that is not the value, `()` if there is none
other_f: the first element that is not the value, `{}` if there is none
mostcommon_f: the most frequent element; of several the first, so the least of a set
leastcommon_f: the least frequent element; of several the first, so the least of a set
get_rank: the element of that rank, descending; 0 out of range
get_arg_rank: the element of that rank, descending by key; out of range the empty container of its kind
get_arg_rank_t: the element of that rank, descending by key; `()` out of range
get_arg_rank_f: the element of that rank, descending by key; `{}` out of range
get_val_rank: the key of that rank, ascending; the function of 0 out of range
get_common_rank: the value of that rank, ascending by count, then by value; `()` out of range; fails for a set
get_common_rank_f: the value of that rank, ascending by count, then by value; `{}` out of range
get_color_rank_t: the colour of that rank, descending by count, then as first seen row by row; `()` out of range
get_color_rank_f: the colour of that rank among cells, descending by count, then as first seen; `{}` out of range
get_nth_by_key_t: the element of that rank, ascending by key (left out: by value); `None` of nothing; fails out of range
get_nth_by_key_f: the element of that rank, ascending by key (left out: by value), a negative rank as 0; `None` out of range
p_o: the colours of an object, ascending
col_row: 0 lowermost, 1 uppermost, 2 leftmost, 3 rightmost; else `None`
corner: 0 ulcorner, 1 urcorner, 2 llcorner, 3 lrcorner; else ulcorner
mir_rot_f: 0 hmirror_f, 1 dmirror_f, 2 vmirror_f, 3 cmirror_f; else the patch
ascell: the cell of that colour at a location
astriple: the cell at row and column with that colour
toij: the location of a cell; of another tuple its first two parts
is_no_grid: False for a tuple of tuples of numbers, else True
objects_t: the objects as tuples of cells, by their first locations row by row; in each the first cell, then layer by layer the cells that touch the layer before, each layer row by row
o_g_t: objects_t with the bits 4, 2 and 1 of the number as its three truth values; `None` outside 0 to 7
c_iz: the distinct values of the function on the inputs that none of the outputs has
c_zo: the distinct values of the function on the outputs that none of the inputs has
c_iz_n: what the last function picks of c_iz
c_zo_n: what the last function picks of c_zo
a_mr: the least number with which mir_rot_t maps every input to its output; `None` if there is none
dedupe_pair_tuple: the pairs whose two parts differ
";

static DEFAULT_OF: LazyLock<[DefaultResult; Prim::COUNT]> = LazyLock::new(|| {
    let mut found = [DefaultResult::Tuple; Prim::COUNT];
    for (default, names) in DEFAULTS {
        for name in names.split_whitespace() {
            if let Some(prim) = Prim::read(name, Reading::Soft(Cells::Triple)) {
                found[prim as usize] = *default;
            }
        }
    }
    found
});

impl Prim {
    /// Returns the primitive that programs of a reading call by that name.
    #[must_use]
    pub fn read(name: &str, reading: Reading) -> Option<Prim> {
        let classic = Prim::named(name);
        if classic.is_some() || !reading.is_typed() {
            return classic;
        }
        if let Some((_, prim)) = ALIASES.iter().find(|(alias, _)| *alias == name) {
            return Some(*prim);
        }
        let prims = Prim::TYPED.iter();
        let prim = *prims
            .filter(|prim| **prim != Prim::Nothing)
            .find(|prim| prim.name() == name)?;
        // These differ from their base in what they return where they fail, and in nothing else.
        let is_alias = matches!(
            prim,
            Prim::ApplyF | Prim::MapplyF | Prim::RapplyF | Prim::RemoveF
        );
        Some(if is_alias && !reading.is_soft() {
            prim.view().map_or(prim, |view| view.base)
        } else {
            prim
        })
    }

    /// Returns the name in programs of the typed dialect; some names depend on whether the
    /// argument is a grid (of recolor and the lines: whether it is a set of locations).
    #[must_use]
    pub fn typed_name(self, of_grid: bool) -> &'static str {
        match RENAMED.iter().find(|(prim, ..)| *prim == self) {
            Some((_, grid, _)) if of_grid => grid,
            Some((_, _, other)) => other,
            None => self.name(),
        }
    }

    /// Returns every name that only the typed dialect has.
    pub fn typed_names() -> impl Iterator<Item = &'static str> {
        let own = Prim::TYPED.iter().filter(|prim| **prim != Prim::Nothing);
        own.map(|prim| prim.name())
            .chain(ALIASES.iter().map(|(alias, _)| *alias))
    }

    /// Returns what it computes, in one sentence, if it has a body of its own in the typed dialect.
    #[must_use]
    pub fn meaning(self) -> Option<&'static str> {
        let mut meanings = MEANINGS.lines().filter_map(|line| line.split_once(": "));
        meanings
            .find(|(name, _)| *name == self.name())
            .map(|(_, text)| text)
    }

    /// Returns how it is computed, if only the typed dialect has it.
    #[inline]
    pub(crate) fn view(self) -> Option<View> {
        Self::VIEWS
            .get((self as usize).wrapping_sub(Self::ALL.len()))
            .copied()
    }

    /// Returns what it returns where it fails in a soft reading.
    pub(crate) fn default_result(self) -> DefaultResult {
        DEFAULT_OF[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dialect_has_144_names_of_its_own() {
        let reading = Reading::Strict(Cells::Triple);
        let names: std::collections::BTreeSet<&str> = Prim::typed_names().collect();
        assert_eq!(names.len(), 144);
        for name in names {
            assert_eq!(Prim::named(name), None, "{name}");
            assert!(Prim::read(name, reading).is_some(), "{name}");
        }
        assert_eq!(Prim::read("apply_f", reading), Some(Prim::Apply));
        assert_eq!(Prim::read("apply_t", Reading::Classic), None);
    }

    #[test]
    fn every_name_with_a_default_is_known() {
        for name in DEFAULTS
            .iter()
            .flat_map(|(_, names)| names.split_whitespace())
        {
            let soft = Reading::Soft(Cells::Triple);
            assert!(Prim::read(name, soft).is_some(), "{name}");
        }
        assert_eq!(Prim::HeightI.default_result(), DefaultResult::Zero);
        assert_eq!(Prim::Merge.default_result(), DefaultResult::Tuple);
    }
}

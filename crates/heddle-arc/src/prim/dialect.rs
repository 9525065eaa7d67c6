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

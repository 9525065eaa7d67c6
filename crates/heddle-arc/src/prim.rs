//! The table of primitives: name, arity, family and signature of each.
//!
//! What a primitive computes is in `plain` (as the language defines it) and in `compact` (the same,
//! faster). This module has only what is known without running it. A primitive's number is its
//! position in this table and is never stored outside the process. Those of the classic language
//! come first.

mod dialect;

pub(crate) use dialect::{DefaultResult, Empty, Takes, View};

use std::fmt;

/// A group of primitives, each in one file of `plain` and `compact`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PrimFamily {
    /// Numbers, comparison and truth values.
    Arithmetic,
    /// Tuples and sets of any elements.
    Containers,
    /// Higher-order functions.
    HigherOrder,
    /// Rotating, cutting and scaling grids.
    Geometry,
    /// Splitting and joining grids.
    Splitting,
    /// Writing patches into grids.
    Painting,
    /// Properties of grids and patches.
    Queries,
    /// Constructing objects and patches.
    Construction,
    /// Segments, rays and frames.
    Lines,
    /// Repetition and occurrence.
    Patterns,
    /// Primitives that merged programs need beyond the 160.
    Additions,
    /// Primitives that only the typed dialect has.
    Typed,
}

macro_rules! primitives {
    (
        $($family:ident { $($variant:ident $name:literal $arity:literal $signature:literal)* })*
        @typed {
            $($typed:ident $typed_name:literal $typed_arity:literal $typed_signature:literal
            = $base:ident $takes:ident $empty:ident)*
        }
    ) => {
        /// A primitive of the language.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u16)]
        #[allow(missing_docs, reason = "each variant is the primitive of that name")]
        pub enum Prim { $($($variant,)*)* $($typed,)* }

        impl Prim {
            /// Every primitive of the classic language, in table order.
            pub const ALL: &'static [Prim] = &[$($(Prim::$variant,)*)*];
            /// The primitives that only the typed dialect has. Other names of a classic primitive
            /// are not among them.
            pub const TYPED: &'static [Prim] = &[$(Prim::$typed,)*];
            /// The number of primitives.
            pub(crate) const COUNT: usize = Self::ALL.len() + Self::TYPED.len();

            const VARIANTS: &'static [&'static str] = &[$($(stringify!($variant),)*)*];
            const NAMES: &'static [&'static str] = &[$($($name,)*)* $($typed_name,)*];
            const ARITIES: &'static [u8] = &[$($($arity,)*)* $($typed_arity,)*];
            const FAMILIES: &'static [PrimFamily] = &[$($({ let _ = $name; PrimFamily::$family },)*)*];
            const SIGNATURES: &'static [&'static str] =
                &[$($($signature,)*)* $($typed_signature,)*];
            const VIEWS: &'static [View] = &[
                $(View { base: Prim::$base, takes: Takes::$takes, empty: Empty::$empty },)*
            ];
        }
    };
}

// In signatures `K[..]` is a container of the same kind (tuple or set) wherever the letter stands.
// Lower-case letters are any type.
primitives! {
    Arithmetic {
        Add "add" 2 "Num, Num -> Num"
        Subtract "subtract" 2 "Num, Num -> Num"
        Multiply "multiply" 2 "Num, Num -> Num"
        Divide "divide" 2 "Num, Num -> Num"
        Invert "invert" 1 "n -> n"
        Double "double" 1 "n -> n"
        Halve "halve" 1 "n -> n"
        Increment "increment" 1 "n -> n"
        Decrement "decrement" 1 "n -> n"
        Crement "crement" 1 "n -> n"
        Sign "sign" 1 "n -> n"
        Even "even" 1 "Int -> Bool"
        Positive "positive" 1 "Int -> Bool"
        Toivec "toivec" 1 "Int -> Pair"
        Tojvec "tojvec" 1 "Int -> Pair"
        Greater "greater" 2 "a, a -> Bool"
        Equality "equality" 2 "a, a -> Bool"
        Flip "flip" 1 "Bool -> Bool"
        Both "both" 2 "Bool, Bool -> Bool"
        Either "either" 2 "Bool, Bool -> Bool"
        Branch "branch" 3 "Bool, a, a -> a"
    }
    Containers {
        Identity "identity" 1 "a -> a"
        Contained "contained" 2 "a, Cont[a] -> Bool"
        Combine "combine" 2 "K[a], Cont[a] -> K[a]"
        Intersection "intersection" 2 "Set[a], Set[a] -> Set[a]"
        Difference "difference" 2 "K[a], Cont[a] -> K[a]"
        Dedupe "dedupe" 1 "Tuple[a] -> Tuple[a]"
        Order "order" 2 "Cont[a], Fn[a -> b] -> Tuple[a]"
        Repeat "repeat" 2 "a, Int -> Tuple[a]"
        Size "size" 1 "Cont[a] -> Int"
        Merge "merge" 1 "K[Cont[a]] -> K[a]"
        Maximum "maximum" 1 "Cont[a] -> a"
        Minimum "minimum" 1 "Cont[a] -> a"
        Valmax "valmax" 2 "Cont[a], Fn[a -> b] -> b"
        Valmin "valmin" 2 "Cont[a], Fn[a -> b] -> b"
        Argmax "argmax" 2 "Cont[a], Fn[a -> b] -> a"
        Argmin "argmin" 2 "Cont[a], Fn[a -> b] -> a"
        Mostcommon "mostcommon" 1 "Tuple[a] -> a"
        Leastcommon "leastcommon" 1 "Tuple[a] -> a"
        Initset "initset" 1 "a -> Set[a]"
        Insert "insert" 2 "a, Set[a] -> Set[a]"
        Remove "remove" 2 "a, K[a] -> K[a]"
        Other "other" 2 "Cont[a], a -> a"
        First "first" 1 "Cont[a] -> a"
        Last "last" 1 "Cont[a] -> a"
        Totuple "totuple" 1 "Cont[a] -> Tuple[a]"
        Interval "interval" 3 "Int, Int, Int -> Tuple[Int]"
        Astuple "astuple" 2 "a, b -> Both[a, b]"
        Product "product" 2 "Cont[a], Cont[b] -> Set[Both[a, b]]"
        Pair "pair" 2 "Cont[a], Cont[b] -> Tuple[Both[a, b]]"
    }
    HigherOrder {
        Sfilter "sfilter" 2 "K[a], Fn[a -> Bool] -> K[a]"
        Mfilter "mfilter" 2 "K[Cont[a]], Fn[Cont[a] -> Bool] -> K[a]"
        Extract "extract" 2 "Cont[a], Fn[a -> Bool] -> a"
        Compose "compose" 2 "Fn[b -> c], Fn[a -> b] -> Fn[a -> c]"
        Chain "chain" 3 "Fn[c -> d], Fn[b -> c], Fn[a -> b] -> Fn[a -> d]"
        Matcher "matcher" 2 "Fn[a -> b], b -> Fn[a -> Bool]"
        Rbind "rbind" 2 "Any, Any -> Any"
        Lbind "lbind" 2 "Any, Any -> Any"
        Power "power" 2 "Fn[a -> a], Int -> Fn[a -> a]"
        Fork "fork" 3 "Fn[b, c -> d], Fn[a -> b], Fn[a -> c] -> Fn[a -> d]"
        Apply "apply" 2 "Fn[a -> b], K[a] -> K[b]"
        Rapply "rapply" 2 "K[Fn[a -> b]], a -> K[b]"
        Mapply "mapply" 2 "Fn[a -> Cont[b]], K[a] -> K[b]"
        Papply "papply" 3 "Fn[a, b -> c], Cont[a], Cont[b] -> Tuple[c]"
        Mpapply "mpapply" 3 "Fn[a, b -> Cont[c]], Cont[a], Cont[b] -> Tuple[c]"
        Prapply "prapply" 3 "Fn[a, b -> c], Cont[a], Cont[b] -> Set[c]"
        Sizefilter "sizefilter" 2 "Cont[a], Int -> Set[a]"
    }
    Geometry {
        Rot90 "rot90" 1 "Grid -> Grid"
        Rot180 "rot180" 1 "Grid -> Grid"
        Rot270 "rot270" 1 "Grid -> Grid"
        Hmirror "hmirror" 1 "a -> a"
        Vmirror "vmirror" 1 "a -> a"
        Dmirror "dmirror" 1 "a -> a"
        Cmirror "cmirror" 1 "a -> a"
        Crop "crop" 3 "Grid, Pair, Pair -> Grid"
        Subgrid "subgrid" 2 "Patch, Grid -> Grid"
        Trim "trim" 1 "Grid -> Grid"
        Tophalf "tophalf" 1 "Grid -> Grid"
        Bottomhalf "bottomhalf" 1 "Grid -> Grid"
        Lefthalf "lefthalf" 1 "Grid -> Grid"
        Righthalf "righthalf" 1 "Grid -> Grid"
        Hupscale "hupscale" 2 "Grid, Int -> Grid"
        Vupscale "vupscale" 2 "Grid, Int -> Grid"
        Upscale "upscale" 2 "a, Int -> a"
        Downscale "downscale" 2 "Grid, Int -> Grid"
        Replace "replace" 3 "Grid, Int, Int -> Grid"
        Switch "switch" 3 "Grid, Int, Int -> Grid"
        Canvas "canvas" 2 "Int, Pair -> Grid"
    }
    Splitting {
        Hconcat "hconcat" 2 "Grid, Grid -> Grid"
        Vconcat "vconcat" 2 "Grid, Grid -> Grid"
        Hsplit "hsplit" 2 "Grid, Int -> Tuple[Grid]"
        Vsplit "vsplit" 2 "Grid, Int -> Tuple[Grid]"
        Cellwise "cellwise" 3 "Grid, Grid, Int -> Grid"
    }
    Painting {
        Fill "fill" 3 "Grid, Int, Patch -> Grid"
        Paint "paint" 2 "Grid, Object -> Grid"
        Underfill "underfill" 3 "Grid, Int, Patch -> Grid"
        Underpaint "underpaint" 2 "Grid, Object -> Grid"
        Cover "cover" 2 "Grid, Patch -> Grid"
        Move "move" 3 "Grid, Object, Pair -> Grid"
    }
    Queries {
        Mostcolor "mostcolor" 1 "Elem -> Int"
        Leastcolor "leastcolor" 1 "Elem -> Int"
        Palette "palette" 1 "Elem -> Set[Int]"
        Numcolors "numcolors" 1 "Elem -> Int"
        Colorcount "colorcount" 2 "Elem, Int -> Int"
        Color "color" 1 "Object -> Int"
        Height "height" 1 "Piece -> Int"
        Width "width" 1 "Piece -> Int"
        Shape "shape" 1 "Piece -> Pair"
        Portrait "portrait" 1 "Piece -> Bool"
        Square "square" 1 "Piece -> Bool"
        Vline "vline" 1 "Patch -> Bool"
        Hline "hline" 1 "Patch -> Bool"
        Uppermost "uppermost" 1 "Patch -> Int"
        Lowermost "lowermost" 1 "Patch -> Int"
        Leftmost "leftmost" 1 "Patch -> Int"
        Rightmost "rightmost" 1 "Patch -> Int"
        Ulcorner "ulcorner" 1 "Patch -> Pair"
        Urcorner "urcorner" 1 "Patch -> Pair"
        Llcorner "llcorner" 1 "Patch -> Pair"
        Lrcorner "lrcorner" 1 "Patch -> Pair"
        Center "center" 1 "Patch -> Pair"
        Centerofmass "centerofmass" 1 "Patch -> Pair"
        Hmatching "hmatching" 2 "Patch, Patch -> Bool"
        Vmatching "vmatching" 2 "Patch, Patch -> Bool"
        Manhattan "manhattan" 2 "Patch, Patch -> Int"
        Adjacent "adjacent" 2 "Patch, Patch -> Bool"
        Bordering "bordering" 2 "Patch, Grid -> Bool"
        Position "position" 2 "Patch, Patch -> Pair"
        Gravitate "gravitate" 2 "Patch, Patch -> Pair"
        Index "index" 2 "Grid, Pair -> Int"
        Asindices "asindices" 1 "Grid -> Indices"
        Ofcolor "ofcolor" 2 "Grid, Int -> Indices"
    }
    Construction {
        Objects "objects" 4 "Grid, Bool, Bool, Bool -> Set[Object]"
        Partition "partition" 1 "Grid -> Set[Object]"
        Fgpartition "fgpartition" 1 "Grid -> Set[Object]"
        Colorfilter "colorfilter" 2 "Cont[Object], Int -> Set[Object]"
        Toindices "toindices" 1 "Patch -> Indices"
        Recolor "recolor" 2 "Int, Patch -> Object"
        Shift "shift" 2 "a, Pair -> a"
        Normalize "normalize" 1 "a -> a"
        Toobject "toobject" 2 "Patch, Grid -> Object"
        Asobject "asobject" 1 "Grid -> Object"
        Backdrop "backdrop" 1 "Patch -> Indices"
        Delta "delta" 1 "Patch -> Indices"
    }
    Lines {
        Dneighbors "dneighbors" 1 "Pair -> Indices"
        Ineighbors "ineighbors" 1 "Pair -> Indices"
        Neighbors "neighbors" 1 "Pair -> Indices"
        Connect "connect" 2 "Pair, Pair -> Indices"
        Shoot "shoot" 2 "Pair, Pair -> Indices"
        Vfrontier "vfrontier" 1 "Pair -> Indices"
        Hfrontier "hfrontier" 1 "Pair -> Indices"
        Corners "corners" 1 "Patch -> Indices"
        Box "box" 1 "Patch -> Indices"
        Outbox "outbox" 1 "Patch -> Indices"
        Inbox "inbox" 1 "Patch -> Indices"
        Frontiers "frontiers" 1 "Grid -> Set[Object]"
    }
    Patterns {
        Occurrences "occurrences" 2 "Grid, Object -> Indices"
        Compress "compress" 1 "Grid -> Grid"
        Hperiod "hperiod" 1 "Object -> Int"
        Vperiod "vperiod" 1 "Object -> Int"
    }
    Additions {
        Second "second" 1 "Cont[a] -> a"
        PG "p_g" 1 "Grid -> Tuple[Int]"
        OG "o_g" 2 "Grid, Int -> Set[Object]"
        DifferenceTuple "difference_tuple" 2 "Tuple[a], Cont[a] -> Tuple[a]"
        GetNthT "get_nth_t" 2 "Tuple[a], Int -> a"
        GetNthF "get_nth_f" 2 "Set[a], Int -> a"
        MirRotT "mir_rot_t" 2 "Grid, Int -> Grid"
    }
    // What follows the equals sign is a `View`: the primitive that computes it, the arguments
    // it is restricted to, the result for an empty one. `X = X` has a body of its own.
    @typed {
        ApplyF "apply_f" 2 "Fn[a -> b], K[a] -> K[b]" = Apply Any Base
        MapplyF "mapply_f" 2 "Fn[a -> Cont[b]], K[a] -> K[b]" = Mapply Any Base
        RapplyF "rapply_f" 2 "K[Fn[a -> b]], a -> K[b]" = Rapply Any Base
        RemoveF "remove_f" 2 "a, K[a] -> K[a]" = Remove Any Base
        ApplyT "apply_t" 2 "Fn[a -> b], Cont[a] -> Tuple[b]" = ApplyT Any Base
        RapplyT "rapply_t" 2 "Cont[Fn[a -> b]], a -> Tuple[b]" = RapplyT Any Base
        SfilterT "sfilter_t" 2 "Cont[a], Fn[a -> Bool] -> Tuple[a]" = SfilterT Any Base
        RemoveT "remove_t" 2 "a, Cont[a] -> Tuple[a]" = RemoveT Any Base
        SizefilterT "sizefilter_t" 2 "Cont[a], Int -> Tuple[a]" = SizefilterT Any Base
        MapplyT "mapply_t" 2 "Fn[a -> Cont[b]], Cont[a] -> Tuple[b]" = MapplyT Any Base
        SfilterF "sfilter_f" 2 "Cont[a], Fn[a -> Bool] -> Set[a]" = SfilterF Any Base
        MfilterT "mfilter_t" 2 "Cont[a], Fn[a -> Bool] -> Set[a]" = MfilterT Any Base
        CombineT "combine_t" 2 "Tuple[a], Tuple[a] -> Tuple[a]" = CombineT Any Base
        CombineF "combine_f" 2 "Set[a], Set[a] -> Set[a]" = CombineF Any Base
        ColorfilterT "colorfilter_t" 2 "Cont[Tuple[Cell]], Int -> Tuple[Tuple[Cell]]" = ColorfilterT Any Base
        Celltuple "celltuple" 2 "Cont[Pair], Cont[a] -> Tuple[Both[a, Pair]]" = Celltuple Any Base
        FirstT "first_t" 1 "Tuple[a] -> a" = FirstT Any Base
        LastT "last_t" 1 "Tuple[a] -> a" = LastT Any Base
        FirstF "first_f" 1 "Cont[a] -> a" = FirstF Any Base
        LastF "last_f" 1 "Cont[a] -> a" = LastF Any Base
        OtherT "other_t" 2 "Cont[a], a -> a" = OtherT Any Base
        OtherF "other_f" 2 "Cont[a], a -> a" = OtherF Any Base
        MostcommonF "mostcommon_f" 1 "Cont[a] -> a" = MostcommonF Any Base
        LeastcommonF "leastcommon_f" 1 "Cont[a] -> a" = LeastcommonF Any Base
        GetRank "get_rank" 2 "Cont[a], Int -> a" = GetRank Any Base
        GetArgRank "get_arg_rank" 3 "Cont[a], Fn[a -> b], Int -> a" = GetArgRank Any Base
        GetArgRankT "get_arg_rank_t" 3 "Cont[a], Fn[a -> b], Int -> a" = GetArgRankT Any Base
        GetArgRankF "get_arg_rank_f" 3 "Cont[a], Fn[a -> b], Int -> a" = GetArgRankF Any Base
        GetValRank "get_val_rank" 3 "Cont[a], Fn[a -> b], Int -> b" = GetValRank Any Base
        GetCommonRank "get_common_rank" 2 "Tuple[a], Int -> a" = GetCommonRank Any Base
        GetCommonRankF "get_common_rank_f" 2 "Cont[a], Int -> a" = GetCommonRankF Any Base
        GetColorRankT "get_color_rank_t" 2 "Grid, Int -> Int" = GetColorRankT Any Base
        GetColorRankF "get_color_rank_f" 2 "Object, Int -> Int" = GetColorRankF Any Base
        GetNthByKeyT "get_nth_by_key_t" 3 "Cont[a], Int, Fn[a -> b] -> a" = GetNthByKeyT Any Base
        GetNthByKeyF "get_nth_by_key_f" 3 "Cont[a], Int, Fn[a -> b] -> a" = GetNthByKeyF Any Base
        MostcolorT "mostcolor_t" 1 "Grid -> Int" = Mostcolor Rows Nan
        LeastcolorT "leastcolor_t" 1 "Grid -> Int" = Leastcolor Rows Nan
        PaletteT "palette_t" 1 "Grid -> Set[Int]" = Palette Rows Set
        NumcolorsT "numcolors_t" 1 "Grid -> Int" = Numcolors Rows Zero
        ColorcountT "colorcount_t" 2 "Grid, Int -> Int" = Colorcount Rows Zero
        MostcolorF "mostcolor_f" 1 "Object -> Int" = Mostcolor Colours Nan
        LeastcolorF "leastcolor_f" 1 "Object -> Int" = Leastcolor Colours Nan
        PaletteF "palette_f" 1 "Object -> Set[Int]" = Palette Colours Set
        NumcolorsF "numcolors_f" 1 "Object -> Int" = Numcolors Colours Zero
        ColorcountF "colorcount_f" 2 "Object, Int -> Int" = Colorcount Colours Zero
        PO "p_o" 1 "Object -> Tuple[Int]" = PO Any Base
        HeightT "height_t" 1 "Grid -> Int" = Size Any Base
        WidthT "width_t" 1 "Grid -> Int" = Width Grid Zero
        ShapeT "shape_t" 1 "Grid -> Pair" = Shape Grid Zeros
        PortraitT "portrait_t" 1 "Grid -> Bool" = Portrait Grid False
        SquareT "square_t" 1 "Grid -> Bool" = Square Grid Base
        HeightF "height_f" 1 "Patch -> Int" = Height Patch Zero
        WidthF "width_f" 1 "Patch -> Int" = Width Patch Zero
        ShapeF "shape_f" 1 "Patch -> Pair" = Shape Patch Zeros
        PortraitF "portrait_f" 1 "Patch -> Bool" = Portrait Patch False
        SquareF "square_f" 1 "Patch -> Bool" = Square Patch True
        HeightI "height_i" 1 "Indices -> Int" = Height Locations Zero
        WidthI "width_i" 1 "Indices -> Int" = Width Locations Zero
        UppermostI "uppermost_i" 1 "Indices -> Int" = Uppermost Locations Nan
        LowermostI "lowermost_i" 1 "Indices -> Int" = Lowermost Locations Nan
        LeftmostI "leftmost_i" 1 "Indices -> Int" = Leftmost Locations Nan
        RightmostI "rightmost_i" 1 "Indices -> Int" = Rightmost Locations Fail
        UlcornerI "ulcorner_i" 1 "Indices -> Pair" = Ulcorner Patch Tuple
        UrcornerI "urcorner_i" 1 "Indices -> Pair" = Urcorner Locations Tuple
        LlcornerI "llcorner_i" 1 "Indices -> Pair" = Llcorner Locations Tuple
        LrcornerI "lrcorner_i" 1 "Indices -> Pair" = Lrcorner Patch Tuple
        VlineI "vline_i" 1 "Indices -> Bool" = Vline Locations False
        HlineI "hline_i" 1 "Indices -> Bool" = Hline Locations False
        NormalizeI "normalize_i" 1 "Indices -> Indices" = Normalize Locations Same
        HmirrorI "hmirror_i" 1 "Indices -> Indices" = Hmirror Locations Fail
        VmirrorI "vmirror_i" 1 "Indices -> Indices" = Vmirror Locations Fail
        DmirrorI "dmirror_i" 1 "Indices -> Indices" = Dmirror Locations Fail
        HeightO "height_o" 1 "Object -> Int" = Height Cells Zero
        WidthO "width_o" 1 "Object -> Int" = Width Cells Zero
        UppermostO "uppermost_o" 1 "Object -> Int" = Uppermost Cells Nan
        LowermostO "lowermost_o" 1 "Object -> Int" = Lowermost Cells Nan
        LeftmostO "leftmost_o" 1 "Object -> Int" = Leftmost Cells Nan
        RightmostO "rightmost_o" 1 "Object -> Int" = Rightmost Cells Fail
        UlcornerO "ulcorner_o" 1 "Object -> Pair" = Ulcorner Cells Tuple
        UrcornerO "urcorner_o" 1 "Object -> Pair" = Urcorner Cells Tuple
        LlcornerO "llcorner_o" 1 "Object -> Pair" = Llcorner Cells Tuple
        LrcornerO "lrcorner_o" 1 "Object -> Pair" = Lrcorner Cells Tuple
        VlineO "vline_o" 1 "Object -> Bool" = Vline Cells False
        HlineO "hline_o" 1 "Object -> Bool" = Hline Cells False
        NormalizeO "normalize_o" 1 "Object -> Object" = Normalize Cells Same
        HmirrorO "hmirror_o" 1 "Object -> Object" = Hmirror Cells Fail
        VmirrorO "vmirror_o" 1 "Object -> Object" = Vmirror Cells Fail
        DmirrorO "dmirror_o" 1 "Object -> Object" = Dmirror Cells Fail
        ColRow "col_row" 2 "Patch, Int -> Int" = ColRow Any Base
        Corner "corner" 2 "Patch, Int -> Pair" = Corner Any Base
        HmirrorT "hmirror_t" 1 "Grid -> Grid" = Hmirror Grid Base
        VmirrorT "vmirror_t" 1 "Grid -> Grid" = Vmirror Grid Base
        DmirrorT "dmirror_t" 1 "Grid -> Grid" = Dmirror Grid Base
        CmirrorT "cmirror_t" 1 "Grid -> Grid" = Cmirror Grid Base
        HmirrorF "hmirror_f" 1 "Patch -> Patch" = Hmirror Patch Fail
        VmirrorF "vmirror_f" 1 "Patch -> Patch" = Vmirror Patch Set
        DmirrorF "dmirror_f" 1 "Patch -> Patch" = Dmirror Patch Fail
        CmirrorF "cmirror_f" 1 "Patch -> Patch" = Cmirror Patch Fail
        NormalizeT "normalize_t" 1 "a -> a" = Identity Any Base
        MirRotF "mir_rot_f" 2 "Patch, Int -> Patch" = MirRotF Any Base
        UpscaleT "upscale_t" 2 "Grid, Int -> Grid" = Upscale Grid Base
        UpscaleF "upscale_f" 2 "Object, Int -> Object" = Upscale Patch Set
        Ascell "ascell" 2 "Pair, Int -> Cell" = Ascell Any Base
        Astriple "astriple" 3 "Int, Int, Int -> Cell" = Astriple Any Base
        Toij "toij" 1 "Cell -> Pair" = Toij Any Base
        RecolorI "recolor_i" 2 "Int, Indices -> Object" = Recolor Locations Set
        RecolorO "recolor_o" 2 "Int, Object -> Object" = Recolor Cells Set
        ToindicesI "toindices_i" 1 "Indices -> Indices" = Identity Any Base
        ToindicesO "toindices_o" 1 "Object -> Indices" = Toindices Cells Set
        IsNoGrid "is_no_grid" 1 "a -> Bool" = IsNoGrid Any Base
        ObjectsT "objects_t" 4 "Grid, Bool, Bool, Bool -> Tuple[Tuple[Cell]]" = ObjectsT Any Base
        OGT "o_g_t" 2 "Grid, Int -> Tuple[Tuple[Cell]]" = OGT Any Base
        CIz "c_iz" 2 "Tuple[Both[Grid, Grid]], Fn[Grid -> Cont[a]] -> Tuple[a]" = CIz Any Base
        CZo "c_zo" 2 "Tuple[Both[Grid, Grid]], Fn[Grid -> Cont[a]] -> Tuple[a]" = CZo Any Base
        CIzN "c_iz_n" 3 "Tuple[Both[Grid, Grid]], Fn[Grid -> Cont[a]], Fn[Tuple[a] -> b] -> b" = CIzN Any Base
        CZoN "c_zo_n" 3 "Tuple[Both[Grid, Grid]], Fn[Grid -> Cont[a]], Fn[Tuple[a] -> b] -> b" = CZoN Any Base
        AMr "a_mr" 1 "Tuple[Both[Grid, Grid]] -> Int" = AMr Any Base
        Nothing "()" 1 "a -> Tuple[a]" = Nothing Any Base
        DedupePairTuple "dedupe_pair_tuple" 1 "Tuple[Both[Grid, Grid]] -> Tuple[Both[Grid, Grid]]" = DedupePairTuple Any Base
    }
}

impl Prim {
    /// Returns the primitive of the classic language of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Prim> {
        Self::NAMES[..Self::ALL.len()]
            .iter()
            .position(|candidate| *candidate == name)
            .map(|at| Self::ALL[at])
    }

    /// Returns the name in programs.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// Returns the name of the variant, which the GPU's kernel uses too.
    pub(crate) fn variant(self) -> &'static str {
        Self::VARIANTS
            .get(self as usize)
            .copied()
            .unwrap_or_default()
    }

    /// Returns the number of arguments.
    #[must_use]
    pub fn arity(self) -> usize {
        usize::from(Self::ARITIES[self as usize])
    }

    /// Whether a call can have so many arguments. The key of a rank may be left out.
    #[must_use]
    pub fn takes(self, count: usize) -> bool {
        let optional = matches!(self, Prim::GetNthByKeyT | Prim::GetNthByKeyF);
        count == self.arity() || optional && count + 1 == self.arity()
    }

    /// Returns the group.
    #[must_use]
    pub fn family(self) -> PrimFamily {
        let family = Self::FAMILIES.get(self as usize);
        family.copied().unwrap_or(PrimFamily::Typed)
    }

    /// Returns the type as text: `Grid, Int -> Grid`.
    #[must_use]
    pub fn signature(self) -> &'static str {
        Self::SIGNATURES[self as usize]
    }

    /// Returns the types of the parameters as text.
    #[must_use]
    pub fn parameters(self) -> Vec<&'static str> {
        let (parameters, _) = self.split_signature();
        let mut depth = 0;
        let mut start = 0;
        let mut found = Vec::new();
        for (at, letter) in parameters.char_indices() {
            match letter {
                '[' => depth += 1,
                ']' => depth -= 1,
                ',' if depth == 0 => {
                    found.push(parameters[start..at].trim());
                    start = at + 1;
                }
                _ => {}
            }
        }
        found.push(parameters[start..].trim());
        found
    }

    /// Returns the type of the result as text.
    #[must_use]
    pub fn result(self) -> &'static str {
        self.split_signature().1
    }

    /// Splits parameters from the result at the arrow outside all brackets.
    fn split_signature(self) -> (&'static str, &'static str) {
        let signature = self.signature();
        let mut depth = 0;
        for (at, letter) in signature.char_indices() {
            match letter {
                '[' => depth += 1,
                ']' => depth -= 1,
                '-' if depth == 0 => return (&signature[..at], signature[at + 2..].trim()),
                _ => {}
            }
        }
        (signature, "")
    }

    /// Whether it returns a callable built of its arguments.
    #[must_use]
    pub fn builds_a_function(self) -> bool {
        matches!(
            self,
            Prim::Compose
                | Prim::Chain
                | Prim::Matcher
                | Prim::Fork
                | Prim::Lbind
                | Prim::Rbind
                | Prim::Power
        )
    }
}

impl fmt::Debug for Prim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Prim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_167_primitives() {
        let added = Prim::ALL
            .iter()
            .filter(|prim| prim.family() == PrimFamily::Additions)
            .count();
        assert_eq!((Prim::ALL.len() - added, added), (160, 7));
    }

    #[test]
    fn names_are_unique_and_resolve() {
        for prim in Prim::ALL {
            assert_eq!(Prim::named(prim.name()), Some(*prim));
        }
        assert_eq!(Prim::named("rot45"), None);
    }

    #[test]
    fn signatures_match_arity() {
        for prim in Prim::ALL.iter().chain(Prim::TYPED) {
            assert_eq!(prim.parameters().len(), prim.arity(), "{prim}");
        }
    }
}

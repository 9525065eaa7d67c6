// Sums of squares that neither overflow nor vanish.
//
// Squares of doubles beyond 1e±154 leave the range, so large and small ones are
// added up apart and scaled, after Blue (1978) with the limits of LAPACK's dnrm2.

struct Squares {
    double tiny;  // of elements below 2^-511, times 2^537 each
    double plain;
    double huge;  // of elements above 2^486, times 2^-538 each
};

#define SQUARES_TINY 1.4916681462400413e-154 // 2^-511
#define SQUARES_TINY_SCALE 4.4989137945431964e+161 // 2^537
#define SQUARES_HUGE 1.997919072202235e+146 // 2^486
#define SQUARES_HUGE_SCALE 1.1113793747425387e-162 // 2^-538

// The Euclidean length.
static __device__ __forceinline__ double length_of(const Squares &sums) {
    if (sums.huge > 0.0) {
        const double plain = sums.plain * SQUARES_HUGE_SCALE * SQUARES_HUGE_SCALE;
        return sqrt(sums.huge + plain) / SQUARES_HUGE_SCALE;
    }
    const double plain = sqrt(sums.plain);
    if (!(sums.tiny > 0.0) || plain != plain) {
        return plain;
    }
    const double tiny = sqrt(sums.tiny) / SQUARES_TINY_SCALE;
    const double larger = plain > tiny ? plain : tiny;
    const double ratio = (plain > tiny ? tiny : plain) / larger;
    return larger * sqrt(1.0 + ratio * ratio);
}

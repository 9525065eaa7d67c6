// The neighbours of every free site of a lattice, in compressed rows.
//
// `geometry` holds size, stride and whether the ends meet, for each axis; `blocked`
// one bit per site, `before` the free sites before each 64 of them. Site numbers
// stay below 2^30.

// Calls f with every site one step away, in axis order, backwards before forwards.
template <typename F>
static __device__ __forceinline__ void around(unsigned site, const unsigned *geometry,
                                              unsigned dimensions, F f) {
    for (unsigned axis = 0; axis < dimensions; ++axis) {
        const unsigned size = geometry[3 * axis];
        const unsigned stride = geometry[3 * axis + 1];
        const bool wraps = geometry[3 * axis + 2] != 0;
        const unsigned coordinate = site / stride % size;
        if (coordinate > 0) {
            f(site - stride);
        } else if (wraps) {
            f(site + (size - 1) * stride);
        }
        if (coordinate + 1 < size) {
            f(site + stride);
        } else if (wraps) {
            f(site - (size - 1) * stride);
        }
    }
}

static __device__ __forceinline__ bool is_blocked(const unsigned *blocked, unsigned site) {
    return (blocked[site / 32] >> (site % 32) & 1) != 0;
}

// The vertex of a free site.
static __device__ __forceinline__ unsigned rank_of(const unsigned *blocked,
                                                   const unsigned *before, unsigned site) {
    const unsigned pair = site / 64 * 2;
    const unsigned bit = site % 64;
    const unsigned low = ~blocked[pair];
    const unsigned high = ~blocked[pair + 1];
    unsigned count = before[site / 64];
    if (bit < 32) {
        return count + __popc(low & ((1u << bit) - 1));
    }
    return count + __popc(low) + __popc(high & ((1u << (bit - 32)) - 1));
}

// degrees[site] = its free neighbours; none of a blocked site.
extern "C" __global__ void __launch_bounds__(256)
    lattice_degrees(const unsigned *__restrict__ geometry, unsigned dimensions, unsigned sites,
                    const unsigned *__restrict__ blocked, unsigned *__restrict__ degrees) {
    const unsigned stride = gridDim.x * blockDim.x;
    for (unsigned site = blockIdx.x * blockDim.x + threadIdx.x; site < sites; site += stride) {
        unsigned degree = 0;
        if (!is_blocked(blocked, site)) {
            around(site, geometry, dimensions,
                   [&](unsigned to) { degree += is_blocked(blocked, to) ? 0 : 1; });
        }
        degrees[site] = degree;
    }
}

// The vertices of each free site's free neighbours, from targets[starts[site]] on.
extern "C" __global__ void __launch_bounds__(256)
    lattice_rows(const unsigned *__restrict__ geometry, unsigned dimensions, unsigned sites,
                 const unsigned *__restrict__ blocked, const unsigned *__restrict__ before,
                 const unsigned *__restrict__ starts, unsigned *__restrict__ targets) {
    const unsigned stride = gridDim.x * blockDim.x;
    for (unsigned site = blockIdx.x * blockDim.x + threadIdx.x; site < sites; site += stride) {
        if (is_blocked(blocked, site)) {
            continue;
        }
        unsigned at = starts[site];
        around(site, geometry, dimensions, [&](unsigned to) {
            if (!is_blocked(blocked, to)) {
                targets[at++] = rank_of(blocked, before, to);
            }
        });
    }
}

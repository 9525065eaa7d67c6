// Breadth-first searches from many sources over a lattice, one bit per source.
//
// A site has `words` words of 64 sources side by side, `words` a power of two up
// to 32. `seen` holds what each source has reached; bits of sources that do not
// exist and of blocked sites are set from the start, so nothing ever reaches them.
// Site numbers stay below 2^30.

#define PLANES 6

// Nothing reached yet by any source.
extern "C" __global__ void __launch_bounds__(256)
    frontier_zero(unsigned long long *__restrict__ reached,
                  unsigned long long *__restrict__ total, unsigned *__restrict__ eccentricity,
                  unsigned long long len) {
    const unsigned long long stride = gridDim.x * (unsigned long long)blockDim.x;
    for (unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x; i < len;
         i += stride) {
        reached[i] = 0;
        total[i] = 0;
        eccentricity[i] = 0;
    }
}

// An empty front for `count` sources; sources beyond them have seen everything.
extern "C" __global__ void __launch_bounds__(256)
    frontier_begin(unsigned long long *__restrict__ front, unsigned long long *__restrict__ seen,
                   const unsigned *__restrict__ blocked, unsigned long long sites,
                   unsigned words, unsigned count, unsigned *__restrict__ last) {
    const unsigned long long stride = gridDim.x * (unsigned long long)blockDim.x;
    const unsigned long long thread = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
    for (unsigned long long i = thread; i < sites * words; i += stride) {
        const unsigned long long site = i / words;
        const unsigned first = (unsigned)(i % words) * 64;
        unsigned long long absent = 0;
        if (count <= first) {
            absent = ~0ull;
        } else if (count - first < 64) {
            absent = ~0ull << (count - first);
        }
        front[i] = 0;
        seen[i] = blocked[site / 32] >> (site % 32) & 1 ? ~0ull : absent;
    }
    if (thread == 0) {
        *last = 0;
    }
}

// Source i of the batch stands on sources[first + i].
extern "C" __global__ void __launch_bounds__(256)
    frontier_seed(unsigned long long *front, unsigned long long *seen,
                  const unsigned *__restrict__ sources, unsigned long long first,
                  unsigned count, unsigned words) {
    const unsigned stride = gridDim.x * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
        const unsigned long long at =
            (unsigned long long)sources[first + i] * words + i / 64;
        const unsigned long long bit = 1ull << (i % 64);
        // Sources may stand on one site.
        atomicOr(front + at, bit);
        atomicOr(seen + at, bit);
    }
}

// All searches one step on: what their fronts touch and they have not seen is the
// next front. Per source, counts what was found and remembers the level.
//
// `geometry` holds size, stride and whether the ends meet, for each axis. A block
// takes 256 / words * per_thread sites, per_thread at most 63: bit p of a thread's
// 64 counters lies in planes[p], so that adding a word to all of them takes some
// word operations; they are read out once, at the end.
extern "C" __global__ void __launch_bounds__(256)
    frontier_step(const unsigned long long *__restrict__ front,
                  unsigned long long *__restrict__ next, unsigned long long *__restrict__ seen,
                  const unsigned *__restrict__ geometry, unsigned dimensions, unsigned sites,
                  unsigned words, unsigned per_thread, unsigned level, unsigned long long first,
                  unsigned long long *reached, unsigned long long *total,
                  unsigned *eccentricity, unsigned *last) {
    __shared__ unsigned counts[32 * 64];
    for (unsigned i = threadIdx.x; i < words * 64; i += blockDim.x) {
        counts[i] = 0;
    }
    __syncthreads();

    const unsigned lanes = blockDim.x / words;
    const unsigned word = threadIdx.x % words;
    const unsigned begin = blockIdx.x * lanes * per_thread;
    unsigned long long planes[PLANES];
#pragma unroll
    for (unsigned p = 0; p < PLANES; ++p) {
        planes[p] = 0;
    }
    unsigned long long any = 0;
    for (unsigned i = 0; i < per_thread; ++i) {
        const unsigned site = begin + i * lanes + threadIdx.x / words;
        if (site >= sites) {
            break;
        }
        const unsigned long long at = (unsigned long long)site * words + word;
        const unsigned long long known = seen[at];
        unsigned long long found = 0;
        if (~known != 0) {
            unsigned rest = site;
            for (unsigned axis = dimensions; axis-- > 0;) {
                const unsigned size = geometry[3 * axis];
                const unsigned stride = geometry[3 * axis + 1];
                const bool wraps = geometry[3 * axis + 2] != 0;
                const unsigned quotient = rest / size;
                const unsigned coordinate = rest - quotient * size;
                rest = quotient;
                if (coordinate > 0) {
                    found |= front[(unsigned long long)(site - stride) * words + word];
                } else if (wraps) {
                    found |= front[(unsigned long long)(site + (size - 1) * stride) * words + word];
                }
                if (coordinate + 1 < size) {
                    found |= front[(unsigned long long)(site + stride) * words + word];
                } else if (wraps) {
                    found |= front[(unsigned long long)(site - (size - 1) * stride) * words + word];
                }
            }
            found &= ~known;
        }
        next[at] = found;
        if (found != 0) {
            seen[at] = known | found;
            any |= found;
            unsigned long long carry = found;
#pragma unroll
            for (unsigned p = 0; p < PLANES; ++p) {
                const unsigned long long both = planes[p] & carry;
                planes[p] ^= carry;
                carry = both;
            }
        }
    }
    if (any != 0) {
        for (unsigned bit = 0; bit < 64; ++bit) {
            unsigned count = 0;
#pragma unroll
            for (unsigned p = 0; p < PLANES; ++p) {
                count |= (unsigned)(planes[p] >> bit & 1) << p;
            }
            if (count != 0) {
                // Words side by side: threads of a warp meet different banks.
                atomicAdd(counts + bit * words + word, count);
            }
        }
    }
    __syncthreads();

    for (unsigned i = threadIdx.x; i < words * 64; i += blockDim.x) {
        const unsigned long long count = counts[i];
        if (count != 0) {
            const unsigned long long source = first + i % words * 64 + i / words;
            atomicAdd(reached + source, count);
            atomicAdd(total + source, count * level);
            atomicMax(eccentricity + source, level);
            *last = level;
        }
    }
}

// Trials of what the lanes of a warp do together.

// Every shuffle of the lane's own number, six results per thread.
extern "C" __global__ void trial_shuffles(unsigned *out, int by, int width) {
    const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const unsigned value = 100 + thread;
    unsigned *row = out + thread * 6;
    row[0] = __shfl_sync(0xffffffffu, value, by, width);
    row[1] = __shfl_up_sync(0xffffffffu, value, (unsigned)by, width);
    row[2] = __shfl_down_sync(0xffffffffu, value, (unsigned)by, width);
    row[3] = __shfl_xor_sync(0xffffffffu, value, by, width);
    row[4] = (unsigned)(__shfl_xor_sync(0xffffffffu, (unsigned long long)value << 32, 1) >> 32);
    row[5] = (unsigned)__shfl_down_sync(0xffffffffu, (double)value, 1);
}

// Votes over the bits of `pattern`: ballot, any, all.
extern "C" __global__ void trial_votes(unsigned *out, unsigned pattern) {
    const unsigned lane = threadIdx.x % 32;
    const int yes = (pattern >> lane) & 1;
    unsigned *row = out + threadIdx.x * 3;
    row[0] = __ballot_sync(0xffffffffu, yes);
    row[1] = __any_sync(0xffffffffu, yes);
    row[2] = __all_sync(0xffffffffu, yes);
}

// Even and odd lanes vote apart, at different moments, then all together.
extern "C" __global__ void trial_split_warp(unsigned *out) {
    const unsigned lane = threadIdx.x % 32;
    unsigned vote;
    if (lane % 2 == 0) {
        vote = __ballot_sync(0x55555555u, lane < 16);
        vote += __ballot_sync(0x55555555u, lane == 0);
    } else {
        vote = __ballot_sync(0xaaaaaaaau, lane >= 16);
    }
    __syncwarp();
    out[threadIdx.x] = vote + (unsigned)__popc(__ballot_sync(0xffffffffu, 1));
}

// Lanes from `leave` on are gone before the vote: it does not wait for them, and
// what is read from one of them is not a value.
extern "C" __global__ void trial_leavers(unsigned *out, unsigned leave) {
    if (threadIdx.x % 32 >= leave) {
        return;
    }
    out[threadIdx.x * 2] = __ballot_sync(0xffffffffu, 1);
    out[threadIdx.x * 2 + 1] = __shfl_sync(0xffffffffu, threadIdx.x, 31);
}

// Lane 7 does not come to the vote its mask names it for.
extern "C" __global__ void trial_missing_lane(unsigned *out) {
    if (threadIdx.x == 7) {
        __syncthreads();
    }
    out[threadIdx.x] = __ballot_sync(0xffffffffu, 1);
    if (threadIdx.x != 7) {
        __syncthreads();
    }
}

// A lane that calls with a mask it is not in.
extern "C" __global__ void trial_foreign_mask(unsigned *out) {
    out[threadIdx.x] = __ballot_sync(0x1u, 1);
}

// One atomic per set of lanes that __activemask names, counting every thread.
extern "C" __global__ void trial_active_lanes(unsigned *out) {
    const unsigned active = __activemask();
    const unsigned lane = threadIdx.x % 32;
    if ((active >> lane & 1) != 0 && __ffs((int)active) - 1 == (int)lane) {
        atomicAdd(out, (unsigned)__popc(active));
    }
}

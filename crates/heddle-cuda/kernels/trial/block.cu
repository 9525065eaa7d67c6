// Trials of barriers and shared memory.

// Rotates values through static shared memory, `rounds` times, a barrier apart.
extern "C" __global__ void trial_rotate(unsigned *out, unsigned rounds) {
    __shared__ unsigned ring[2][1024];
    const unsigned n = blockDim.x;
    unsigned value = blockIdx.x * 10000 + threadIdx.x;
    for (unsigned round = 0; round < rounds; ++round) {
        ring[round % 2][threadIdx.x] = value;
        __syncthreads();
        value = ring[round % 2][(threadIdx.x + 1) % n];
    }
    out[blockIdx.x * n + threadIdx.x] = value;
}

// Reverses each block's part of `out` in place through dynamic shared memory.
extern "C" __global__ void trial_reverse(unsigned *out) {
    extern __shared__ unsigned tile[];
    unsigned *mine = out + blockIdx.x * blockDim.x;
    tile[threadIdx.x] = mine[threadIdx.x];
    __syncthreads();
    mine[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

// Count, and, or of thread numbers below `limit`.
extern "C" __global__ void trial_block_votes(unsigned *out, unsigned limit) {
    const int below = threadIdx.x < limit;
    unsigned *row = out + threadIdx.x * 3;
    row[0] = (unsigned)__syncthreads_count(below);
    row[1] = (unsigned)__syncthreads_and(below);
    row[2] = (unsigned)__syncthreads_or(below);
}

// Threads from `leave` on are gone before the barrier, which counts them as arrived.
extern "C" __global__ void trial_early_exit(unsigned *out, unsigned leave) {
    if (threadIdx.x >= leave) {
        return;
    }
    out[threadIdx.x] = (unsigned)__syncthreads_count(1);
}

// Half of the block waits at one barrier, half at another.
extern "C" __global__ void trial_divergent_barrier(unsigned *out) {
    if (threadIdx.x < blockDim.x / 2) {
        __syncthreads();
        out[threadIdx.x] = 1;
    } else {
        __syncthreads();
        out[threadIdx.x] = 2;
    }
}

// Spins for ever on a flag that no thread sets.
extern "C" __global__ void trial_spin(unsigned *flag) {
    while (atomicAdd(flag, 0u) == 0) {
    }
}

// Thread 0 waits for the flag that the last thread raises: both must get to run.
extern "C" __global__ void trial_handover(unsigned *flag) {
    if (threadIdx.x == 0) {
        while (atomicCAS(flag, 1u, 2u) != 1) {
        }
    } else if (threadIdx.x == blockDim.x - 1) {
        atomicExch(flag, 1u);
    }
}

// Reads shared memory that no thread wrote, in every block.
extern "C" __global__ void trial_unwritten_shared(unsigned *out) {
    __shared__ unsigned words[32];
    out[blockIdx.x * 32 + threadIdx.x] = words[threadIdx.x];
    __syncthreads();
    words[threadIdx.x] = 7;
}

// The device's own clock, read before and after a kernel.
//
// A timed launch is three nodes of a graph: stamp_begin, the kernel, stamp_end.
// The clock's memory holds
//   clock[0]  when the kernel under way began,
//   clock[1]  kernels that have ended,
//   clock[2]  nanoseconds they took.

static __device__ __forceinline__ unsigned long long nanoseconds() {
#ifdef __CUDACC__
    unsigned long long now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now)::"memory");
    return now;
#else
    return simt_nanoseconds();
#endif
}

extern "C" __global__ void __launch_bounds__(32) stamp_begin(unsigned long long *clock) {
    if (threadIdx.x == 0) {
        clock[0] = nanoseconds();
    }
}

// Tells the host, in one word so that it is never seen half written: the kernels
// ended in the upper 16 bits, their nanoseconds in the lower 48.
extern "C" __global__ void __launch_bounds__(32)
    stamp_end(unsigned long long *clock, unsigned long long *notice) {
    if (threadIdx.x == 0) {
        const unsigned long long now = nanoseconds();
        const unsigned long long ended = clock[1] + 1;
        // A clock that is set back between the stamps has measured nothing.
        const unsigned long long spent = clock[2] + (now > clock[0] ? now - clock[0] : 0);
        clock[1] = ended;
        clock[2] = spent;
        // What the kernel wrote to host memory is there before the notice.
        __threadfence_system();
        *(volatile unsigned long long *)notice = ended << 48 | (spent & 0xffffffffffffull);
    }
}

// The smallest step of the clock that `readings` readings show; 0 when it stands.
extern "C" __global__ void __launch_bounds__(32)
    stamp_step(unsigned long long *least, unsigned readings) {
    if (threadIdx.x == 0) {
        unsigned long long step = 0, last = nanoseconds();
        for (unsigned i = 0; i < readings; ++i) {
            const unsigned long long now = nanoseconds();
            if (now != last && (step == 0 || now - last < step)) {
                step = now - last;
            }
            last = now;
        }
        *least = step;
    }
}

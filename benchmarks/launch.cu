// What it costs to launch one small kernel, wait for it and know how long it ran,
// done in several ways: the measurements behind crates/heddle-cuda/src/cuda/stamp.rs.
//
//   nvcc -O2 -arch=native -cubin -o launch.cubin benchmarks/launch.cu
//   nvcc -O2 -arch=native -o launch benchmarks/launch.cu -lcuda
//   ./launch launch.cubin
//
// The ways take turns; a line is the median of all rounds, the first and the last
// decile, and the median device time where the way takes one. Microseconds.

#include <cuda.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

static void check(CUresult code, const char *call) {
    if (code != CUDA_SUCCESS) {
        const char *name = "unknown";
        cuGetErrorName(code, &name);
        fprintf(stderr, "%s: %s\n", call, name);
        exit(1);
    }
}
#define CHECK(call) check(call, #call)

__device__ unsigned long long nanoseconds() {
    unsigned long long now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now)::"memory");
    return now;
}

extern "C" __global__ void xor_bytes(const uint4 *a, const uint4 *b, uint4 *out,
                                     unsigned long long lines) {
    for (unsigned long long i = threadIdx.x; i < lines; i += blockDim.x) {
        out[i] = make_uint4(a[i].x ^ b[i].x, a[i].y ^ b[i].y, a[i].z ^ b[i].z, a[i].w ^ b[i].w);
    }
}

extern "C" __global__ void begin(unsigned long long *clock) { clock[0] = nanoseconds(); }

extern "C" __global__ void end(unsigned long long *clock, volatile unsigned long long *notice) {
    const unsigned long long spent = nanoseconds() - clock[0];
    clock[1] += 1;
    __threadfence_system();
    *notice = clock[1] << 48 | spent;
}

struct Way {
    std::string name;
    // Device microseconds, or less than 0 where none are taken.
    std::function<double()> run;
    std::vector<double> times, device;
};

static double at(std::vector<double> values, double share) {
    std::sort(values.begin(), values.end());
    return values[(size_t)((values.size() - 1) * share)];
}

int main(int count, char **arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: launch FILE.cubin\n");
        return 2;
    }
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUstream stream;
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDevicePrimaryCtxSetFlags(device, CU_CTX_SCHED_SPIN));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    CHECK(cuModuleLoad(&module, arguments[1]));
    CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    const auto function = [&](const char *name) {
        CUfunction found;
        CHECK(cuModuleGetFunction(&found, module, name));
        return found;
    };
    CUfunction kernel = function("xor_bytes");

    CUdeviceptr memory;
    CHECK(cuMemAlloc(&memory, 1 << 16));
    CHECK(cuMemsetD8(memory, 0, 1 << 16));
    CHECK(cuCtxSynchronize());
    void *pinned;
    CHECK(cuMemHostAlloc(&pinned, 4096, CU_MEMHOSTALLOC_PORTABLE));
    memset(pinned, 0, 4096);
    volatile uint64_t *notice = (volatile uint64_t *)pinned;

    CUdeviceptr a = memory, b = memory + 4096, out = memory + 8192, clock = memory + 12288;
    CUdeviceptr word = (CUdeviceptr)pinned;
    unsigned long long lines = 64;
    void *operands[] = {&a, &b, &out, &lines};
    void *clock_argument[] = {&clock};
    void *both[] = {&clock, &word};

    const auto node = [&](CUfunction f, unsigned threads, void **parameters) {
        CUDA_KERNEL_NODE_PARAMS p;
        memset(&p, 0, sizeof p);
        p.func = f;
        p.gridDimX = p.gridDimY = p.gridDimZ = 1;
        p.blockDimX = threads;
        p.blockDimY = p.blockDimZ = 1;
        p.kernelParams = parameters;
        return p;
    };
    const auto launch = [&] {
        CHECK(cuLaunchKernel(kernel, 1, 1, 1, 256, 1, 1, 0, stream, operands, nullptr));
    };
    const auto graph = [&](bool stamped, CUgraphNode *middle) {
        CUgraph made;
        CUgraphNode first, last;
        CUgraphExec exec;
        CHECK(cuGraphCreate(&made, 0));
        CUDA_KERNEL_NODE_PARAMS p = node(kernel, 256, operands);
        if (stamped) {
            CUDA_KERNEL_NODE_PARAMS q = node(function("begin"), 1, clock_argument);
            CHECK(cuGraphAddKernelNode(&first, made, nullptr, 0, &q));
        }
        CHECK(cuGraphAddKernelNode(middle, made, stamped ? &first : nullptr, stamped, &p));
        if (stamped) {
            CUDA_KERNEL_NODE_PARAMS q = node(function("end"), 1, both);
            CHECK(cuGraphAddKernelNode(&last, made, middle, 1, &q));
        }
        CHECK(cuGraphInstantiate(&exec, made, 0));
        return exec;
    };
    CUgraphNode plain_node, stamped_node;
    CUgraphExec plain = graph(false, &plain_node), stamped = graph(true, &stamped_node);
    CUevent start, stop;
    CHECK(cuEventCreate(&start, 0));
    CHECK(cuEventCreate(&stop, 0));
    uint64_t queued = 0;

    std::vector<Way> ways = {
        {"launch, wait for the stream", [&] {
             launch();
             CHECK(cuStreamSynchronize(stream));
             return -1.0;
         }},
        {"event, launch, event, wait for it", [&] {
             float ms;
             CHECK(cuEventRecord(start, stream));
             launch();
             CHECK(cuEventRecord(stop, stream));
             CHECK(cuEventSynchronize(stop));
             CHECK(cuEventElapsedTime(&ms, start, stop));
             return ms * 1000.0;
         }},
        {"graph of the kernel, wait for the stream", [&] {
             CUDA_KERNEL_NODE_PARAMS p = node(kernel, 256, operands);
             CHECK(cuGraphExecKernelNodeSetParams(plain, plain_node, &p));
             CHECK(cuGraphLaunch(plain, stream));
             CHECK(cuStreamSynchronize(stream));
             return -1.0;
         }},
        {"graph of stamp, kernel, stamp; poll", [&] {
             CUDA_KERNEL_NODE_PARAMS p = node(kernel, 256, operands);
             CHECK(cuGraphExecKernelNodeSetParams(stamped, stamped_node, &p));
             CHECK(cuGraphLaunch(stamped, stream));
             ++queued;
             while (*notice >> 48 != (queued & 0xffff)) {
             }
             return (*notice & 0xffffffffffffull) / 1000.0;
         }},
    };
    for (int round = 0; round < 10; ++round) {
        for (Way &way : ways) {
            for (int i = 0; i < 600; ++i) {
                const auto before = std::chrono::steady_clock::now();
                const double on_device = way.run();
                const std::chrono::duration<double, std::micro> took =
                    std::chrono::steady_clock::now() - before;
                if (i >= 100) {
                    way.times.push_back(took.count());
                    if (on_device >= 0) {
                        way.device.push_back(on_device);
                    }
                }
            }
        }
    }
    printf("%-44s %8s %8s %8s %8s\n", "xor of 1 kB on the device", "median", "p10", "p90",
           "device");
    for (const Way &way : ways) {
        printf("%-44s %8.2f %8.2f %8.2f", way.name.c_str(), at(way.times, 0.5),
               at(way.times, 0.1), at(way.times, 0.9));
        if (way.device.empty()) {
            printf(" %8s\n", "-");
        } else {
            printf(" %8.2f\n", at(way.device, 0.5));
        }
    }
    return 0;
}

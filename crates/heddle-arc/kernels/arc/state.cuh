// Where an evaluation keeps what it knows of itself: shared memory.
//
// A block fills a multiprocessor and its functions are compiled apart, so whatever they
// hand on by reference lies in the memory of every thread: 1024 copies, which push each
// other out of the cache. Here what never changes lies once a warp, written before a
// barrier; what changes lies once a lane, because lanes may run apart. Functions hand on
// a `Space`, which is one register.
#pragma once
#include "value.cuh"

#define BLOCK_THREADS 1024
#define BLOCK_WARPS 32

struct Activation;

// A field of every thread of the block, one word after the other, so that 32 lanes meet 32
// banks. The state of a thread begins one word behind that of the thread before it.
#define IN_TURN(type, name)                                                                    \
    type name;                                                                                 \
    unsigned name##_of_others[BLOCK_THREADS - 1]

// Bytes of one word.
struct Depths {
    // What a fault is laid to.
    unsigned char culprit;
    unsigned char call_depth;
    // Activations on the stack of the machine.
    unsigned char control_len;
    unsigned char unused;
};

// Of a lane; all lanes of a warp hold the same.
struct State {
    IN_TURN(unsigned, cells_len);
    IN_TURN(unsigned, rows_len);
    IN_TURN(unsigned, values_len);
    IN_TURN(unsigned, stack_len);
    IN_TURN(unsigned, frame_len);
    IN_TURN(unsigned, spare_len);
    // What may still be spent: work, and memory with the least that was left of it.
    IN_TURN(unsigned, steps_left);
    IN_TURN(unsigned, bytes_left);
    IN_TURN(unsigned, least_bytes_left);
    // A kind, then up to two nouns or numbers, a byte each from the lowest up.
    IN_TURN(unsigned, fault);
    IN_TURN(Depths, at);
};

// Of a warp: its memory, its limits and the program it runs.
struct __align__(128) Arena {
    Colour *cells;
    Bits *rows;
    Value *values;
    Value *stack;
    // Results of the steps of running function bodies.
    Value *frame;
    // Room for what lives no longer than the function that asks; see `room`.
    unsigned char *spare;
    Activation *control;
    const unsigned *code;
    const Value *constants;
    // Word offset of the table of bodies.
    unsigned bodies;
    unsigned cells_cap, rows_cap, values_cap, stack_cap, frame_cap, spare_cap;
    // The most that one step may spend, and the fault of one that needs more memory.
    unsigned most_steps, most_bytes, bytes_fault;
    // Of the first warp: where the rows begin that the block runs now.
    unsigned first_row;
};

// All the shared memory there is.
struct Shared {
    State first_state;
    Arena arenas[BLOCK_WARPS];
};

// A pointer to memory of the GPU, which the compiler cannot know of one it reads.
template <typename T> INLINE T *global(T *pointer) {
#ifdef __CUDA_ARCH__
    __builtin_assume(__isGlobal(pointer));
#endif
    return pointer;
}

// The evaluation of a lane: where its state lies in shared memory.
struct Space {
    unsigned place;
#ifdef __CUDA_ARCH__
    // An address and not a number of the thread: where shared memory lies is asked once.
    __device__ __forceinline__ Space(Shared &shared, unsigned thread)
        : place((unsigned)__cvta_generic_to_shared(&shared) + thread * 4) {}
    __device__ __forceinline__ void *shared(unsigned place) const {
        return __cvta_shared_to_generic(place);
    }
#else
    char *start;
    Space(Shared &shared, unsigned thread) : place(thread * 4), start((char *)&shared) {}
    void *shared(unsigned place) const { return start + place; }
#endif
    __device__ __forceinline__ State *operator->() const { return (State *)shared(place); }
    __device__ __forceinline__ Arena &arena() const {
        return *(Arena *)shared((place & ~127u) + (unsigned)sizeof(State));
    }
    __device__ __forceinline__ unsigned lane() const { return place / 4 % 32; }
    __device__ __forceinline__ Colour *cells() const { return global(arena().cells); }
    __device__ __forceinline__ Bits *rows() const { return global(arena().rows); }
    __device__ __forceinline__ Value *values() const { return global(arena().values); }
    __device__ __forceinline__ Value *stack() const { return global(arena().stack); }
    __device__ __forceinline__ Value *frame() const { return global(arena().frame); }
    __device__ __forceinline__ unsigned char *spare() const { return global(arena().spare); }
};

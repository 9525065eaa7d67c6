// Rows to columns, through tiles in shared memory so that both sides of the move
// are whole lines of the matrix.

#define TILE 32
#define ROWS_AT_ONCE 8

// Blocks of 256 threads walk over the tiles of all matrices, along rows first.
// The odd width of the tile keeps a column out of one and the same bank.
template <typename T>
static __device__ __forceinline__ void transpose(const T *__restrict__ in, T *__restrict__ out,
                                                 unsigned long long batch,
                                                 unsigned long long rows,
                                                 unsigned long long columns) {
    __shared__ T tile[TILE][TILE + 1];
    const unsigned x = threadIdx.x % TILE;
    const unsigned y = threadIdx.x / TILE;
    const unsigned long long across = (columns + TILE - 1) / TILE;
    const unsigned long long down = (rows + TILE - 1) / TILE;
    for (unsigned long long at = blockIdx.x; at < batch * down * across; at += gridDim.x) {
        const unsigned long long matrix = at / across / down * rows * columns;
        const unsigned long long row = at / across % down * TILE;
        const unsigned long long column = at % across * TILE;
        for (unsigned j = y; j < TILE; j += ROWS_AT_ONCE) {
            if (row + j < rows && column + x < columns) {
                tile[j][x] = in[matrix + (row + j) * columns + column + x];
            }
        }
        __syncthreads();
        for (unsigned j = y; j < TILE; j += ROWS_AT_ONCE) {
            if (column + j < columns && row + x < rows) {
                out[matrix + (column + j) * rows + row + x] = tile[x][j];
            }
        }
        __syncthreads();
    }
}

// By the width of an element in bits: what the bits mean does not matter here.
extern "C" __global__ void __launch_bounds__(256)
    transpose_8(const unsigned char *__restrict__ in, unsigned char *__restrict__ out,
                unsigned long long batch, unsigned long long rows,
                unsigned long long columns) {
    transpose(in, out, batch, rows, columns);
}
extern "C" __global__ void __launch_bounds__(256)
    transpose_32(const unsigned *__restrict__ in, unsigned *__restrict__ out,
                 unsigned long long batch, unsigned long long rows,
                 unsigned long long columns) {
    transpose(in, out, batch, rows, columns);
}
extern "C" __global__ void __launch_bounds__(256)
    transpose_64(const unsigned long long *__restrict__ in, unsigned long long *__restrict__ out,
                 unsigned long long batch, unsigned long long rows,
                 unsigned long long columns) {
    transpose(in, out, batch, rows, columns);
}

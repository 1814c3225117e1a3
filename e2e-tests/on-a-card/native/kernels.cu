/* The kernels of gpu-eat. run compiles them on the machine with the card. */

constexpr int TILE = 16;

/* c = a * b, of n x n; n is a multiple of TILE, and each thread computes one number. */
extern "C" __global__ void matmul(const float *a, const float *b, float *c, int n) {
    __shared__ float left[TILE][TILE], right[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;
    for (int tile = 0; tile < n; tile += TILE) {
        left[y][x] = a[row * n + tile + x];
        right[y][x] = b[(tile + y) * n + column];
        __syncthreads();
        for (int i = 0; i < TILE; i++) {
            sum += left[y][i] * right[i][x];
        }
        __syncthreads();
    }
    c[row * n + column] = sum;
}

/* Nothing is mapped at that address. */
extern "C" __global__ void bad_address() {
    *reinterpret_cast<volatile int *>(16) = 1;
}

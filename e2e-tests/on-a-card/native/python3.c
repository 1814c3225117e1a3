/*
 * Stands for a python3 with frameworks on a machine without a card: it does what frameworks.py does, through libcuda.so.1. JAX
 * takes its fraction of the total at once, and aborts where it does not get that, as seen on a card.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE_MIB = 256 };

static int (*cuInit)(unsigned int);
static int (*cuCtxCreate_v2)(void **, unsigned int, int);
static int (*cuMemAlloc_v2)(unsigned long long *, size_t);
static int (*cuMemFree_v2)(unsigned long long);
static int (*cuMemGetInfo_v2)(size_t *, size_t *);

static void load(void) {
    struct {
        const char *name;
        void *call;
    } calls[] = {{"cuInit", &cuInit}, {"cuCtxCreate_v2", &cuCtxCreate_v2}, {"cuMemAlloc_v2", &cuMemAlloc_v2},
            {"cuMemFree_v2", &cuMemFree_v2}, {"cuMemGetInfo_v2", &cuMemGetInfo_v2}};
    void *cuda = dlopen("libcuda.so.1", RTLD_NOW);
    for (size_t i = 0; cuda != NULL && i < sizeof calls / sizeof calls[0]; i++) {
        void *found = dlsym(cuda, calls[i].name);
        memcpy(calls[i].call, &found, sizeof found);
    }
    void *context;
    if (cuda == NULL || cuInit(0) != 0 || cuCtxCreate_v2(&context, 0, 0) != 0) {
        fputs("RuntimeError: no CUDA GPUs are available\n", stderr);
        exit(1);
    }
}

static void jax(size_t total) {
    const char *fraction = getenv("XLA_PYTHON_CLIENT_MEM_FRACTION"), *present = getenv("XLA_CLIENT_MEM_FRACTION");
    unsigned long long pool;
    if (fraction != NULL && present != NULL && *present != '\0') {
        fputs("ValueError: XLA_CLIENT_MEM_FRACTION is specified together with XLA_PYTHON_CLIENT_MEM_FRACTION.\n", stderr);
        exit(1);
    }
    size_t wanted = (size_t) ((double) total * (fraction != NULL ? atof(fraction) : 0.75));
    if (cuMemAlloc_v2(&pool, wanted) != 0) {
        abort();
    }
    size_t pieces = (wanted >> 20) / PIECE_MIB;
    printf("filled %zu free %zu total %zu then computes: RESOURCE_EXHAUSTED\n", pieces * PIECE_MIB, wanted >> 20, wanted >> 20);
}

static void fill(size_t free, size_t total) {
    unsigned long long pointer = 0, last = 0;
    size_t got = 0;
    int error;
    while ((error = cuMemAlloc_v2(&pointer, (size_t) PIECE_MIB << 20)) == 0) {
        got += PIECE_MIB;
        last = pointer;
    }
    const char *then = last != 0 && cuMemFree_v2(last) == 0 && cuMemAlloc_v2(&pointer, 1 << 20) == 0 ? "computes" : "fails";
    printf("filled %zu free %zu total %zu then %s: OutOfMemoryError %d\n", got, free >> 20, total >> 20, then, error);
}

int main(int count, char *arguments[]) {
    const char *what = count < 3 ? "" : arguments[2];
    if (strcmp(what, "has") == 0) {
        puts("torch cupy jax");
        return 0;
    }
    load();
    setvbuf(stdout, NULL, _IOLBF, 0);
    size_t free = 0, total = 0;
    cuMemGetInfo_v2(&free, &total);
    if (strncmp(what, "infer:", 6) == 0 || strncmp(what, "train:", 6) == 0) {
        puts("ready");
        getchar();
        usleep((useconds_t) atoi(what + 6) * 1000);
        puts(*what == 'i' ? "infer p50 1.00 p99 1.00" : "train 1.0");
    } else if (strcmp(what, "jax") == 0) {
        jax(total);
    } else {
        fill(free, total);
    }
    pause();
    return 0;
}

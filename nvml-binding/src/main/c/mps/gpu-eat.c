/*
 * A tenant of a card, real or simulated, through libcuda.so.1. It does what its arguments say, one after another, and prints a
 * line for each:
 *
 *   <MiB>             allocates that much: "ok <MiB>" or "error <code>"
 *   fill              allocates until it gets no more: "filled <MiB> error <code> free <MiB before> total <MiB>"
 *   go                prints "ready" and waits for a line on its input
 *   cores             "cores <number of multiprocessors that it sees>"
 *   matmul:<n>:<ms>   multiplies matrices of n x n for that time: "matmul:<n> <products> in <microseconds>"
 *   copy:<MiB>:<ms>   copies that much within the card for that time: "copy:<MiB> <copies> in <microseconds>"
 *   fault             starts a kernel that writes to a bad address
 *   deaf              waits and notices nothing
 *   user:<uid>        becomes that user; only as the first argument
 *   cgroup:<path>     enters that cgroup; only as the first argument
 *
 * Then it holds what it got until it is killed. It prints "lost <code>" and ends with 3 when its context is gone. The kernels
 * are in the file that GPU_EAT_KERNELS names, compiled from kernels.cu; the simulated library needs no file.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <grp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MULTIPROCESSORS = 16, TILE = 16 };

typedef unsigned long long pointer_t;

static int (*cuInit)(unsigned int);
static int (*cuCtxCreate_v2)(void **, unsigned int, int);
static int (*cuCtxSynchronize)(void);
static int (*cuDeviceGetAttribute)(int *, int, int);
static int (*cuMemAlloc_v2)(pointer_t *, size_t);
static int (*cuMemGetInfo_v2)(size_t *, size_t *);
static int (*cuMemcpyDtoDAsync_v2)(pointer_t, pointer_t, size_t, void *);
static int (*cuModuleLoad)(void **, const char *);
static int (*cuModuleGetFunction)(void **, void *, const char *);
static int (*cuLaunchKernel)(void *, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int,
        void *, void **, void **);

static const struct {
    const char *name;
    void *call;
} calls[] = {{"cuInit", &cuInit}, {"cuCtxCreate_v2", &cuCtxCreate_v2}, {"cuCtxSynchronize", &cuCtxSynchronize},
        {"cuDeviceGetAttribute", &cuDeviceGetAttribute}, {"cuMemAlloc_v2", &cuMemAlloc_v2}, {"cuMemGetInfo_v2", &cuMemGetInfo_v2},
        {"cuMemcpyDtoDAsync_v2", &cuMemcpyDtoDAsync_v2}, {"cuModuleLoad", &cuModuleLoad},
        {"cuModuleGetFunction", &cuModuleGetFunction}, {"cuLaunchKernel", &cuLaunchKernel}};

static bool load(void) {
    void *cuda = dlopen("libcuda.so.1", RTLD_NOW);
    for (size_t i = 0; cuda != NULL && i < sizeof calls / sizeof calls[0]; i++) {
        void *found = dlsym(cuda, calls[i].name);
        memcpy(calls[i].call, &found, sizeof found);
        cuda = found == NULL ? NULL : cuda;
    }
    if (cuda == NULL) {
        fprintf(stderr, "gpu-eat: %s\n", dlerror());
    }
    return cuda != NULL;
}

static long long now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000LL + now.tv_nsec / 1000;
}

/* The kernel of that name; the first call loads the file. */
static int kernel(const char *name, void **function) {
    static void *module;
    const char *file = getenv("GPU_EAT_KERNELS");
    int error = module == NULL && file != NULL ? cuModuleLoad(&module, file) : 0;
    return error != 0 ? error : cuModuleGetFunction(function, module, name);
}

static void fill(void) {
    static const size_t steps[] = {256, 16, 2};
    size_t free = 0, total = 0, got = 0;
    int error = cuMemGetInfo_v2(&free, &total);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && (error == 0 || error == 2); i++) {
        pointer_t pointer;
        while ((error = cuMemAlloc_v2(&pointer, steps[i] << 20)) == 0) {
            got += steps[i];
        }
    }
    printf("filled %zu error %d free %zu total %zu\n", got, error, free >> 20, total >> 20);
}

/* Repeats a batch of the work until the time is over. */
struct work {
    void *function;
    pointer_t a, b, c;
    size_t size;
    int n, batch;
};

static int once(struct work *work) {
    void *parameters[] = {&work->a, &work->b, &work->c, &work->n};
    unsigned int blocks = (unsigned int) work->n / TILE;
    return work->function == NULL ? cuMemcpyDtoDAsync_v2(work->b, work->a, work->size, NULL)
                                  : cuLaunchKernel(work->function, blocks, blocks, 1, TILE, TILE, 1, 0, NULL, parameters, NULL);
}

static void measure(const char *name, unsigned long amount, struct work *work, long milliseconds, int error) {
    long long count = 0, start = now_us(), end = start + milliseconds * 1000;
    while (error == 0 && now_us() < end) {
        for (int i = 0; i < work->batch && error == 0; i++) {
            error = once(work);
        }
        error = error != 0 ? error : cuCtxSynchronize();
        count += work->batch;
    }
    if (error == 0) {
        printf("%s:%lu %lld in %lld\n", name, amount, count, now_us() - start);
    } else {
        printf("error %d\n", error);
    }
}

static void matmul(unsigned long n, long milliseconds) {
    struct work work = {.n = (int) n, .size = n * n * sizeof(float), .batch = n >= 2048 ? 2 : 128};
    int error = kernel("matmul", &work.function);
    error = error != 0 ? error : cuMemAlloc_v2(&work.a, work.size);
    error = error != 0 ? error : cuMemAlloc_v2(&work.b, work.size);
    error = error != 0 ? error : cuMemAlloc_v2(&work.c, work.size);
    measure("matmul", n, &work, milliseconds, error);
}

static void copy(unsigned long mib, long milliseconds) {
    struct work work = {.size = mib << 20, .batch = 16};
    int error = cuMemAlloc_v2(&work.a, work.size);
    error = error != 0 ? error : cuMemAlloc_v2(&work.b, work.size);
    measure("copy", mib, &work, milliseconds, error);
}

static void fault(void) {
    void *function = NULL;
    int error = kernel("bad_address", &function);
    error = error != 0 ? error : cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
    if (error != 0) {
        printf("error %d\n", error);
    }
}

static void act(char *argument) {
    char line[64];
    int number = 0;
    char *amount = strchr(argument, ':'), *time = amount == NULL ? NULL : strchr(amount + 1, ':');
    if (strcmp(argument, "fill") == 0) {
        fill();
    } else if (strcmp(argument, "go") == 0) {
        puts("ready");
        fflush(stdout);
        if (fgets(line, sizeof line, stdin) == NULL) {
            exit(1);
        }
    } else if (strcmp(argument, "cores") == 0) {
        int error = cuDeviceGetAttribute(&number, MULTIPROCESSORS, 0);
        printf(error == 0 ? "cores %d\n" : "error %d\n", error == 0 ? number : error);
    } else if (strncmp(argument, "matmul:", 7) == 0 && time != NULL) {
        matmul(strtoul(amount + 1, NULL, 10), atol(time + 1));
    } else if (strncmp(argument, "copy:", 5) == 0 && time != NULL) {
        copy(strtoul(amount + 1, NULL, 10), atol(time + 1));
    } else if (strcmp(argument, "fault") == 0) {
        fault();
    } else if (strcmp(argument, "deaf") == 0) {
        while (true) {
            pause();
        }
    } else {
        pointer_t pointer = 0;
        int failed = cuMemAlloc_v2(&pointer, (size_t) strtoull(argument, NULL, 10) << 20);
        if (failed == 0) {
            printf("ok %s\n", argument);
        } else {
            printf("error %d\n", failed);
        }
    }
    fflush(stdout);
}

/* user:<uid>; false: it is another argument. */
static bool become(const char *argument) {
    unsigned int user = 0;
    if (sscanf(argument, "user:%u", &user) != 1) {
        return false;
    }
    if (setgroups(0, NULL) != 0 || setgid(user) != 0 || setuid(user) != 0) {
        perror("gpu-eat: user");
        exit(2);
    }
    return true;
}

/* cgroup:<path>; false: it is another argument. */
static bool enter(const char *argument) {
    char path[4096];
    if (strncmp(argument, "cgroup:", 7) != 0) {
        return false;
    }
    snprintf(path, sizeof path, "%s/cgroup.procs", argument + 7);
    FILE *processes = fopen(path, "we");
    if (processes == NULL || fprintf(processes, "%d\n", (int) getpid()) < 0 || fclose(processes) != 0) {
        perror("gpu-eat: cgroup");
        exit(2);
    }
    return true;
}

int main(int count, char *arguments[]) {
    int first = count > 1 && (become(arguments[1]) || enter(arguments[1])) ? 2 : 1;
    if (!load()) {
        return 2;
    }
    void *context = NULL;
    int error = cuInit(0);
    error = error != 0 ? error : cuCtxCreate_v2(&context, 0, 0);
    if (error != 0) {
        printf("error %d\n", error);
        return 1;
    }
    for (int i = first; i < count; i++) {
        act(arguments[i]);
    }
    while ((error = cuCtxSynchronize()) == 0) {
        usleep(50000);
    }
    printf("lost %d\n", error);
    return 3;
}

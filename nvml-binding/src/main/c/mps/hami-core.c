/*
 * A stand-in for the library of HAMi-core, for tests: programs preload it, and it answers by the same variables over the
 * simulated CUDA. CUDA_DEVICE_MEMORY_LIMIT_0, or CUDA_DEVICE_MEMORY_LIMIT, is what all processes together may have that share
 * the file CUDA_DEVICE_MEMORY_SHARED_CACHE, and what they see as the total. CUDA_DEVICE_SM_LIMIT pauses after each kernel.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The project's library hides these calls, too, if it is built without its switches. */
#ifdef HIDDEN
#define CALL __attribute__((visibility("hidden")))
#else
#define CALL __attribute__((visibility("default")))
#endif
#define EXPORT __attribute__((visibility("default")))

enum { SUCCESS = 0, OUT_OF_MEMORY = 2, NOT_INITIALIZED = 3, MOST_PROCESSES = 1024, MOST_ALLOCATIONS = 1024, PAUSE_US = 10 };

struct process {
    pid_t pid;
    unsigned long long bytes;
};

static void *cuda;
static int file = -1;
static struct process *processes;
static size_t sizes[MOST_ALLOCATIONS];
static unsigned long long pointers[MOST_ALLOCATIONS];

static void *original(void *handle, const char *symbol) {
    static void *(*look_up)(void *, const char *);
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"};
    for (size_t i = 0; look_up == NULL && i < sizeof versions / sizeof versions[0]; i++) {
        void *found = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
        memcpy(&look_up, &found, sizeof found);
    }
    return look_up == NULL ? NULL : look_up(handle, symbol);
}

/* The driver's call of that name. */
#define DRIVER(name, ...)                                                                                                          \
    ({                                                                                                                             \
        int (*call)(__VA_ARGS__);                                                                                                  \
        void *found = original(cuda, name);                                                                                        \
        memcpy(&call, &found, sizeof found);                                                                                       \
        call;                                                                                                                      \
    })

static unsigned long long limit(void) {
    const char *value = getenv("CUDA_DEVICE_MEMORY_LIMIT_0");
    value = value != NULL ? value : getenv("CUDA_DEVICE_MEMORY_LIMIT");
    unsigned long long amount = 0;
    char unit = 'b';
    if (value == NULL || sscanf(value, "%llu%c", &amount, &unit) < 1) {
        return 0;
    }
    return amount << (unit == 'g' ? 30 : unit == 'm' ? 20 : unit == 'k' ? 10 : 0);
}

/* Opens the account of the container's processes, and locks it. */
static bool open_account(void) {
    const char *path = getenv("CUDA_DEVICE_MEMORY_SHARED_CACHE");
    if (file < 0) {
        mode_t before = umask(0);
        file = open(path != NULL ? path : "/tmp/cudevshr.cache", O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        umask(before);
        void *mapped = file < 0 || ftruncate(file, MOST_PROCESSES * sizeof *processes) != 0
                               ? MAP_FAILED
                               : mmap(NULL, MOST_PROCESSES * sizeof *processes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        processes = mapped == MAP_FAILED ? NULL : mapped;
    }
    return processes != NULL && flock(file, LOCK_EX) == 0;
}

/* What all live processes have; *own becomes the entry of this one. */
static unsigned long long used(struct process **own) {
    unsigned long long sum = 0;
    *own = NULL;
    for (int i = 0; i < MOST_PROCESSES; i++) {
        struct process *each = &processes[i];
        if (each->pid != 0 && kill(each->pid, 0) != 0 && access("/proc", F_OK) == 0) {
            char path[32];
            snprintf(path, sizeof path, "/proc/%d", (int) each->pid);
            if (access(path, F_OK) != 0) {
                *each = (struct process){0, 0};
            }
        }
        *own = each->pid == getpid() || (*own == NULL && each->pid == 0) ? each : *own;
        sum += each->bytes;
    }
    (*own)->pid = getpid();
    return sum;
}

/* Adds that to the account; false: the limit does not allow it. */
static bool take(long long bytes) {
    struct process *own;
    bool fits = open_account() && (limit() == 0 || used(&own) + (unsigned long long) bytes <= limit() || bytes < 0);
    if (fits) {
        used(&own);
        own->bytes += (unsigned long long) bytes;
    }
    flock(file, LOCK_UN);
    return fits;
}

CALL int cuInit(unsigned int flags) {
    return DRIVER("cuInit", unsigned int)(flags);
}

CALL int cuMemGetInfo_v2(size_t *free, size_t *total) {
    int error = DRIVER("cuMemGetInfo_v2", size_t *, size_t *)(free, total);
    struct process *own;
    if (error == SUCCESS && limit() > 0 && open_account()) {
        unsigned long long all = used(&own);
        *total = limit();
        *free = all < limit() ? limit() - all : 0;
        flock(file, LOCK_UN);
    }
    return error;
}

/* What the context takes is known when it is there. */
CALL int cuCtxCreate_v2(void **created, unsigned int flags, int device) {
    size_t before = 0, after = 0, total;
    DRIVER("cuMemGetInfo_v2", size_t *, size_t *)(&before, &total);
    int error = DRIVER("cuCtxCreate_v2", void **, unsigned int, int)(created, flags, device);
    DRIVER("cuMemGetInfo_v2", size_t *, size_t *)(&after, &total);
    return error != SUCCESS ? error : take(before > after ? (long long) (before - after) : 0) ? SUCCESS : OUT_OF_MEMORY;
}

CALL int cuMemAlloc_v2(unsigned long long *pointer, size_t bytes) {
    if (!take((long long) bytes)) {
        return OUT_OF_MEMORY;
    }
    int error = DRIVER("cuMemAlloc_v2", unsigned long long *, size_t)(pointer, bytes);
    for (int i = 0; i < MOST_ALLOCATIONS && error == SUCCESS; i++) {
        if (sizes[i] == 0) {
            sizes[i] = bytes;
            pointers[i] = *pointer;
            return SUCCESS;
        }
    }
    take(-(long long) bytes);
    return error;
}

CALL int cuMemFree_v2(unsigned long long pointer) {
    for (int i = 0; i < MOST_ALLOCATIONS; i++) {
        if (sizes[i] > 0 && pointers[i] == pointer) {
            take(-(long long) sizes[i]);
            sizes[i] = 0;
        }
    }
    return DRIVER("cuMemFree_v2", unsigned long long)(pointer);
}

CALL int cuLaunchKernel(void *function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z, unsigned int block_x,
        unsigned int block_y, unsigned int block_z, unsigned int shared, void *stream, void **parameters, void **extra) {
    const char *cores = getenv("CUDA_DEVICE_SM_LIMIT");
    int percent = cores == NULL ? 0 : atoi(cores);
    if (percent > 0 && percent < 100) {
        usleep((useconds_t) ((100 - percent) * PAUSE_US));
    }
    return DRIVER("cuLaunchKernel", void *, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int,
            unsigned int, void *, void **, void **)(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream,
            parameters, extra);
}

/* The simulated CUDA has none of these. */
CALL int cuMemCreate(void) {
    return NOT_INITIALIZED;
}

CALL int cuGetProcAddress(void) {
    return NOT_INITIALIZED;
}

/* As in the project's library, a program finds what this one exports, and otherwise the driver's. */
EXPORT void *dlsym(void *handle, const char *symbol) {
    if (strncmp(symbol, "cu", 2) == 0) {
        Dl_info self;
        void *opened = dladdr((void *) &sizes, &self) != 0 ? dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD) : NULL;
        void *ours = opened == NULL ? NULL : original(opened, symbol);
        Dl_info of;
        if (ours != NULL && dladdr(ours, &of) != 0 && strcmp(of.dli_fname, self.dli_fname) == 0) {
            cuda = handle;
            return ours;
        }
    }
    return original(handle, symbol);
}

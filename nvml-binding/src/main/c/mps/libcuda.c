/*
 * A simulated libcuda.so.1 with as much of CUDA's driver interface as a tenant needs that allocates memory. It obeys the compute mode,
 * MPS, the limits of MPS and of cgroups, and the card's size, in this order, and adds what it takes to the ledger that the
 * simulated driver reads. The first card or MIG instance of CUDA_VISIBLE_DEVICES or NVIDIA_VISIBLE_DEVICES is its only one.
 */
#include "../machine.h"
#include "ledger.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_NOT_INITIALIZED = 3,
    CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_DEVICE_UNAVAILABLE = 46,
    CUDA_ERROR_INVALID_CONTEXT = 201,
    CUDA_ERROR_FILE_NOT_FOUND = 301,
    CUDA_ERROR_ILLEGAL_ADDRESS = 700,
    CUDA_ERROR_MPS_RPC_FAILURE = 806,
    CUDA_ERROR_MPS_CLIENT_TERMINATED = 810
};
enum { MODE_PROHIBITED = 2, MODE_EXCLUSIVE_PROCESS = 3, MOST_ALLOCATIONS = 1024, MULTIPROCESSOR_COUNT = 16 };

static char uuid[MAX_TEXT], cgroup[MAX_PATH];
static struct machine machine;
static const struct card *card; /* NULL: it is not there */
static const struct instance *instance; /* of that card; NULL: all of it */
static unsigned long long memory; /* without what the driver reserves */
static int mps = -1; /* the connection to the daemon; -1: without MPS */
static unsigned long long limit; /* of this process under MPS; 0: none */
static unsigned long long taken, context_of_limit, context_by_nvml;
static unsigned long long sizes[MOST_ALLOCATIONS];
static bool context;
static int lost; /* why there is no context any more */

static const char *variable(const char *name) {
    const char *value = getenv(name);
    return value == NULL ? "" : value;
}

/* The kept mode of the card, and the least that cgroup limits leave of it. */
static int kept(unsigned long long *limit_left) {
    char path[4200], line[1024], of[96], directory[512];
    int mode = 0, read = 0;
    unsigned long long soft = 0, hard = 0;
    snprintf(path, sizeof path, "%s.kept", variable(CARDS_VARIABLE));
    FILE *file = fopen(path, "re");
    if (file != NULL) {
        flock(fileno(file), LOCK_SH);
    }
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "mode %95s %d", of, &read) == 2 && strcmp(of, uuid) == 0) {
            mode = read;
        } else if (sscanf(line, "limit %95s %llu %llu %511s", of, &soft, &hard, directory) == 4 && strcmp(of, uuid) == 0) {
            size_t length = strlen(directory);
            if (strncmp(cgroup, directory, length) == 0 && (cgroup[length] == '\0' || cgroup[length] == '/')) {
                unsigned long long used = ledger_used(uuid, directory), left = used > hard ? 0 : hard - used;
                *limit_left = left < *limit_left ? left : *limit_left;
            }
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return mode;
}

/* The bytes of the card that no program has. */
static unsigned long long free_bytes(void) {
    unsigned long long used = ledger_used(uuid, NULL) + (card->contexts ? (unsigned long long) DRIVER_MIB << 20 : 0);
    return used < memory ? memory - used : 0;
}

static bool record(void) {
    char words[MAX_PATH + 64];
    snprintf(words, sizeof words, "%s%s%s%s%s", mps >= 0 ? " mps" : "", *cgroup == '\0' ? "" : " cgroup=", cgroup,
            *variable("GPUSHARE_SIMULATED_UTILISATION") == '\0' ? "" : " utilisation=",
            variable("GPUSHARE_SIMULATED_UTILISATION"));
    return ledger_put(uuid, getpid(), taken + context_by_nvml, words);
}

EXPORT int cuInit(unsigned int flags) {
    (void) flags;
    const char *cards = *variable("CUDA_VISIBLE_DEVICES") != '\0' ? variable("CUDA_VISIBLE_DEVICES")
                                                                  : variable("NVIDIA_VISIBLE_DEVICES");
    snprintf(uuid, sizeof uuid, "%.*s", (int) strcspn(cards, ","), cards);
    snprintf(cgroup, sizeof cgroup, "%s", variable("GPUSHARE_SIMULATED_CGROUP"));
    char problem[512];
    if (!machine_parse(variable(CARDS_VARIABLE), &machine, problem, sizeof problem)) {
        return CUDA_ERROR_NO_DEVICE;
    }
    card = machine_card(&machine, uuid);
    instance = card == NULL ? machine_instance(&machine, uuid, &card) : NULL;
    memory = card == NULL ? 0 : instance == NULL ? card->memory - card->reserved : instance->memory;
    return card != NULL ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
}

EXPORT int cuDeviceGetCount(int *count) {
    *count = card == NULL ? 0 : 1;
    return CUDA_SUCCESS;
}

EXPORT int cuDeviceGet(int *device, int ordinal) {
    *device = ordinal;
    return ordinal == 0 && card != NULL ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
}

/* The multiprocessors that the share of MPS leaves: whole pairs, as seen on an H100, where 25 percent of 132 are 32. */
EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device) {
    (void) device;
    if (card == NULL || attribute != MULTIPROCESSOR_COUNT) {
        return card == NULL ? CUDA_ERROR_NO_DEVICE : CUDA_ERROR_INVALID_VALUE;
    }
    const char *share = variable("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE");
    int all = (int) (instance == NULL ? card->kind->multiprocessors : instance_multiprocessors(card, instance));
    int left = all * atoi(share) / 200 * 2;
    *value = mps < 0 || *share == '\0' ? all : left > 2 ? left : 2;
    return CUDA_SUCCESS;
}

/* The limit of the only card in the variable of MPS, 0: none. One for a card that is not there drops all limits, the server's
 * too: seen on drivers 580 and 615. */
static unsigned long long wanted_mib(bool *dropped) {
    unsigned long long wanted = 0, amount;
    unsigned int card;
    char unit;
    for (const char *at = variable("CUDA_MPS_PINNED_DEVICE_MEM_LIMIT"); sscanf(at, "%u=%llu%c", &card, &amount, &unit) == 3;
            at += strcspn(at, ","), at += *at == ',') {
        wanted = card == 0 ? (unit == 'G' ? amount << 10 : amount) : wanted;
        *dropped = *dropped || card > 0;
    }
    return wanted;
}

/* Becomes a client if there is a daemon; waits while the daemon makes it wait. */
static int connect_mps(void) {
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    const char *directory = *variable("CUDA_MPS_PIPE_DIRECTORY") == '\0' ? "/tmp/nvidia-mps"
                                                                         : variable("CUDA_MPS_PIPE_DIRECTORY");
    char message[64];
    bool dropped = false;
    unsigned long long wanted = wanted_mib(&dropped);
    int error = 0, length = snprintf(to.sun_path, sizeof to.sun_path, "%s/control", directory);
    int connection = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (length >= (int) sizeof to.sun_path || connect(connection, (struct sockaddr *) &to, sizeof to) != 0) {
        close(connection);
        return CUDA_SUCCESS;
    }
    length = snprintf(message, sizeof message, "client %llu", wanted) + 1;
    if (send(connection, message, (size_t) length, MSG_NOSIGNAL) < 0
            || recv(connection, message, sizeof message, 0) <= 0) {
        close(connection);
        return CUDA_ERROR_MPS_RPC_FAILURE;
    }
    if (sscanf(message, "error %d", &error) == 1) {
        close(connection);
        return error;
    }
    sscanf(message, "limit %llu", &limit);
    limit = dropped ? 0 : limit << 20;
    mps = connection;
    return CUDA_SUCCESS;
}

EXPORT int cuCtxCreate_v2(void **created, unsigned int flags, int device) {
    (void) flags;
    (void) device;
    if (card == NULL) {
        return CUDA_ERROR_NOT_INITIALIZED;
    }
    unsigned long long limit_left = ~0ULL;
    int mode = kept(&limit_left), error = mode == MODE_PROHIBITED ? CUDA_ERROR_DEVICE_UNAVAILABLE : connect_mps();
    if (error == CUDA_SUCCESS && mps < 0 && mode == MODE_EXCLUSIVE_PROCESS && ledger_used(uuid, NULL) > 0) {
        error = CUDA_ERROR_DEVICE_UNAVAILABLE;
    }
    if (error == CUDA_SUCCESS && card->contexts) {
        context_of_limit = (unsigned long long) CONTEXT_OF_LIMIT_MIB << 20;
        context_by_nvml = (unsigned long long) (mps >= 0 ? CONTEXT_WITH_MPS_MIB : CONTEXT_WITHOUT_MPS_MIB) << 20;
        error = limit > 0 && context_of_limit > limit ? CUDA_ERROR_OUT_OF_MEMORY
                : record()                             ? CUDA_SUCCESS
                                                       : CUDA_ERROR_NOT_INITIALIZED;
    }
    context = error == CUDA_SUCCESS;
    *created = &context;
    return error;
}

/* Whether the context still exists: 0, or the error of MPS. */
EXPORT int cuCtxSynchronize(void) {
    char message[64];
    struct pollfd polled = {mps, POLLIN, 0};
    if (!context) {
        return lost != CUDA_SUCCESS ? lost : CUDA_ERROR_INVALID_CONTEXT;
    }
    if (mps < 0 || poll(&polled, 1, 0) == 0) {
        return CUDA_SUCCESS;
    }
    ssize_t length = recv(mps, message, sizeof message, 0);
    context = false;
    taken = 0;
    lost = length <= 0                   ? CUDA_ERROR_MPS_RPC_FAILURE
           : strcmp(message, "fault") == 0 ? CUDA_ERROR_ILLEGAL_ADDRESS
                                           : CUDA_ERROR_MPS_CLIENT_TERMINATED;
    return lost;
}

/* The kernels of a module, which is any file: one of that name ends with a fatal fault, all others compute nothing. */
EXPORT int cuModuleLoad(void **module, const char *file) {
    *module = &context;
    return access(file, R_OK) == 0 ? CUDA_SUCCESS : CUDA_ERROR_FILE_NOT_FOUND;
}

EXPORT int cuModuleGetFunction(void **function, void *module, const char *name) {
    (void) module;
    *function = strcmp(name, "bad_address") == 0 ? NULL : (void *) &context;
    return CUDA_SUCCESS;
}

/* As the kernel driver does for an address that is not mapped. */
static void report_xid(void) {
    char path[4200];
    snprintf(path, sizeof path, "%s.xids", variable(CARDS_VARIABLE));
    FILE *file = fopen(path, "ae");
    if (file != NULL) {
        fprintf(file, "xid %s 31 %d\n", uuid, (int) getpid());
        fclose(file);
    }
}

/* The fatal fault is returned by a later call: kernels run by themselves. */
EXPORT int cuLaunchKernel(void *function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z, unsigned int block_x,
        unsigned int block_y, unsigned int block_z, unsigned int shared, void *stream, void **parameters, void **extra) {
    (void) grid_x, (void) grid_y, (void) grid_z, (void) block_x, (void) block_y, (void) block_z;
    (void) shared, (void) stream, (void) parameters, (void) extra;
    if (!context) {
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    if (function != NULL) {
        return CUDA_SUCCESS;
    }
    report_xid();
    if (mps >= 0) {
        send(mps, "fault", sizeof "fault", MSG_NOSIGNAL);
    } else {
        context = false;
        lost = CUDA_ERROR_ILLEGAL_ADDRESS;
    }
    return CUDA_SUCCESS;
}

EXPORT int cuMemAlloc_v2(unsigned long long *pointer, size_t bytes) {
    unsigned long long limit_left = ~0ULL;
    int error = cuCtxSynchronize();
    if (error != CUDA_SUCCESS) {
        return error;
    }
    kept(&limit_left);
    unsigned int at = 0;
    while (at < MOST_ALLOCATIONS && sizes[at] > 0) {
        at++;
    }
    if (at == MOST_ALLOCATIONS || (limit > 0 && context_of_limit + taken + bytes > limit) || bytes > limit_left
            || bytes > free_bytes()) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    sizes[at] = bytes;
    taken += bytes;
    *pointer = at + 1;
    return record() ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

EXPORT int cuMemFree_v2(unsigned long long pointer) {
    if (pointer == 0 || pointer > MOST_ALLOCATIONS) {
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    taken -= sizes[pointer - 1];
    sizes[pointer - 1] = 0;
    record();
    return CUDA_SUCCESS;
}

EXPORT int cuMemcpyDtoDAsync_v2(unsigned long long to, unsigned long long from, size_t bytes, void *stream) {
    (void) to, (void) from, (void) bytes, (void) stream;
    return context ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

/* As with MPS on real cards: free is the limit's rest, total the whole card without what the driver reserves. */
EXPORT int cuMemGetInfo_v2(size_t *free, size_t *total) {
    if (card == NULL) {
        return CUDA_ERROR_NOT_INITIALIZED;
    }
    unsigned long long limit_left = ~0ULL, left = free_bytes();
    kept(&limit_left);
    left = limit > 0 && limit - context_of_limit - taken < left ? limit - context_of_limit - taken : left;
    *free = limit_left < left ? limit_left : left;
    *total = memory;
    return CUDA_SUCCESS;
}

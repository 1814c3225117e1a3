/* Keeps the machine in sync with its file, and creates handles. One lock guards all state; no call waits while it holds it. */
#define _GNU_SOURCE /* dladdr */
#include "driver.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_HANDLES = 1024 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned int initialised;
static int session = -1; /* the file of the cards, open as long as somebody has initialised this library */
static char own_path[PATH_MAX + 8]; /* the file `cards` in the folder of this library */
static char path[4096];             /* the file from which `machine` was read */
static struct stat last_stat;
static nvmlReturn_t state;
static char problem[1024]; /* why the file is malformed */
static struct machine machine;
static struct simulated_handle handles[MAX_HANDLES];
static unsigned int handle_count;

/* The driver's version that the name of this library's file has, as in NVIDIA's packages; empty: it fits every driver. */
static char own_version[NAME_MAX + 1];

/* The file may be gone later: a driver's update replaces it. */
__attribute__((constructor)) static void read_own_name(void) {
    static const char NAME[] = "/libnvidia-ml.so.";
    char file[PATH_MAX];
    Dl_info self;
    if (dladdr(&lock, &self) != 0 && realpath(self.dli_fname, file) != NULL) {
        const char *name = strrchr(file, '/'), *version = strstr(name, NAME);
        if (version != NULL && strchr(version + strlen(NAME), '.') != NULL) {
            snprintf(own_version, sizeof own_version, "%s", version + strlen(NAME));
        }
        snprintf(own_path, sizeof own_path, "%.*s/cards", (int) (name - file), file);
    }
}

/* What the loaded driver returns to this library. */
static nvmlReturn_t mismatch(void) {
    return *own_version != '\0' && strcmp(own_version, machine.version) != 0 ? NVML_ERROR_LIB_RM_VERSION_MISMATCH
                                                                             : NVML_SUCCESS;
}

static bool same_file(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size
            && a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static nvmlReturn_t forget(nvmlReturn_t answer) {
    *path = '\0';
    return answer;
}

/* Reads the file if it was replaced or changed since the last call. */
static nvmlReturn_t refresh(void) {
    const char *environment = getenv("GPUSHARE_SIMULATED_CARDS");
    const char *file_path = environment != NULL ? environment : own_path;
    struct stat now;
    if (strlen(file_path) >= sizeof path || stat(file_path, &now) != 0 || !S_ISREG(now.st_mode)
            || access(file_path, R_OK) != 0) {
        return forget(NVML_ERROR_DRIVER_NOT_LOADED);
    }
    /* Processes end without a change of the file. */
    char processes[sizeof path + 16];
    snprintf(processes, sizeof processes, "%s.processes", file_path);
    bool changed = strcmp(file_path, path) != 0 || !same_file(&now, &last_stat);
    if (!changed && access(processes, F_OK) != 0) {
        return state;
    }
    strcpy(path, file_path);
    *problem = '\0';
    last_stat = now;
    state = machine_parse(path, &machine, problem, sizeof problem) ? mismatch() : NVML_ERROR_UNKNOWN;
    if (*problem != '\0') {
        fprintf(stderr, "simulated driver: %s\n", problem);
    } else if (changed) {
        mig_write_minors(path, &machine);
    }
    return state;
}

const char *driver_cards_file(void) {
    return path;
}

nvmlReturn_t driver_failure(const struct failures *failures, const char *call) {
    for (unsigned int i = 0; i < failures->count; i++) {
        if (strcmp(failures->calls[i].call, call) == 0) {
            return failures->calls[i].error;
        }
    }
    return NVML_SUCCESS;
}

nvmlReturn_t driver_enter_call(const char *call, const struct machine **to) {
    pthread_mutex_lock(&lock);
    *to = &machine;
    nvmlReturn_t answer = initialised == 0 ? NVML_ERROR_UNINITIALIZED : refresh();
    return answer == NVML_SUCCESS ? driver_failure(&machine.failures, call) : answer;
}

nvmlReturn_t driver_enter_card_call(
        const char *call, nvmlDevice_t device, const struct machine **to, const struct card **card) {
    const struct instance *instance;
    nvmlReturn_t answer = driver_enter_device_call(call, device, to, card, &instance);
    return answer == NVML_SUCCESS && instance != NULL ? NVML_ERROR_NOT_SUPPORTED : answer;
}

nvmlReturn_t driver_enter_device_call(const char *call, nvmlDevice_t device, const struct machine **to,
        const struct card **card, const struct instance **instance) {
    nvmlReturn_t answer = driver_enter_call(call, to);
    if (answer != NVML_SUCCESS) {
        return answer;
    }
    bool known = false;
    for (unsigned int i = 0; i < handle_count && !known; i++) {
        known = device == &handles[i];
    }
    if (!known) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    *instance = NULL;
    *card = machine_card(*to, device->uuid);
    if (*card == NULL) {
        *instance = machine_instance(*to, device->uuid, card);
    }
    if (*card == NULL) {
        return strncmp(device->uuid, "MIG-", 4) == 0 ? NVML_ERROR_NOT_FOUND : NVML_ERROR_GPU_IS_LOST;
    }
    return (*card)->error != NVML_SUCCESS ? (*card)->error : driver_failure(&(*card)->failures, call);
}

nvmlReturn_t driver_leave(nvmlReturn_t answer) {
    pthread_mutex_unlock(&lock);
    return answer;
}

nvmlDevice_t driver_handle(const char *uuid) {
    for (unsigned int i = 0; i < handle_count; i++) {
        if (strcmp(handles[i].uuid, uuid) == 0) {
            return &handles[i];
        }
    }
    if (handle_count == MAX_HANDLES) {
        return NULL;
    }
    strcpy(handles[handle_count].uuid, uuid);
    return &handles[handle_count++];
}

EXPORT nvmlReturn_t nvmlInit_v2(void) {
    pthread_mutex_lock(&lock);
    nvmlReturn_t answer = refresh();
    if (answer == NVML_SUCCESS) {
        answer = driver_failure(&machine.failures, "nvmlInit_v2");
    }
    if (answer == NVML_SUCCESS) {
        if (initialised++ == 0) {
            session = open(path, O_RDONLY | O_CLOEXEC);
        }
    }
    return driver_leave(answer);
}

EXPORT nvmlReturn_t nvmlShutdown(void) {
    pthread_mutex_lock(&lock);
    if (initialised == 0) {
        return driver_leave(NVML_ERROR_UNINITIALIZED);
    }
    if (--initialised == 0) {
        if (session >= 0) {
            close(session);
            session = -1;
        }
        events_free_all();
        forget(NVML_SUCCESS);
    }
    return driver_leave(NVML_SUCCESS);
}

/* Not part of NVML: the last sentence on standard error, or "", for tests. */
EXPORT const char *simulatedProblem(void) {
    return problem;
}

/* The calls about MIG instances. Old drivers have none of them. */
#include "driver.h"
#include <stdio.h>
#include <unistd.h>

enum { CAPABLE_CARDS = 32, CONFIG_AND_MONITOR = 3, GPU_INSTANCES = 15, COMPUTE_INSTANCES = 8 };

void mig_write_minors(const char *file, const struct machine *machine) {
    char path[4200], next[4300];
    bool any = false;
    for (unsigned int i = 0; i < machine->card_count; i++) {
        any = any || machine->cards[i].kind->mig;
    }
    snprintf(path, sizeof path, "%s.mig-minors", file);
    snprintf(next, sizeof next, "%s.next", path);
    FILE *minors = any && access(path, F_OK) != 0 ? fopen(next, "we") : NULL;
    if (minors == NULL) {
        return;
    }
    fprintf(minors, "config 1\nmonitor 2\n");
    for (unsigned int gpu = 0; gpu < CAPABLE_CARDS; gpu++) {
        for (unsigned int gi = 0; gi < GPU_INSTANCES; gi++) {
            unsigned int cap = CONFIG_AND_MONITOR + (gpu * GPU_INSTANCES + gi) * (1 + COMPUTE_INSTANCES);
            fprintf(minors, "gpu%u/gi%u/access %u\n", gpu, gi, cap);
            for (unsigned int ci = 0; ci < COMPUTE_INSTANCES; ci++) {
                fprintf(minors, "gpu%u/gi%u/ci%u/access %u\n", gpu, gi, ci, cap + 1 + ci);
            }
        }
    }
    fclose(minors);
    rename(next, path);
}

#ifndef OLD_DRIVER
/* Each call enters with the card of its handle, and the instance if the handle is one's. */
#define ENTER(device)                                                                                                  \
    const struct machine *machine;                                                                                     \
    const struct card *card;                                                                                           \
    const struct instance *instance;                                                                                   \
    nvmlReturn_t answer = driver_enter_device(device, &machine, &card, &instance);                                     \
    if (answer != NVML_SUCCESS) {                                                                                      \
        return driver_leave(answer);                                                                                   \
    }

EXPORT nvmlReturn_t nvmlDeviceIsMigDeviceHandle(nvmlDevice_t device, unsigned int *is) {
    ENTER(device)
    *is = instance != NULL;
    return driver_leave(NVML_SUCCESS);
}

EXPORT nvmlReturn_t nvmlDeviceGetMaxMigDeviceCount(nvmlDevice_t device, unsigned int *count) {
    ENTER(device)
    *count = instance == NULL && card->mig ? MAX_INSTANCES : 0;
    return driver_leave(instance == NULL ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT);
}

EXPORT nvmlReturn_t nvmlDeviceGetMigDeviceHandleByIndex(nvmlDevice_t device, unsigned int index, nvmlDevice_t *mig) {
    ENTER(device)
    if (instance != NULL) {
        return driver_leave(NVML_ERROR_INVALID_ARGUMENT);
    }
    if (index >= MAX_INSTANCES || *card->instances[index].profile == '\0') {
        return driver_leave(NVML_ERROR_NOT_FOUND);
    }
    *mig = driver_handle(card->instances[index].uuid);
    return driver_leave(*mig == NULL ? NVML_ERROR_INSUFFICIENT_RESOURCES : NVML_SUCCESS);
}

EXPORT nvmlReturn_t nvmlDeviceGetDeviceHandleFromMigDeviceHandle(nvmlDevice_t mig, nvmlDevice_t *device) {
    ENTER(mig)
    if (instance == NULL) {
        return driver_leave(NVML_ERROR_INVALID_ARGUMENT);
    }
    *device = driver_handle(card->uuid);
    return driver_leave(*device == NULL ? NVML_ERROR_INSUFFICIENT_RESOURCES : NVML_SUCCESS);
}

EXPORT nvmlReturn_t nvmlDeviceGetGpuInstanceId(nvmlDevice_t device, unsigned int *id) {
    ENTER(device)
    if (instance != NULL) {
        *id = instance->gpu_instance;
    }
    return driver_leave(instance == NULL ? NVML_ERROR_INVALID_ARGUMENT : NVML_SUCCESS);
}

EXPORT nvmlReturn_t nvmlDeviceGetComputeInstanceId(nvmlDevice_t device, unsigned int *id) {
    ENTER(device)
    if (instance != NULL) {
        *id = instance->compute_instance;
    }
    return driver_leave(instance == NULL ? NVML_ERROR_INVALID_ARGUMENT : NVML_SUCCESS);
}

EXPORT nvmlReturn_t nvmlDeviceGetAttributes_v2(nvmlDevice_t device, nvmlDeviceAttributes_t *attributes) {
    ENTER(device)
    if (instance == NULL) {
        return driver_leave(NVML_ERROR_NOT_SUPPORTED);
    }
    *attributes = (nvmlDeviceAttributes_t) {
            .multiprocessorCount = instance_multiprocessors(card, instance),
            .sharedCopyEngineCount = instance->gpu_slices,
            .gpuInstanceSliceCount = instance->gpu_slices,
            .computeInstanceSliceCount = instance->compute_slices,
            .memorySizeMB = instance->memory >> 20,
    };
    return driver_leave(NVML_SUCCESS);
}
#endif

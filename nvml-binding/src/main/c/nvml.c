/* The calls that return a fact of the driver or of one card. OLD_DRIVER omits the calls that old drivers lack. */
#include "driver.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Copies text into the caller's buffer, as NVML's text calls do. */
static nvmlReturn_t give(const char *from, char *to, unsigned int length) {
    if (to == NULL) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (strlen(from) >= length) {
        return NVML_ERROR_INSUFFICIENT_SIZE;
    }
    strcpy(to, from);
    return NVML_SUCCESS;
}

EXPORT const char *nvmlErrorString(nvmlReturn_t code) {
    switch (code) {
        case NVML_SUCCESS: return "The operation was successful";
        case NVML_ERROR_UNINITIALIZED: return "Uninitialized";
        case NVML_ERROR_INVALID_ARGUMENT: return "Invalid Argument";
        case NVML_ERROR_NOT_SUPPORTED: return "Not Supported";
        case NVML_ERROR_NO_PERMISSION: return "Insufficient Permissions";
        case NVML_ERROR_NOT_FOUND: return "Not Found";
        case NVML_ERROR_INSUFFICIENT_SIZE: return "Insufficient Size";
        case NVML_ERROR_DRIVER_NOT_LOADED: return "Driver Not Loaded";
        case NVML_ERROR_TIMEOUT: return "Timeout";
        case NVML_ERROR_LIBRARY_NOT_FOUND: return "NVML Shared Library Not Found";
        case NVML_ERROR_FUNCTION_NOT_FOUND: return "Function Not Found";
        case NVML_ERROR_GPU_IS_LOST: return "GPU is lost";
        case NVML_ERROR_RESET_REQUIRED: return "GPU requires reset";
        case NVML_ERROR_LIB_RM_VERSION_MISMATCH: return "Driver/library version mismatch";
        case NVML_ERROR_IN_USE: return "In use by another client";
        case NVML_ERROR_INSUFFICIENT_RESOURCES: return "Insufficient Resources";
        case NVML_ERROR_ARGUMENT_VERSION_MISMATCH: return "Argument version mismatch";
        default: return "Unknown Error";
    }
}

/* Each call: enter, write the fact to the caller's variable, leave. */
#define DRIVER_FACT(signature, body)                                                                                   \
    EXPORT nvmlReturn_t signature {                                                                                    \
        const struct machine *machine;                                                                                 \
        nvmlReturn_t answer = driver_enter(&machine);                                                                  \
        if (answer == NVML_SUCCESS) {                                                                                  \
            body                                                                                                       \
        }                                                                                                              \
        return driver_leave(answer);                                                                                   \
    }
#define CARD_FACT(signature, body)                                                                                     \
    EXPORT nvmlReturn_t signature {                                                                                    \
        const struct machine *machine;                                                                                 \
        const struct card *card;                                                                                       \
        nvmlReturn_t answer = driver_enter_card(device, &machine, &card);                                              \
        if (answer == NVML_SUCCESS) {                                                                                  \
            body                                                                                                       \
        }                                                                                                              \
        return driver_leave(answer);                                                                                   \
    }

/* The same for calls that also answer for MIG instances. */
#define DEVICE_FACT(signature, body)                                                                                   \
    EXPORT nvmlReturn_t signature {                                                                                    \
        const struct machine *machine;                                                                                 \
        const struct card *card;                                                                                       \
        const struct instance *instance;                                                                               \
        nvmlReturn_t answer = driver_enter_device(device, &machine, &card, &instance);                                 \
        if (answer == NVML_SUCCESS) {                                                                                  \
            body                                                                                                       \
        }                                                                                                              \
        return driver_leave(answer);                                                                                   \
    }

DRIVER_FACT(nvmlSystemGetDriverVersion(char *version, unsigned int length), answer = give(machine->version, version, length);)
DRIVER_FACT(nvmlSystemGetNVMLVersion(char *version, unsigned int length), answer = give(machine->nvml, version, length);)
DRIVER_FACT(nvmlSystemGetCudaDriverVersion_v2(int *version),
        *version = (int) (machine->cuda_major * 1000 + machine->cuda_minor * 10);)
DRIVER_FACT(nvmlDeviceGetCount_v2(unsigned int *count), *count = machine->card_count;)

/* The handle of a card, or of its instance with that UUID. A lost or failing card returns its error here. */
static nvmlReturn_t handle_of(const char *call, const struct card *card, const char *uuid, nvmlDevice_t *device) {
    nvmlReturn_t failure = card->error != NVML_SUCCESS ? card->error : driver_failure(&card->failures, call);
    if (failure != NVML_SUCCESS) {
        return failure;
    }
    *device = driver_handle(uuid);
    return *device == NULL ? NVML_ERROR_INSUFFICIENT_RESOURCES : NVML_SUCCESS;
}

DRIVER_FACT(nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t *device),
        answer = index < machine->card_count ? handle_of(__func__, &machine->cards[index], machine->cards[index].uuid, device) : NVML_ERROR_INVALID_ARGUMENT;)
DRIVER_FACT(nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device),
        const struct card *card = uuid == NULL ? NULL : machine_card(machine, uuid);
        if (uuid != NULL && card == NULL) { machine_instance(machine, uuid, &card); }
        answer = uuid == NULL ? NVML_ERROR_INVALID_ARGUMENT
                : card == NULL ? NVML_ERROR_NOT_FOUND : handle_of(__func__, card, uuid, device);)

static nvmlReturn_t give_name(const struct card *card, const struct instance *instance, char *name, unsigned int length) {
    char text[MAX_TEXT * 2 + 8];
    snprintf(text, sizeof text, "%s%s%s", card->kind->name, instance == NULL ? "" : " MIG ",
            instance == NULL ? "" : instance->profile);
    return give(text, name, length);
}

DEVICE_FACT(nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned int length),
        answer = give_name(card, instance, name, length);)
DEVICE_FACT(nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned int length),
        answer = give(instance == NULL ? card->uuid : instance->uuid, uuid, length);)
CARD_FACT(nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned int *minor), *minor = card->minor;)
CARD_FACT(nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int *major, int *minor),
        *major = card->kind->major; *minor = card->kind->minor;)
CARD_FACT(nvmlDeviceGetUtilizationRates(nvmlDevice_t device, nvmlUtilization_t *utilisation),
        if (card->mig) { answer = NVML_ERROR_NOT_SUPPORTED; } else {
            *utilisation = ((nvmlUtilization_t) {card->utilisation_gpu, card->utilisation_memory});
        })
CARD_FACT(nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned int *milliwatts),
        *milliwatts = card->power_watts * 1000;)
CARD_FACT(nvmlDeviceGetTemperature(nvmlDevice_t device, int sensor, unsigned int *celsius),
        if (sensor == NVML_TEMPERATURE_GPU) { *celsius = card->temperature; } else { answer = NVML_ERROR_INVALID_ARGUMENT; })
CARD_FACT(nvmlDeviceGetEccMode(nvmlDevice_t device, int *current, int *pending),
        *current = *pending = card->ecc ? NVML_FEATURE_ENABLED : NVML_FEATURE_DISABLED;)
CARD_FACT(nvmlDeviceGetTotalEccErrors(
        nvmlDevice_t device, int error, int counter, unsigned long long *count),
        if (!card->ecc) { answer = NVML_ERROR_NOT_SUPPORTED; } else if (
                error < NVML_MEMORY_ERROR_TYPE_CORRECTED || error > NVML_MEMORY_ERROR_TYPE_UNCORRECTED
                || counter < NVML_VOLATILE_ECC || counter > NVML_AGGREGATE_ECC) {
            answer = NVML_ERROR_INVALID_ARGUMENT;
        } else {
            *count = error == NVML_MEMORY_ERROR_TYPE_CORRECTED ? card->ecc_corrected : card->ecc_uncorrected;
        })

/* The memory in use: that of programs, and beside it the driver's own. */
static unsigned long long used(const struct card *card) {
    return card->used + (card->contexts && card->used > 0 ? (unsigned long long) DRIVER_MIB << 20 : 0);
}

/* What programs can still have, at least 0. */
static unsigned long long left(const struct card *card) {
    unsigned long long taken = card->reserved + used(card);
    return taken < card->memory ? card->memory - taken : 0;
}

/* Newer drivers count what they reserve as used here; older ones leave it out of the total. */
DEVICE_FACT(nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory),
        if (instance != NULL) {
            *memory = ((nvmlMemory_t) {instance->memory, instance->memory - instance->used, instance->used});
        } else {
#ifdef OLD_DRIVER
            *memory = ((nvmlMemory_t) {card->memory - card->reserved, left(card), used(card)});
#else
            *memory = ((nvmlMemory_t) {card->memory, left(card), card->memory - left(card)});
#endif
        })

static void give_pci(const struct card *card, nvmlPciInfo_t *pci) {
    memset(pci, 0, sizeof *pci);
    pci->bus = card->bus;
    pci->pciDeviceId = card->kind->pci_id;
    snprintf(pci->busIdLegacy, sizeof pci->busIdLegacy, "0000:%02X:00.0", card->bus & 0xFF);
    snprintf(pci->busId, sizeof pci->busId, "00000000:%02X:00.0", card->bus & 0xFF);
}

CARD_FACT(nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *pci), give_pci(card, pci);)

EXPORT nvmlReturn_t nvmlDeviceGetTopologyCommonAncestor(nvmlDevice_t a, nvmlDevice_t b, int *level) {
    const struct machine *machine;
    const struct card *one, *other;
    nvmlReturn_t answer = driver_leave(driver_enter_card(b, &machine, &other));
    if (answer != NVML_SUCCESS) {
        return answer;
    }
    answer = driver_enter_card(a, &machine, &one);
    if (answer == NVML_SUCCESS) {
        /* Looked up again: the file may have changed between the two. */
        other = machine_card(machine, b->uuid);
        *level = one == other ? NVML_TOPOLOGY_INTERNAL
                : other != NULL && *one->pcie_switch != '\0' && strcmp(one->pcie_switch, other->pcie_switch) == 0
                ? NVML_TOPOLOGY_SINGLE
                : other != NULL && one->numa == other->numa ? NVML_TOPOLOGY_NODE
                                                            : NVML_TOPOLOGY_SYSTEM;
    }
    return driver_leave(answer);
}

/* NVML_NVLINK_MAX_LINKS of that driver. */
static unsigned int max_nvlinks(const struct machine *machine) {
    return machine->major < 610 ? 18 : MAX_NVLINKS;
}

/* Links are ordered by the peer's number, those to the switch last. *peer is NULL for the switch. */
static nvmlReturn_t link_peer(
        const struct machine *machine, const struct card *card, unsigned int link, const struct card **peer) {
    if (card->nvlinks == 0) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    if (link >= card->nvlinks || link >= max_nvlinks(machine)) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    unsigned int first = 0;
    for (unsigned int i = 0; i < machine->card_count; first += card->links_to[i++]) {
        if (link < first + card->links_to[i]) {
            *peer = &machine->cards[i];
            return NVML_SUCCESS;
        }
    }
    *peer = NULL;
    return link < first + card->links_to_switch ? NVML_SUCCESS : NVML_ERROR_NOT_FOUND;
}

CARD_FACT(nvmlDeviceGetNvLinkState(nvmlDevice_t device, unsigned int link, int *active),
        const struct card *peer; answer = link_peer(machine, card, link, &peer);
        *active = answer == NVML_SUCCESS ? NVML_FEATURE_ENABLED : NVML_FEATURE_DISABLED;
        answer = answer == NVML_ERROR_NOT_FOUND ? NVML_SUCCESS : answer;)

CARD_FACT(nvmlDeviceGetNvLinkRemotePciInfo_v2(nvmlDevice_t device, unsigned int link, nvmlPciInfo_t *pci),
        const struct card *peer; answer = link_peer(machine, card, link, &peer);
        if (answer == NVML_SUCCESS && peer != NULL) { give_pci(peer, pci); } else if (answer == NVML_SUCCESS) {
            memset(pci, 0, sizeof *pci);
            pci->bus = 0xF0;
            strcpy(pci->busIdLegacy, "0000:F0:00.0");
            strcpy(pci->busId, "00000000:F0:00.0");
        })

/* One process as the calls return it, with the numbers of its instance if it has one. */
struct listed {
    const struct process *process;
    unsigned int gpu_instance, compute_instance;
};

/* Writes as many processes of the card, or of its instance, as fit, through `put`, and returns their number as NVML does. */
static nvmlReturn_t give_kind(bool mps, const struct machine *machine, const struct card *card, const struct instance *of,
        unsigned int *count, void *infos, void (*put)(const struct listed *listed, void *infos, unsigned int at)) {
    unsigned int length = infos == NULL ? 0 : *count, found = 0;
    for (unsigned int i = 0; i < machine->process_count; i++) {
        const struct process *process = &machine->processes[i];
        const struct instance *instance = process->instance < 0 ? NULL : &card->instances[process->instance];
        if (&machine->cards[process->card] == card && process->mps == mps && (of == NULL || of == instance)) {
            if (found < length) {
                struct listed listed = {process, instance == NULL ? NVML_NO_INSTANCE : instance->gpu_instance,
                        instance == NULL ? NVML_NO_INSTANCE : instance->compute_instance};
                put(&listed, infos, found);
            }
            found++;
        }
    }
    *count = found;
    return found <= length ? NVML_SUCCESS : NVML_ERROR_INSUFFICIENT_SIZE;
}

/* The processes that compute without MPS. Whether real drivers also list its clients here is not documented. */
static nvmlReturn_t give_processes(const struct machine *machine, const struct card *card, const struct instance *instance,
        unsigned int *count, void *infos, void (*put)(const struct listed *listed, void *infos, unsigned int at)) {
    return give_kind(false, machine, card, instance, count, infos, put);
}

static void put_v1(const struct listed *listed, void *infos, unsigned int at) {
    ((nvmlProcessInfo_v1_t *) infos)[at] = (nvmlProcessInfo_v1_t) {listed->process->pid, listed->process->memory};
}

DEVICE_FACT(nvmlDeviceGetComputeRunningProcesses(nvmlDevice_t device, unsigned int *count, nvmlProcessInfo_v1_t *infos),
        answer = give_processes(machine, card, instance, count, infos, put_v1);)

/* One current sample for each process that computes; "not found" if the caller has seen all samples. */
static nvmlReturn_t give_samples(const struct machine *machine, const struct card *card,
        nvmlProcessUtilizationSample_t *samples, unsigned int *count, unsigned long long since) {
    struct timespec clock;
    clock_gettime(CLOCK_REALTIME, &clock);
    unsigned long long now = (unsigned long long) clock.tv_sec * 1000000ULL + (unsigned long long) clock.tv_nsec / 1000ULL;
    unsigned int length = samples == NULL ? 0 : *count, found = 0;
    for (unsigned int i = 0; i < machine->process_count && now > since; i++) {
        const struct process *process = &machine->processes[i];
        if (&machine->cards[process->card] == card && process->utilisation > 0) {
            if (found < length) {
                samples[found] = (nvmlProcessUtilizationSample_t) {
                        process->pid, now, process->utilisation, process->utilisation / 2, 0, 0};
            }
            found++;
        }
    }
    *count = found;
    return found == 0 ? NVML_ERROR_NOT_FOUND : found <= length ? NVML_SUCCESS : NVML_ERROR_INSUFFICIENT_SIZE;
}

CARD_FACT(nvmlDeviceGetProcessUtilization(nvmlDevice_t device, nvmlProcessUtilizationSample_t *samples,
        unsigned int *count, unsigned long long since),
        answer = card->mig ? NVML_ERROR_NOT_SUPPORTED : give_samples(machine, card, samples, count, since);)

#ifndef OLD_DRIVER
static void put_v2(const struct listed *listed, void *infos, unsigned int at) {
    ((nvmlProcessInfo_v2_t *) infos)[at] = (nvmlProcessInfo_v2_t) {
            listed->process->pid, listed->process->memory, listed->gpu_instance, listed->compute_instance};
}

static void put_535(const struct listed *listed, void *infos, unsigned int at) {
    ((nvmlProcessInfo_535_t *) infos)[at] = (nvmlProcessInfo_535_t) {
            listed->process->pid, listed->process->memory, listed->gpu_instance, listed->compute_instance, 0};
}

DEVICE_FACT(
        nvmlDeviceGetComputeRunningProcesses_v2(nvmlDevice_t device, unsigned int *count, nvmlProcessInfo_v2_t *infos),
        answer = give_processes(machine, card, instance, count, infos, put_v2);)
DEVICE_FACT(
        nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned int *count, nvmlProcessInfo_v2_t *infos),
        bool longer = machine->major == 535 && machine->minor >= 43 && machine->minor < 98;
        answer = give_processes(machine, card, instance, count, infos, longer ? put_535 : put_v2);)

DEVICE_FACT(nvmlDeviceGetMPSComputeRunningProcesses_v3(
        nvmlDevice_t device, unsigned int *count, nvmlProcessInfo_v2_t *infos),
        answer = give_kind(true, machine, card, instance, count, infos, put_v2);)

DEVICE_FACT(nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t *memory),
        if (memory->version != (sizeof *memory | 2U << 24)) { answer = NVML_ERROR_ARGUMENT_VERSION_MISMATCH; } else if (
                instance != NULL) {
            *memory = ((nvmlMemory_v2_t) {
                    memory->version, instance->memory, 0, instance->memory - instance->used, instance->used});
        } else {
            *memory = ((nvmlMemory_v2_t) {
                    memory->version, card->memory, card->reserved, left(card), used(card)});
        })

CARD_FACT(nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned int *current, unsigned int *pending),
        if (card->kind->mig) { *current = card->mig; *pending = card->mig_pending; } else { answer = NVML_ERROR_NOT_SUPPORTED; })

/* Only cards whose memory is a NUMA node have one; no simulated kind is such a card. */
CARD_FACT(nvmlDeviceGetNumaNodeId(nvmlDevice_t device, unsigned int *node), (void) node; answer = NVML_ERROR_NOT_SUPPORTED;)

/* The NUMA nodes closest to the card, as bits. */
CARD_FACT(nvmlDeviceGetMemoryAffinity(nvmlDevice_t device, unsigned int words, unsigned long *nodes, int scope),
        if (words == 0 || scope > NVML_AFFINITY_SCOPE_SOCKET) { answer = NVML_ERROR_INVALID_ARGUMENT; } else if (
                card->numa < 0) { answer = NVML_ERROR_NOT_SUPPORTED; } else {
            memset(nodes, 0, words * sizeof *nodes);
            nodes[0] = 1UL << card->numa;
        })

CARD_FACT(nvmlDeviceGetNvLinkRemoteDeviceType(nvmlDevice_t device, unsigned int link, int *type),
        const struct card *peer; answer = link_peer(machine, card, link, &peer);
        *type = answer == NVML_SUCCESS && peer == NULL ? NVML_NVLINK_DEVICE_TYPE_SWITCH : NVML_NVLINK_DEVICE_TYPE_GPU;)
#endif

/* Not part of NVML: the size of a structure, for the binding's test; 0: no structure of that name. */
EXPORT unsigned int simulatedSizeof(const char *name) {
    static const struct {
        const char *name;
        unsigned int size;
    } SIZES[] = {
#define SIZE(type) {#type, sizeof(type)}
        SIZE(nvmlMemory_t), SIZE(nvmlMemory_v2_t), SIZE(nvmlPciInfo_t), SIZE(nvmlUtilization_t),
        SIZE(nvmlProcessInfo_v1_t), SIZE(nvmlProcessInfo_v2_t), SIZE(nvmlProcessUtilizationSample_t),
        SIZE(nvmlSetMemoryLimits_v1_t), SIZE(nvmlGetMemoryLimits_v1_t),
        SIZE(nvmlDeviceAttributes_t), SIZE(nvmlEventData_v1_t), SIZE(nvmlEventData_t),
    };
    for (size_t i = 0; i < sizeof SIZES / sizeof SIZES[0]; i++) {
        if (strcmp(SIZES[i].name, name) == 0) {
            return SIZES[i].size;
        }
    }
    return 0;
}

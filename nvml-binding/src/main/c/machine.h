/* One simulated machine as described by its file: cards, links, processes. machine.c parses it, the other files read it. */
#ifndef SIMULATED_MACHINE_H
#define SIMULATED_MACHINE_H

#include "nvml_abi.h"
#include <stdbool.h>
#include <stddef.h>

enum { MAX_CARDS = 64, MAX_PROCESSES = 512, MAX_XIDS = 8, MAX_FAILING = 32, MAX_NVLINKS = 36, MAX_INSTANCES = 7, MAX_TEXT = 96, MAX_PATH = 512 };

/* What a context takes of the limit of MPS, and by NVML with and without MPS, and what the driver uses while programs have
 * memory. All of it on a card with context=on, as seen on an H100 with driver 580.159. */
enum { CONTEXT_OF_LIMIT_MIB = 514, CONTEXT_WITH_MPS_MIB = 516, CONTEXT_WITHOUT_MPS_MIB = 518, DRIVER_MIB = 8 };

/* The facts that all cards of one product share. */
struct kind {
    const char *key;  /* the name in the file */
    const char *name; /* the name from nvmlDeviceGetName */
    unsigned int memory_mib, reserved_mib; /* reserved: what the driver keeps of it, which CUDA's total lacks */
    int major, minor; /* CUDA compute capability */
    unsigned int pci_id;
    unsigned int idle_watts;
    unsigned int links; /* number of NVLinks */
    unsigned int multiprocessors;
    bool mig;
};

/* One Xid of a card, or of the instance in one of its places; another sequence number makes it a new event. */
struct xid {
    unsigned long long code, sequence;
    int instance; /* negative: the whole card */
};

/* One MIG instance: a compute instance in its GPU instance. */
struct instance {
    char profile[MAX_TEXT], uuid[MAX_TEXT]; /* no profile: the place is empty */
    unsigned int gpu_instance, compute_instance, gpu_slices, compute_slices;
    unsigned long long memory, used;
};

/* Calls of NVML that return an error. */
struct failures {
    struct {
        char call[MAX_TEXT];
        nvmlReturn_t error;
    } calls[MAX_FAILING];
    unsigned int count;
};

struct card {
    const struct kind *kind;
    char uuid[MAX_TEXT], seed[MAX_TEXT], mig_seed[MAX_TEXT], pcie_switch[MAX_TEXT];
    unsigned long long memory, reserved, used;
    int numa; /* -1: not reported by the platform */
    unsigned int minor, bus, nvlinks;
    unsigned long long ecc_corrected, ecc_uncorrected;
    unsigned int utilisation_gpu, utilisation_memory, temperature, power_watts;
    bool ecc, mig, mig_pending, events, contexts; /* mig_pending: after the next reset; contexts: they take memory */
    struct instance instances[MAX_INSTANCES];
    nvmlReturn_t error; /* the result of every call for this card; NVML_SUCCESS: the card is healthy */
    struct failures failures;
    unsigned int links_to[MAX_CARDS], links_to_switch;
    struct xid xids[MAX_XIDS];
    unsigned int xid_count;
};

struct process {
    unsigned int pid, card, utilisation; /* percent */
    int instance; /* the place of its instance; negative: none */
    unsigned long long memory; /* NVML_VALUE_NOT_AVAILABLE: unknown */
    bool mps; /* a client of MPS */
    char cgroup[MAX_PATH]; /* the directory of its cgroup; empty: unknown */
};

struct machine {
    char version[MAX_TEXT], nvml[MAX_TEXT], node[MAX_TEXT];
    unsigned int major, minor; /* the first two numbers of the version */
    struct failures failures;
    unsigned int cuda_major, cuda_minor;
    bool dmem; /* memory limits are those of the kernel's dmem controller, not the driver's own */
    struct card cards[MAX_CARDS];
    unsigned int card_count;
    struct process processes[MAX_PROCESSES];
    unsigned int process_count;
};

/* The kind of that key; NULL: none. */
const struct kind *kind_of(const char *key);
/* All keys, separated by ", ". */
const char *kind_keys(void);

/*
 * Parses the file, and after it the processes in `<path>.processes`, if that exists, as far as they live, and the Xids in
 * `<path>.xids`. false: `problem` describes the error, with its line number.
 */
bool machine_parse(const char *path, struct machine *machine, char *problem, size_t size);

/* The card of that UUID; NULL: none. */
const struct card *machine_card(const struct machine *machine, const char *uuid);

/* The instance of that UUID, and its card; NULL: none. */
const struct instance *machine_instance(const struct machine *machine, const char *uuid, const struct card **card);

/* The multiprocessors of an instance of that card: each slice has the same number, an even one. */
unsigned int instance_multiprocessors(const struct card *card, const struct instance *instance);

/* Cuts a card as `profiles` describes, as in 3g.40gb,-,1g.10gb: a dash is an empty place. false: no card can be cut so. */
bool instances_parse(const char *profiles, struct card *card);

#endif

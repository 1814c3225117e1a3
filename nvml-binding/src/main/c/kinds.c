/*
 * The products that can be simulated, with the values of their real drivers. What these reserve depends on their version
 * too: H100 and H200 are as seen with 580.159, A100, L4 as in recorded output of nvidia-smi, A10 as in that of NVML with 535.129,
 * the others as the total that CUDA reports in recorded messages of PyTorch.
 */
#include "machine.h"
#include <stdio.h>
#include <string.h>

static const struct kind KINDS[] = {
    /* key       name                      MiB  reserved CUDA  PCI id      W   links multiprocessors MIG */
    {"T4", "Tesla T4", 15360, 447, 7, 5, 0x1EB810DE, 9, 0, 40, false},
    {"V100-16", "Tesla V100-SXM2-16GB", 16384, 236, 7, 0, 0x1DB110DE, 24, 6, 80, false},
    {"V100-32", "Tesla V100-SXM2-32GB", 32768, 277, 7, 0, 0x1DB510DE, 24, 6, 80, false},
    {"A10", "NVIDIA A10", 23028, 517, 8, 6, 0x223610DE, 17, 0, 72, false},
    {"L4", "NVIDIA L4", 23034, 471, 8, 9, 0x27B810DE, 12, 0, 58, false},
    {"L40S", "NVIDIA L40S", 46068, 608, 8, 9, 0x26B910DE, 33, 0, 142, false},
    {"A100-40", "NVIDIA A100-SXM4-40GB", 40960, 620, 8, 0, 0x20B010DE, 46, 12, 108, true},
    {"A100-80", "NVIDIA A100-SXM4-80GB", 81920, 763, 8, 0, 0x20B210DE, 60, 12, 108, true},
    {"H100-80", "NVIDIA H100 80GB HBM3", 81559, 480, 9, 0, 0x233010DE, 70, 18, 132, true},
    {"H200-141", "NVIDIA H200", 143771, 616, 9, 0, 0x233510DE, 76, 18, 132, true},
};
enum { KIND_COUNT = sizeof KINDS / sizeof KINDS[0] };

const struct kind *kind_of(const char *key) {
    for (size_t i = 0; i < KIND_COUNT; i++) {
        if (strcmp(KINDS[i].key, key) == 0) {
            return &KINDS[i];
        }
    }
    return NULL;
}

/* The caller holds the driver's lock. */
const char *kind_keys(void) {
    static char keys[16 * KIND_COUNT];
    size_t length = 0;
    for (size_t i = 0; i < KIND_COUNT; i++) {
        length += (size_t) snprintf(keys + length, sizeof keys - length, "%s%s", i == 0 ? "" : ", ", KINDS[i].key);
    }
    return keys;
}

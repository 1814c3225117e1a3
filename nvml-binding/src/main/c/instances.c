/* The MIG instances into which a card is cut. */
#include "machine.h"
#include <stdio.h>
#include <string.h>

enum { SLICES = 7 };

/* What the driver keeps of an instance's memory: as seen on an H100, for sizes of other cards about. */
static unsigned long long kept_mib(unsigned int gb) {
    return gb < 16 ? 256 : gb < 32 ? 384 : gb < 64 ? 512 : gb < 80 ? 1024 : 768;
}

/* Real drivers number GPU instances by their size: 0 is the whole card, 7 the first of one slice. */
static unsigned int first_gpu_instance(unsigned int slices) {
    return slices >= 5 ? 0 : slices >= 3 ? 1 : slices == 2 ? 3 : 7;
}

static unsigned int gpu_instances(const struct card *card, unsigned int first) {
    unsigned int found = 0;
    for (const struct instance *other = card->instances; other < card->instances + MAX_INSTANCES; other++) {
        found += *other->profile != '\0' && other->compute_instance == 0 && first_gpu_instance(other->gpu_slices) == first;
    }
    return found;
}

/* The last compute instance of the GPU instance that `instance` is in, if that has free slices; NULL: none. */
static const struct instance *shares_with(const struct card *card, const struct instance *instance, const char *gpu_profile) {
    if (instance == card->instances || instance->compute_slices == instance->gpu_slices) {
        return NULL;
    }
    const struct instance *before = instance - 1;
    const char *other = strstr(before->profile, "c.");
    unsigned int taken = 0;
    for (const struct instance *each = card->instances; each < instance; each++) {
        taken += each->gpu_instance == before->gpu_instance ? each->compute_slices : 0;
    }
    return other != NULL && strcmp(other + 2, gpu_profile) == 0 && taken + instance->compute_slices <= before->gpu_slices
            ? before
            : NULL;
}

/* One profile: [<n>c.]<n>g.<n>gb, and attributes such as +me after it. */
static bool parse(const char *profile, struct card *card, struct instance *instance) {
    unsigned int compute = 0, slices = 0, gb = 0;
    int length = 0;
    const char *gpu_profile = strstr(profile, "c.") == NULL ? profile : strstr(profile, "c.") + 2;
    if (sscanf(gpu_profile, "%1ug.%3ugb%n", &slices, &gb, &length) != 2 || length == 0 || slices < 1 || slices > SLICES || gb < 1
            || (gpu_profile[length] != '\0' && strchr("+.-", gpu_profile[length]) == NULL)) {
        return false;
    }
    if (gpu_profile == profile) {
        compute = slices;
    } else if (sscanf(profile, "%1uc.", &compute) != 1 || gpu_profile != profile + 3 || compute < 1 || compute >= slices) {
        return false;
    }
    unsigned int first = first_gpu_instance(slices);
    *instance = (struct instance) {
            .gpu_instance = first + gpu_instances(card, first), .gpu_slices = slices, .compute_slices = compute};
    instance->memory = ((unsigned long long) gb << 30) - (kept_mib(gb) << 20);
    const struct instance *before = shares_with(card, instance, gpu_profile);
    if (before != NULL) {
        instance->gpu_instance = before->gpu_instance;
        instance->compute_instance = before->compute_instance + 1;
    }
    strcpy(instance->profile, profile);
    return true;
}

unsigned int instance_multiprocessors(const struct card *card, const struct instance *instance) {
    return card->kind->multiprocessors / 8 / 2 * 2 * instance->compute_slices;
}

bool instances_parse(const char *profiles, struct card *card) {
    unsigned int slices = 0;
    unsigned long long memory = 0;
    const char *at = profiles;
    for (unsigned int place = 0; place < MAX_INSTANCES; place++) {
        char profile[MAX_TEXT];
        size_t length = strcspn(at, ",");
        struct instance *instance = &card->instances[place];
        if (length == 0 || length >= MAX_TEXT) {
            return false;
        }
        snprintf(profile, sizeof profile, "%.*s", (int) length, at);
        if (strcmp(profile, "-") != 0) {
            if (!parse(profile, card, instance)) {
                return false;
            }
            slices += instance->compute_instance == 0 ? instance->gpu_slices : 0;
            memory += instance->compute_instance == 0 ? instance->memory : 0;
        }
        at += length;
        if (*at == '\0') {
            return slices <= SLICES && memory <= card->memory;
        }
        at++;
    }
    return false;
}

/* What drivers keep about containers: the compute mode of a card, and memory limits of cgroups (since 615). Both are in a
 * file beside the one that describes the cards, so that all processes of the machine see them. */
#include "driver.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file's lines: "mode <uuid> <number>" and "limit <uuid> <soft> <hard> <directory>". */
struct kept {
    FILE *file;
    char *lines[1024];
    unsigned int count;
};

static bool kept_open(struct kept *kept) {
    char path[4200];
    snprintf(path, sizeof path, "%s.kept", driver_cards_file());
    int descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    kept->file = descriptor < 0 || flock(descriptor, LOCK_EX) != 0 ? NULL : fdopen(descriptor, "r+");
    kept->count = 0;
    if (kept->file == NULL) {
        if (descriptor >= 0) {
            close(descriptor);
        }
        return false;
    }
    char *line = NULL;
    size_t capacity = 0;
    while (kept->count < sizeof kept->lines / sizeof kept->lines[0] && getline(&line, &capacity, kept->file) >= 0) {
        line[strcspn(line, "\n")] = '\0';
        kept->lines[kept->count++] = strdup(line);
    }
    free(line);
    return true;
}

/* Writes the lines back if they changed, and releases the file. */
static void kept_close(struct kept *kept, bool changed) {
    if (changed) {
        rewind(kept->file);
        for (unsigned int i = 0; i < kept->count; i++) {
            fprintf(kept->file, "%s\n", kept->lines[i]);
        }
        fflush(kept->file);
        if (ftruncate(fileno(kept->file), ftell(kept->file)) != 0) {
            fprintf(stderr, "simulated driver: the file of modes and limits can't be shortened\n");
        }
    }
    for (unsigned int i = 0; i < kept->count; i++) {
        free(kept->lines[i]);
    }
    fclose(kept->file);
}

/* Replaces the line of that number by the text, or adds it if the number is negative; NULL removes it. */
static void kept_put(struct kept *kept, int at, const char *text) {
    if (at < 0 && text != NULL && kept->count < sizeof kept->lines / sizeof kept->lines[0]) {
        kept->lines[kept->count++] = strdup(text);
    } else if (at >= 0 && text != NULL) {
        free(kept->lines[at]);
        kept->lines[at] = strdup(text);
    } else if (at >= 0) {
        free(kept->lines[at]);
        kept->lines[at] = kept->lines[--kept->count];
    }
}

static int mode_at(const struct kept *kept, const char *uuid, int *mode) {
    for (unsigned int i = 0; i < kept->count; i++) {
        char of[MAX_TEXT];
        if (sscanf(kept->lines[i], "mode %95s %d", of, mode) == 2 && strcmp(of, uuid) == 0) {
            return (int) i;
        }
    }
    *mode = NVML_COMPUTEMODE_DEFAULT;
    return -1;
}

static nvmlReturn_t get_mode(const struct card *card, int *mode) {
    struct kept kept;
    if (!kept_open(&kept)) {
        return NVML_ERROR_UNKNOWN;
    }
    mode_at(&kept, card->uuid, mode);
    kept_close(&kept, false);
    return NVML_SUCCESS;
}

static nvmlReturn_t set_mode(const struct card *card, int mode) {
    struct kept kept;
    char text[MAX_TEXT + 32];
    int before;
    if (mode != NVML_COMPUTEMODE_DEFAULT && mode != NVML_COMPUTEMODE_PROHIBITED
            && mode != NVML_COMPUTEMODE_EXCLUSIVE_PROCESS) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (card->mig && mode == NVML_COMPUTEMODE_EXCLUSIVE_PROCESS) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    if (!kept_open(&kept)) {
        return NVML_ERROR_UNKNOWN;
    }
    snprintf(text, sizeof text, "mode %s %d", card->uuid, mode);
    kept_put(&kept, mode_at(&kept, card->uuid, &before), text);
    kept_close(&kept, true);
    return NVML_SUCCESS;
}

EXPORT nvmlReturn_t nvmlDeviceGetComputeMode(nvmlDevice_t device, int *mode) {
    const struct machine *machine;
    const struct card *card;
    nvmlReturn_t answer = driver_enter_card(device, &machine, &card);
    return driver_leave(answer == NVML_SUCCESS ? get_mode(card, mode) : answer);
}

EXPORT nvmlReturn_t nvmlDeviceSetComputeMode(nvmlDevice_t device, int mode) {
    const struct machine *machine;
    const struct card *card;
    nvmlReturn_t answer = driver_enter_card(device, &machine, &card);
    return driver_leave(answer == NVML_SUCCESS ? set_mode(card, mode) : answer);
}

#ifndef OLD_DRIVER
enum { FIRST_DRIVER_WITH_LIMITS = 615 };
static const unsigned long long NO_LIMIT = ~0ULL;

static int limit_at(const struct kept *kept, const char *uuid, const char *directory, unsigned long long *soft,
        unsigned long long *hard) {
    for (unsigned int i = 0; i < kept->count; i++) {
        char of[MAX_TEXT], path[MAX_PATH];
        if (sscanf(kept->lines[i], "limit %95s %llu %llu %511s", of, soft, hard, path) == 4 && strcmp(of, uuid) == 0
                && strcmp(path, directory) == 0) {
            return (int) i;
        }
    }
    return -1;
}

/* Whether the path is that directory or below it. */
static bool below(const char *path, const char *directory) {
    size_t length = strlen(directory);
    return strncmp(path, directory, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

static unsigned long long used(const struct machine *machine, const struct card *card, const char *directory) {
    unsigned long long sum = 0;
    for (unsigned int i = 0; i < machine->process_count; i++) {
        const struct process *process = &machine->processes[i];
        if (&machine->cards[process->card] == card && process->memory != NVML_VALUE_NOT_AVAILABLE
                && below(process->cgroup, directory)) {
            sum += process->memory;
        }
    }
    return sum;
}

static nvmlReturn_t checked(const struct machine *machine, const struct card *card, const char *directory) {
    struct stat now;
    return machine->major < FIRST_DRIVER_WITH_LIMITS ? NVML_ERROR_FUNCTION_NOT_FOUND
           : card->mig                               ? NVML_ERROR_NOT_SUPPORTED
           : directory == NULL || *directory != '/' || strlen(directory) >= MAX_PATH || stat(directory, &now) != 0
                   || !S_ISDIR(now.st_mode)
                   ? NVML_ERROR_INVALID_ARGUMENT
                   : NVML_SUCCESS;
}

/* A hard limit below what is in use is refused; which code a real driver returns is not documented. */
static nvmlReturn_t set_limits(
        const struct machine *machine, const struct card *card, const nvmlSetMemoryLimits_v1_t *limits) {
    nvmlReturn_t answer = checked(machine, card, limits->nameSpace);
    struct kept kept;
    if (answer != NVML_SUCCESS) {
        return answer;
    }
    if (limits->softLimit > limits->hardLimit) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (limits->hardLimit < used(machine, card, limits->nameSpace)) {
        return NVML_ERROR_IN_USE;
    }
    if (!kept_open(&kept)) {
        return NVML_ERROR_UNKNOWN;
    }
    unsigned long long soft, hard;
    char text[MAX_TEXT + MAX_PATH + 64];
    snprintf(text, sizeof text, "limit %s %llu %llu %s", card->uuid, limits->softLimit, limits->hardLimit,
            limits->nameSpace);
    bool clear = limits->softLimit == 0 && limits->hardLimit == NO_LIMIT;
    kept_put(&kept, limit_at(&kept, card->uuid, limits->nameSpace, &soft, &hard), clear ? NULL : text);
    kept_close(&kept, true);
    return NVML_SUCCESS;
}

static nvmlReturn_t get_limits(
        const struct machine *machine, const struct card *card, nvmlGetMemoryLimits_v1_t *limits) {
    nvmlReturn_t answer = checked(machine, card, limits->nameSpace);
    struct kept kept;
    if (answer != NVML_SUCCESS) {
        return answer;
    }
    if (!kept_open(&kept)) {
        return NVML_ERROR_UNKNOWN;
    }
    int at = limit_at(&kept, card->uuid, limits->nameSpace, &limits->softLimit, &limits->hardLimit);
    kept_close(&kept, false);
    limits->currentUsed = used(machine, card, limits->nameSpace);
    return at >= 0 ? NVML_SUCCESS : machine->dmem ? NVML_ERROR_NOT_FOUND : NVML_ERROR_NOT_SUPPORTED;
}

EXPORT nvmlReturn_t nvmlDeviceSetMemoryLimits_v1(nvmlDevice_t device, nvmlSetMemoryLimits_v1_t *limits) {
    const struct machine *machine;
    const struct card *card;
    nvmlReturn_t answer = driver_enter_card(device, &machine, &card);
    return driver_leave(answer == NVML_SUCCESS ? set_limits(machine, card, limits) : answer);
}

EXPORT nvmlReturn_t nvmlDeviceGetMemoryLimits_v1(nvmlDevice_t device, nvmlGetMemoryLimits_v1_t *limits) {
    const struct machine *machine;
    const struct card *card;
    nvmlReturn_t answer = driver_enter_card(device, &machine, &card);
    return driver_leave(answer == NVML_SUCCESS ? get_limits(machine, card, limits) : answer);
}
#endif

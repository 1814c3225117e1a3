/* Parses the file that describes the simulated machine. SIMULATED-DRIVER.md documents its format. */
#include "machine.h"
#include "alive.h"
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>

static const char SPACE[] = " \t\r\n";

/* The position of the reader, and the problem that it found. */
struct reader {
    const char *path;
    unsigned int line;
    char *problem;
    size_t size;
    /* Whether the lines are those of simulated programs. */
    bool live;
};

__attribute__((format(printf, 2, 3))) static bool wrong(struct reader *reader, const char *format, ...) {
    int length = snprintf(reader->problem, reader->size, "%s:%u: ", reader->path, reader->line);
    va_list arguments;
    va_start(arguments, format);
    if (length >= 0 && (size_t) length < reader->size) {
        vsnprintf(reader->problem + length, reader->size - (size_t) length, format, arguments);
    }
    va_end(arguments);
    return false;
}

/* Parses digits, up to `most`, and moves `text` past them. */
static bool number(const char **text, unsigned long long most, unsigned long long *value) {
    const char *at = *text;
    unsigned long long sum = 0;
    if (*at < '0' || *at > '9') {
        return false;
    }
    for (; *at >= '0' && *at <= '9'; at++) {
        unsigned int digit = (unsigned int) (*at - '0');
        if (sum > (most - digit) / 10) {
            return false;
        }
        sum = sum * 10 + digit;
    }
    *text = at;
    *value = sum;
    return true;
}

static bool whole_number(
        struct reader *reader, const char *key, const char *value, unsigned int most, unsigned int *to) {
    const char *at = value;
    unsigned long long read = 0;
    if (!number(&at, most, &read) || *at != '\0') {
        return wrong(reader, "%s=%s is not a whole number up to %u", key, value, most);
    }
    *to = (unsigned int) read;
    return true;
}

static bool amount(struct reader *reader, const char *key, const char *value, unsigned long long *bytes) {
    const char *at = value;
    unsigned long long read = 0;
    if (number(&at, 1ULL << 30, &read)) {
        if (strcmp(at, "GiB") == 0 && read <= 1ULL << 20) {
            *bytes = read << 30;
            return true;
        }
        if (strcmp(at, "MiB") == 0) {
            *bytes = read << 20;
            return true;
        }
        if (read == 0 && *at == '\0') {
            *bytes = 0;
            return true;
        }
    }
    return wrong(reader, "%s=%s is not an amount of memory such as 15GiB or 15360MiB", key, value);
}

static bool on_off(struct reader *reader, const char *key, const char *value, bool *to) {
    *to = strcmp(value, "on") == 0;
    return *to || strcmp(value, "off") == 0 || wrong(reader, "%s=%s: write on or off", key, value);
}

static bool text(struct reader *reader, const char *key, const char *value, char to[MAX_TEXT]) {
    if (*value == '\0' || strlen(value) >= MAX_TEXT) {
        return wrong(reader, "%s has a value of no or more than %d letters", key, MAX_TEXT - 1);
    }
    strcpy(to, value);
    return true;
}

static bool uuid(struct reader *reader, const char *value, char to[MAX_TEXT]) {
    static const char FORM[] = "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
    bool good = strlen(value) == sizeof FORM - 1;
    for (size_t i = 0; good && i < sizeof FORM - 1; i++) {
        good = FORM[i] == 'x' ? strchr("0123456789abcdef", value[i]) != NULL : value[i] == FORM[i];
    }
    if (!good) {
        return wrong(reader, "uuid=%s is not of NVML's form %s (x: 0-9, a-f)", value, FORM);
    }
    strcpy(to, value);
    return true;
}

/* nvlink=1*4,switch*18: a card's number or `switch`, and the number of links (default 1). */
static bool links(struct reader *reader, const char *value, struct card *card) {
    const char *at = value;
    do {
        unsigned long long peer = MAX_CARDS, count = 1;
        bool to_switch = strncmp(at, "switch", 6) == 0;
        at += to_switch ? 6 : 0;
        if ((!to_switch && !number(&at, MAX_CARDS - 1, &peer)) || (*at == '*' && (at++, !number(&at, MAX_NVLINKS, &count)))) {
            return wrong(reader, "nvlink=%s: write card numbers or switch, each with *<links>, as in 1*4,2", value);
        }
        *(to_switch ? &card->links_to_switch : &card->links_to[peer]) = (unsigned int) count;
    } while (*at == ',' && *++at != '\0');
    return *at == '\0' || wrong(reader, "nvlink=%s has a part that is not understood: %s", value, at);
}

/* xid=79#1,48#2@0: codes with their sequence numbers, and the places of instances. */
static bool xids(struct reader *reader, const char *value, struct card *card) {
    const char *at = value;
    do {
        struct xid *xid = &card->xids[card->xid_count];
        if (card->xid_count == MAX_XIDS) {
            return wrong(reader, "xid=%s names more than %d", value, MAX_XIDS);
        }
        unsigned long long place = 0;
        bool of_instance = false;
        if (!number(&at, 99999, &xid->code) || *at++ != '#' || !number(&at, UINT64_MAX / 2, &xid->sequence)
                || ((of_instance = *at == '@') && (at++, !number(&at, MAX_INSTANCES - 1, &place)))) {
            return wrong(reader, "xid=%s: write <code>#<sequence>, as in 79#1,48#2, with @<place> of an instance", value);
        }
        xid->instance = of_instance ? (int) place : -1;
        card->xid_count++;
    } while (*at == ',' && *++at != '\0');
    return *at == '\0' || wrong(reader, "xid=%s has a part that is not understood: %s", value, at);
}

/* ecc-errors=<corrected>/<uncorrected> */
static bool ecc_errors(struct reader *reader, const char *value, struct card *card) {
    const char *at = value;
    if (!number(&at, UINT64_MAX / 2, &card->ecc_corrected) || *at++ != '/'
            || !number(&at, UINT64_MAX / 2, &card->ecc_uncorrected) || *at != '\0') {
        return wrong(reader, "ecc-errors=%s: write <corrected>/<uncorrected>, as in 12/0", value);
    }
    return true;
}

static bool utilisation(struct reader *reader, const char *value, struct card *card) {
    const char *at = value;
    unsigned long long gpu = 0, memory = 0;
    if (!number(&at, 100, &gpu) || *at++ != '/' || !number(&at, 100, &memory) || *at != '\0') {
        return wrong(reader, "utilisation=%s: write <GPU %%>/<memory %%>, as in 80/20", value);
    }
    card->utilisation_gpu = (unsigned int) gpu;
    card->utilisation_memory = (unsigned int) memory;
    return true;
}

/* fails=nvmlDeviceGetMinorNumber:3,nvmlEventSetWait_v2:13: calls with the codes that they return. */
static bool failures(struct reader *reader, const char *value, struct failures *to) {
    const char *at = value;
    do {
        size_t length = strcspn(at, ":");
        unsigned long long error = 0;
        const char *code = at + length + (at[length] == ':' ? 1 : 0);
        if (to->count == MAX_FAILING || length == 0 || length >= MAX_TEXT || !number(&code, 999, &error)) {
            return wrong(reader, "fails=%s: write <call>:<code>, as in nvmlEventSetWait_v2:13, at most %d", value,
                    MAX_FAILING);
        }
        memcpy(to->calls[to->count].call, at, length);
        to->calls[to->count].error = (nvmlReturn_t) error;
        to->count++;
        at = code;
    } while (*at == ',' && *++at != '\0');
    return *at == '\0' || wrong(reader, "fails=%s has a part that is not understood: %s", value, at);
}

/* mig=on, mig=off, or the profiles of its instances: mig=3g.40gb,2g.20gb,1g.10gb */
static bool mig(struct reader *reader, const char *value, struct card *card) {
    bool cut = strcmp(value, "on") != 0 && strcmp(value, "off") != 0;
    card->mig = card->mig_pending = cut || strcmp(value, "on") == 0;
    if (card->mig && !card->kind->mig) {
        return wrong(reader, "mig=%s: a %s has no MIG", value, card->kind->key);
    }
    return !cut || instances_parse(value, card)
            || wrong(reader, "mig=%s: write on, off, or profiles that fit a %s together, as in 3g.40gb,-,1g.10gb", value,
                    card->kind->key);
}

static bool card_value(struct reader *reader, const char *key, const char *value, struct card *card) {
    unsigned int read = 0;
    if (strcmp(key, "kind") == 0) {
        return true; /* parsed first: it provides the defaults */
    } else if (strcmp(key, "uuid") == 0) {
        return uuid(reader, value, card->uuid);
    } else if (strcmp(key, "uuid-seed") == 0) {
        return text(reader, key, value, card->seed);
    } else if (strcmp(key, "memory") == 0) {
        return amount(reader, key, value, &card->memory);
    } else if (strcmp(key, "reserved") == 0) {
        return amount(reader, key, value, &card->reserved);
    } else if (strcmp(key, "used") == 0) {
        return amount(reader, key, value, &card->used);
    } else if (strcmp(key, "minor") == 0) {
        return whole_number(reader, key, value, 255, &card->minor);
    } else if (strcmp(key, "numa") == 0) {
        bool good = strcmp(value, "none") == 0 || whole_number(reader, key, value, 63, &read);
        card->numa = strcmp(value, "none") == 0 ? -1 : (int) read;
        return good;
    } else if (strcmp(key, "pcie-switch") == 0) {
        return text(reader, key, value, card->pcie_switch);
    } else if (strcmp(key, "utilisation") == 0) {
        return utilisation(reader, value, card);
    } else if (strcmp(key, "temperature") == 0) {
        return whole_number(reader, key, value, 150, &card->temperature);
    } else if (strcmp(key, "power") == 0) {
        return whole_number(reader, key, value, 2000, &card->power_watts);
    } else if (strcmp(key, "ecc") == 0) {
        return on_off(reader, key, value, &card->ecc);
    } else if (strcmp(key, "ecc-errors") == 0) {
        return ecc_errors(reader, value, card);
    } else if (strcmp(key, "context") == 0) {
        return on_off(reader, key, value, &card->contexts);
    } else if (strcmp(key, "events") == 0) {
        return on_off(reader, key, value, &card->events);
    } else if (strcmp(key, "mig") == 0) {
        return mig(reader, value, card);
    } else if (strcmp(key, "mig-pending") == 0) {
        return on_off(reader, key, value, &card->mig_pending);
    } else if (strcmp(key, "mig-seed") == 0) {
        return text(reader, key, value, card->mig_seed);
    } else if (strcmp(key, "nvlinks") == 0) {
        return whole_number(reader, key, value, MAX_NVLINKS, &card->nvlinks);
    } else if (strcmp(key, "nvlink") == 0) {
        return links(reader, value, card);
    } else if (strcmp(key, "xid") == 0) {
        return xids(reader, value, card);
    } else if (strcmp(key, "fails") == 0) {
        return failures(reader, value, &card->failures);
    } else if (strcmp(key, "error") == 0) {
        bool good = whole_number(reader, key, value, 999, &read);
        card->error = (nvmlReturn_t) read;
        return good;
    } else if (strcmp(key, "lost") == 0 && *value == '\0') {
        card->error = NVML_ERROR_GPU_IS_LOST;
        return true;
    }
    return wrong(reader, "a card has no %s%s%s; see SIMULATED-DRIVER.md", key, *value == '\0' ? "" : "=", value);
}

/* Splits a word at its first '='; without one the value is empty. */
static const char *split(char *word) {
    char *equals = strchr(word, '=');
    if (equals == NULL) {
        return "";
    }
    *equals = '\0';
    return equals + 1;
}

static bool card_line(struct reader *reader, char *words[], struct machine *machine) {
    if (machine->card_count == MAX_CARDS) {
        return wrong(reader, "more than %d cards", MAX_CARDS);
    }
    const char *key = NULL;
    for (char **word = words; *word != NULL; word++) {
        key = strncmp(*word, "kind=", 5) == 0 ? *word + 5 : key;
    }
    const struct kind *kind = key == NULL ? NULL : kind_of(key);
    if (kind == NULL) {
        return wrong(reader, "a card needs kind=<one of %s>", kind_keys());
    }
    unsigned int index = machine->card_count++;
    struct card *card = &machine->cards[index];
    card->kind = kind;
    card->memory = (unsigned long long) kind->memory_mib << 20;
    card->reserved = (unsigned long long) kind->reserved_mib << 20;
    card->minor = index;
    card->bus = 0x10 + index;
    card->temperature = 33;
    card->power_watts = kind->idle_watts;
    card->nvlinks = kind->links;
    card->ecc = card->events = true;
    snprintf(card->seed, sizeof card->seed, "%u", index);
    for (char **word = words; *word != NULL; word++) {
        const char *value = split(*word);
        if (!card_value(reader, *word, value, card)) {
            return false;
        }
    }
    if (card->memory == 0) {
        return wrong(reader, "a card can't have no memory");
    }
    return card->memory > card->reserved
            || wrong(reader, "a card of %lluMiB can't reserve %lluMiB", card->memory >> 20, card->reserved >> 20);
}

static bool driver_line(struct reader *reader, char *words[], struct machine *machine) {
    for (char **word = words; *word != NULL; word++) {
        const char *value = split(*word), *at = value;
        unsigned long long major = 0, minor = 0;
        bool good = true;
        if (strcmp(*word, "version") == 0) {
            good = text(reader, *word, value, machine->version);
        } else if (strcmp(*word, "fails") == 0) {
            good = failures(reader, value, &machine->failures);
        } else if (strcmp(*word, "limits") == 0) {
            machine->dmem = strcmp(value, "dmem") == 0;
            good = machine->dmem || strcmp(value, "misc") == 0 || wrong(reader, "limits=%s: write misc or dmem", value);
        } else if (strcmp(*word, "cuda") == 0) {
            good = (number(&at, 99, &major) && *at++ == '.' && number(&at, 99, &minor) && *at == '\0')
                    || wrong(reader, "cuda=%s is not of the form 13.0", value);
            machine->cuda_major = (unsigned int) major;
            machine->cuda_minor = (unsigned int) minor;
        } else if (strcmp(*word, "node") == 0) {
            const char *node = *value == '$' ? getenv(value + 1) : value;
            good = node == NULL ? wrong(reader, "node=%s: that environment variable is not set", value)
                                : text(reader, *word, node, machine->node);
        } else {
            good = wrong(reader, "a driver has no %s; it has version, cuda, node, limits and fails", *word);
        }
        if (!good) {
            return false;
        }
    }
    return true;
}

/* Gives each card and instance without a UUID one. */
static void make_uuids(struct machine *machine);

/* card=<number>, or the UUID of a card or instance. */
static bool card_of(struct reader *reader, const char *value, struct machine *machine, struct process *process) {
    if (strchr(value, '-') != NULL) {
        make_uuids(machine);
    }
    const struct card *card = machine_card(machine, value);
    const struct instance *instance = card == NULL ? machine_instance(machine, value, &card) : NULL;
    if (card != NULL && *value != '\0') {
        process->card = (unsigned int) (card - machine->cards);
        process->instance = instance == NULL ? -1 : (int) (instance - card->instances);
        return true;
    }
    if (reader->live) {
        return true;
    }
    return whole_number(reader, "card", value, MAX_CARDS, &process->card);
}

static bool instance_of(struct reader *reader, const char *value, struct process *process) {
    unsigned int place = 0;
    bool good = whole_number(reader, "instance", value, MAX_INSTANCES - 1, &place);
    process->instance = (int) place;
    return good;
}

static bool cgroup(struct reader *reader, const char *value, struct process *process) {
    if (*value != '/' || strlen(value) >= MAX_PATH) {
        return wrong(reader, "cgroup=%s is not the absolute path of a directory", value);
    }
    strcpy(process->cgroup, value);
    return true;
}

/* Counts the process's memory as used, or no more. */
static void use(struct machine *machine, const struct process *process, bool used) {
    struct card *card = &machine->cards[process->card];
    unsigned long long bytes = process->memory == NVML_VALUE_NOT_AVAILABLE ? 0 : process->memory;
    card->used += used ? bytes : -bytes;
    if (process->instance >= 0) {
        card->instances[process->instance].used += used ? bytes : -bytes;
    }
}

static bool process_line(struct reader *reader, char *words[], struct machine *machine) {
    if (machine->process_count == MAX_PROCESSES) {
        return wrong(reader, "more than %d processes", MAX_PROCESSES);
    }
    struct process *process = &machine->processes[machine->process_count++];
    process->card = MAX_CARDS;
    process->instance = -1;
    process->memory = NVML_VALUE_NOT_AVAILABLE;
    for (char **word = words; *word != NULL; word++) {
        const char *value = split(*word);
        bool good = strcmp(*word, "pid") == 0      ? whole_number(reader, *word, value, INT32_MAX, &process->pid)
                    : strcmp(*word, "card") == 0   ? card_of(reader, value, machine, process)
                    : strcmp(*word, "instance") == 0 ? instance_of(reader, value, process)
                    : strcmp(*word, "memory") == 0 ? amount(reader, *word, value, &process->memory)
                    : strcmp(*word, "utilisation") == 0
                    ? whole_number(reader, *word, value, 100, &process->utilisation)
                    : strcmp(*word, "cgroup") == 0 ? cgroup(reader, value, process)
                    : strcmp(*word, "mps") == 0    ? (process->mps = true)
                    : strcmp(*word, "mps-server") == 0 ? (process->mps_server = true)
                    : wrong(reader, "a process has pid, card, instance, memory, utilisation, cgroup, mps and mps-server, no %s",
                              *word);
        if (!good) {
            return false;
        }
    }
    if (reader->live && process->card == MAX_CARDS) {
        /* The card was removed since. */
        machine->process_count--;
        return true;
    }
    if (process->pid == 0 || process->card >= machine->card_count) {
        return wrong(reader, "a process needs pid=<number> and card=<number of a card written above it>");
    }
    if (process->instance >= 0 && *machine->cards[process->card].instances[process->instance].profile == '\0') {
        return wrong(reader, "card %u has no instance %d", process->card, process->instance);
    }
    use(machine, process, true);
    return true;
}

static bool line(struct reader *reader, char *content, struct machine *machine) {
    char *words[64], *rest = NULL;
    unsigned int count = 0;
    for (char *word = strtok_r(content, SPACE, &rest); word != NULL && *word != '#';
            word = strtok_r(NULL, SPACE, &rest)) {
        if (count == sizeof words / sizeof words[0] - 1) {
            return wrong(reader, "more than %u words", count);
        }
        words[count++] = word;
    }
    words[count] = NULL;
    return count == 0                           ? true
           : strcmp(words[0], "driver") == 0    ? driver_line(reader, words + 1, machine)
           : strcmp(words[0], "card") == 0      ? card_line(reader, words + 1, machine)
           : strcmp(words[0], "process") == 0   ? process_line(reader, words + 1, machine)
                                                : wrong(reader, "a line begins with driver, card, process or #");
}

/* FNV-1a, 64 bits: the same text gives the same card on every machine. */
static uint64_t hash(uint64_t sum, const char *text) {
    for (; *text != '\0'; text++) {
        sum = (sum ^ (unsigned char) *text) * 0x100000001B3ULL;
    }
    return (sum ^ 0xFF) * 0x100000001B3ULL;
}

/* The finalizer of MurmurHash3: spreads FNV's low bits over the whole number. */
static uint64_t mix(uint64_t sum) {
    sum = (sum ^ sum >> 33) * 0xFF51AFD7ED558CCDULL;
    sum = (sum ^ sum >> 33) * 0xC4CEB9FE1A85EC53ULL;
    return sum ^ sum >> 33;
}

static void make_uuid(const char *prefix, const char *first, const char *second, const char *third, char to[MAX_TEXT]) {
    uint64_t sum = hash(hash(hash(0xCBF29CE484222325ULL, first), second), third);
    uint64_t high = mix(sum), low = mix(sum ^ 0x9E3779B97F4A7C15ULL);
    snprintf(to, MAX_TEXT, "%s-%08x-%04x-%04x-%04x-%012llx", prefix, (unsigned int) (high >> 32),
            (unsigned int) (high >> 16 & 0xFFFF), (unsigned int) (high & 0xFFFF), (unsigned int) (low >> 48),
            (unsigned long long) (low & 0xFFFFFFFFFFFFULL));
}

/* Drivers before 470 name an instance by its card and its numbers. */
static void make_instance_uuid(const struct machine *machine, const struct card *card, struct instance *instance) {
    char place[MAX_TEXT * 2];
    snprintf(place, sizeof place, "%s %u/%u", instance->profile, instance->gpu_instance, instance->compute_instance);
    if (machine->major < 470) {
        snprintf(instance->uuid, MAX_TEXT, "MIG-%.60s/%u/%u", card->uuid, instance->gpu_instance, instance->compute_instance);
    } else {
        make_uuid("MIG", card->uuid, card->mig_seed, place, instance->uuid);
    }
}

static void make_uuids(struct machine *machine) {
    sscanf(machine->version, "%u.%u", &machine->major, &machine->minor);
    for (unsigned int i = 0; i < machine->card_count; i++) {
        struct card *card = &machine->cards[i];
        if (*card->uuid == '\0') {
            make_uuid("GPU", machine->node, card->kind->key, card->seed, card->uuid);
        }
        for (struct instance *instance = card->instances; instance < card->instances + MAX_INSTANCES; instance++) {
            if (*instance->profile != '\0' && *instance->uuid == '\0') {
                make_instance_uuid(machine, card, instance);
            }
        }
    }
}

/* A link written at one end exists at both. If both ends write it, the larger number applies. */
static bool join_links(struct reader *reader, struct machine *machine, unsigned int index) {
    struct card *card = &machine->cards[index];
    unsigned int sum = card->links_to_switch;
    for (unsigned int peer = 0; peer < MAX_CARDS; peer++) {
        if (card->links_to[peer] > 0 && (peer == index || peer >= machine->card_count)) {
            return wrong(reader, "card %u has an NVLink to %u, which is %s", index, peer,
                    peer == index ? "itself" : "no card");
        }
        if (peer < machine->card_count && machine->cards[peer].links_to[index] > card->links_to[peer]) {
            card->links_to[peer] = machine->cards[peer].links_to[index];
        }
        sum += card->links_to[peer];
    }
    return sum <= card->nvlinks
            || wrong(reader, "card %u has %u NVLinks; a %s has %u", index, sum, card->kind->key, card->nvlinks);
}

/* Checks that need all lines. */
static bool whole(struct reader *reader, struct machine *machine) {
    snprintf(machine->nvml, sizeof machine->nvml, "%u.%.*s", machine->cuda_major, MAX_TEXT - 12, machine->version);
    for (unsigned int i = 0; i < machine->card_count; i++) {
        struct card *card = &machine->cards[i];
        if (machine_card(machine, card->uuid) != card) {
            return wrong(reader, "card %u has the UUID of a card before it: %s", i, card->uuid);
        }
        if (card->used > card->memory) {
            return wrong(reader, "card %u uses more memory (with its processes) than it has", i);
        }
        if (!join_links(reader, machine, i)) {
            return false;
        }
    }
    return true;
}

/* Parses the lines of that file. */
static bool lines(struct reader *reader, FILE *file, struct machine *machine) {
    char *content = NULL;
    size_t capacity = 0;
    bool good = true;
    while (good && getline(&content, &capacity, file) >= 0) {
        reader->line++;
        good = line(reader, content, machine);
    }
    good = good && (!ferror(file) || wrong(reader, "can't be read"));
    free(content);
    fclose(file);
    return good;
}

/* The processes of simulated programs: `<path>.processes`. Those that have ended are left out. The lock is that of the
 * programs that write there. */
static bool live_processes(struct reader *reader, struct machine *machine) {
    char path[4096];
    snprintf(path, sizeof path, "%s.processes", reader->path);
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return true;
    }
    flock(fileno(file), LOCK_SH);
    unsigned int first = machine->process_count, kept = first;
    reader->path = path;
    reader->line = 0;
    reader->live = true;
    bool good = lines(reader, file, machine);
    for (unsigned int i = first; i < machine->process_count; i++) {
        struct process *process = &machine->processes[i];
        if (alive((pid_t) process->pid)) {
            machine->processes[kept++] = *process;
        } else {
            use(machine, process, false);
        }
    }
    machine->process_count = kept;
    return good;
}

/* The place of the card's instance of that UUID; -1: it has none. */
static int place_of(const struct card *card, const char *uuid) {
    for (int place = 0; place < MAX_INSTANCES; place++) {
        if (*card->instances[place].profile != '\0' && strcmp(card->instances[place].uuid, uuid) == 0) {
            return place;
        }
    }
    return -1;
}

/* The Xids that kernels of simulated programs caused: `<path>.xids`, a line for each. The newest ones are kept. */
static void caused_xids(const char *path, struct machine *machine) {
    char name[4096], uuid[MAX_TEXT];
    struct xid xid = {0};
    snprintf(name, sizeof name, "%s.xids", path);
    FILE *file = fopen(name, "re");
    while (file != NULL && fscanf(file, "xid %95s %llu %llu\n", uuid, &xid.code, &xid.sequence) == 3) {
        for (unsigned int i = 0; i < machine->card_count; i++) {
            struct card *card = &machine->cards[i];
            xid.instance = place_of(card, uuid);
            if (xid.instance >= 0 || strcmp(card->uuid, uuid) == 0) {
                card->xid_count = card->xid_count < MAX_XIDS ? card->xid_count + 1 : MAX_XIDS;
                memmove(card->xids + 1, card->xids, (card->xid_count - 1) * sizeof xid);
                card->xids[0] = xid;
            }
        }
    }
    if (file != NULL) {
        fclose(file);
    }
}

bool machine_parse(const char *path, struct machine *machine, char *problem, size_t size) {
    struct reader reader = {path, 0, problem, size, false};
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return wrong(&reader, "can't be opened");
    }
    memset(machine, 0, sizeof *machine);
    strcpy(machine->version, "580.95.05");
    machine->cuda_major = 13;
    if (!lines(&reader, file, machine)) {
        return false;
    }
    make_uuids(machine);
    caused_xids(path, machine);
    return live_processes(&reader, machine) && whole(&reader, machine);
}

const struct card *machine_card(const struct machine *machine, const char *uuid) {
    for (unsigned int i = 0; i < machine->card_count; i++) {
        if (strcmp(machine->cards[i].uuid, uuid) == 0) {
            return &machine->cards[i];
        }
    }
    return NULL;
}

const struct instance *machine_instance(const struct machine *machine, const char *uuid, const struct card **card) {
    for (unsigned int i = 0; i < machine->card_count; i++) {
        int place = place_of(&machine->cards[i], uuid);
        if (place >= 0) {
            *card = &machine->cards[i];
            return &machine->cards[i].instances[place];
        }
    }
    return NULL;
}

/* Event sets: which Xids each set has already delivered. */
#include "driver.h"
#include <string.h>
#include <time.h>

enum { MAX_SETS = 64, POLL_MILLISECONDS = 20 };

/* One card in one set, and the events delivered for it. */
struct watched {
    nvmlDevice_t device;
    bool registered; /* no: the card was lost when the set was created, and only its late Xids are delivered */
    struct xid delivered[MAX_XIDS];
    unsigned int delivered_count;
    bool lost_delivered;
};

struct simulated_event_set {
    bool open;
    struct watched cards[MAX_CARDS];
    unsigned int count;
};

static struct simulated_event_set sets[MAX_SETS];

void events_free_all(void) {
    memset(sets, 0, sizeof sets);
}

static bool is_open(nvmlEventSet_t set) {
    for (unsigned int i = 0; i < MAX_SETS; i++) {
        if (set == &sets[i]) {
            return set->open;
        }
    }
    return false;
}

static bool has(const struct xid *xids, unsigned int count, struct xid xid) {
    for (unsigned int i = 0; i < count; i++) {
        if (xids[i].code == xid.code && xids[i].sequence == xid.sequence) {
            return true;
        }
    }
    return false;
}

/* The next undelivered Xid of this card. An Xid that left the file is forgotten, and is new if it returns. */
static bool next_xid(struct watched *watched, const struct card *card, struct xid *xid) {
    unsigned int kept = 0;
    for (unsigned int i = 0; i < watched->delivered_count; i++) {
        if (has(card->xids, card->xid_count, watched->delivered[i])) {
            watched->delivered[kept++] = watched->delivered[i];
        }
    }
    watched->delivered_count = kept;
    for (unsigned int i = 0; i < card->xid_count; i++) {
        if (!has(watched->delivered, kept, card->xids[i])) {
            watched->delivered[watched->delivered_count++] = card->xids[i];
            *xid = card->xids[i];
            return true;
        }
    }
    return false;
}

/* Xids precede a loss, as when a card reports 79 and falls off the bus. Each loss is delivered once. */
static nvmlReturn_t look_once(const char *call, nvmlEventSet_t set, nvmlEventData_t *data) {
    const struct machine *machine;
    nvmlReturn_t answer = driver_enter_call(call, &machine);
    if (answer != NVML_SUCCESS) {
        return driver_leave(answer);
    }
    if (!is_open(set)) {
        return driver_leave(NVML_ERROR_INVALID_ARGUMENT);
    }
    bool lost = false;
    for (unsigned int i = 0; i < set->count; i++) {
        struct watched *watched = &set->cards[i];
        const struct card *card = machine_card(machine, watched->device->uuid);
        struct xid xid;
        if (card != NULL && (watched->registered || card->error != NVML_SUCCESS) && next_xid(watched, card, &xid)) {
            const struct instance *instance = xid.instance < 0 ? NULL : &card->instances[xid.instance];
            *data = (nvmlEventData_t) {watched->device, NVML_EVENT_TYPE_XID_CRITICAL_ERROR, xid.code,
                    instance == NULL ? NVML_NO_INSTANCE : instance->gpu_instance,
                    instance == NULL ? NVML_NO_INSTANCE : instance->compute_instance};
            return driver_leave(NVML_SUCCESS);
        }
    }
    for (unsigned int i = 0; i < set->count; i++) {
        struct watched *watched = &set->cards[i];
        const struct card *card = machine_card(machine, watched->device->uuid);
        bool is_lost = card == NULL || card->error == NVML_ERROR_GPU_IS_LOST;
        lost = lost || (is_lost && watched->registered && !watched->lost_delivered);
        watched->lost_delivered = is_lost;
    }
    return driver_leave(lost ? NVML_ERROR_GPU_IS_LOST : NVML_ERROR_TIMEOUT);
}

static nvmlReturn_t wait_for(
        const char *call, nvmlEventSet_t set, nvmlEventData_t *data, unsigned int milliseconds) {
    for (unsigned int waited = 0;; waited += POLL_MILLISECONDS) {
        nvmlReturn_t answer = look_once(call, set, data);
        if (answer != NVML_ERROR_TIMEOUT || waited >= milliseconds) {
            return answer;
        }
        unsigned int left = milliseconds - waited;
        struct timespec pause = {0, (left < POLL_MILLISECONDS ? left : POLL_MILLISECONDS) * 1000000L};
        nanosleep(&pause, NULL);
    }
}

/* The set's entry of that card, a new one if it has none; NULL: too many cards. Earlier Xids are never delivered. */
static struct watched *entry(struct simulated_event_set *set, nvmlDevice_t device, const struct card *card) {
    struct watched *watched = set->cards;
    while (watched < &set->cards[set->count] && watched->device != device) {
        watched++;
    }
    if (watched == &set->cards[MAX_CARDS]) {
        return NULL;
    }
    set->count += watched == &set->cards[set->count];
    *watched = (struct watched) {.device = device, .delivered_count = card->xid_count};
    memcpy(watched->delivered, card->xids, sizeof watched->delivered);
    return watched;
}

/* The driver may report the Xid of a card that fell off the bus late, to a set that could no longer register it. */
static void expect_late_xids(struct simulated_event_set *set, const struct machine *machine) {
    for (unsigned int i = 0; i < machine->card_count; i++) {
        const struct card *card = &machine->cards[i];
        nvmlDevice_t device = card->error == NVML_ERROR_GPU_IS_LOST ? driver_handle(card->uuid) : NULL;
        if (device != NULL) {
            entry(set, device, card);
        }
    }
}

EXPORT nvmlReturn_t nvmlEventSetCreate(nvmlEventSet_t *set) {
    const struct machine *machine;
    nvmlReturn_t answer = driver_enter(&machine);
    if (answer != NVML_SUCCESS || set == NULL) {
        return driver_leave(answer != NVML_SUCCESS ? answer : NVML_ERROR_INVALID_ARGUMENT);
    }
    for (unsigned int i = 0; i < MAX_SETS; i++) {
        if (!sets[i].open) {
            memset(&sets[i], 0, sizeof sets[i]);
            sets[i].open = true;
            expect_late_xids(&sets[i], machine);
            *set = &sets[i];
            return driver_leave(NVML_SUCCESS);
        }
    }
    return driver_leave(NVML_ERROR_INSUFFICIENT_RESOURCES);
}

EXPORT nvmlReturn_t nvmlEventSetFree(nvmlEventSet_t set) {
    const struct machine *machine;
    nvmlReturn_t answer = driver_enter(&machine);
    if (answer == NVML_ERROR_UNINITIALIZED) {
        return driver_leave(answer);
    }
    if (!is_open(set)) {
        return driver_leave(NVML_ERROR_INVALID_ARGUMENT);
    }
    set->open = false;
    return driver_leave(NVML_SUCCESS);
}

EXPORT nvmlReturn_t nvmlDeviceGetSupportedEventTypes(nvmlDevice_t device, unsigned long long *types) {
    const struct machine *machine;
    const struct card *card;
    nvmlReturn_t answer = driver_enter_card(device, &machine, &card);
    if (answer == NVML_SUCCESS) {
        *types = card->events ? NVML_EVENT_TYPE_XID_CRITICAL_ERROR : 0;
    }
    return driver_leave(answer);
}

EXPORT nvmlReturn_t nvmlDeviceRegisterEvents(nvmlDevice_t device, unsigned long long types, nvmlEventSet_t set) {
    const struct machine *machine;
    const struct card *card;
    nvmlReturn_t answer = driver_enter_card(device, &machine, &card);
    if (answer != NVML_SUCCESS) {
        return driver_leave(answer);
    }
    if (!card->events) {
        return driver_leave(NVML_ERROR_NOT_SUPPORTED);
    }
    struct watched *watched =
            is_open(set) && types == NVML_EVENT_TYPE_XID_CRITICAL_ERROR ? entry(set, device, card) : NULL;
    if (watched == NULL) {
        return driver_leave(NVML_ERROR_INVALID_ARGUMENT);
    }
    watched->registered = true;
    return driver_leave(NVML_SUCCESS);
}

EXPORT nvmlReturn_t nvmlEventSetWait(nvmlEventSet_t set, nvmlEventData_v1_t *data, unsigned int milliseconds) {
    nvmlEventData_t event = {0};
    nvmlReturn_t answer = wait_for(__func__, set, &event, milliseconds);
    if (answer == NVML_SUCCESS) {
        *data = (nvmlEventData_v1_t) {event.device, event.eventType, event.eventData};
    }
    return answer;
}

#ifndef OLD_DRIVER
EXPORT nvmlReturn_t nvmlEventSetWait_v2(nvmlEventSet_t set, nvmlEventData_t *data, unsigned int milliseconds) {
    return wait_for(__func__, set, data, milliseconds);
}
#endif

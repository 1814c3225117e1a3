/* State shared by the exported calls: the lock, whether NVML is initialized, the current machine, and handles. */
#ifndef SIMULATED_DRIVER_H
#define SIMULATED_DRIVER_H

#include "machine.h"

/* A handle holds a card's UUID, so it remains valid after every edit of the file. */
struct simulated_handle {
    char uuid[MAX_TEXT];
};

/*
 * Takes the lock, reads the file again if it changed, and returns the error that the file gives to the call of that name.
 * Every enter needs one leave, whatever it returns.
 */
nvmlReturn_t driver_enter_call(const char *call, const struct machine **machine);
#define driver_enter(machine) driver_enter_call(__func__, machine)
/* The same, and finds the card of that handle. A card that is lost, failing or no longer in the file returns its error. */
nvmlReturn_t driver_enter_card_call(
        const char *call, nvmlDevice_t device, const struct machine **machine, const struct card **card);
#define driver_enter_card(device, machine, card) driver_enter_card_call(__func__, device, machine, card)
/* What that call returns by these failures; NVML_SUCCESS: it does not fail. */
nvmlReturn_t driver_failure(const struct failures *failures, const char *call);
/* Releases the lock and returns its argument. */
nvmlReturn_t driver_leave(nvmlReturn_t answer);

/* The handle of that UUID, the same for each call; NULL: too many handles. The caller holds the lock. */
nvmlDevice_t driver_handle(const char *uuid);

/* The file that describes the machine. The caller holds the lock. */
const char *driver_cards_file(void);

/* Frees all event sets. The caller holds the lock. */
void events_free_all(void);

#endif

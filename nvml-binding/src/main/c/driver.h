/* State shared by the exported calls: the lock, whether NVML is initialized, the current machine, and handles. */
#ifndef SIMULATED_DRIVER_H
#define SIMULATED_DRIVER_H

#include "machine.h"

/* A handle holds a card's UUID, so it remains valid after every edit of the file. */
struct simulated_handle {
    char uuid[MAX_TEXT];
};

/* Takes the lock and reads the file again if it changed. Every enter needs one leave, whatever it returns. */
nvmlReturn_t driver_enter(const struct machine **machine);
/* The same, and finds the card of that handle. A card that is lost, failing or no longer in the file returns its error. */
nvmlReturn_t driver_enter_card(nvmlDevice_t device, const struct machine **machine, const struct card **card);
/* Releases the lock and returns its argument. */
nvmlReturn_t driver_leave(nvmlReturn_t answer);

/* The handle of that UUID, the same for each call; NULL: too many handles. The caller holds the lock. */
nvmlDevice_t driver_handle(const char *uuid);

/* Frees all event sets. The caller holds the lock. */
void events_free_all(void);

#endif

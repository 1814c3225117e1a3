/* What the exported calls share: the lock, whether NVML is initialised, the machine as of now, and handles. */
#ifndef SIMULATED_DRIVER_H
#define SIMULATED_DRIVER_H

#include "machine.h"

/* What a handle points to: a card's UUID, so that a handle outlives every edit of the file. */
struct simulated_handle {
    char uuid[MAX_TEXT];
};

/* Takes the lock and reads the file again where it changed; every enter is paired with one leave, whatever it answers. */
nvmlReturn_t driver_enter(const struct machine **machine);
/* The same, and the card of that handle; a card that is lost, failing or gone from the file answers with its error. */
nvmlReturn_t driver_enter_card(nvmlDevice_t device, const struct machine **machine, const struct card **card);
/* Gives the lock back and hands the answer through. */
nvmlReturn_t driver_leave(nvmlReturn_t answer);

/* The handle of that UUID, the same at each call; NULL: no room for more. The lock is held. */
nvmlDevice_t driver_handle(const char *uuid);

/* Frees all event sets. The lock is held. */
void events_free_all(void);

#endif

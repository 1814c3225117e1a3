/* State shared by the exported calls: the lock, whether NVML is initialized, the current machine, and handles. */
#ifndef SIMULATED_DRIVER_H
#define SIMULATED_DRIVER_H

#include "machine.h"

/* A handle holds the UUID of a card or instance, so it remains valid after every edit of the file. */
struct simulated_handle {
    char uuid[MAX_TEXT];
};

/*
 * Takes the lock, reads the file again if it changed, and returns the error that the file gives to the call of that name.
 * Every enter needs one leave, whatever it returns.
 */
nvmlReturn_t driver_enter_call(const char *call, const struct machine **machine);
#define driver_enter(machine) driver_enter_call(__func__, machine)
/*
 * The same, and finds the card of that handle. A card that is lost, failing or no longer in the file returns its error, and
 * the handle of a MIG instance "Not Supported".
 */
nvmlReturn_t driver_enter_card_call(
        const char *call, nvmlDevice_t device, const struct machine **machine, const struct card **card);
#define driver_enter_card(device, machine, card) driver_enter_card_call(__func__, device, machine, card)
/* The same for calls that also answer for instances: `instance` is NULL for the handle of a card. */
nvmlReturn_t driver_enter_device_call(const char *call, nvmlDevice_t device, const struct machine **machine,
        const struct card **card, const struct instance **instance);
#define driver_enter_device(device, machine, card, instance) \
    driver_enter_device_call(__func__, device, machine, card, instance)
/* What that call returns by these failures; NVML_SUCCESS: it does not fail. */
nvmlReturn_t driver_failure(const struct failures *failures, const char *call);
/* Releases the lock and returns its argument. */
nvmlReturn_t driver_leave(nvmlReturn_t answer);

/* The handle of that UUID, the same for each call; NULL: too many handles. The caller holds the lock. */
nvmlDevice_t driver_handle(const char *uuid);

/* The file that describes the machine. The caller holds the lock. */
const char *driver_cards_file(void);

/* Writes the numbers of the instances' device files to `<file>.mig-minors`, as /proc/driver/nvidia-caps has them. */
void mig_write_minors(const char *file, const struct machine *machine);

/* Frees all event sets. The caller holds the lock. */
void events_free_all(void);

#endif

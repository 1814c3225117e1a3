/*
 * NVML with a compute mode that is only remembered: the card's own stays as it is. Everything else is the real library, on
 * which this one depends; the dynamic linker finds its calls through this library too.
 */
#include <pthread.h>

enum { SUCCESS = 0, INSUFFICIENT_SIZE = 7, MOST_CARDS = 64 };

static struct {
    void *device;
    int mode;
} kept[MOST_CARDS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int exchange(void *device, const int *set, int *get) {
    int code = INSUFFICIENT_SIZE;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MOST_CARDS && code != SUCCESS; i++) {
        if (kept[i].device == device || kept[i].device == 0) {
            kept[i].device = device;
            kept[i].mode = set != 0 ? *set : kept[i].mode;
            *get = kept[i].mode;
            code = SUCCESS;
        }
    }
    pthread_mutex_unlock(&lock);
    return code;
}

int nvmlDeviceGetComputeMode(void *device, int *mode) {
    return exchange(device, 0, mode);
}

int nvmlDeviceSetComputeMode(void *device, int mode) {
    return exchange(device, &mode, &mode);
}

/*
 * A tenant: allocates so many MiB for each argument through libcuda.so.1, prints "ok <MiB>" or "error <code>" for each, then
 * holds them until it is killed. It prints "lost <code>" and ends with 3 when its context is gone.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int count, char *arguments[]) {
    void *cuda = dlopen("libcuda.so.1", RTLD_NOW);
    if (cuda == NULL) {
        fprintf(stderr, "gpu-eat: %s\n", dlerror());
        return 2;
    }
    int (*init)(unsigned int) = (int (*)(unsigned int)) dlsym(cuda, "cuInit");
    int (*create)(void **, unsigned int, int) = (int (*)(void **, unsigned int, int)) dlsym(cuda, "cuCtxCreate_v2");
    int (*allocate)(unsigned long long *, size_t) = (int (*)(unsigned long long *, size_t)) dlsym(cuda, "cuMemAlloc_v2");
    int (*synchronize)(void) = (int (*)(void)) dlsym(cuda, "cuCtxSynchronize");
    int (*launch)(void *, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int,
            void *, void **, void **) = (int (*)(void *, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int,
            unsigned int, unsigned int, void *, void **, void **)) dlsym(cuda, "cuLaunchKernel");
    void *context = NULL;
    int error = init(0);
    error = error != 0 ? error : create(&context, 0, 0);
    if (error != 0) {
        printf("error %d\n", error);
    }
    fflush(stdout);
    for (int i = 1; i < count && error == 0; i++) {
        unsigned long long pointer = 0;
        if (strcmp(arguments[i], "fault") == 0) {
            launch(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
            continue;
        }
        while (strcmp(arguments[i], "deaf") == 0) {
            pause();
        }
        int failed = allocate(&pointer, (size_t) strtoull(arguments[i], NULL, 10) << 20);
        if (failed == 0) {
            printf("ok %s\n", arguments[i]);
        } else {
            printf("error %d\n", failed);
        }
        fflush(stdout);
    }
    while (error == 0) {
        error = synchronize();
        if (error != 0) {
            printf("lost %d\n", error);
            fflush(stdout);
            return 3;
        }
        usleep(50000);
    }
    return 1;
}

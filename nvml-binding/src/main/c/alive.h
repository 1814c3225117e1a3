/* Whether a process runs. One that has ended has nothing on a card, also while its parent has not waited for it: in a
 * container whose first process waits for nobody, it stays a zombie. */
#ifndef SIMULATED_ALIVE_H
#define SIMULATED_ALIVE_H

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

static inline bool alive(pid_t pid) {
    if (kill(pid, 0) != 0 && errno != EPERM) {
        return false;
    }
    char path[32], text[256];
    snprintf(path, sizeof path, "/proc/%d/stat", (int) pid);
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return true;
    }
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    /* proc_pid_stat(5): pid (comm) state; comm may contain anything. */
    const char *state = strrchr(text, ')');
    return state == NULL || strncmp(state, ") Z", 3) != 0;
}

#endif

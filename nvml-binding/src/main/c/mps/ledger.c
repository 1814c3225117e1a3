#include "ledger.h"
#include "../alive.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { MOST = 512, LINE = 1024 };

struct line {
    int pid;
    char uuid[96], text[LINE], cgroup[512];
    unsigned long long bytes;
};

static int open_locked(void) {
    char path[4200];
    const char *cards = getenv(CARDS_VARIABLE);
    snprintf(path, sizeof path, "%s.processes", cards == NULL ? "" : cards);
    int file = cards == NULL ? -1 : open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file >= 0 && flock(file, LOCK_EX) != 0) {
        close(file);
        return -1;
    }
    return file;
}

/* The lines of live processes. */
static unsigned int read_lines(int file, struct line lines[MOST]) {
    FILE *stream = fdopen(dup(file), "r");
    unsigned int count = 0;
    char text[LINE];
    while (stream != NULL && count < MOST && fgets(text, sizeof text, stream) != NULL) {
        struct line *line = &lines[count];
        memset(line, 0, sizeof *line);
        if (sscanf(text, "process pid=%d card=%95s memory=%lluMiB", &line->pid, line->uuid, &line->bytes) == 3
                && alive(line->pid)) {
            line->bytes <<= 20;
            const char *cgroup = strstr(text, "cgroup=");
            if (cgroup != NULL) {
                sscanf(cgroup, "cgroup=%511s", line->cgroup);
            }
            strcpy(line->text, text);
            count++;
        }
    }
    if (stream != NULL) {
        fclose(stream);
    }
    return count;
}

bool ledger_put(const char *uuid, pid_t pid, unsigned long long bytes, const char *words) {
    static struct line lines[MOST];
    int file = open_locked();
    if (file < 0) {
        return false;
    }
    unsigned int count = read_lines(file, lines);
    char content[64 * LINE];
    size_t length = 0;
    for (unsigned int i = 0; i < count && length < sizeof content - 2 * LINE; i++) {
        if (lines[i].pid != pid || strcmp(lines[i].uuid, uuid) != 0) {
            length += (size_t) snprintf(content + length, sizeof content - length, "%s", lines[i].text);
        }
    }
    if (bytes > 0) {
        length += (size_t) snprintf(content + length, sizeof content - length, "process pid=%d card=%s memory=%lluMiB%s\n",
                (int) pid, uuid, bytes >> 20, words);
    }
    bool written = pwrite(file, content, length, 0) == (ssize_t) length && ftruncate(file, (off_t) length) == 0;
    close(file);
    return written;
}

unsigned long long ledger_used(const char *uuid, const char *cgroup) {
    static struct line lines[MOST];
    int file = open_locked();
    unsigned int count = file < 0 ? 0 : read_lines(file, lines);
    unsigned long long sum = 0;
    for (unsigned int i = 0; i < count; i++) {
        size_t length = cgroup == NULL ? 0 : strlen(cgroup);
        bool inside = cgroup == NULL
                || (strncmp(lines[i].cgroup, cgroup, length) == 0
                        && (lines[i].cgroup[length] == '\0' || lines[i].cgroup[length] == '/'));
        sum += inside && strcmp(lines[i].uuid, uuid) == 0 ? lines[i].bytes : 0;
    }
    if (file >= 0) {
        close(file);
    }
    return sum;
}

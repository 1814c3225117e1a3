/* The processes of simulated tenants and MPS servers, in the file that the simulated driver reads beside its cards. */
#ifndef SIMULATED_LEDGER_H
#define SIMULATED_LEDGER_H

#include <stdbool.h>
#include <sys/types.h>

/* The environment variable that names the file of the cards. */
#define CARDS_VARIABLE "GPUSHARE_SIMULATED_CARDS"

/*
 * Replaces the line of that process on that card; 0 bytes remove it. `words` are the others of the line, each with a space
 * before it. Lines of processes that have ended go as well. false: the file can't be written.
 */
bool ledger_put(const char *uuid, pid_t pid, unsigned long long bytes, const char *words);

/* Bytes of all live processes on that card; with a directory, only those of cgroups at or below it. */
unsigned long long ledger_used(const char *uuid, const char *cgroup);

#endif

/* Sleeps until SIGINT or SIGTERM, and reaps the children that it inherits as process 1. */
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>

int main(void) {
    sigset_t signals;
    int signal;

    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGCHLD);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    while (sigwait(&signals, &signal) == 0 && signal == SIGCHLD) {
        while (waitpid(-1, NULL, WNOHANG) > 0) {
        }
    }
    return 0;
}

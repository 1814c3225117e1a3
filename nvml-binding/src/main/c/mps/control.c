/*
 * A simulated nvidia-cuda-mps-control, and under its other name nvidia-cuda-mps-server: the command line, replies, exit codes
 * and files of NVIDIA's programs, as far as they were seen on versions 535 and 550. Its protocol on the socket is its own. The file that
 * GPUSHARE_SIMULATED_MPS names has words that change what it does; SIMULATED-DRIVER.md lists them.
 */
#define _GNU_SOURCE
#include "ledger.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_CLIENTS = 48, MOST_CONNECTIONS = 64, REPLY = 1 << 15, SERVER_MIB = 66 };

struct limit {
    unsigned long long mib;
    bool set;
};

/* A connection: of a control program, or of a client that computes. */
struct connection {
    int socket;
    pid_t pid;
    uid_t uid;
    bool client, pending;
    bool privileged; /* through the socket for that, by root or the daemon's user */
    unsigned int id; /* of a client, among those of its server */
    unsigned long long wanted_mib; /* of a client; 0: no limit of its own */
};

static struct {
    const char *directory, *uuid;
    double percentage;
    int priority;
    struct limit default_limit, server_limit;
    pid_t server;
    uid_t server_uid;
    unsigned int next_id;
    long long server_ready_at; /* milliseconds */
    bool multi_user, faulted;
    struct connection connections[MOST_CONNECTIONS];
} daemon_state = {.percentage = 100.0};

static const char *pipe_directory(void) {
    const char *directory = getenv("CUDA_MPS_PIPE_DIRECTORY");
    return directory == NULL || *directory == '\0' ? "/tmp/nvidia-mps" : directory;
}

static long long now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/* The value of that word in the script: "" for a word without a value, NULL if it is not there. */
static const char *script(const char *word) {
    static char content[1024];
    const char *path = getenv("GPUSHARE_SIMULATED_MPS");
    FILE *file = path == NULL ? NULL : fopen(path, "re");
    size_t length = file == NULL ? 0 : fread(content, 1, sizeof content - 1, file);
    if (file != NULL) {
        fclose(file);
    }
    content[length] = '\0';
    for (char *rest = NULL, *each = strtok_r(content, " \t\n", &rest); each != NULL;
            each = strtok_r(NULL, " \t\n", &rest)) {
        size_t name = strlen(word);
        if (strncmp(each, word, name) == 0 && (each[name] == '\0' || each[name] == '=')) {
            return each[name] == '=' ? each + name + 1 : "";
        }
    }
    return NULL;
}

static int version(void) {
    const char *written = script("version");
    return written == NULL ? 550 : atoi(written);
}

__attribute__((format(printf, 1, 2))) static void log_line(const char *format, ...) {
    struct timespec now;
    struct tm fields;
    char when[32];
    clock_gettime(CLOCK_REALTIME, &now);
    localtime_r(&now.tv_sec, &fields);
    strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &fields);
    printf("[%s.%03ld Control %d] ", when, now.tv_nsec / 1000000, getpid());
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    fflush(stdout);
}

static bool address(struct sockaddr_un *to, const char *directory, const char *name) {
    memset(to, 0, sizeof *to);
    to->sun_family = AF_UNIX;
    return snprintf(to->sun_path, sizeof to->sun_path, "%s/%s", directory, name) < (int) sizeof to->sun_path;
}

/* ---- the client: commands from standard input, one a line ---- */

static int no_daemon(void) {
    puts("Cannot find MPS control daemon process");
    return 1;
}

static int client(void) {
    struct sockaddr_un to;
    int control = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    bool connected = false;
    for (unsigned int i = 0; i < 2 && !connected; i++) {
        connected = address(&to, pipe_directory(), i == 0 ? "control_privileged" : "control")
                && connect(control, (struct sockaddr *) &to, sizeof to) == 0;
    }
    if (!connected) {
        return no_daemon();
    }
    char line[1024], reply[REPLY];
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        ssize_t length = send(control, line, strlen(line) + 1, MSG_NOSIGNAL) < 0 ? 0 : recv(control, reply, sizeof reply, 0);
        if (length <= 0) {
            return 1;
        }
        fwrite(reply, 1, (size_t) length - 1, stdout);
    }
    return 0;
}

/* ---- the daemon ---- */

static bool server_alive(void) {
    return daemon_state.server > 0 && kill(daemon_state.server, 0) == 0;
}

static void end_server(void) {
    if (daemon_state.server > 0) {
        kill(daemon_state.server, SIGKILL);
        waitpid(daemon_state.server, NULL, 0);
        log_line("Server %d exited with status 0", daemon_state.server);
        daemon_state.server = 0;
    }
}

static void start_server(uid_t uid) {
    if (server_alive()) {
        return;
    }
    char self[PATH_MAX], path[PATH_MAX + 32];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length < 0 ? 0 : length] = '\0';
    snprintf(path, sizeof path, "%s/nvidia-cuda-mps-server", dirname(self));
    const char *start = script("server-start");
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (start != NULL && strcmp(start, "fail") == 0) {
            _exit(1);
        }
        execl(path, "nvidia-cuda-mps-server", (char *) NULL);
        _exit(127);
    }
    log_line("Starting new server %d for user %u", child, uid);
    daemon_state.server = child;
    daemon_state.server_uid = uid;
    daemon_state.next_id = 0;
    daemon_state.faulted = false;
    daemon_state.server_limit = daemon_state.default_limit;
    daemon_state.server_ready_at = now_ms() + (start != NULL && strncmp(start, "slow:", 5) == 0 ? atoi(start + 5) : 0);
    if (daemon_state.uuid != NULL) {
        ledger_put(daemon_state.uuid, child, (unsigned long long) SERVER_MIB << 20, false, NULL);
    }
}

static const char *server_status(void) {
    return daemon_state.faulted || script("fault") != NULL ? "FAULT" : now_ms() < daemon_state.server_ready_at ? "INITIALIZING" : "ACTIVE";
}

/* Whole numbers with M or G; what NVIDIA's program misreads is misread here: units and fractions. */
static struct limit parse_limit(const char *text) {
    char *end = NULL;
    unsigned long long number = strtoull(text, &end, 10);
    if (end == text || number == 0) {
        return (struct limit) {0, false};
    }
    return (struct limit) {*end == 'G' ? number << 10 : number, true};
}

/* From 1,024 MiB on, what is read back is cut to whole G. */
static void print_limit(char *reply, struct limit limit) {
    if (!limit.set) {
        strcpy(reply, "");
    } else if (limit.mib >= 1024) {
        sprintf(reply, "%lluG\n", limit.mib >> 10);
    } else {
        sprintf(reply, "%lluM\n", limit.mib);
    }
}

static bool is_first_device(const char *device) {
    return strcmp(device, "0") == 0 || (daemon_state.uuid != NULL && strcmp(device, daemon_state.uuid) == 0);
}

static void close_connection(struct connection *connection) {
    if (connection->client && daemon_state.uuid != NULL) {
        ledger_put(daemon_state.uuid, connection->pid, 0, true, NULL);
    }
    close(connection->socket);
    memset(connection, 0, sizeof *connection);
    connection->socket = -1;
}

static unsigned int clients(void) {
    unsigned int count = 0;
    for (unsigned int i = 0; i < MOST_CONNECTIONS; i++) {
        count += daemon_state.connections[i].client && !daemon_state.connections[i].pending;
    }
    return count;
}

static void list_clients(char *reply) {
    size_t length = 0;
    for (unsigned int i = 0; i < MOST_CONNECTIONS; i++) {
        if (daemon_state.connections[i].client && !daemon_state.connections[i].pending) {
            length += (size_t) sprintf(reply + length, "%d\n", daemon_state.connections[i].pid);
        }
    }
    reply[length] = '\0';
}

/* A line for each client, in the columns of NVIDIA's program; it cuts the UUID, and shows commands without their arguments. */
static void list_processes(char *reply) {
    size_t length = (size_t) sprintf(reply, "%-10s%-10s%-15s%-26s%-15s%-15s\n", "PID", "ID", "SERVER", "DEVICE", "NAMESPACE",
            "COMMAND");
    for (unsigned int i = 0; i < MOST_CONNECTIONS; i++) {
        const struct connection *each = &daemon_state.connections[i];
        if (each->client && !each->pending) {
            char path[64], command[256] = "";
            struct stat namespace = {0};
            snprintf(path, sizeof path, "/proc/%d/ns/pid", each->pid);
            stat(path, &namespace);
            snprintf(path, sizeof path, "/proc/%d/cmdline", each->pid);
            FILE *file = fopen(path, "re");
            if (file != NULL) {
                command[fread(command, 1, sizeof command - 1, file)] = '\0';
                fclose(file);
            }
            length += (size_t) sprintf(reply + length, "%-10d%-10u%-15d%-26.22s%-15llu%-15s\n", each->pid, each->id,
                    daemon_state.server, daemon_state.uuid == NULL ? "" : daemon_state.uuid,
                    (unsigned long long) namespace.st_ino, command);
        }
    }
}

static void terminate(char *reply, pid_t server, pid_t pid) {
    if (!server_alive() || server != daemon_state.server) {
        sprintf(reply, "Server %d not found\nServer %d not found!\n1\n", server, server);
        return;
    }
    for (unsigned int i = 0; i < MOST_CONNECTIONS; i++) {
        struct connection *each = &daemon_state.connections[i];
        if (each->client && each->pid == pid) {
            send(each->socket, "terminated", sizeof "terminated", MSG_NOSIGNAL);
            close_connection(each);
            strcpy(reply, "0\n");
            return;
        }
    }
    strcpy(reply, "Client not found\nTermination failed\n1\n");
}

static void pid_file(char path[PATH_MAX]) {
    snprintf(path, PATH_MAX, "%s/nvidia-cuda-mps-control.pid", daemon_state.directory);
}

static void quit(void) {
    char path[PATH_MAX];
    pid_file(path);
    unlink(path);
    end_server();
    log_line("Exit");
    exit(0);
}

static void set_percentage(char *reply, const char *value) {
    char *end = NULL;
    double number = strtod(value, &end);
    if (end != value && number > 0 && number <= 100) {
        daemon_state.percentage = number;
    }
    sprintf(reply, "%.1f\n", daemon_state.percentage);
}

/* Commands about one server; false: there is no such command. */
static bool about_server(char *reply, const char *command, char *words[], unsigned int count) {
    static const char *const COMMANDS[] = {"get_server_status", "get_client_list", "get_device_pinned_mem_limit",
            "set_device_pinned_mem_limit", "get_active_thread_percentage", "set_active_thread_percentage",
            "shutdown_server", "get_device_client_list"};
    bool known = false;
    for (size_t i = 0; i < sizeof COMMANDS / sizeof COMMANDS[0]; i++) {
        known = known || strcmp(command, COMMANDS[i]) == 0;
    }
    if (!known || (version() < 550 && strcmp(command, "get_server_status") == 0)) {
        return false;
    }
    const char *named = count > 1 ? words[1] : "";
    if (!server_alive() || atoi(named) != daemon_state.server) {
        sprintf(reply, "Server %.32s not found\n", named);
    } else if (strcmp(command, "get_server_status") == 0) {
        sprintf(reply, "%s\n", server_status());
    } else if (strcmp(command, "get_client_list") == 0) {
        list_clients(reply);
    } else if (strcmp(command, "get_device_pinned_mem_limit") == 0) {
        print_limit(reply, count > 2 && is_first_device(words[2]) ? daemon_state.server_limit : (struct limit) {0, false});
    } else if (strcmp(command, "set_device_pinned_mem_limit") == 0) {
        strcpy(reply, "");
        if (count > 3 && is_first_device(words[2])) {
            daemon_state.server_limit = parse_limit(words[3]);
        }
    } else if (strcmp(command, "shutdown_server") == 0) {
        strcpy(reply, "");
        end_server();
    } else {
        sprintf(reply, "%.1f\n", daemon_state.percentage);
    }
    return true;
}

static void answer(char *reply, char *line, const struct connection *from) {
    char *words[8] = {NULL}, *rest = NULL;
    unsigned int count = 0;
    for (char *word = strtok_r(line, " ", &rest); word != NULL && count < 8; word = strtok_r(NULL, " ", &rest)) {
        words[count++] = word;
    }
    const char *command = count == 0 ? "" : words[0];
    bool changes = strncmp(command, "set_", 4) == 0;
    if (strcmp(command, "quit") == 0 && !from->privileged) {
        strcpy(reply, "Not enough privilege to execute quit command\n");
    } else if (changes && !from->privileged && version() >= 550) {
        sprintf(reply, "Insufficient privileges for UID %u. Control deamon settings can only be modified by the user started it"
                " or by the root user.\n", from->uid);
    } else if (strcmp(command, "get_server_list") == 0) {
        sprintf(reply, server_alive() ? "%d\n" : "", daemon_state.server);
    } else if (strcmp(command, "start_server") == 0) {
        strcpy(reply, "");
        start_server(count > 2 ? (uid_t) atoi(words[2]) : 0);
    } else if (strcmp(command, "get_default_active_thread_percentage") == 0) {
        sprintf(reply, "%.1f\n", daemon_state.percentage);
    } else if (strcmp(command, "set_default_active_thread_percentage") == 0 && count > 1) {
        set_percentage(reply, words[1]);
    } else if (strcmp(command, "get_default_device_pinned_mem_limit") == 0 && count > 1) {
        print_limit(reply, is_first_device(words[1]) ? daemon_state.default_limit : (struct limit) {0, false});
    } else if (strcmp(command, "set_default_device_pinned_mem_limit") == 0 && count > 2) {
        strcpy(reply, "");
        if (is_first_device(words[1])) {
            daemon_state.default_limit = parse_limit(words[2]);
        }
    } else if (strcmp(command, "set_default_client_priority") == 0 && count > 1) {
        bool valid = strcmp(words[1], "0") == 0 || strcmp(words[1], "1") == 0;
        daemon_state.priority = valid ? atoi(words[1]) : daemon_state.priority;
        strcpy(reply, valid ? "" : "Invalid priority value - must be 0 or 1!\n");
    } else if (strcmp(command, "get_default_client_priority") == 0) {
        sprintf(reply, "%d\n", daemon_state.priority);
    } else if (strcmp(command, "ps") == 0) {
        if (server_alive()) {
            list_processes(reply);
        } else {
            strcpy(reply, "Server not found\n");
        }
    } else if (strcmp(command, "terminate_client") == 0 && count > 2) {
        terminate(reply, atoi(words[1]), atoi(words[2]));
    } else if (strcmp(command, "quit") == 0) {
        send(from->socket, "", 1, MSG_NOSIGNAL);
        quit();
    } else if (!about_server(reply, command, words, count)) {
        sprintf(reply, "Unknown command \"%.200s\"\n", command);
    }
}

/* Lets a client in, and sends it its limit in MiB (0: none), or leaves it waiting, or refuses it with CUDA's error code. */
static void admit(struct connection *from) {
    char reply[64];
    unsigned long long limit = daemon_state.server_limit.set ? daemon_state.server_limit.mib : 0;
    bool faulted = daemon_state.faulted || script("fault") != NULL;
    if (faulted || clients() >= MOST_CLIENTS) {
        sprintf(reply, "error %d", faulted ? 807 : 808);
        send(from->socket, reply, strlen(reply) + 1, MSG_NOSIGNAL);
        from->client = false;
        return;
    }
    if (!daemon_state.multi_user && server_alive() && from->uid != daemon_state.server_uid) {
        if (clients() > 0) {
            if (!from->pending) {
                log_line("NEW CLIENT %d from user %u: Server is not ready, push client to pending list", from->pid, from->uid);
            }
            from->pending = true;
            return;
        }
        end_server();
    }
    if (!server_alive()) {
        start_server(daemon_state.multi_user ? 0 : from->uid);
        limit = daemon_state.server_limit.set ? daemon_state.server_limit.mib : 0;
    } else if (!from->pending) {
        log_line("NEW CLIENT %d from user %u: Server already exists", from->pid, from->uid);
    }
    from->pending = false;
    from->id = daemon_state.next_id++;
    if (from->wanted_mib > 0 && (limit == 0 || from->wanted_mib < limit)) {
        limit = from->wanted_mib;
    }
    sprintf(reply, "limit %llu", limit);
    send(from->socket, reply, strlen(reply) + 1, MSG_NOSIGNAL);
}

static void admit_pending(void) {
    for (unsigned int i = 0; i < MOST_CONNECTIONS; i++) {
        if (daemon_state.connections[i].pending) {
            admit(&daemon_state.connections[i]);
        }
    }
}

/* A client's fatal fault is every client's; the server serves new ones when the last of these has ended. */
static void fault(void) {
    daemon_state.faulted = true;
    for (unsigned int i = 0; i < MOST_CONNECTIONS; i++) {
        if (daemon_state.connections[i].client && !daemon_state.connections[i].pending) {
            send(daemon_state.connections[i].socket, "fault", sizeof "fault", MSG_NOSIGNAL);
        }
    }
}

static void handle(struct connection *from) {
    char line[1024], reply[REPLY] = "";
    ssize_t length = recv(from->socket, line, sizeof line - 1, 0);
    if (length <= 0) {
        close_connection(from);
        daemon_state.faulted = daemon_state.faulted && clients() > 0;
        admit_pending();
        return;
    }
    line[length] = '\0';
    if (strcmp(line, "fault") == 0) {
        fault();
        return;
    }
    if (strncmp(line, "client ", 7) == 0) {
        from->client = true;
        from->wanted_mib = strtoull(line + 7, NULL, 10);
        admit(from);
        return;
    }
    answer(reply, line, from);
    send(from->socket, reply, strlen(reply) + 1, MSG_NOSIGNAL);
}

static void accept_on(int listening, bool privileged) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    int accepted = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
    if (accepted < 0 || getsockopt(accepted, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
        return;
    }
    for (unsigned int i = 0; i < MOST_CONNECTIONS; i++) {
        if (daemon_state.connections[i].socket < 0) {
            daemon_state.connections[i] = (struct connection) {.socket = accepted, .pid = peer.pid, .uid = peer.uid,
                    .privileged = privileged && (peer.uid == 0 || peer.uid == getuid())};
            return;
        }
    }
    close(accepted);
}

static int listen_on(const char *name, mode_t mode) {
    struct sockaddr_un at;
    int listening = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (!address(&at, daemon_state.directory, name)) {
        return -1;
    }
    unlink(at.sun_path);
    if (bind(listening, (struct sockaddr *) &at, sizeof at) != 0 || listen(listening, 64) != 0
            || chmod(at.sun_path, mode) != 0) {
        return -1;
    }
    return listening;
}

static void write_files(bool background) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/log", daemon_state.directory);
    unlink(path);
    if (mkfifo(path, 0777) != 0 || chmod(path, 0777) != 0) {
        perror("log");
    }
    pid_file(path);
    /* Version 535 has none in the foreground. */
    FILE *file = version() < 550 && !background ? NULL : fopen(path, "we");
    if (file != NULL) {
        fprintf(file, "%d", getpid());
        fclose(file);
    }
}

static void serve(int control, int privileged) {
    for (unsigned int i = 0; i < MOST_CONNECTIONS; i++) {
        daemon_state.connections[i].socket = -1;
    }
    for (;;) {
        struct pollfd polled[MOST_CONNECTIONS + 2] = {{control, POLLIN, 0}, {privileged, POLLIN, 0}};
        for (unsigned int i = 0; i < MOST_CONNECTIONS; i++) {
            polled[i + 2] = (struct pollfd) {daemon_state.connections[i].socket, POLLIN, 0};
        }
        poll(polled, MOST_CONNECTIONS + 2, 50);
        if (script("die") != NULL) {
            kill(getpid(), SIGKILL);
        }
        if (script("hang") != NULL) {
            usleep(50000);
            continue;
        }
        if (daemon_state.server > 0 && waitpid(daemon_state.server, NULL, WNOHANG) > 0) {
            log_line("Server %d exited with status 1", daemon_state.server);
            daemon_state.server = 0;
        }
        for (unsigned int i = 0; i < 2; i++) {
            if (polled[i].revents != 0) {
                accept_on(polled[i].fd, polled[i].fd == privileged);
            }
        }
        for (unsigned int i = 0; i < MOST_CONNECTIONS; i++) {
            if (polled[i + 2].revents != 0 && daemon_state.connections[i].socket == polled[i + 2].fd) {
                handle(&daemon_state.connections[i]);
            }
        }
    }
}

static void on_term(int signal) {
    (void) signal;
    if (daemon_state.server > 0) {
        kill(daemon_state.server, SIGKILL);
    }
    _exit(0);
}

static int run_daemon(bool background, bool multi_user) {
    char path[PATH_MAX];
    daemon_state.directory = pipe_directory();
    daemon_state.uuid = getenv("CUDA_VISIBLE_DEVICES");
    daemon_state.multi_user = multi_user;
    const char *percentage = getenv("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE");
    daemon_state.percentage = percentage == NULL ? 100.0 : strtod(percentage, NULL);
    snprintf(path, sizeof path, "%s/control_lock", daemon_state.directory);
    umask(0);
    if (access(daemon_state.directory, X_OK) != 0 && mkdir(daemon_state.directory, 0777) != 0) {
        printf("Cannot access CUDA_MPS_PIPE_DIRECTORY=%s\n", daemon_state.directory);
        return 1;
    }
    int locked = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (flock(locked, LOCK_EX | LOCK_NB) != 0) {
        puts("An instance of this daemon is already running");
        return 1;
    }
    int control = listen_on("control", 0666), privileged = listen_on("control_privileged", 0755);
    write_files(background);
    if (control < 0 || privileged < 0) {
        return no_daemon();
    }
    if (background && daemon(1, 0) != 0) {
        return 1;
    }
    signal(SIGTERM, on_term);
    signal(SIGPIPE, SIG_IGN);
    log_line("Starting control daemon using socket %s/control", daemon_state.directory);
    log_line("CUDA MPS Control binary version: %d", version() == 550 ? 12040 : 12020);
    serve(control, privileged);
    return 0;
}

int main(int count, char *arguments[]) {
    if (strcmp(basename(strdup(arguments[0])), "nvidia-cuda-mps-server") == 0) {
        for (;;) {
            pause();
        }
    }
    bool foreground = false, background = false, multi_user = false, known = true;
    for (int i = 1; i < count; i++) {
        bool multi = strcmp(arguments[i], "-M") == 0 || strcmp(arguments[i], "-multiuser-server") == 0;
        foreground = foreground || strcmp(arguments[i], "-f") == 0;
        background = background || strcmp(arguments[i], "-d") == 0;
        multi_user = multi_user || multi;
        known = known && (strcmp(arguments[i], "-f") == 0 || strcmp(arguments[i], "-d") == 0 || multi);
    }
    if (!known || (!foreground && !background) || (multi_user && script("multi-user") == NULL)) {
        return count > 1 && !known ? no_daemon() : client();
    }
    return run_daemon(background, multi_user);
}

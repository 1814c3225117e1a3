/* Starts the device plugin by the name that gpushare's manifest uses as its command. The image has no shell. */
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
    char **args = calloc(argc + 2, sizeof *args);
    if (args == NULL) {
        return 1;
    }
    args[0] = "/opt/java/bin/java";
    args[1] = "@/app/jvm.args";
    for (int i = 1; i < argc; i++) {
        args[i + 1] = argv[i];
    }
    execv(args[0], args);
    return 127;
}

package io.gpushare.e2e.chaos;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Drops the packets between one container and the API server, in the container's own network namespace. */
final class ApiServerFirewall {
    private static final List<String> RULE =
            List.of("OUTPUT", "-p", "tcp", "-m", "multiport", "--dports", "443,6443", "-j", "DROP");

    private ApiServerFirewall() {}

    /** Returns whether the container of that process is cut off now. */
    static boolean close(ProcessHandle process) throws InterruptedException {
        return iptables(process, "-I");
    }

    /** Returns whether the container of that process is connected again; false if the process ended. */
    static boolean open(ProcessHandle process) throws InterruptedException {
        return iptables(process, "-D");
    }

    private static boolean iptables(ProcessHandle process, String action) throws InterruptedException {
        List<String> command = new ArrayList<>(
                List.of("nsenter", "--target", String.valueOf(process.pid()), "--net", "iptables", "-w"));
        command.add(action);
        command.addAll(RULE);
        try {
            return new ProcessBuilder(command).inheritIO().start().waitFor() == 0;
        } catch (IOException e) {
            throw new IllegalStateException("can't run nsenter or iptables", e);
        }
    }
}

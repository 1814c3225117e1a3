package io.gpushare.e2e.load;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Sets the CPU affinity of processes with util-linux' taskset. Processor lists have the format of proc(5): {@code
 * 0-3,7}.
 */
final class Processors {
    private static final String ALLOWED = "Cpus_allowed_list:";

    private Processors() {}

    /** The processors that this program may run on. */
    static String allowed() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith(ALLOWED))
                .map(line -> line.substring(ALLOWED.length()).strip())
                .findFirst()
                .orElseThrow(() -> new IOException("/proc/self/status has no " + ALLOWED));
    }

    /** Expands the ranges of a processor list. */
    static List<Integer> each(String processors) {
        List<Integer> each = new ArrayList<>();
        for (String range : processors.split(",")) {
            int[] ends =
                    Arrays.stream(range.split("-")).mapToInt(Integer::parseInt).toArray();
            for (int processor = ends[0]; processor <= ends[ends.length - 1]; processor++) {
                each.add(processor);
            }
        }
        return each;
    }

    /** Pins all present and future threads of the process to the processors. */
    static void pin(long pid, String processors) throws IOException, InterruptedException {
        Process taskset = new ProcessBuilder("taskset", "-a", "-c", "-p", processors, String.valueOf(pid))
                .redirectErrorStream(true)
                .start();
        String output = new String(taskset.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (taskset.waitFor() != 0) {
            throw new IOException(
                    "taskset could not pin process " + pid + " to processors " + processors + ": " + output);
        }
    }

    /** A measurement. */
    interface Measurement<T> {
        T run() throws IOException;
    }

    /**
     * Runs the measurement with this program on one processor and both servers on another, as on different nodes.
     * Without pinning the kernel may run client and server on the same processor, where a call takes a third less time.
     */
    static <T> T apart(ServerProcess one, ServerProcess other, Measurement<T> measurement)
            throws IOException, InterruptedException {
        String allowed = allowed();
        List<Integer> each = each(allowed);
        if (each.size() == 1) {
            return measurement.run();
        }
        long here = ProcessHandle.current().pid();
        try {
            pin(here, String.valueOf(each.getFirst()));
            // Not the next processor, which may be the same core's hyperthread.
            pin(one.pid(), String.valueOf(each.getLast()));
            pin(other.pid(), String.valueOf(each.getLast()));
            return measurement.run();
        } finally {
            for (long pid : new long[] {here, one.pid(), other.pid()}) {
                if (ProcessHandle.of(pid).isPresent()) {
                    pin(pid, allowed);
                }
            }
        }
    }
}

package io.gpushare.e2e.load;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Which processors processes may run on (util-linux' taskset), in the words of proc(5): {@code 0-3,7}. */
final class Processors {
    private static final String ALLOWED = "Cpus_allowed_list:";

    private Processors() {}

    /** Those that this program may run on, which are not all where it is in a cpuset. */
    static String allowed() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith(ALLOWED))
                .map(line -> line.substring(ALLOWED.length()).strip())
                .findFirst()
                .orElseThrow(() -> new IOException("/proc/self/status has no " + ALLOWED));
    }

    /** One by one. */
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

    /** All threads of that process run on these alone, and those that they will start. */
    static void pin(long pid, String processors) throws IOException, InterruptedException {
        Process taskset = new ProcessBuilder("taskset", "-a", "-c", "-p", processors, String.valueOf(pid))
                .redirectErrorStream(true)
                .start();
        String said = new String(taskset.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (taskset.waitFor() != 0) {
            throw new IOException(
                    "taskset could not put process " + pid + " on processors " + processors + ": " + said);
        }
    }

    /** What is measured. */
    interface Measured<T> {
        T run() throws IOException;
    }

    /**
     * Runs it while this program has one processor and both servers have another, as on a node each. Otherwise the kernel
     * puts two programs that take turns on one processor or on two as it likes, and on one they take a third less time.
     */
    static <T> T apart(ServerProcess one, ServerProcess other, Measured<T> then)
            throws IOException, InterruptedException {
        String allowed = allowed();
        List<Integer> each = each(allowed);
        if (each.size() == 1) {
            return then.run();
        }
        long here = ProcessHandle.current().pid();
        try {
            pin(here, String.valueOf(each.getFirst()));
            // Not the next one: that may be the same core's other half.
            pin(one.pid(), String.valueOf(each.getLast()));
            pin(other.pid(), String.valueOf(each.getLast()));
            return then.run();
        } finally {
            for (long pid : new long[] {here, one.pid(), other.pid()}) {
                if (ProcessHandle.of(pid).isPresent()) {
                    pin(pid, allowed);
                }
            }
        }
    }
}

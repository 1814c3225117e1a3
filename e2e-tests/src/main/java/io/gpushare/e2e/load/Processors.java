package io.gpushare.e2e.load;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Which processors a process may run on (util-linux' taskset). */
final class Processors {
    private Processors() {}

    /** All threads of that process run on these alone, and those that they will start: "1", or "0-3". */
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
}

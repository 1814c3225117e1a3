package io.gpushare.e2e.load;

import io.gpushare.e2e.load.client.Connection;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Measures whether a caller who keeps every connection after one request leaves one for the others. */
final class HostileCallers {
    /** Twice as many as the extender accepts. */
    private static final int KEPT = 4_000;

    private static final int PROBES = 20;

    private HostileCallers() {}

    /** Whether every probe was answered. */
    static boolean measure(int port) throws IOException {
        List<Connection> kept = new ArrayList<>();
        try {
            open(port, kept);
            return probe(port, kept.size());
        } finally {
            for (Connection each : kept) {
                each.close();
            }
        }
    }

    private static void open(int port, List<Connection> kept) {
        try {
            for (int i = 0; i < KEPT; i++) {
                kept.add(new Connection(port));
                kept.getLast().call(LoadRun.READY);
            }
        } catch (IOException e) {
            LoadRun.print("  no more connections: %s%n", String.valueOf(e.getMessage()));
        }
    }

    private static boolean probe(int port, int kept) {
        int answered = 0;
        long longest = 0;
        for (int i = 0; i < PROBES; i++) {
            long begin = System.nanoTime();
            try (Connection probe = new Connection(port)) {
                probe.call(LoadRun.READY);
                answered++;
                longest = Math.max(longest, System.nanoTime() - begin);
            } catch (IOException e) {
                LoadRun.print("  a probe failed: %s%n", String.valueOf(e.getMessage()));
            }
        }
        LoadRun.print(
                "  beside %,d connections that a caller opened and keeps, %d of %d probes are answered, the longest"
                        + " after %.1f ms%n",
                kept, answered, PROBES, longest / 1e6);
        return answered == PROBES;
    }
}

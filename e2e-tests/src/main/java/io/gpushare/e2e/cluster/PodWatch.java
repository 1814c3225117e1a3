package io.gpushare.e2e.cluster;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The times at which pods of the tests' namespace are bound and deleted, from one watch of the API server. */
public final class PodWatch implements AutoCloseable {
    // The type, the name, and the node if the pod has one.
    private static final String EVENT =
            "jsonpath={.type}{' '}{.object.metadata.name}{' '}{.object.spec.nodeName}{'\\n'}";

    private final ProcessBuilder command;
    private final Map<String, Long> moments = new ConcurrentHashMap<>();
    private volatile boolean closed;
    private volatile Process process;

    private PodWatch(ProcessBuilder command) throws IOException {
        this.command = command;
        process = command.start();
    }

    /** Starts the watch, which lasts until it is closed. */
    static PodWatch start(List<String> kubectl) {
        List<String> command = new ArrayList<>(kubectl);
        command.addAll(List.of("-n", "default", "get", "pods", "--watch", "--output-watch-events", "-o", EVENT));
        try {
            PodWatch watch = new PodWatch(new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT));
            Thread.ofPlatform().daemon().name("pod-watch").start(watch::run);
            return watch;
        } catch (IOException e) {
            throw new UncheckedIOException(String.join(" ", command), e);
        }
    }

    /** An API server without processor time ends a watch that it can't serve, and kubectl ends with it. */
    private void run() {
        read();
        while (!closed) {
            System.out.println("the watch of pods ended; another one starts");
            try {
                process = command.start();
            } catch (IOException e) {
                throw new UncheckedIOException("no other watch of pods can be started", e);
            }
            read();
        }
        process.destroy();
    }

    private void read() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            @Nullable String line = lines.readLine();
            while (line != null) {
                long now = System.nanoTime();
                String[] words = line.strip().split("\\s+");
                if (words.length >= 2 && words[0].equals("DELETED")) {
                    moments.putIfAbsent("gone " + words[1], now);
                } else if (words.length >= 3) {
                    moments.putIfAbsent("bound " + words[1], now);
                }
                line = lines.readLine();
            }
        } catch (IOException e) {
            // The watch was closed.
        }
    }

    /** The time from the deletion of one pod to the binding of another. Waits for both. Pod names must be unique. */
    public Duration fromEndToBinding(String ended, String bound, Duration limit) {
        Await.until(
                limit, "pod " + ended + " is gone", () -> moments.containsKey("gone " + ended), Boolean::booleanValue);
        Await.until(
                limit,
                "pod " + bound + " is bound",
                () -> moments.containsKey("bound " + bound),
                Boolean::booleanValue);
        return Duration.ofNanos(moments.getOrDefault("bound " + bound, 0L) - moments.getOrDefault("gone " + ended, 0L));
    }

    @Override
    public void close() {
        closed = true;
        process.destroy();
    }
}

package io.gpushare.mps.control;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * NVIDIA's {@code nvidia-cuda-mps-control} as the client of one card's daemon. Its exit code says only whether the
 * daemon was reached, so every setting is read back.
 *
 * @param program its path
 * @param pipe the directory of the daemon's sockets
 */
public record ControlProgram(Path program, Path pipe) {
    /** The usual name of the program. */
    public static final String NAME = "nvidia-cuda-mps-control";

    static final String PIPE_VARIABLE = "CUDA_MPS_PIPE_DIRECTORY";
    private static final Duration LIMIT = Duration.ofSeconds(3);

    /** What became of commands. */
    public sealed interface Reply {
        /** The daemon's lines. */
        record Answered(List<String> lines) implements Reply {
            public Answered {
                lines = List.copyOf(lines);
            }
        }

        /** There is no daemon. */
        record NoDaemon() implements Reply {}

        /** The daemon did not answer in time. */
        record Silent() implements Reply {}
    }

    /** The program of that name in one of the directories of PATH, or at that path; empty if there is none. */
    public static Optional<Path> find(String name, String path) {
        return name.contains("/")
                ? Optional.of(Path.of(name)).filter(Files::isExecutable)
                : Arrays.stream(path.split(":", -1))
                        .filter(directory -> !directory.isEmpty())
                        .map(directory -> Path.of(directory, name))
                        .filter(Files::isExecutable)
                        .findFirst();
    }

    /**
     * Whether a daemon has ever listened in the directory: it makes its socket when it starts, and leaves it behind.
     */
    boolean mayHaveDaemon() {
        return Files.exists(pipe.resolve("control"), LinkOption.NOFOLLOW_LINKS);
    }

    /** Sends the commands, one a line, and waits for all replies. */
    public Reply ask(String... commands) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(program.toString()).redirectErrorStream(true);
        builder.environment().put(PIPE_VARIABLE, pipe.toString());
        Process asking = builder.start();
        try {
            try (var input = asking.outputWriter(StandardCharsets.US_ASCII)) {
                input.write(String.join("\n", commands) + "\n");
            } catch (IOException e) {
                // It ended without reading: its exit code says why.
                asking.waitFor();
            }
            CompletableFuture<String> output = CompletableFuture.supplyAsync(() -> read(asking));
            if (!asking.waitFor(LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                return new Reply.Silent();
            }
            return asking.exitValue() == 0
                    ? new Reply.Answered(output.join().lines().toList())
                    : new Reply.NoDaemon();
        } finally {
            asking.destroyForcibly();
        }
    }

    private static String read(Process process) {
        try {
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }
}

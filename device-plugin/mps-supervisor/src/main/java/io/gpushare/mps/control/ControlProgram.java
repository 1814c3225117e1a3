package io.gpushare.mps.control;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * NVIDIA's {@code nvidia-cuda-mps-control} as the client of one card's daemon. Its exit code says only whether the
 * daemon was reached, so every setting is read back.
 *
 * @param program its path
 * @param environment the variables that each of its processes gets
 * @param pipe the directory of the daemon's sockets
 */
public record ControlProgram(Path program, Map<String, String> environment, PipeDirectories pipe) {
    /** The usual name of the program. */
    public static final String NAME = "nvidia-cuda-mps-control";

    static final String PIPE_VARIABLE = "CUDA_MPS_PIPE_DIRECTORY";
    private static final Duration LIMIT = Duration.ofSeconds(3);
    /** An answer is a few lines; clients, of which there are 60 at most, have one each. */
    private static final int LONGEST = 1 << 16;

    public ControlProgram {
        environment = Map.copyOf(environment);
    }

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

        /** The daemon did not answer in time, or did not end its answer. */
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

    /** A process of the program with the daemon's sockets; its errors are output. */
    ProcessBuilder process(String... flags) {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(List.of(flags));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().clear();
        builder.environment().putAll(environment);
        builder.environment().put(PIPE_VARIABLE, pipe.daemon().toString());
        return builder;
    }

    /** Sends the commands, one a line, and waits for all replies. */
    public Reply ask(String... commands) throws IOException, InterruptedException {
        Process asking = process().start();
        try {
            try (var input = asking.outputWriter(StandardCharsets.US_ASCII)) {
                input.write(String.join("\n", commands) + "\n");
            } catch (IOException e) {
                // It ended without reading: its exit code says why.
                asking.waitFor();
            }
            // Not in the common pool: on a node with few processors it has one thread, for all cards.
            CompletableFuture<byte[]> output = new CompletableFuture<>();
            Thread.ofPlatform().daemon().name("mps-answer").start(() -> output.complete(read(asking)));
            long end = System.nanoTime() + LIMIT.toNanos();
            byte[] answer = output.get(LIMIT.toNanos(), TimeUnit.NANOSECONDS);
            if (answer.length > LONGEST || !asking.waitFor(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                return new Reply.Silent();
            }
            return asking.exitValue() == 0
                    ? new Reply.Answered(
                            new String(answer, StandardCharsets.UTF_8).lines().toList())
                    : new Reply.NoDaemon();
        } catch (TimeoutException e) {
            return new Reply.Silent();
        } catch (ExecutionException e) {
            throw new IOException("the output of " + program + " can't be read", e);
        } finally {
            asking.destroyForcibly();
        }
    }

    /** One byte more than an answer may have is the sign of an endless one. */
    private static byte[] read(Process process) {
        try {
            return process.getInputStream().readNBytes(LONGEST + 1);
        } catch (IOException e) {
            return new byte[0];
        }
    }
}

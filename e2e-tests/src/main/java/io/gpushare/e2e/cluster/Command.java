package io.gpushare.e2e.cluster;

import io.gpushare.simulated.patience.Patience;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Runs a program to its end. */
public final class Command {
    /** Thrown if a program exits with a code other than 0, or not in time. The message contains its standard error. */
    static final class Failed extends RuntimeException {
        private static final long serialVersionUID = 1;

        Failed(String message) {
            super(message);
        }
    }

    private Command() {}

    /** Runs the command and returns its standard output. */
    public static String output(Duration limit, List<String> command) {
        return output(limit, "", command);
    }

    public static String output(Duration limit, String input, List<String> command) {
        try {
            Path out = Files.createTempFile("out", ".txt");
            Path err = Files.createTempFile("err", ".txt");
            try {
                Process process = new ProcessBuilder(command)
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile())
                        .start();
                process.getOutputStream().write(input.getBytes(StandardCharsets.UTF_8));
                process.getOutputStream().close();
                finish(process, limit, command, err);
                return Files.readString(out);
            } finally {
                Files.delete(out);
                Files.delete(err);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(String.join(" ", command), e);
        }
    }

    /** Runs the command with its output on this program's output, to show the progress of long steps. */
    public static void show(Duration limit, List<String> command) {
        try {
            Process process = new ProcessBuilder(command).inheritIO().start();
            finish(process, limit, command, null);
        } catch (IOException e) {
            throw new UncheckedIOException(String.join(" ", command), e);
        }
    }

    private static void finish(Process process, Duration quiet, List<String> command, @Nullable Path err)
            throws IOException {
        Duration limit = Patience.of(quiet);
        try {
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
                throw new Failed(String.join(" ", command) + " did not end within " + limit);
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new Failed(String.join(" ", command) + " was interrupted");
        }
        if (process.exitValue() != 0) {
            String printed = err == null ? "" : ": " + Files.readString(err).strip();
            throw new Failed(String.join(" ", command) + " ended with " + process.exitValue() + printed);
        }
    }
}

package io.gpushare.e2e.card.node;

import io.gpushare.e2e.cluster.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A program that uses the card, with its output: {@code gpu-eat}, or one of a framework. */
public final class Tenant implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration NOTICES = Duration.ofSeconds(15);

    private final Process process;
    private final Path output;

    private Tenant(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    /** Starts {@code gpu-eat} with these variables and without other ones of CUDA. */
    public static Tenant start(Machine machine, Map<String, String> environment, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(machine.pack().resolve("native/gpu-eat").toString());
        command.addAll(List.of(arguments));
        return start(machine, environment, command);
    }

    /** Starts that program in the same way. */
    public static Tenant start(Machine machine, Map<String, String> environment, List<String> command)
            throws IOException {
        Path output = Files.createTempFile(machine.work(), "tenant", ".out");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("CUDA_"));
        builder.environment().putAll(environment);
        if (Files.exists(machine.compiledKernels())) {
            builder.environment()
                    .put("GPU_EAT_KERNELS", machine.compiledKernels().toString());
        }
        return new Tenant(builder.start(), output);
    }

    public long pid() {
        return process.pid();
    }

    public boolean alive() {
        return process.isAlive();
    }

    public List<String> lines() {
        try {
            return Files.readAllLines(output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public String last() {
        List<String> lines = lines();
        return lines.isEmpty() ? "" : lines.getLast();
    }

    /** Waits for its next line after so many, or its end. */
    public String line(int number) {
        return line(number, PATIENCE);
    }

    /** The same for a program that may need another time. */
    public String line(int number, Duration patience) {
        List<String> lines = Await.until(
                patience, "a tenant prints", this::lines, printed -> printed.size() > number || !process.isAlive());
        lines = lines.size() > number ? lines : lines();
        return lines.size() > number ? lines.get(number) : "ended with " + process.exitValue();
    }

    /** Waits until its last line begins like that, it has ended, or it prints nothing more; its last line. */
    public String lastLine(String beginning) {
        try {
            return Await.until(
                    NOTICES,
                    "a tenant prints " + beginning,
                    this::last,
                    line -> line.startsWith(beginning) || !process.isAlive());
        } catch (AssertionError e) {
            return last() + ", and lives";
        }
    }

    /** Lets it go on after {@code ready}. */
    public void go() throws IOException {
        process.outputWriter().write("\n");
        process.outputWriter().flush();
    }

    /** Runs that when it has ended. */
    void onExit(Runnable then) {
        var _ = process.onExit().thenRun(then);
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}

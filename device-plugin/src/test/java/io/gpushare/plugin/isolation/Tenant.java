package io.gpushare.plugin.isolation;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** A program in a container that allocates memory of a card and holds it, through the simulated CUDA library. */
final class Tenant implements AutoCloseable {
    private static final Path PROGRAMS =
            Path.of(System.getProperty("gpushare.simulated.driver")).resolveSibling("mps");

    private final Process process;
    private final Path output;

    private Tenant(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    /** The directory of the simulated programs of MPS. */
    static Path programs() {
        return PROGRAMS;
    }

    /**
     * Starts it.
     *
     * @param environment of the container
     * @param user the user ID; 0 for the one of the test
     * @param arguments what it allocates, one after the other, in MiB, and what else it does
     */
    static Tenant start(Path dir, Map<String, String> environment, int user, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        if (user != 0) {
            command.addAll(List.of("setpriv", "--reuid=" + user, "--clear-groups"));
        }
        Path programs = readable(dir);
        command.add(programs.resolve("gpu-eat").toString());
        command.addAll(List.of(arguments));
        Path output = Files.createTempFile(dir, "tenant", "");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().putAll(environment);
        builder.environment().put("LD_LIBRARY_PATH", programs.toString());
        builder.environment()
                .put("GPUSHARE_SIMULATED_CARDS", dir.resolve("cards").toString());
        return new Tenant(builder.start(), output);
    }

    /** A copy of the simulated programs: other users can't read a checkout in the home directory of root. */
    private static Path readable(Path dir) throws IOException {
        Path copy = dir.resolve("programs");
        if (Files.exists(copy)) {
            return copy;
        }
        Files.createDirectory(copy);
        Set<PosixFilePermission> everybody = PosixFilePermissions.fromString("rwxr-xr-x");
        try (Stream<Path> programs = Files.list(PROGRAMS)) {
            for (Path program : programs.toList()) {
                Files.setPosixFilePermissions(Files.copy(program, copy.resolve(program.getFileName())), everybody);
            }
        }
        return Files.setPosixFilePermissions(copy, everybody);
    }

    long pid() {
        return process.pid();
    }

    boolean alive() {
        return process.isAlive();
    }

    List<String> lines() throws IOException {
        return Files.readAllLines(output);
    }

    /** Waits until it has printed these lines. */
    Tenant prints(String... lines) {
        await().untilAsserted(() -> assertThat(lines()).containsExactly(lines));
        return this;
    }

    @Override
    public void close() {
        try {
            process.destroyForcibly().waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

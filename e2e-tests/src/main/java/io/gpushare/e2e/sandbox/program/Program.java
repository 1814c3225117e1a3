package io.gpushare.e2e.sandbox.program;

import io.gpushare.simulated.patience.Patience;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One of the project's programs in its own process, with a small heap and its log in a file. */
public final class Program implements AutoCloseable {
    // A JVM that records for an AOT cache writes tens of megabytes when it ends.
    private static final Duration STOP = Duration.ofSeconds(30);

    /** What the extender logs when it listens; the group is its port. */
    public static final Pattern EXTENDER_PORT = Pattern.compile("listening on \\S+ port ([0-9]+)");

    /** What the device plugin logs when it serves its metrics; the group is their address. */
    public static final Pattern METRICS = Pattern.compile("metrics on (http://\\S+)");

    private static final Duration START = Duration.ofSeconds(60);
    private static final Duration PERIOD = Duration.ofMillis(20);

    private final String name;
    private final Path log;
    private final Process process;

    private Program(String name, Path log, Process process) {
        this.name = name;
        this.log = log;
        this.process = process;
    }

    /**
     * Starts the program from the build output in its module's {@code target}.
     *
     * @param arguments the main class and its flags
     */
    public static Program start(
            String name, Path module, int heapMib, List<String> arguments, Map<String, String> environment, Path log)
            throws IOException {
        Path classes = module.resolve("target/classes");
        Path libraries = module.resolve("target/lib");
        if (!Files.isDirectory(classes) || !Files.isDirectory(libraries)) {
            throw new IOException("the program " + name + " is not built: run ./mvnw -Dfast -DskipTests package first ("
                    + libraries + " is missing)");
        }
        return start(name, classes + ":" + libraries + "/*", heapMib, arguments, environment, log);
    }

    /** Starts the program from that class path, with the runtime of this process. */
    public static Program start(
            String name,
            String classPath,
            int heapMib,
            List<String> arguments,
            Map<String, String> environment,
            Path log)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-Xms8m",
                "-Xmx" + heapMib + "m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+ExitOnOutOfMemoryError",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                classPath));
        command.addAll(arguments);
        return start(name, command, environment, log);
    }

    public static Program start(String name, List<String> command, Map<String, String> environment, Path log)
            throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().putAll(environment);
        return new Program(name, log, builder.start());
    }

    /**
     * The first group of the pattern in the program's log, once it is there. Throws, with the end of the log, if the
     * program no longer runs.
     */
    public String logged(Pattern pattern) throws IOException {
        long end = System.nanoTime() + Patience.of(START).toNanos();
        while (System.nanoTime() < end) {
            Matcher found = pattern.matcher(Files.readString(log));
            if (found.find()) {
                return found.group(1);
            }
            checkAlive();
            pause();
        }
        throw new IOException(name + " does not log " + pattern + ": see " + log);
    }

    private static void pause() throws IOException {
        try {
            Thread.sleep(PERIOD);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** A free port. Use it at once, because another process may take it. */
    public static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    public String name() {
        return name;
    }

    /** Throws, with the end of its log, if the program no longer runs. */
    public void checkAlive() throws IOException {
        if (!process.isAlive()) {
            List<String> lines = Files.readAllLines(log);
            throw new IOException(name + " ended with code " + process.exitValue() + "; the end of " + log + ":\n"
                    + String.join("\n", lines.subList(Math.max(0, lines.size() - 15), lines.size())));
        }
    }

    /** Kills the program, as the loss of its machine would. */
    public void kill() {
        process.destroyForcibly();
    }

    /** Asks the program to end, as the end of its pod does, and does not wait. */
    public void terminate() {
        process.destroy();
    }

    /** Stops its execution until {@link #thaw}, as the pause of its virtual machine would. */
    public void freeze() throws IOException, InterruptedException {
        signal("STOP");
    }

    public void thaw() throws IOException, InterruptedException {
        signal("CONT");
    }

    /** Resident memory of that process, in MiB (Linux: VmRSS). */
    public static long residentMib(long pid) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc", String.valueOf(pid), "status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("[^0-9]", "")) / 1024;
            }
        }
        throw new IOException("no VmRSS of process " + pid);
    }

    private void signal(String signal) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + signal, String.valueOf(process.pid()))
                .inheritIO()
                .start()
                .waitFor();
    }

    @Override
    public void close() {
        terminate();
        try {
            if (!process.waitFor(Patience.of(STOP))) {
                process.destroyForcibly();
            }
        } catch (InterruptedException _) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}

package io.gpushare.e2e.sandbox.program;

import io.gpushare.simulated.patience.Patience;
import io.gpushare.simulated.program.StartedProgram;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One of the project's programs with its log in a file: in its own process with a small heap, or in this JVM. */
public final class Program implements AutoCloseable {
    // A JVM that records for an AOT cache writes tens of megabytes when it ends.
    private static final Duration STOP = Duration.ofSeconds(30);

    /** What the extender logs when it listens; the group is its port. */
    public static final Pattern EXTENDER_PORT = Pattern.compile("listening on \\S+ port ([0-9]+)");

    /** What the device plugin logs when it serves its metrics; the group is their address. */
    public static final Pattern METRICS = Pattern.compile("metrics on (http://\\S+)");

    private static final Duration START = Duration.ofSeconds(150);
    private static final Duration PERIOD = Duration.ofMillis(20);

    private final String name;
    private final Path log;
    private final StartedProgram started;

    private Program(String name, Path log, StartedProgram started) {
        this.name = name;
        this.log = log;
        this.started = started;
    }

    /**
     * Starts the program in this JVM, from the build output in its module's {@code target}. Its classes are loaded by a
     * class loader of their own, once for all programs of the module.
     *
     * @param arguments the main class and its flags
     * @param environment what it has beside that of this process; the simulated driver reads none of it
     */
    public static Program inThisJvm(
            String name, Path module, List<String> arguments, Map<String, String> environment, Path log)
            throws IOException {
        Map<String, String> all = new HashMap<>(System.getenv());
        all.putAll(environment);
        return new Program(
                name,
                log,
                StartedProgram.inThisJvm(log, () -> LoadedModule.of(module).start(arguments, all)));
    }

    /**
     * Starts the program from the build output in its module's {@code target}.
     *
     * @param arguments the main class and its flags
     */
    public static Program start(
            String name, Path module, int heapMib, List<String> arguments, Map<String, String> environment, Path log)
            throws IOException {
        LoadedModule.requireBuilt(module);
        String classPath = LoadedModule.classes(module) + ":" + LoadedModule.libraries(module) + "/*";
        return start(name, classPath, heapMib, arguments, environment, log);
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
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(environment);
        return new Program(name, log, StartedProgram.process(log, builder));
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
        if (!started.isAlive()) {
            List<String> lines = Files.readAllLines(log);
            throw new IOException(name + " has ended; the end of " + log + ":\n"
                    + String.join("\n", lines.subList(Math.max(0, lines.size() - 15), lines.size())));
        }
    }

    /** Kills the program, as the loss of its machine would; in this JVM it closes what it has opened. */
    public void kill() throws IOException {
        try {
            started.kill();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** Asks the program to end, as the end of its pod does, and does not wait. */
    public void terminate() {
        started.terminate();
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
        new ProcessBuilder("kill", "-" + signal, String.valueOf(started.pid()))
                .inheritIO()
                .start()
                .waitFor();
    }

    @Override
    public void close() {
        terminate();
        try {
            // In this JVM it is over then too, and its log gets no more of its lines.
            boolean _ = started.endsWithin(Patience.of(STOP));
            started.kill();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}

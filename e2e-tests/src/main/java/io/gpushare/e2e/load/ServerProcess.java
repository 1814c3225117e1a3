package io.gpushare.e2e.load;

import io.gpushare.e2e.sandbox.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** A server under load, in its own process with the JVM flags of its image. */
final class ServerProcess implements AutoCloseable {
    private static final Path FLAGS = Path.of("deploy/images/scheduler-extender.args");

    private final Process process;
    private final int port;
    private final Path log;

    private ServerProcess(Process process, int port, Path log) {
        this.process = process;
        this.port = port;
        this.log = log;
    }

    /** Starts the extender with this option. */
    static ServerProcess extender(Path root, Path kubeconfig, String option, Path log) throws IOException {
        List<String> command = flags(root);
        Path module = root.resolve("scheduler-extender/target");
        command.addAll(List.of("-cp", module.resolve("classes") + ":" + module.resolve("lib") + "/*"));
        command.add("io.gpushare.extender.ExtenderMain");
        int port = Program.freePort();
        command.addAll(List.of("--kubeconfig=" + kubeconfig, "--bind-address=127.0.0.1", "--port=" + port, option));
        return start(command, port, log);
    }

    /** Starts the bare handler with the extender's flags. */
    static ServerProcess bare(Path root, Path log) throws IOException {
        List<String> command = flags(root);
        int port = Program.freePort();
        command.addAll(List.of(
                "-cp", System.getProperty("java.class.path"), BareHandler.class.getName(), String.valueOf(port)));
        return start(command, port, log);
    }

    private static List<String> flags(Path root) throws IOException {
        return new ArrayList<>(Files.readAllLines(root.resolve(FLAGS)).stream()
                .filter(flag -> flag.startsWith("-X"))
                .toList());
    }

    private static ServerProcess start(List<String> arguments, int port, Path log) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(arguments);
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        return new ServerProcess(process, port, log);
    }

    long pid() {
        return process.pid();
    }

    int port() {
        return port;
    }

    /** Waits until the request gets a 200; throws with the path of the log if the program exits or the time is over. */
    void await(byte[] request, Duration limit) throws IOException, InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        while (System.nanoTime() < end) {
            if (!process.isAlive()) {
                break;
            }
            try (Connection connection = new Connection(port)) {
                connection.call(request);
                return;
            } catch (IOException e) {
                Thread.sleep(20);
            }
        }
        throw new IOException("the program is not ready after " + limit.toSeconds() + " s; see " + log);
    }

    /** Resident memory of the process, in MiB (Linux: VmRSS). */
    long residentMib() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc", String.valueOf(process.pid()), "status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("[^0-9]", "")) / 1024;
            }
        }
        throw new IOException("no VmRSS of process " + process.pid());
    }

    /** CPU time of the process. */
    Duration cpu() {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "process %d on port %d", process.pid(), port);
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException _) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}

package io.gpushare.e2e.load;

import io.gpushare.e2e.sandbox.Program;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A server under load, in its own process with the JVM flags of its image. */
final class ServerProcess implements AutoCloseable {
    private static final String EXTENDER = "scheduler-extender";
    private static final String PLUGIN = "device-plugin";

    private final Process process;
    private final int port;
    private final Path log;

    private ServerProcess(Process process, int port, Path log) {
        this.process = process;
        this.port = port;
        this.log = log;
    }

    /** Starts the extender with these options. */
    static ServerProcess extender(Path root, Path kubeconfig, Path log, String... options) throws IOException {
        List<String> command = command(root, EXTENDER);
        int port = Program.freePort();
        command.addAll(List.of(
                "io.gpushare.extender.ExtenderMain",
                "--kubeconfig=" + kubeconfig,
                "--bind-address=127.0.0.1",
                "--port=" + port));
        command.addAll(List.of(options));
        return start(command, Map.of(), port, log);
    }

    /**
     * Starts the device plugin of a node; the port is that of its metrics.
     *
     * @param folder the kubelet's, with the simulated driver's file {@code cards}
     */
    static ServerProcess plugin(Path root, Path kubeconfig, String node, Path folder, Path log) throws IOException {
        List<String> command = command(root, PLUGIN);
        int port = Program.freePort();
        command.addAll(List.of(
                "io.gpushare.plugin.PluginMain",
                "--kubeconfig=" + kubeconfig,
                "--node-name=" + node,
                "--kubelet-dir=" + folder,
                "--nvml-library=" + root.resolve("nvml-binding/target/simulated-driver/libnvidia-ml.so.1"),
                "--metrics-address=127.0.0.1:" + port));
        return start(
                command,
                Map.of("GPUSHARE_SIMULATED_CARDS", folder.resolve("cards").toString()),
                port,
                log);
    }

    /** Starts the bare handler with the extender's flags. */
    static ServerProcess bare(Path root, Path log) throws IOException {
        List<String> command = flags(root, EXTENDER);
        int port = Program.freePort();
        command.addAll(List.of(
                "-cp", System.getProperty("java.class.path"), BareHandler.class.getName(), String.valueOf(port)));
        return start(command, Map.of(), port, log);
    }

    private static List<String> command(Path root, String program) throws IOException {
        List<String> command = flags(root, program);
        Path module = root.resolve(program).resolve("target");
        command.add("--enable-native-access=ALL-UNNAMED");
        command.addAll(List.of("-cp", module.resolve("classes") + ":" + module.resolve("lib") + "/*"));
        return command;
    }

    /** The flags of the program's image for the JVM's memory and compilers. */
    private static List<String> flags(Path root, String program) throws IOException {
        Path image = root.resolve("deploy/images").resolve(program + ".args");
        return new ArrayList<>(Files.readAllLines(image).stream()
                .filter(flag -> flag.startsWith("-X"))
                .toList());
    }

    private static ServerProcess start(List<String> arguments, Map<String, String> environment, int port, Path log)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(arguments);
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().putAll(environment);
        return new ServerProcess(builder.start(), port, log);
    }

    /** Whether it still runs. */
    boolean alive() {
        return process.isAlive();
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

    /** CPU time of the threads that answer filter, which other load on the machine does not change (Linux: schedstat). */
    Duration eventLoopCpu() throws IOException {
        long nanos = 0;
        try (DirectoryStream<Path> threads =
                Files.newDirectoryStream(Path.of("/proc", String.valueOf(process.pid()), "task"))) {
            for (Path thread : threads) {
                if (Files.readString(thread.resolve("comm")).startsWith("vert.x-event")) {
                    nanos += Long.parseLong(
                            Files.readString(thread.resolve("schedstat")).split(" ")[0]);
                }
            }
        }
        return Duration.ofNanos(nanos);
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

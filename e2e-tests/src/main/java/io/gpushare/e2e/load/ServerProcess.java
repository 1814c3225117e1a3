package io.gpushare.e2e.load;

import io.gpushare.e2e.load.bare.BareHandler;
import io.gpushare.e2e.load.client.Connection;
import io.gpushare.e2e.sandbox.program.Program;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A server under load, in its own process with the JVM flags of its image. */
final class ServerProcess implements AutoCloseable {
    private static final String EXTENDER = "scheduler-extender";
    private static final String PLUGIN = "device-plugin";
    private static final String DRIVER = "nvml-binding/target/simulated-driver/libnvidia-ml.so.1";
    private static final String CARDS = "GPUSHARE_SIMULATED_CARDS";

    private final Process process;
    private final ProcessHandle program;
    private final int port;
    private final Path log;

    /** @param program the JVM: the process itself, or one that it started */
    private ServerProcess(Process process, ProcessHandle program, int port, Path log) {
        this.process = process;
        this.program = program;
        this.port = port;
        this.log = log;
    }

    /** Starts the extender with these options. */
    static ServerProcess extender(Path root, Path kubeconfig, Path log, String... options) throws IOException {
        List<String> command = command(root, EXTENDER, EXTENDER);
        int port = Program.freePort();
        command.addAll(List.of(
                "io.gpushare.extender.program.ExtenderMain",
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
    static ServerProcess plugin(Path root, Path kubeconfig, String node, Path folder, Path log, String... options)
            throws IOException {
        List<String> command = command(root, PLUGIN, PLUGIN);
        int port = Program.freePort();
        command.add("io.gpushare.plugin.PluginMain");
        command.addAll(pluginArguments(root, kubeconfig, node, folder, port));
        command.addAll(List.of(options));
        return start(command, Map.of(CARDS, folder.resolve("cards").toString()), port, log);
    }

    /**
     * Starts the extender of an image; see {@link #startImage}.
     *
     * @param folder a folder with the kubeconfig
     */
    static ServerProcess extenderImage(Path root, Path images, Path kubeconfig, Path folder, Path log)
            throws IOException, InterruptedException {
        int port = Program.freePort();
        List<String> arguments = List.of("--kubeconfig=" + kubeconfig, "--bind-address=127.0.0.1", "--port=" + port);
        return startImage(root, images.resolve("gpushare-" + EXTENDER + ".tar"), arguments, List.of(folder), port, log);
    }

    /** Starts the plugin of an image as {@link #plugin} does. */
    static ServerProcess pluginImage(Path root, Path images, Path kubeconfig, String node, Path folder, Path log)
            throws IOException, InterruptedException {
        int port = Program.freePort();
        return startImage(
                root,
                images.resolve("gpushare-" + PLUGIN + ".tar"),
                pluginArguments(root, kubeconfig, node, folder, port),
                List.of(folder, root.resolve(DRIVER).getParent()),
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

    private static List<String> pluginArguments(Path root, Path kubeconfig, String node, Path folder, int port) {
        return List.of(
                "--kubeconfig=" + kubeconfig,
                "--node-name=" + node,
                "--kubelet-dir=" + folder,
                "--nvml-library=" + root.resolve(DRIVER),
                "--metrics-address=127.0.0.1:" + port);
    }

    private static List<String> command(Path root, String program, String folder) throws IOException {
        List<String> command = flags(root, program);
        Path module = root.resolve(folder).resolve("target");
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
        Process process = builder.start();
        return new ServerProcess(process, process.toHandle(), port, log);
    }

    /** Starts the program of an image file with {@code deploy/images/try}, and waits until its JVM runs. */
    private static ServerProcess startImage(
            Path root, Path image, List<String> arguments, List<Path> mounts, int port, Path log)
            throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of(root.resolve("deploy/images/try").toString(), "-s", "3600"));
        mounts.forEach(mount -> command.addAll(List.of("-v", mount + ":" + mount)));
        command.addAll(List.of("-e", CARDS + "=" + mounts.getFirst().resolve("cards")));
        command.add(image.toString());
        command.addAll(arguments);
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        while (process.isAlive()) {
            Optional<ProcessHandle> program = process.descendants()
                    .filter(each -> each.info().command().orElse("").endsWith("/java"))
                    .findFirst();
            if (program.isPresent()) {
                return new ServerProcess(process, program.get(), port, log);
            }
            Thread.sleep(10);
        }
        throw new IOException("the program of " + image + " did not start; see " + log);
    }

    /** Whether it still runs. */
    boolean alive() {
        return process.isAlive();
    }

    long pid() {
        return program.pid();
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

    /** Resident memory of the process, in MiB. */
    long residentMib() throws IOException {
        return Program.residentMib(program.pid());
    }

    /**
     * CPU time of the threads that answer filter, which other load on the machine does not change (Linux: schedstat).
     */
    Duration eventLoopCpu() throws IOException {
        long nanos = 0;
        boolean found = false;
        try (DirectoryStream<Path> threads =
                Files.newDirectoryStream(Path.of("/proc", String.valueOf(program.pid()), "task"))) {
            for (Path thread : threads) {
                if (Files.readString(thread.resolve("comm")).startsWith("vert.x-event")) {
                    found = true;
                    nanos += Long.parseLong(
                            Files.readString(thread.resolve("schedstat")).split(" ")[0]);
                }
            }
        }
        if (!found) {
            throw new IOException("process " + program.pid() + " has no thread of an event loop");
        }
        return Duration.ofNanos(nanos);
    }

    /** CPU time of the process. */
    Duration cpu() {
        return program.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "process %d on port %d", program.pid(), port);
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

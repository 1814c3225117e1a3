package io.gpushare.e2e.card.node;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.gpushare.e2e.cluster.Await;
import io.gpushare.e2e.sandbox.program.Program;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The device plugin and the supervisor of MPS of one node, as processes, and what they show of themselves. */
public final class NodePrograms implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Machine machine;
    private final Path folder;
    private final int metricsPort;
    private final List<Program> programs = new ArrayList<>();

    /** @param folder of short name: the paths of sockets are below it */
    NodePrograms(Machine machine, Path folder) throws IOException {
        this.machine = machine;
        this.folder = folder;
        metricsPort = Program.freePort();
    }

    Path proc() {
        return folder.resolve("proc");
    }

    void startPlugin(String node, String kubeconfig, Path kubelet, List<String> options) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                "io.gpushare.plugin.PluginMain",
                "--node-name=" + node,
                "--kubeconfig=" + Files.writeString(folder.resolve("kubeconfig"), kubeconfig),
                "--kubelet-dir=" + kubelet,
                "--cdi-dir=" + kubelet.resolve("cdi"),
                "--proc-dir=" + proc(),
                "--metrics-address=127.0.0.1:" + metricsPort));
        arguments.addAll(options);
        programs.add(machine.start("device-plugin", arguments));
    }

    /** Starts the supervisor; the options are those of a plugin that uses it. */
    List<String> startSupervisor() throws IOException {
        List<String> arguments = new ArrayList<>(List.of("io.gpushare.mps.SupervisorMain", "--mps-dir=" + mps()));
        if (machine.keepSettings()) {
            arguments.add("--nvml-library=" + machine.pack().resolve("native/libnvidia-ml-kept-mode.so"));
        }
        programs.add(machine.start("mps-supervisor", arguments));
        return List.of("--isolation=mps", "--mps-dir=" + mps(), "--mps-over-use-grace=2s");
    }

    void checkAlive() {
        try {
            for (Program program : programs) {
                program.checkAlive();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path mps() {
        return folder.resolve("m");
    }

    /** A field of the file in which the supervisor reports the card; empty if it is missing. */
    public String mps(String field) {
        try {
            return JSON.readTree(mps().resolve(machine.uuid()).resolve("state").toFile())
                    .path(field)
                    .asText();
        } catch (IOException e) {
            return "";
        }
    }

    public void awaitMps(String field, String value) {
        Await.until(Node.PATIENCE, field + " of MPS is " + value, () -> mps(field), value::equals);
    }

    /** The control daemon, if it runs. */
    public Optional<ProcessHandle> daemon() {
        Path file = mps().resolve(machine.uuid()).resolve("daemon/nvidia-cuda-mps-control.pid");
        try {
            return ProcessHandle.of(Long.parseLong(Files.readString(file).strip()))
                    .filter(ProcessHandle::isAlive);
        } catch (IOException | NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** The plugin's metrics that begin with that text. */
    public List<String> metrics(String prefix) {
        try (InputStream page = URI.create("http://127.0.0.1:" + metricsPort + "/metrics")
                .toURL()
                .openStream()) {
            return new String(page.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> line.startsWith(prefix))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends the programs, the plugin first; a daemon that is left is ended too, and the card gets its mode back. */
    @Override
    public void close() {
        programs.reversed().forEach(Program::close);
        daemon().ifPresent(daemon -> {
            daemon.descendants().forEach(ProcessHandle::destroyForcibly);
            daemon.destroyForcibly();
            daemon.onExit()
                    .orTimeout(5, TimeUnit.SECONDS)
                    .exceptionally(_ -> daemon)
                    .join();
        });
        // A supervisor that ends while pods hold the card leaves it to the next one.
        machine.restore();
    }
}

package io.gpushare.e2e.chaos;

import io.gpushare.e2e.cluster.Command;
import io.gpushare.e2e.cluster.Installation;
import io.gpushare.e2e.cluster.LocalCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;

/** The wall clocks of both programs, which can be set while the programs run: {@code src/main/c/clock.c}. */
final class SimulatedClocks {
    private static final Duration COMPILATION = Duration.ofMinutes(1);
    private static final String EXTENDERS = "extenders";

    private final Path folder;

    private SimulatedClocks(Path folder) {
        this.folder = folder;
    }

    /**
     * Restarts the programs of the installation with clocks of their own.
     *
     * @param programs those that run on nodes
     */
    static SimulatedClocks install(
            LocalCluster cluster, Installation installation, List<String> programs, List<String> nodes, Path root) {
        Path folder = cluster.sharedFolder();
        Command.show(
                COMPILATION,
                List.of(
                        "gcc",
                        "-shared",
                        "-fPIC",
                        "-O2",
                        "-o",
                        folder.resolve("clock.so").toString(),
                        root.resolve("e2e-tests/src/main/c/clock.c").toString()));
        SimulatedClocks clocks = new SimulatedClocks(folder);
        nodes.forEach(node -> clocks.shift(node, Duration.ZERO));
        clocks.shift(EXTENDERS, Duration.ZERO);
        programs.forEach(program -> clocks.patch(cluster, program, "gpushare", "$(NODE_NAME)"));
        clocks.patch(cluster, Installation.EXTENDER, "gpushare-schd-extender", EXTENDERS);
        programs.forEach(installation::ready);
        installation.ready(Installation.EXTENDER);
        return clocks;
    }

    private void patch(LocalCluster cluster, String program, String container, String clock) {
        cluster.kubectl().run("-n", Installation.NAMESPACE, "patch", program, "--patch", """
            {"spec":{"template":{"spec":{
              "containers":[{"name":"%s",
                "env":[{"name":"LD_PRELOAD","value":"/clocks/clock.so"},
                       {"name":"SIMULATED_CLOCK","value":"/clocks/clock-%s"}],
                "volumeMounts":[{"name":"clocks","mountPath":"/clocks","readOnly":true}]}],
              "volumes":[{"name":"clocks","hostPath":{"path":"%s","type":"Directory"}}]}}}}\
            """.formatted(
                        container, clock, folder));
    }

    /** Sets the clock of what serves that node this far from the time. */
    void shiftPlugin(String node, Duration shift) {
        shift(node, shift);
    }

    /** Sets the clocks of both extenders this far from the time. */
    void shiftExtenders(Duration shift) {
        shift(EXTENDERS, shift);
    }

    private void shift(String clock, Duration shift) {
        ByteBuffer seconds = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
        seconds.putLong(0, shift.toSeconds());
        try (FileChannel file = FileChannel.open(
                folder.resolve("clock-" + clock), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            file.write(seconds, 0);
        } catch (IOException e) {
            throw new UncheckedIOException("can't set the clock of " + clock, e);
        }
    }
}

package io.gpushare.e2e.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Kubernetes 1.20 from Debian's source package, started by the programs of {@code e2e-tests/local-kubernetes}. */
final class LocalCluster implements Cluster {
    // From nothing it is built first; a short path, since Unix sockets lie below it.
    private static final Duration START = Duration.ofMinutes(45);
    private static final Duration STEP = Duration.ofMinutes(3);

    private final Path programs;
    private final Path state;
    private final Path shared;
    private final Kubectl kubectl;

    private LocalCluster(Path programs, Path folder) {
        this.programs = programs;
        this.state = folder.resolve("k8s");
        this.shared = folder.resolve("shared");
        this.kubectl = new Kubectl(List.of(program("kubectl"), state.toString()));
    }

    static LocalCluster start(Path root) {
        try {
            LocalCluster cluster =
                    new LocalCluster(root.resolve("e2e-tests/local-kubernetes"), Files.createTempDirectory("gs"));
            Files.createDirectories(cluster.shared);
            cluster.run(START, "start");
            return cluster;
        } catch (IOException e) {
            throw new UncheckedIOException("no folder for the cluster's state", e);
        }
    }

    private String program(String name) {
        return programs.resolve(name).toString();
    }

    private void run(Duration limit, String name, String... arguments) {
        List<String> command = new ArrayList<>(List.of(program(name), state.toString()));
        command.addAll(List.of(arguments));
        Command.show(limit, command);
    }

    @Override
    public Kubectl kubectl() {
        return kubectl;
    }

    @Override
    public String node() {
        return "gpushare-e2e";
    }

    @Override
    public Path sharedFolder() {
        return shared;
    }

    @Override
    public Path podResourcesSocket() {
        return state.resolve("kubelet/pod-resources/kubelet.sock");
    }

    @Override
    public void loadImage(Path tar) {
        run(STEP, "load-image", tar.toString());
    }

    @Override
    public String workloadImage() {
        return "gpushare-e2e/busybox:1";
    }

    @Override
    public String onNode(String... command) {
        List<String> whole = new ArrayList<>(List.of(program("enter"), state.toString()));
        whole.addAll(List.of(command));
        return Command.output(STEP, whole);
    }

    @Override
    public void restartKubelet() {
        run(STEP, "component", "restart", "kubelet");
    }

    @Override
    public void configureScheduler(Path folder) {
        Path kubeconfig = state.resolve("config/kube-scheduler.kubeconfig");
        Path adapted = shared.resolve("scheduler.yaml");
        try {
            String config = Files.readString(folder.resolve("config-v1beta1.yaml"));
            Files.writeString(adapted, config.replace("/etc/kubernetes/scheduler.conf", kubeconfig.toString()));
        } catch (IOException e) {
            throw new UncheckedIOException("can't adapt the scheduler's configuration", e);
        }
        useScheduler("--scheduler-config", adapted);
    }

    @Override
    public boolean takesLegacyPolicy() {
        return true;
    }

    @Override
    public void useLegacyPolicy(Path policy) {
        useScheduler("--scheduler-policy", policy);
    }

    private void useScheduler(String option, Path file) {
        run(STEP, "component", "restart", "kube-scheduler", option, file.toString());
    }

    @Override
    public void close() {
        run(STEP, "stop");
    }
}

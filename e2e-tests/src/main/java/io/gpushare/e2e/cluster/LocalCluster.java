package io.gpushare.e2e.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A Kubernetes started by the programs of {@code e2e-tests/local-kubernetes}: 1.20 from Debian's source package, or the
 * version whose programs are in the folder of the system property {@code gpushare.kubernetes}. Its components can be
 * killed and frozen, and it can have a second node.
 */
public final class LocalCluster implements Cluster {
    private static final String FIRST = "gpushare-e2e";
    private static final String SECOND = FIRST + "-2";
    static final String PROGRAMS = System.getProperty("gpushare.kubernetes", "");
    private static final String RUNTIME = System.getProperty("gpushare.runtime", "");
    private static final Pattern MINOR = Pattern.compile("(?m)^minor=(\\d+)$");

    // The first start builds Kubernetes.
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

    public static LocalCluster start(Path root) {
        try {
            LocalCluster cluster =
                    new LocalCluster(root.resolve("e2e-tests/local-kubernetes"), Files.createTempDirectory("gs"));
            Files.createDirectories(cluster.shared);
            List<String> options = new ArrayList<>();
            if (!PROGRAMS.isEmpty()) {
                options.addAll(List.of("--kubernetes", PROGRAMS));
            }
            if (!RUNTIME.isEmpty()) {
                options.addAll(List.of("--runtime", RUNTIME));
            }
            cluster.run(START, "start", options.toArray(String[]::new));
            return cluster;
        } catch (IOException e) {
            throw new UncheckedIOException("can't create a folder for the cluster's state", e);
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
        return FIRST;
    }

    @Override
    public Path sharedFolder() {
        return shared;
    }

    public Path podResourcesSocket(String node) {
        return kubeletFolder(node).resolve("pod-resources/kubelet.sock");
    }

    @Override
    public Path kubeletFolder() {
        return kubeletFolder(FIRST);
    }

    /** The same of another node. */
    public Path kubeletFolder(String node) {
        return folder(node).resolve("kubelet");
    }

    /** The folder of the Container Device Interface of that node, {@code /var/run/cdi}. */
    public Path cdiFolder(String node) {
        return folder(node).resolve("run/cdi");
    }

    /** The API server's log of who deleted or evicted which pod. */
    public Path auditLog() {
        return state.resolve("logs/audit.log");
    }

    /** The folder of the logs of that node's containers, with the kubelet's file names. */
    public Path podLogs(String node) {
        return folder(node).resolve("pod-logs/pods");
    }

    private Path folder(String node) {
        return node.equals(FIRST) ? state : state.resolve("nodes/2");
    }

    /** Adds the second node, with its own kubelet, and returns its name when the node is ready for pods. */
    public String addNode() {
        run(STEP, "add-node", SECOND);
        return SECOND;
    }

    /**
     * Starts, stops or signals one component of the cluster.
     *
     * @param action {@code start}, {@code stop}, {@code kill}, {@code pause} or {@code resume}
     * @param component such as {@code kube-scheduler} or {@code kubelet@gpushare-e2e-2}
     */
    public void component(String action, String component) {
        run(STEP, "component", action, named(component));
    }

    /**
     * Restarts the components that have feature gates with these.
     *
     * @param gates such as {@code A=false,B=true}; empty for the defaults
     */
    public void featureGates(String gates) {
        features(gates, "");
    }

    /**
     * The same, and kube-apiserver serves further versions.
     *
     * @param versions such as {@code resource.k8s.io/v1beta2=true}; empty for the defaults
     */
    public void features(String gates, String versions) {
        write("config/feature-gates", gates);
        write("config/runtime-config", versions);
        for (String component : List.of("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet")) {
            component("restart", component);
        }
    }

    private void write(String setting, String content) {
        Path file = state.resolve(setting);
        try {
            if (content.isEmpty()) {
                Files.deleteIfExists(file);
            } else {
                Files.writeString(file, content);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("can't write " + setting, e);
        }
    }

    public boolean runs(String component) {
        try {
            String[] pid = pid(component);
            String stat = Files.readString(Path.of("/proc", pid[0], "stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return !fields[0].equals("Z") && fields[19].equals(pid[1]);
        } catch (IOException e) {
            // The component never started, or it ends during the check.
            return false;
        }
    }

    /** The process ID and start time that the programs write. Waits while a write is in progress. */
    private String[] pid(String component) throws IOException {
        Path file = state.resolve("pids").resolve(named(component));
        String[] words = Files.readString(file).strip().split(" ");
        for (int i = 0; words.length < 2 && i < 50; i++) {
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
            words = Files.readString(file).strip().split(" ");
        }
        if (words.length < 2) {
            throw new IOException(file + " is incomplete");
        }
        return words;
    }

    /** The name of a component without the first node's suffix. */
    private static String named(String component) {
        return component.endsWith("@" + FIRST) ? component.substring(0, component.indexOf('@')) : component;
    }

    /** Every process inside the cluster, including those of containers. */
    public Stream<ProcessHandle> processes() {
        try {
            String pid = Files.readString(state.resolve("pids/cluster")).split(" ", 2)[0];
            return ProcessHandle.of(Long.parseLong(pid)).stream().flatMap(ProcessHandle::descendants);
        } catch (IOException e) {
            throw new UncheckedIOException("the cluster's first process is unknown", e);
        }
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
        List<String> arguments = new ArrayList<>(List.of(program("enter"), state.toString()));
        arguments.addAll(List.of(command));
        return Command.output(STEP, arguments);
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
            String config = Files.readString(folder.resolve(configuration(minor())));
            Files.writeString(adapted, config.replace("/etc/kubernetes/scheduler.conf", kubeconfig.toString()));
        } catch (IOException e) {
            throw new UncheckedIOException("can't adapt the scheduler's configuration", e);
        }
        useScheduler("--scheduler-config", adapted);
    }

    /** The file for kube-scheduler of Kubernetes 1.{@code minor}. */
    static String configuration(int minor) {
        return minor >= 25 ? "config-v1.yaml" : minor >= 22 ? "config-v1beta2.yaml" : "config-v1beta1.yaml";
    }

    /** The N of Kubernetes 1.N. */
    public int minor() {
        try {
            Matcher settings = MINOR.matcher(Files.readString(state.resolve("settings")));
            if (!settings.find()) {
                throw new IllegalStateException("the settings of the cluster lack its version");
            }
            return Integer.parseInt(settings.group(1));
        } catch (IOException e) {
            throw new UncheckedIOException("the cluster's settings can't be read", e);
        }
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
        kubectl.close();
        run(STEP, "stop");
    }
}

package io.gpushare.e2e.cluster;

import com.dajudge.kindcontainer.KindContainer;
import com.dajudge.kindcontainer.KindContainerVersion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.BindMode;
import org.testcontainers.containers.Container;
import org.testcontainers.utility.MountableFile;

/** A cluster in a Docker container, started with kindcontainer. */
final class KindCluster implements Cluster {
    private static final class Kind extends KindContainer<Kind> {
        Kind() {
            super(KindContainerVersion.VERSION_1_34_0);
        }
    }

    private static final String POD_RESOURCES = "/var/lib/kubelet/pod-resources";
    private static final String SCHEDULER_CONFIG = "/etc/kubernetes/gpushare-scheduler.yaml";
    private static final String SCHEDULER_POD = "/etc/kubernetes/manifests/kube-scheduler.yaml";

    private static final Duration WORKLOAD = Duration.ofMinutes(5);

    private final Kind kind;
    private final Path folder;
    private final Kubectl kubectl;

    private KindCluster(Kind kind, Path folder, Path kubeconfig) {
        this.kind = kind;
        this.folder = folder;
        this.kubectl = new Kubectl(List.of("kubectl", "--kubeconfig", kubeconfig.toString()));
    }

    static boolean available() {
        return DockerClientFactory.instance().isDockerAvailable();
    }

    static KindCluster start(Path root) {
        try {
            Path folder = Files.createTempDirectory("gs");
            Path shared = Files.createDirectories(folder.resolve("shared"));
            Path podResources = Files.createDirectories(folder.resolve("pr"));
            // The manifests' NodePort is at the end of Kubernetes' default range.
            Kind kind = new Kind()
                    .withNodePortRange(30000, 32767)
                    .withFileSystemBind(shared.toString(), shared.toString(), BindMode.READ_WRITE)
                    .withFileSystemBind(podResources.toString(), POD_RESOURCES, BindMode.READ_WRITE);
            kind.start();
            Path kubeconfig = folder.resolve("kubeconfig");
            Files.writeString(kubeconfig, kind.getKubeconfig());
            KindCluster cluster = new KindCluster(kind, folder, kubeconfig);
            Path workload = folder.resolve("workload.tar");
            Command.show(
                    WORKLOAD,
                    List.of(
                            root.resolve("e2e-tests/local-kubernetes/workload-image")
                                    .toString(),
                            workload.toString()));
            cluster.loadImage(workload);
            return cluster;
        } catch (IOException e) {
            throw new UncheckedIOException("can't create a folder for the cluster's state", e);
        }
    }

    @Override
    public Kubectl kubectl() {
        return kubectl;
    }

    @Override
    public String node() {
        return kubectl.json("get", "nodes").at("/items/0/metadata/name").textValue();
    }

    @Override
    public Path sharedFolder() {
        return folder.resolve("shared");
    }

    @Override
    public Path podResourcesSocket() {
        return folder.resolve("pr/kubelet.sock");
    }

    @Override
    public void loadImage(Path tar) {
        kind.copyFileToContainer(MountableFile.forHostPath(tar), "/image.tar");
        onNode("ctr", "-n", "k8s.io", "images", "import", "/image.tar");
    }

    @Override
    public String workloadImage() {
        return "gpushare-e2e/busybox:1";
    }

    @Override
    public String onNode(String... command) {
        try {
            Container.ExecResult result = kind.execInContainer(command);
            if (result.getExitCode() != 0) {
                throw new Command.Failed(String.join(" ", command) + ": " + result.getStderr());
            }
            return result.getStdout();
        } catch (IOException e) {
            throw new UncheckedIOException(String.join(" ", command), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Command.Failed(String.join(" ", command) + " was interrupted");
        }
    }

    @Override
    public void restartKubelet() {
        onNode("systemctl", "restart", "kubelet");
    }

    /**
     * Mounts the folder /etc/kubernetes into kubeadm's static scheduler pod, instead of one file, and adds --config.
     */
    @Override
    public void configureScheduler(Path configurations) {
        kind.copyFileToContainer(MountableFile.forHostPath(configurations.resolve("config-v1.yaml")), SCHEDULER_CONFIG);
        onNode(
                "sed",
                "-i",
                "-e",
                "s#mountPath: /etc/kubernetes/scheduler.conf#mountPath: /etc/kubernetes#",
                "-e",
                "s#path: /etc/kubernetes/scheduler.conf#path: /etc/kubernetes#",
                "-e",
                "s#type: FileOrCreate#type: Directory#",
                "-e",
                "/- kube-scheduler$/a\\    - --config=" + SCHEDULER_CONFIG,
                SCHEDULER_POD);
    }

    @Override
    public boolean supportsLegacyPolicy() {
        return false;
    }

    @Override
    public void useLegacyPolicy(Path policy) {
        throw new IllegalStateException("Kubernetes 1.23 and newer support no Policy file");
    }

    @Override
    public void close() {
        kind.stop();
    }
}

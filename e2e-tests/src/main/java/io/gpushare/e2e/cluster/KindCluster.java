package io.gpushare.e2e.cluster;

import com.dajudge.kindcontainer.KindContainer;
import com.dajudge.kindcontainer.KindContainerVersion;
import com.dajudge.kindcontainer.KubernetesVersionEnum;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.BindMode;
import org.testcontainers.containers.Container;
import org.testcontainers.images.builder.Transferable;
import org.testcontainers.utility.MountableFile;

/**
 * A cluster in a Docker container, started with kindcontainer. The system property {@code gpushare.kind.image} chooses
 * the image of its node: one that {@code e2e-tests/kind-node-image} made, or a {@code kindest/node} of a version that
 * kindcontainer knows.
 */
final class KindCluster implements Cluster {
    private static final KindContainerVersion NEWEST = KubernetesVersionEnum.latest(KindContainerVersion.class);
    static final String IMAGE = System.getProperty("gpushare.kind.image", "kindest/node:v" + NEWEST);

    private static final class Kind extends KindContainer<Kind> {
        Kind() {
            super(versionOf(IMAGE).withImage(IMAGE));
        }
    }

    private static final String KUBELET = "/var/lib/kubelet";
    private static final List<String> SOCKET_FOLDERS = List.of("pod-resources", "device-plugins");
    private static final String SCHEDULER_POD = "/etc/kubernetes/manifests/kube-scheduler.yaml";
    private static final String ORIGINAL_SCHEDULER_POD = "/etc/kubernetes/kube-scheduler.yaml";
    private static final String ADMINISTRATOR = "gpushare-e2e";

    private static final Duration WORKLOAD = Duration.ofMinutes(5);

    private final Kind kind;
    private final Path folder;
    private final Kubectl kubectl;
    private int configurations;

    private KindCluster(Kind kind, Path folder, Kubectl kubectl) {
        this.kind = kind;
        this.folder = folder;
        this.kubectl = kubectl;
    }

    static boolean available() {
        return DockerClientFactory.instance().isDockerAvailable();
    }

    /** The version that kubeadm is to install: that of the image's tag, where kindcontainer knows it. */
    private static KindContainerVersion versionOf(String image) {
        return Arrays.stream(KindContainerVersion.values())
                .filter(version -> image.endsWith(":v" + version))
                .findFirst()
                .orElse(NEWEST);
    }

    static KindCluster start(Path root) {
        try {
            Path folder = Files.createTempDirectory("gs");
            Path shared = Files.createDirectories(folder.resolve("shared"));
            // The manifests' NodePort is at the end of Kubernetes' default range.
            Kind kind = new Kind()
                    .withNodePortRange(30000, 32767)
                    .withFileSystemBind(shared.toString(), shared.toString(), BindMode.READ_WRITE);
            for (String name : SOCKET_FOLDERS) {
                Path sockets = Files.createDirectories(folder.resolve(name));
                kind.withFileSystemBind(sockets.toString(), KUBELET + "/" + name, BindMode.READ_WRITE);
            }
            kind.start();
            KindCluster cluster = new KindCluster(kind, folder, kubectl(kind, folder));
            cluster.loadImage(workload(root, folder));
            return cluster;
        } catch (IOException e) {
            throw new UncheckedIOException("can't prepare the cluster's folder", e);
        }
    }

    /**
     * The kubectl of the node, as an administrator with a token: not every client here can use kubeadm's certificate.
     */
    private static Kubectl kubectl(Kind kind, Path folder) throws IOException {
        Path program = folder.resolve("kubectl");
        kind.copyFileFromContainer("/usr/bin/kubectl", program.toString());
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), kind.getKubeconfig());
        Kubectl kubectl = new Kubectl(List.of(program.toString(), "--kubeconfig", kubeconfig.toString()));
        String system = Installation.NAMESPACE;
        String account = "--serviceaccount=" + system + ":" + ADMINISTRATOR;
        kubectl.run("-n", system, "create", "serviceaccount", ADMINISTRATOR);
        kubectl.run("create", "clusterrolebinding", ADMINISTRATOR, "--clusterrole=cluster-admin", account);
        String token = kubectl.run("-n", system, "create", "token", ADMINISTRATOR, "--duration=24h");
        kubectl.run("config", "set-credentials", ADMINISTRATOR, "--token=" + token.strip());
        kubectl.run("config", "set-context", "--current", "--user=" + ADMINISTRATOR);
        return kubectl;
    }

    private static Path workload(Path root, Path folder) {
        Path image = folder.resolve("workload.tar");
        Path program = root.resolve("e2e-tests/local-kubernetes/workload-image");
        Command.show(WORKLOAD, List.of(program.toString(), image.toString()));
        return image;
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
    public Path kubeletFolder() {
        return folder;
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
     * Changes kubeadm's static pod of the scheduler: adds --config, and mounts all of /etc/kubernetes, instead of one
     * file, and the shared folder, which the configuration may name. The name of the configuration is new each time, so
     * that the kubelet sees a change.
     */
    @Override
    public void configureScheduler(Path folderOfConfigurations) {
        configurations++;
        String config = "/etc/kubernetes/gpushare-scheduler-" + configurations + ".yaml";
        kind.copyFileToContainer(MountableFile.forHostPath(folderOfConfigurations.resolve("config-v1.yaml")), config);
        String shared = sharedFolder().toString();
        onNode("cp", "--no-clobber", SCHEDULER_POD, ORIGINAL_SCHEDULER_POD);
        String changed = onNode(
                "sed",
                "-e",
                "s#mountPath: /etc/kubernetes/scheduler.conf#mountPath: /etc/kubernetes#",
                "-e",
                "s#path: /etc/kubernetes/scheduler.conf#path: /etc/kubernetes#",
                "-e",
                "s#type: FileOrCreate#type: Directory#",
                "-e",
                "/- kube-scheduler$/a\\    - --config=" + config,
                "-e",
                "/^    volumeMounts:/a\\    - {name: shared, mountPath: " + shared + "}",
                "-e",
                "/^  volumes:/a\\  - {name: shared, hostPath: {path: " + shared + "}}",
                ORIGINAL_SCHEDULER_POD);
        kind.copyFileToContainer(Transferable.of(changed), SCHEDULER_POD);
    }

    @Override
    public void useLegacyPolicy(Path policy) {
        throw new IllegalStateException("Kubernetes 1.23 and newer support no Policy file");
    }

    @Override
    public void close() {
        kubectl.close();
        // What containers wrote there belongs to root.
        onNode("find", sharedFolder().toString(), "-mindepth", "1", "-delete");
        SOCKET_FOLDERS.forEach(name -> onNode("find", KUBELET + "/" + name, "-mindepth", "1", "-delete"));
        kind.stop();
        Command.output(WORKLOAD, List.of("rm", "-r", folder.toString()));
    }
}

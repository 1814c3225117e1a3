package io.gpushare.e2e.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * The cluster of all scenario classes of a JVM: it is started, and the images are built, for the first class that needs
 * them. A class gets it in its {@code @BeforeAll}, and it is closed after the last.
 */
final class SharedCluster implements AutoCloseable {
    /** Gives test classes the shared cluster as a parameter. */
    static final class Extension implements ParameterResolver {
        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == SharedCluster.class;
        }

        @Override
        public SharedCluster resolveParameter(ParameterContext parameter, ExtensionContext context) {
            return context.getRoot()
                    .getStore(ExtensionContext.Namespace.create(SharedCluster.class))
                    .computeIfAbsent(SharedCluster.class, _ -> new SharedCluster(), SharedCluster.class);
        }
    }

    static final Path ROOT = Path.of(System.getProperty("gpushare.root"));
    static final String[] TWO_T4 = {"card kind=T4 uuid-seed=a memory=15GiB", "card kind=T4 uuid-seed=b memory=15GiB"};
    private static final Duration NODE_STATUS = Duration.ofSeconds(45);

    private final Cluster cluster = Cluster.start(ROOT);
    private final Installation installation = new Installation(cluster, ROOT);
    private final Pods pods = new Pods(cluster);
    private @Nullable LocalCluster second;
    private @Nullable String logWithoutDriver;
    private boolean running;

    Cluster cluster() {
        return cluster;
    }

    Installation installation() {
        return installation;
    }

    Pods pods() {
        return pods;
    }

    /** What the device plugin logs before its node has a driver. */
    String logWithoutDriver() {
        return Objects.requireNonNull(logWithoutDriver);
    }

    /** Both programs run on a node with two T4, as the manifests have it, and there is no pod. */
    void withPrograms() {
        if (running) {
            pods.deleteEverything();
            installation.cards(TWO_T4);
        } else {
            if (logWithoutDriver == null) {
                installation.loadImages();
            }
            withoutPrograms();
            installation.apply();
            logWithoutDriver = cluster.kubectl().run("-n", Installation.NAMESPACE, "logs", Installation.PLUGIN);
            installation.simulate(TWO_T4);
            running = true;
        }
        awaitAllocatable(30, 2);
    }

    /** The service accounts and their roles exist, and neither program runs. */
    void withoutPrograms() {
        pods.deleteEverything();
        installation.applyManifests();
        reinstallNext();
        installation.removePrograms();
    }

    /** The next class that needs the programs gets them from the manifests again. */
    void reinstallNext() {
        running = false;
    }

    /** This cluster where it is a local one, which lets a test see the node's files, else one beside it. */
    LocalCluster local() {
        if (cluster instanceof LocalCluster local) {
            return local;
        }
        if (second == null) {
            second = LocalCluster.start(ROOT);
            new Installation(second, ROOT).applyManifests();
            new Installation(second, ROOT).removePrograms();
        }
        return second;
    }

    void awaitAllocatable(int units, int cards) {
        Await.until(
                NODE_STATUS,
                "the node offers " + units + " units and " + cards + " cards",
                this::allocatable,
                now -> now.equals(units + " units, " + cards + " cards"));
    }

    String allocatable() {
        var node = cluster.kubectl().json("get", "node", cluster.node()).at("/status/allocatable");
        return node.path("aliyun.com/gpu-mem").asText() + " units, "
                + node.path("aliyun.com/gpu-count").asText() + " cards";
    }

    @Override
    public void close() {
        cluster.close();
        if (second != null) {
            second.close();
        }
    }
}

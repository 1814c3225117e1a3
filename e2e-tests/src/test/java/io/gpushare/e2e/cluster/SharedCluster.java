package io.gpushare.e2e.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * The cluster that all scenario classes of a JVM share. The first class that needs it starts it and builds the images.
 * Test classes get it in their {@code @BeforeAll}, and it is closed after the last one.
 */
public final class SharedCluster implements AutoCloseable {
    /** Resolves the shared cluster as a parameter of test methods. */
    public static final class Extension implements ParameterResolver {
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

    public static final Path ROOT = Path.of(System.getProperty("gpushare.root"));
    /** The cards of a node with two T4. */
    public static String[] twoT4() {
        return new String[] {"card kind=T4 uuid-seed=a memory=15GiB", "card kind=T4 uuid-seed=b memory=15GiB"};
    }

    private static final Duration NODE_STATUS = Duration.ofSeconds(45);

    private final Cluster cluster = Cluster.start(ROOT);
    private final Installation installation = new Installation(cluster, ROOT);
    private final Pods pods = new Pods(cluster);
    private @Nullable String logWithoutDriver;
    private boolean running;

    public Cluster cluster() {
        return cluster;
    }

    public Installation installation() {
        return installation;
    }

    public Pods pods() {
        return pods;
    }

    /** The device plugin's log message on a node without a driver. */
    public String logWithoutDriver() {
        return Objects.requireNonNull(logWithoutDriver);
    }

    /** Installs both programs from the manifests on a node with two T4 cards, and deletes all pods. */
    public void withPrograms() {
        if (running) {
            pods.deleteEverything();
            installation.cards(twoT4());
        } else {
            if (logWithoutDriver == null) {
                installation.loadImages();
            }
            withoutPrograms();
            installation.apply();
            logWithoutDriver = cluster.kubectl().run("-n", Installation.NAMESPACE, "logs", Installation.PLUGIN);
            installation.simulate(twoT4());
            running = true;
        }
        awaitAllocatable(30, 2);
    }

    /** Installs only the service accounts and their roles, without the programs. */
    public void withoutPrograms() {
        pods.deleteEverything();
        installation.applyManifests();
        reinstallNext();
        installation.removePrograms();
    }

    /** Makes the next class that needs the programs install them again. */
    public void reinstallNext() {
        running = false;
    }

    public void awaitAllocatable(int units, int cards) {
        Await.until(
                NODE_STATUS,
                "the node offers " + units + " units and " + cards + " cards",
                this::allocatable,
                now -> now.equals(units + " units, " + cards + " cards"));
    }

    public String allocatable() {
        var node = cluster.kubectl().json("get", "node", cluster.node()).at("/status/allocatable");
        return node.path("aliyun.com/gpu-mem").asText() + " units, "
                + node.path("aliyun.com/gpu-count").asText() + " cards";
    }

    @Override
    public void close() {
        cluster.close();
    }
}

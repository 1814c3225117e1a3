package io.gpushare.e2e.cluster;

import java.nio.file.Path;

/** A running Kubernetes cluster of one node. */
public interface Cluster extends AutoCloseable {
    /** Starts kind if a Docker engine responds, otherwise a local Kubernetes, and prints the choice. */
    static Cluster start(Path root) {
        if (KindCluster.available()) {
            System.out.println("e2e: a Docker engine responds, so the cluster is kind");
            return KindCluster.start(root);
        }
        System.out.println(
                "e2e: no Docker engine responds, so the cluster is a local Kubernetes from Debian's packages");
        return LocalCluster.start(root);
    }

    Kubectl kubectl();

    String node();

    /** A folder with the same path on the node, for the simulated driver and its cards. */
    Path sharedFolder();

    /** The kubelet's pod-resources socket, reachable from this machine. */
    Path podResourcesSocket();

    void loadImage(Path tar);

    /** The name of an image on the node that has a shell. */
    String workloadImage();

    /** Runs a command on the node, in its file system, as root. */
    String onNode(String... command);

    void restartKubelet();

    /** Restarts kube-scheduler with the KubeSchedulerConfiguration in that folder, {@code deploy/scheduler}. */
    void configureScheduler(Path folder);

    /** Whether this Kubernetes supports the legacy Policy file, as versions before 1.23 do. */
    boolean supportsLegacyPolicy();

    void useLegacyPolicy(Path policy);

    @Override
    void close();
}

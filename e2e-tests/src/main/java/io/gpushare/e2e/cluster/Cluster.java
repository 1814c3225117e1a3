package io.gpushare.e2e.cluster;

import java.nio.file.Path;

/** A running Kubernetes of one node. */
public interface Cluster extends AutoCloseable {
    /** Starts kind where a Docker engine answers, otherwise a local Kubernetes; says which and why. */
    static Cluster start(Path root) {
        if (KindCluster.possible()) {
            System.out.println("e2e: a Docker engine answers, so the cluster is kind");
            return KindCluster.start(root);
        }
        System.out.println(
                "e2e: no Docker engine answers, so the cluster is a local Kubernetes from Debian's packages");
        return LocalCluster.start(root);
    }

    Kubectl kubectl();

    String node();

    /** A folder that the node has under the same path, for the simulated driver and its cards. */
    Path sharedFolder();

    /** The kubelet's pod-resources socket, to be dialled from here. */
    Path podResourcesSocket();

    void loadImage(Path tar);

    /** The name of an image with a shell that the node has. */
    String workloadImage();

    /** Runs a command on the node, in its file system, as root. */
    String onNode(String... command);

    void restartKubelet();

    /** Makes kube-scheduler run with that KubeSchedulerConfiguration of {@code deploy/scheduler}. */
    void configureScheduler(Path folder);

    /** Whether this Kubernetes (before 1.23) takes the legacy Policy file. */
    boolean takesLegacyPolicy();

    void useLegacyPolicy(Path policy);

    @Override
    void close();
}

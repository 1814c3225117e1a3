package io.gpushare.e2e.cluster;

import java.nio.file.Path;

/** A running Kubernetes cluster of one node. */
public interface Cluster extends AutoCloseable {
    /** The system property that chooses the kind of cluster: {@code kind} or {@code local}. */
    String CHOICE = "gpushare.cluster";

    /**
     * Starts the cluster that the property chooses, else kind if a Docker engine responds, otherwise a local
     * Kubernetes. Prints the choice.
     */
    static Cluster start(Path root) {
        if (usesKind()) {
            System.out.println("e2e: the cluster is kind, of the image " + KindCluster.IMAGE);
            return KindCluster.start(root);
        }
        System.out.println("e2e: the cluster is a local Kubernetes from the programs of "
                + (LocalCluster.PROGRAMS.isEmpty() ? "Debian's packages" : LocalCluster.PROGRAMS));
        return LocalCluster.start(root);
    }

    /** Whether {@link #start} starts kind. A folder of programs is for the local Kubernetes. */
    static boolean usesKind() {
        String choice = System.getProperty(CHOICE, "");
        return switch (choice) {
            case "kind" -> true;
            case "local" -> false;
            case "" -> LocalCluster.PROGRAMS.isEmpty() && KindCluster.available();
            default -> throw new IllegalArgumentException("-D" + CHOICE + "=" + choice + ": write kind or local");
        };
    }

    Kubectl kubectl();

    String node();

    /** A folder with the same path on the node, for the simulated driver and its cards. */
    Path sharedFolder();

    /** The node's {@code /var/lib/kubelet} with the folders of its sockets, as a path on this machine. */
    Path kubeletFolder();

    /** The kubelet's pod-resources socket, reachable from this machine. */
    default Path podResourcesSocket() {
        return kubeletFolder().resolve("pod-resources/kubelet.sock");
    }

    void loadImage(Path tar);

    /** The name of an image on the node that has a shell. */
    String workloadImage();

    /** Runs a command on the node, in its file system, as root. */
    String onNode(String... command);

    void restartKubelet();

    /**
     * What a reboot of the node does to its pods: no container and no sandbox runs, the files for container runtimes in
     * {@code /var/run/cdi} are gone, and the kubelet starts.
     */
    default void rebootNode() {
        onNode("sh", "-c", """
            rm -f /var/run/cdi/gpushare.io-claim_*.json
            for each in /proc/[0-9]*; do
              command=$(tr '\\0' ' ' <$each/cmdline 2>/dev/null) || continue
              case $command in 'sleep 100000'* | /pause* | /opt/java/bin/java*) kill -9 ${each#/proc/};; esac
            done
            """);
        restartKubelet();
    }

    /** Restarts kube-scheduler with the KubeSchedulerConfiguration in that folder, {@code deploy/scheduler}. */
    void configureScheduler(Path folder);

    /** Restarts kube-scheduler with a legacy Policy file, which versions before 1.23 take. */
    void useLegacyPolicy(Path policy);

    @Override
    void close();
}

package io.gpushare.simulated.kubelet;

import io.gpushare.simulated.kubelet.devices.KubeletVersion;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * The configuration of a simulated kubelet.
 *
 * @param node the node's name
 * @param directory the folder of {@code device-plugins/kubelet.sock} and {@code pod-resources/kubelet.sock}; the paths
 *     of sockets must be shorter than 108 bytes
 * @param labels the node's labels
 * @param statusPeriod the period of node status updates (the real kubelet: 10 s)
 * @param version what the kubelet does when two plugins register one resource
 * @param seed the seed for everything that a real kubelet does in random order
 */
public record KubeletOptions(
        String node,
        Path directory,
        Map<String, String> labels,
        Duration statusPeriod,
        KubeletVersion version,
        long seed) {
    private static final int LONGEST_SOCKET = 107;

    public KubeletOptions {
        labels = Map.copyOf(labels);
        Path longest = directory.resolve("device-plugins").resolve("a-plugin-of-some-name.sock");
        if (longest.toString().length() > LONGEST_SOCKET) {
            throw new IllegalArgumentException("the kubelet's directory " + directory
                    + " has too long a name: a Unix socket's path must stay under 108 bytes");
        }
    }

    public static KubeletOptions of(String node, Path directory) {
        return new KubeletOptions(
                node, directory, Map.of("gpushare", "true"), Duration.ofSeconds(1), KubeletVersion.V1_36, 1);
    }

    /** The same kubelet in that version. */
    public KubeletOptions in(KubeletVersion other) {
        return new KubeletOptions(node, directory, labels, statusPeriod, other, seed);
    }

    /** The same kubelet with these labels on its node too. */
    public KubeletOptions labelled(Map<String, String> more) {
        Map<String, String> all = new HashMap<>(labels);
        all.putAll(more);
        return new KubeletOptions(node, directory, all, statusPeriod, version, seed);
    }

    /** Where the container runtime reads files of the Container Device Interface. */
    public Path cdi() {
        return directory.resolve("cdi");
    }

    Path plugins() {
        return directory.resolve("device-plugins");
    }

    Path registrationSocket() {
        return plugins().resolve("kubelet.sock");
    }

    Path podResourcesSocket() {
        return directory.resolve("pod-resources").resolve("kubelet.sock");
    }
}

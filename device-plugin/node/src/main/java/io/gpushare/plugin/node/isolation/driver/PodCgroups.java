package io.gpushare.plugin.node.isolation.driver;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The cgroups that the kubelet creates for pods, in the node's cgroup file system (version 2). Their names depend on
 * the kubelet's cgroup driver: {@code kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod<uid>.slice}, with
 * underscores in the uid, or {@code kubepods/burstable/pod<uid>}; a kubelet with {@code --cgroup-root} has another name
 * above them.
 */
public final class PodCgroups {
    private static final int DEPTH = 4;

    private final Path root;

    /** @param root where the file system is mounted, {@code /sys/fs/cgroup} */
    public PodCgroups(Path root) {
        this.root = root;
    }

    public Path root() {
        return root;
    }

    /** Whether there is a cgroup file system of version 2. */
    boolean available() {
        return Files.isReadable(root.resolve("cgroup.controllers"));
    }

    /** The directory of the pod's cgroup; empty if there is none. */
    Optional<Path> of(String uid) {
        return find(root, "pod" + uid, "-pod" + uid.replace('-', '_') + ".slice", DEPTH);
    }

    private static Optional<Path> find(Path directory, String name, String sliceEnd, int depth) {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory, Files::isDirectory)) {
            Optional<Path> below = Optional.empty();
            for (Path entry : entries) {
                String entryName = String.valueOf(entry.getFileName());
                if (entryName.equals(name) || entryName.endsWith(sliceEnd)) {
                    return Optional.of(entry);
                }
                if (below.isEmpty() && depth > 1 && mayContainPods(entryName)) {
                    below = find(entry, name, sliceEnd, depth - 1);
                }
            }
            return below;
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Not the cgroups of pods themselves, which a node may have hundreds of. */
    private static boolean mayContainPods(String name) {
        return name.equals("burstable")
                || name.equals("besteffort")
                || (name.contains("kube") && !name.matches(".*-?pod[0-9a-fA-F]{8}[_-].*"));
    }

    /** Whether processes are in that cgroup or below it. */
    boolean populated(Path cgroup) {
        try {
            return Files.readString(cgroup.resolve("cgroup.events"), StandardCharsets.US_ASCII)
                    .contains("populated 1");
        } catch (IOException e) {
            return false;
        }
    }
}

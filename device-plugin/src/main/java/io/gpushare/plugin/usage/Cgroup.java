package io.gpushare.plugin.usage;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The container of a process, read from the lines of its {@code /proc/<pid>/cgroup} (cgroups(7): {@code
 * hierarchy:controllers:path}). Container runtimes name a container's cgroup by its ID. The kubelet names the pod's
 * cgroup above it by the pod's uid. Their exact form depends on the runtime and on the cgroup driver, so only these two
 * are read. The kubelet has a directory with the container's name, of which it mounts a file into the container.
 *
 * @param podUid empty if the kubelet creates no cgroups for pods
 * @param containerId 64 hexadecimal digits; empty for a process of the node itself
 * @param container its name; empty if it is unknown. A process with a mount namespace of its own can hide it, or claim
 *     the name of another container of its pod
 */
public record Cgroup(Optional<String> podUid, Optional<String> containerId, Optional<String> container) {
    /** The cgroup of a process outside of all containers. */
    public static final Cgroup OF_THE_NODE = new Cgroup(Optional.empty(), Optional.empty());

    // pod<uid>, or kubepods-burstable-pod<uid>.slice with underscores; a static pod's uid is a hash without dashes.
    private static final Pattern POD =
            Pattern.compile("(?:.*-)?pod([0-9a-fA-F][0-9a-fA-F_-]{30,34}[0-9a-fA-F])(?:\\.slice)?");
    // <id>, or cri-containerd-<id>.scope, crio-<id>, docker-<id>.scope; crio-conmon-<id> is CRI-O's own process.
    private static final Pattern CONTAINER =
            Pattern.compile("(?!crio-conmon-)(?:[a-z-]+-)?([0-9a-f]{64})(?:\\.scope)?");

    /** A cgroup whose container's name is unknown. */
    public Cgroup(Optional<String> podUid, Optional<String> containerId) {
        this(podUid, containerId, Optional.empty());
    }

    /** With the container's name, by the lines of the process's {@code /proc/<pid>/mountinfo}. */
    public Cgroup withMounts(List<String> lines) {
        return new Cgroup(podUid, containerId, podUid.flatMap(uid -> mounted(uid, lines)));
    }

    private static Optional<String> mounted(String podUid, List<String> lines) {
        Pattern directory = Pattern.compile(".*/pods/" + podUid + "/containers/([a-z0-9-]+)/[^/]+");
        return lines.stream()
                .map(line -> line.split(" ", 5))
                .filter(fields -> fields.length == 5)
                .map(fields -> directory.matcher(fields[3]))
                .filter(Matcher::matches)
                .map(root -> root.group(1))
                .findFirst();
    }

    /** Parses the lines; a hierarchy that names a pod has precedence. */
    public static Cgroup parse(List<String> lines) {
        List<Cgroup> found = lines.stream()
                .map(line -> line.split(":", 3))
                .filter(fields -> fields.length == 3)
                .map(fields -> ofPath(fields[2]))
                .filter(cgroup -> cgroup.containerId().isPresent())
                .toList();
        return found.stream()
                .filter(cgroup -> cgroup.podUid().isPresent())
                .findFirst()
                .or(() -> found.stream().findFirst())
                .orElse(OF_THE_NODE);
    }

    /** The pod's container is the first below the pod: it may have cgroups, and containers, of its own. */
    private static Cgroup ofPath(String path) {
        Optional<String> pod = Optional.empty();
        Optional<String> container = Optional.empty();
        // If its cgroup driver differs from the kubelet's, containerd writes <pod's slice>:cri-containerd:<id>.
        for (String part : path.split("[/:]", -1)) {
            Matcher asPod = POD.matcher(part);
            Matcher asContainer = CONTAINER.matcher(part);
            if (asPod.matches()) {
                // Names above the pod belong to the node, which may be a container itself.
                pod = Optional.of(asPod.group(1).replace('_', '-'));
                container = Optional.empty();
            } else if (asContainer.matches() && container.isEmpty()) {
                container = Optional.of(asContainer.group(1));
            }
        }
        return container.isPresent() ? new Cgroup(pod, container) : OF_THE_NODE;
    }
}

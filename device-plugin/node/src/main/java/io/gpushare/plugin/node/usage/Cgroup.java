package io.gpushare.plugin.node.usage;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

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

    private static final String NAMED = "name=";
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

    /** The same where the container's name is unknown. */
    Cgroup withoutName() {
        return new Cgroup(podUid, containerId);
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

    /** Parses the lines of a process whose hierarchy the plugin sees from the root. */
    static Cgroup parse(List<String> lines) {
        return parse(lines, List.of());
    }

    /**
     * Parses the lines; a hierarchy that names a pod has precedence, and before the others that of cgroup v2. Root in a
     * container may be able to make hierarchies of version 1 with a name of its own, and any cgroups in them: of those
     * with a name only systemd's counts.
     *
     * @param own the lines of the plugin itself. Names above its pod belong to the node, which may be a container, or
     *     the container of another cluster's pod
     */
    public static Cgroup parse(List<String> lines, List<String> own) {
        List<Cgroup> found = lines.stream()
                .map(line -> line.split(":", 3))
                .filter(fields -> fields.length == 3)
                .filter(fields -> !fields[1].startsWith(NAMED) || fields[1].equals(NAMED + "systemd"))
                .sorted(Comparator.comparing(fields -> !fields[1].isEmpty()))
                .map(fields -> ofPath(names(fields[2]), above(fields[1], own)))
                .filter(cgroup -> cgroup.containerId().isPresent())
                .toList();
        return found.stream()
                .filter(cgroup -> cgroup.podUid().isPresent())
                .findFirst()
                .or(() -> found.stream().findFirst())
                .orElse(OF_THE_NODE);
    }

    /** If its cgroup driver differs from the kubelet's, containerd writes {@code <pod's slice>:cri-containerd:<id>}. */
    private static List<String> names(String path) {
        return List.of(path.split("[/:]", -1));
    }

    /** The names above the plugin's own pod or container in the hierarchy of these controllers. */
    private static List<String> above(String controllers, List<String> own) {
        return own.stream()
                .map(line -> line.split(":", 3))
                .filter(fields -> fields.length == 3 && fields[1].equals(controllers))
                .map(fields -> names(fields[2]))
                .map(names -> names.subList(
                        0, last(POD, names).or(() -> last(CONTAINER, names)).orElse(names.size())))
                .findFirst()
                .orElse(List.of());
    }

    private static Optional<Integer> last(Pattern kind, List<String> names) {
        return IntStream.range(0, names.size())
                .filter(i -> kind.matcher(names.get(i)).matches())
                .boxed()
                .reduce((_, later) -> later);
    }

    /**
     * The first pod, and the first container below it: a container that may make cgroups can name those below its own
     * like any pod's.
     */
    private static Cgroup ofPath(List<String> names, List<String> above) {
        int next = 0;
        while (next < Math.min(names.size(), above.size()) && names.get(next).equals(above.get(next))) {
            next++;
        }
        Optional<String> pod = Optional.empty();
        for (String name : names.subList(next, names.size())) {
            Matcher asPod = POD.matcher(name);
            Matcher asContainer = CONTAINER.matcher(name);
            if (asContainer.matches()) {
                return new Cgroup(pod, Optional.of(asContainer.group(1)));
            }
            if (pod.isEmpty() && asPod.matches()) {
                pod = Optional.of(asPod.group(1).replace('_', '-'));
            }
        }
        return OF_THE_NODE;
    }
}

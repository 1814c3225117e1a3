package io.gpushare.plugin.node.monitor;

import io.gpushare.plugin.node.usage.Cgroup;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/** The node's processes, as its proc file system lists them. */
public final class ProcessTable {
    private static final Path OWN = Path.of("/proc");
    // A program can mount and name things without end. The kubelet's mounts are among the first.
    private static final int MOST_BYTES = 1 << 16;

    private static final int MOST_MOUNTS = 1 << 20;
    /** Each container has it. A process with another root directory does not see it, nor other mounts outside. */
    private static final String PROC = "/proc";

    /** The program that Kubernetes' runtimes run in the sandbox of a pod. */
    private static final List<String> SANDBOX = List.of("pause");

    private static final Set<String> RUNTIMES = Set.of("containerd", "crio", "dockerd");

    private final Path proc;
    private final List<String> own;

    /** @param proc where the node's proc file system is mounted */
    public ProcessTable(Path proc) {
        this.proc = proc;
        own = lines(OWN.resolve("self/cgroup")).orElse(List.of());
    }

    /**
     * Whether only the processes of this container are visible: in a PID namespace of its own, which a pod without
     * {@code hostPID} has, the program is process 1.
     */
    public boolean ownOnly() {
        return proc.equals(OWN) && ProcessHandle.current().pid() == 1;
    }

    /** When that process started, in the kernel's ticks; empty when it is not visible. */
    public OptionalLong started(long pid) {
        try {
            String stat =
                    Files.readString(proc.resolve(Long.toString(pid)).resolve("stat"), StandardCharsets.ISO_8859_1);
            // The name of the program, in parentheses, may contain anything. proc(5): starttime is field 22.
            String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ", -1);
            return OptionalLong.of(Long.parseLong(fields[19]));
        } catch (IOException | NumberFormatException | IndexOutOfBoundsException e) {
            return OptionalLong.empty();
        }
    }

    /** The cgroup of that process; empty when the process is not visible. */
    public Optional<Cgroup> cgroup(long pid) {
        return lines(pid, "cgroup")
                .map(lines -> Cgroup.parse(lines, own))
                .map(cgroup -> cgroup.podUid().isEmpty()
                        ? cgroup
                        : cgroup.withMounts(lines(pid, "mountinfo").orElse(List.of())));
    }

    /**
     * The mount points below that directory of the processes of these containers, by container ID; a container without
     * a process that shows all of them is missing. No other file of a process tells what its runtime gave it without a
     * further privilege.
     */
    public Map<String, Set<String>> mountPoints(Set<String> containers, String below) {
        Map<String, Set<String>> found = new HashMap<>();
        for (long pid : pids()) {
            container(pid)
                    .filter(containers::contains)
                    .ifPresent(id -> read(file(pid, "mountinfo"), MOST_MOUNTS)
                            .filter(read ->
                                    read.length < MOST_MOUNTS) // one that is cut says nothing of what is missing
                            .map(read -> mountPoints(read, below))
                            .filter(points -> points.remove(PROC))
                            .ifPresent(points -> found.computeIfAbsent(id, _ -> new HashSet<>())
                                    .addAll(points)));
        }
        return found;
    }

    /** Those of these containers, by their IDs, of which a process runs. */
    public Set<String> running(Set<String> containers) {
        Set<String> running = new HashSet<>();
        for (long pid : pids()) {
            container(pid).filter(containers::contains).ifPresent(running::add);
        }
        return running;
    }

    /** Those of these pods, by their UIDs, of which a process runs beside that of their sandbox. */
    public Set<String> runningPods(Set<String> uids) {
        Set<String> running = new HashSet<>();
        for (long pid : pids()) {
            lines(pid, "cgroup")
                    .flatMap(lines -> Cgroup.parse(lines, own).podUid())
                    .filter(uids::contains)
                    .filter(_ -> !lines(pid, "comm").orElse(List.of()).equals(SANDBOX))
                    .ifPresent(running::add);
        }
        return running;
    }

    /** The processes of the node's container runtime, each by its ID and start: they differ after a restart of it. */
    public Set<String> runtimes() {
        Set<String> found = new HashSet<>();
        for (long pid : pids()) {
            lines(pid, "comm")
                    .filter(lines -> lines.size() == 1 && RUNTIMES.contains(lines.getFirst()))
                    .flatMap(_ -> lines(pid, "cgroup"))
                    .map(lines -> Cgroup.parse(lines, own))
                    .filter(cgroup ->
                            cgroup.containerId().isEmpty() && cgroup.podUid().isEmpty())
                    .ifPresent(_ -> found.add(pid + " " + started(pid).orElse(0)));
        }
        return found;
    }

    private Optional<String> container(long pid) {
        return lines(pid, "cgroup").flatMap(lines -> Cgroup.parse(lines, own).containerId());
    }

    /** proc(5): the mount point is field 5. */
    private static Set<String> mountPoints(byte[] content, String below) {
        return new String(content, StandardCharsets.ISO_8859_1)
                .lines()
                .map(line -> line.split(" ", 6))
                .filter(fields -> fields.length == 6)
                .map(fields -> fields[4])
                .filter(point -> point.startsWith(below) || point.equals(PROC))
                .collect(Collectors.toCollection(HashSet::new));
    }

    private List<Long> pids() {
        List<Long> pids = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(proc, "[0-9]*")) {
            for (Path each : all) {
                pids.add(Long.parseLong(String.valueOf(each.getFileName())));
            }
        } catch (IOException | DirectoryIteratorException | NumberFormatException _) {
            // What can't be listed is not visible.
        }
        Collections.sort(pids);
        return pids;
    }

    private Path file(long pid, String name) {
        return proc.resolve(Long.toString(pid)).resolve(name);
    }

    private Optional<List<String>> lines(long pid, String file) {
        return lines(file(pid, file));
    }

    private static Optional<List<String>> lines(Path file) {
        return read(file, MOST_BYTES).map(ProcessTable::lines);
    }

    private static List<String> lines(byte[] content) {
        return new String(content, StandardCharsets.ISO_8859_1).lines().toList();
    }

    private static Optional<byte[]> read(Path file, int most) {
        try (InputStream content = Files.newInputStream(file)) {
            return Optional.of(content.readNBytes(most));
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}

package io.gpushare.histories.world;

import io.gpushare.simulated.client.PodDocument;
import io.gpushare.simulated.kubelet.StartedContainer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** The processes of a node's containers, as its proc file system and the driver of its cards show them. */
final class NodeProcesses {
    private final Path proc;
    /** By process ID. */
    private final Map<Long, OnCards> running = new LinkedHashMap<>();

    private long next = 1000;

    /** A process of a pod, and the cards on which it computes. */
    private record OnCards(String podUid, Set<String> cards) {}

    NodeProcesses(Path proc) {
        this.proc = proc;
    }

    /** A container starts to compute on these cards. */
    void start(PodDocument pod, String container, StartedContainer begun, Collection<String> cards) {
        long pid = next++;
        running.put(pid, new OnCards(pod.uid(), Set.copyOf(cards)));
        Path folder = proc.resolve(Long.toString(pid));
        try {
            Files.createDirectories(folder);
            Files.writeString(
                    folder.resolve("cgroup"),
                    "0::/kubepods/pod" + pod.uid() + "/" + StartedContainer.id(pod, container) + "\n");
            Files.writeString(folder.resolve("mountinfo"), mounts(pod, container, begun));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The mounts in the form of proc(5): the root is field 4, and the mount point field 5. */
    private static String mounts(PodDocument pod, String container, StartedContainer begun) {
        List<String> lines = new ArrayList<>();
        lines.add("1 1 0:1 / /proc rw");
        lines.add("2 1 0:2 /var/lib/kubelet/pods/" + pod.uid() + "/containers/" + container
                + "/0 /dev/termination-log rw");
        begun.mounts().forEach((inside, host) -> lines.add("3 1 0:2 " + host + " " + inside + " rw"));
        return String.join("\n", lines) + "\n";
    }

    /** The processes of that pod end. */
    void end(String podUid) {
        end(each -> each.podUid().equals(podUid));
    }

    /** All processes end. */
    void endAll() {
        end(_ -> true);
    }

    private void end(Predicate<OnCards> those) {
        running.entrySet().removeIf(each -> {
            boolean ends = those.test(each.getValue());
            if (ends) {
                remove(proc.resolve(each.getKey().toString()));
            }
            return ends;
        });
    }

    private static void remove(Path folder) {
        try {
            Files.delete(folder.resolve("cgroup"));
            Files.delete(folder.resolve("mountinfo"));
            Files.delete(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The IDs of the processes that compute on that card. */
    List<Long> on(String card) {
        return running.entrySet().stream()
                .filter(each -> each.getValue().cards().contains(card))
                .map(Map.Entry::getKey)
                .toList();
    }
}

package io.gpushare.e2e.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.e2e.sandbox.ClusterSnapshot.Card;
import io.gpushare.e2e.sandbox.ClusterSnapshot.Placed;
import io.gpushare.e2e.sandbox.ClusterSnapshot.Share;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Gives each running container of the sandbox a process on its cards, with memory and utilisation that move. A few use
 * more than they requested, and a few do not compute at all. The device plugins measure it as they would measure real
 * processes.
 */
final class SimulatedUse {
    private static final int FIRST_PID = 10_000;
    private static final List<SandboxNode> MACHINES = Stream.concat(
                    SandboxNode.ALL.stream(), Stream.of(SandboxNode.CLAIMS))
            .toList();

    private final Function<String, Path> cards;
    private final Path proc;
    private final Map<String, Integer> pids = new HashMap<>(); // by container ID and card
    private int step;

    /**
     * @param cards the file of the simulated driver by node
     * @param proc the process table that the device plugins read
     */
    SimulatedUse(Function<String, Path> cards, Path proc) {
        this.cards = cards;
        this.proc = proc;
    }

    /** Whether a process belongs to a container that has ended: it would use a card that is not allocated to it. */
    boolean outlives(ClusterSnapshot snapshot) {
        Set<String> running = new HashSet<>();
        for (Placed placed : snapshot.pods()) {
            if (placed.active()) {
                for (Share share : placed.shares()) {
                    running.addAll(keys(placed, share));
                }
            }
        }
        return !running.containsAll(pids.keySet());
    }

    /** Writes the use of the next moment for the nodes that have a device plugin or a driver of claims. */
    void next(ClusterSnapshot snapshot) throws IOException {
        step++;
        Set<String> running = new HashSet<>();
        for (SandboxNode machine : MACHINES) {
            if (machine.isolated()) {
                continue; // only clients of MPS may compute there
            }
            StringBuilder processes = new StringBuilder();
            Map<Integer, Long> busy = new HashMap<>(); // percent by index of the card
            for (ClusterSnapshot.Node node : snapshot.nodes()) {
                if (node.name().equals(machine.name())) {
                    for (Card card : node.cards()) {
                        for (Placed placed : snapshot.on(card)) {
                            busy.merge(card.index(), processes(placed, card, processes, running), Long::sum);
                        }
                    }
                }
            }
            replace(cards.apply(machine.name()), machine.cardsFile(busy) + processes);
        }
        for (String ended : Set.copyOf(pids.keySet())) {
            if (!running.contains(ended)) {
                Path process = proc.resolve(String.valueOf(pids.remove(ended)));
                Files.deleteIfExists(process.resolve("cgroup"));
                Files.deleteIfExists(process);
            }
        }
    }

    /** Appends the processes of the pod on that card, and returns the percent of the time in which they compute. */
    private long processes(Placed placed, Card card, StringBuilder file, Set<String> running) throws IOException {
        long busy = 0;
        for (Share share : placed.shares()) {
            for (String key : share.card().equals(card.uuid()) ? keys(placed, share) : List.<String>of()) {
                running.add(key);
                String id = key.substring(0, key.length() - card.uuid().length());
                int pid = pid(key, placed.pod().uid(), id);
                long percent = percent(pid);
                busy += percent;
                file.append(line(pid, card, share, percent));
            }
        }
        return busy;
    }

    /** The container that runs with that share, by its ID and the card's; none if it does not run. */
    private static List<String> keys(Placed placed, Share share) {
        List<String> keys = new ArrayList<>();
        for (JsonNode status : placed.pod().document().path("status").path("containerStatuses")) {
            if (placed.pod().phase().equals("Running")
                    && share.container().equals(status.path("name").asText())) {
                keys.add(status.path("containerID").asText().replaceFirst("^containerd://", "") + share.card());
            }
        }
        return keys;
    }

    private int pid(String key, String pod, String container) throws IOException {
        Integer known = pids.get(key);
        if (known != null) {
            return known;
        }
        int pid = FIRST_PID
                + pids.values().stream()
                        .mapToInt(each -> each - FIRST_PID + 1)
                        .max()
                        .orElse(0);
        pids.put(key, pid);
        Path process = Files.createDirectories(proc.resolve(String.valueOf(pid)));
        Files.writeString(process.resolve("cgroup"), "0::/kubepods/burstable/pod" + pod + "/" + container + "\n");
        return pid;
    }

    private String line(int pid, Card card, Share share, long percent) {
        int units = share.whole() ? card.units() : share.units();
        boolean over = !share.whole() && units > 1 && pid % 9 == 4;
        double part = over ? 1.05 : idle(pid) ? 0.15 : 0.6 + 0.25 * wave(pid);
        long mib = Math.max(64, Math.round(part * units * 1024));
        return "process pid=" + pid + " card=" + card.uuid() + " memory=" + mib + "MiB utilisation=" + percent + "\n";
    }

    private long percent(int pid) {
        return idle(pid) ? 0 : Math.round(20 + 15 * (1 + wave(pid)));
    }

    private static boolean idle(int pid) {
        return pid % 5 == 2;
    }

    private double wave(int pid) {
        return Math.sin(step / 6.0 + pid);
    }

    private static void replace(Path file, String text) throws IOException {
        Path next = Files.writeString(file.resolveSibling(file.getFileName() + ".next"), text);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}

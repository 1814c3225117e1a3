package io.gpushare.e2e.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.e2e.sandbox.ClusterSnapshot.Card;
import io.gpushare.e2e.sandbox.ClusterSnapshot.Placed;
import io.gpushare.e2e.sandbox.ClusterSnapshot.Share;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Gives each running container of the sandbox a process on its cards, with memory and utilisation that move. A few use
 * more than they requested, and a few do not compute at all. The device plugins measure it as they would measure real
 * processes.
 */
final class SimulatedUse {
    private static final int FIRST_PID = 10_000;

    private final SandboxCluster sandbox;
    private final Map<String, Integer> pids = new HashMap<>(); // by container ID and card
    private int step;

    SimulatedUse(SandboxCluster sandbox) {
        this.sandbox = sandbox;
    }

    /** Writes the use of the next moment for the nodes that have a device plugin. */
    void next(ClusterSnapshot snapshot) throws IOException {
        step++;
        Set<String> running = new HashSet<>();
        for (SandboxNode machine : SandboxNode.ALL) {
            if (machine.isolated()) {
                continue; // only clients of MPS may compute there
            }
            StringBuilder file = new StringBuilder(machine.cardsFile());
            for (ClusterSnapshot.Node node : snapshot.nodes()) {
                if (node.name().equals(machine.name())) {
                    for (Card card : node.cards()) {
                        for (Placed placed : snapshot.on(card)) {
                            processes(placed, card, file, running);
                        }
                    }
                }
            }
            replace(sandbox.cards(machine.name()), file.toString());
        }
        for (String ended : Set.copyOf(pids.keySet())) {
            if (!running.contains(ended)) {
                Path process = sandbox.proc().resolve(String.valueOf(pids.remove(ended)));
                Files.deleteIfExists(process.resolve("cgroup"));
                Files.deleteIfExists(process);
            }
        }
    }

    private void processes(Placed placed, Card card, StringBuilder file, Set<String> running) throws IOException {
        for (JsonNode status : placed.pod().document().path("status").path("containerStatuses")) {
            String id = status.path("containerID").asText().replaceFirst("^containerd://", "");
            for (Share share : placed.shares()) {
                boolean runs = placed.pod().phase().equals("Running")
                        && share.container().equals(status.path("name").asText());
                if (runs && share.card().equals(card.uuid())) {
                    String key = id + card.uuid();
                    running.add(key);
                    int pid = pid(key, placed.pod().uid(), id);
                    file.append(line(pid, card, share));
                }
            }
        }
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
        Path process = Files.createDirectories(sandbox.proc().resolve(String.valueOf(pid)));
        Files.writeString(process.resolve("cgroup"), "0::/kubepods/burstable/pod" + pod + "/" + container + "\n");
        return pid;
    }

    private String line(int pid, Card card, Share share) {
        int units = share.whole() ? card.units() : share.units();
        double wave = Math.sin(step / 6.0 + pid);
        boolean over = !share.whole() && units > 1 && pid % 9 == 4;
        boolean idle = pid % 5 == 2;
        double part = over ? 1.05 : idle ? 0.15 : 0.6 + 0.25 * wave;
        long mib = Math.max(64, Math.round(part * units * 1024));
        long percent = idle ? 0 : Math.round(20 + 15 * (1 + wave));
        return "process pid=" + pid + " card=" + card.index() + " memory=" + mib + "MiB utilisation=" + percent + "\n";
    }

    private static void replace(Path file, String text) throws IOException {
        Path next = Files.writeString(file.resolveSibling(file.getFileName() + ".next"), text);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}

package io.gpushare.e2e.chaos.check;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * All that could be seen at about one moment.
 *
 * @param at when the first look of it began
 * @param pods those of the API server; empty while it does not answer
 * @param running what each process inside a container sees, from its own environment
 * @param listed the cards of the devices that a kubelet has given out, by node and {@code <pod>/<container>}; nodes whose
 *     kubelet does not answer are missing
 */
public record Snapshot(
        Duration at,
        Optional<List<PodView>> pods,
        List<HeldCards> running,
        Map<String, Map<String, Set<String>>> listed) {
    public Snapshot {
        pods = pods.map(List::copyOf);
        running = List.copyOf(running);
        listed = Map.copyOf(listed);
    }

    public Optional<PodView> pod(String uid) {
        return pods.stream()
                .flatMap(List::stream)
                .filter(pod -> pod.uid().equals(uid))
                .findFirst();
    }
}

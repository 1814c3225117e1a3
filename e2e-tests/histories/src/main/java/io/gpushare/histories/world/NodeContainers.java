package io.gpushare.histories.world;

import io.gpushare.model.card.CardId;
import io.gpushare.simulated.client.PodDocument;
import io.gpushare.simulated.kubelet.Containers;
import io.gpushare.simulated.kubelet.StartedContainer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The containers of a node: what they get is compared with what their pods request, and has processes. */
final class NodeContainers implements Containers {
    private final String node;
    private final World world;
    private final CardUse use;
    private final NodeProcesses processes;
    /** The pods whose containers have cards. */
    private final Set<String> users = new TreeSet<>();

    NodeContainers(String node, World world, NodeProcesses processes) {
        this.node = node;
        this.world = world;
        this.use = world.use();
        this.processes = processes;
    }

    @Override
    public void started(PodDocument pod, Map<String, StartedContainer> containers) {
        world.tell(pod.name() + " starts on " + node);
        Map<String, Integer> units = new TreeMap<>();
        for (PodDocument.Container container : pod.containers()) {
            StartedContainer begun = containers.get(container.name());
            if (begun != null) {
                List<String> visible = visible(begun);
                compare(pod, visible);
                visible.forEach(card ->
                        units.merge(card, World.cards(pod) > 0 ? use.capacity(card) : World.memory(pod), Integer::sum));
                processes.start(pod, container.name(), begun, visible);
            }
        }
        users.add(name(pod));
        use.start(name(pod), units);
    }

    private static List<String> visible(StartedContainer container) {
        String value = container.environment().getOrDefault("NVIDIA_VISIBLE_DEVICES", "");
        return value.isEmpty() ? List.of() : List.of(value.split(","));
    }

    private void compare(PodDocument pod, List<String> visible) {
        // A pod that skips kube-scheduler runs without a card where the kubelet does not know the resource.
        boolean unknown = visible.isEmpty() && world.skipsScheduler(pod);
        if (visible.size() != Math.max(1, World.cards(pod)) && !unknown) {
            use.violation("pod " + pod.title() + " on " + node + " sees " + visible + " for " + World.memory(pod)
                    + " units and " + World.cards(pod) + " cards");
        }
        world.written()
                .of(pod)
                .map(allocation -> allocation.cards().stream().map(CardId::uuid).collect(Collectors.toSet()))
                .filter(written -> !written.equals(Set.copyOf(visible)) && !world.edited(pod))
                .ifPresent(written -> use.violation("pod " + pod.title() + " on " + node + " sees " + visible
                        + ", and its annotation names " + written));
    }

    @Override
    public void ended(PodDocument pod) {
        world.outlives(pod)
                .ifPresentOrElse(
                        time -> {
                            world.tell(pod.name() + " ends on " + node + ", and its processes " + time + " later");
                            // A share whose processes end late closes no card.
                            if (World.cards(pod) == 0) {
                                end(name(pod));
                            }
                            world.after(time, () -> gone(pod));
                        },
                        () -> {
                            world.tell(pod.name() + " ends on " + node);
                            gone(pod);
                        });
    }

    private void gone(PodDocument pod) {
        processes.end(pod.uid());
        end(name(pod));
    }

    private void end(String user) {
        users.remove(user);
        use.end(user);
    }

    /** The node loses its power: what outlived its pod ends too. */
    void powerOff() {
        processes.endAll();
        users.forEach(use::end);
        users.clear();
    }

    private static String name(PodDocument pod) {
        return pod.title() + " " + pod.uid();
    }
}

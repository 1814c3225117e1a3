package io.gpushare.e2e.sandbox;

import io.gpushare.e2e.sandbox.ClusterSnapshot.Card;
import io.gpushare.e2e.sandbox.ClusterSnapshot.Placed;
import io.gpushare.e2e.sandbox.ClusterSnapshot.Share;
import io.gpushare.e2e.sandbox.workload.PodSpec;
import io.gpushare.simulated.kubelet.StartedContainer;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Checks the invariants of a sandbox from outside: no card is over-committed or both shared and whole, and the
 * annotation, the environment and the kubelet's device allocations of each container name the same cards. Counts the
 * checks that held and records the others.
 */
final class Checks {
    private final Set<String> failures = new LinkedHashSet<>();
    private final Set<String> provenPods = new TreeSet<>();
    private int held;

    Set<String> failures() {
        return failures;
    }

    int held() {
        return held;
    }

    boolean proven(Placed placed) {
        return provenPods.contains(placed.pod().uid());
    }

    void check(boolean holds, String failure) {
        if (holds) {
            held++;
        } else {
            failures.add(failure);
        }
    }

    /** Checks the memory and the node of every card. */
    void checkCards(ClusterSnapshot snapshot) {
        for (ClusterSnapshot.Node node : snapshot.nodes()) {
            for (Card card : node.cards()) {
                int units = 0;
                int whole = 0;
                for (Placed placed : snapshot.on(card)) {
                    units += placed.unitsOn(card.uuid());
                    whole += placed.takesWhole(card.uuid()) ? 1 : 0;
                    check(
                            placed.pod().node().equals(node.name()),
                            placed.pod().name() + " is on " + placed.pod().node() + " and its annotation names "
                                    + card.uuid() + " of " + node.name());
                }
                String where = node.name() + " card " + card.index() + " (" + card.name() + ")";
                check(units <= card.units(), where + " has " + card.units() + " units and allocated " + units);
                check(whole <= 1, where + " is taken whole by " + whole + " pods");
                check(whole == 0 || units == 0, where + " is shared and whole at once");
            }
        }
    }

    /**
     * Checks that a running container's annotation, environment and device allocations agree.
     *
     * @param devices the container's device IDs by resource, from pod-resources
     */
    void checkContainer(
            Placed placed, PodSpec.ContainerSpec spec, StartedContainer started, Map<String, Set<String>> devices) {
        String title = placed.pod().name() + "/" + spec.name();
        Set<Share> shares = placed.shares().stream()
                .filter(share -> share.container().equals(spec.name()))
                .collect(Collectors.toSet());
        Set<String> annotated = shares.stream().map(Share::card).collect(Collectors.toCollection(TreeSet::new));
        int units = shares.stream().mapToInt(Share::units).sum();
        long whole = shares.stream().filter(Share::whole).count();
        check(units == spec.units(), title + " requested " + spec.units() + " units and its annotation has " + units);
        check(whole == spec.cards(), title + " requested " + spec.cards() + " cards and its annotation has " + whole);
        String visible = started.environment().getOrDefault("NVIDIA_VISIBLE_DEVICES", "");
        Set<String> visibleCards = visible.isEmpty() ? Set.of() : new TreeSet<>(Arrays.asList(visible.split(",")));
        check(visibleCards.equals(annotated), title + " sees " + visibleCards + " and its annotation has " + annotated);
        check(
                devices.equals(started.devices()),
                title + " holds " + started.devices() + ", pod-resources reports " + devices);
        Set<String> memory = devices.getOrDefault(PodSpec.MEMORY, Set.of());
        Set<String> cards = devices.getOrDefault(spec.whole(), Set.of());
        check(memory.size() == spec.units(), title + " holds " + memory.size() + " memory devices");
        check(cards.size() == spec.cards(), title + " holds " + cards.size() + " whole-card devices");
        Set<String> allocated = new TreeSet<>(cards);
        memory.forEach(device -> allocated.add(device.replaceFirst("::.*", "")));
        check(
                allocated.equals(annotated),
                title + " holds devices of " + allocated + " and its annotation has " + annotated);
    }

    /**
     * Checks that a running pod has the preferred number and model of cards, with its memory split evenly over them.
     */
    void checkPreferences(Placed placed, PodSpec order, ClusterSnapshot snapshot) {
        String title = placed.pod().name();
        for (PodSpec.ContainerSpec spec : order.containers()) {
            if (spec.units() > 0) {
                int split = order.preferences().split();
                check(
                        placed.shares().stream()
                                        .filter(share -> share.container().equals(spec.name())
                                                && share.units() == spec.units() / split)
                                        .count()
                                == split,
                        title + "/" + spec.name() + " is not split evenly over " + split + ": " + placed.shares());
            }
        }
        for (ClusterSnapshot.Node node : snapshot.nodes()) {
            for (Card card : node.cards()) {
                if (placed.shares().stream().anyMatch(share -> share.card().equals(card.uuid()))) {
                    check(
                            card.model().contains(order.preferences().model()),
                            title + " is on a " + card.model() + " and selects "
                                    + order.preferences().model());
                }
            }
        }
    }

    void provenPod(Placed placed) {
        provenPods.add(placed.pod().uid());
    }
}

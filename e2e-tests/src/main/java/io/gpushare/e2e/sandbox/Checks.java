package io.gpushare.e2e.sandbox;

import io.gpushare.e2e.sandbox.ClusterSnapshot.Card;
import io.gpushare.e2e.sandbox.ClusterSnapshot.Placed;
import io.gpushare.e2e.sandbox.ClusterSnapshot.Share;
import io.gpushare.simulated.kubelet.StartedContainer;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What must hold, looked at from outside: no card over its memory, none shared and whole at once; and for each container
 * that its annotation, its environment and the kubelet's books name the same cards. Counts what held, keeps what did
 * not.
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

    void check(boolean holds, String otherwise) {
        if (holds) {
            held++;
        } else {
            failures.add(otherwise);
        }
    }

    /** At any moment: the link, and the memory of every card. */
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
                String where = node.name() + " card " + card.index() + " (" + card.model() + ")";
                check(units <= card.units(), where + " has " + card.units() + " units and gave " + units);
                check(whole <= 1, where + " is taken whole by " + whole + " pods");
                check(whole == 0 || units == 0, where + " is shared and whole at once");
            }
        }
    }

    /**
     * A running container: annotation = environment = kubelet's books.
     *
     * @param books what pod-resources tells of the container: device IDs by resource
     */
    void checkContainer(Placed placed, PodSpec.Want want, StartedContainer started, Map<String, Set<String>> books) {
        String who = placed.pod().name() + "/" + want.container();
        Set<Share> shares = placed.shares().stream()
                .filter(share -> share.container().equals(want.container()))
                .collect(Collectors.toSet());
        Set<String> written = shares.stream().map(Share::card).collect(Collectors.toCollection(TreeSet::new));
        int units = shares.stream().mapToInt(Share::units).sum();
        long whole = shares.stream().filter(Share::whole).count();
        check(units == want.units(), who + " asked for " + want.units() + " units and its annotation has " + units);
        check(whole == want.cards(), who + " asked for " + want.cards() + " cards and its annotation has " + whole);
        String visible = started.environment().getOrDefault("NVIDIA_VISIBLE_DEVICES", "");
        Set<String> seen = visible.isEmpty() ? Set.of() : new TreeSet<>(Arrays.asList(visible.split(",")));
        check(seen.equals(written), who + " sees " + seen + " and its annotation has " + written);
        check(books.equals(started.devices()), who + " holds " + started.devices() + ", pod-resources tells " + books);
        Set<String> memory = books.getOrDefault(PodSpec.MEMORY, Set.of());
        Set<String> cards = books.getOrDefault(PodSpec.CARDS, Set.of());
        check(memory.size() == want.units(), who + " holds " + memory.size() + " memory devices");
        check(cards.size() == want.cards(), who + " holds " + cards.size() + " whole-card devices");
        Set<String> booked = new TreeSet<>(cards);
        memory.forEach(device -> booked.add(device.replaceFirst("::.*", "")));
        check(booked.equals(written), who + " holds devices of " + booked + " and its annotation has " + written);
    }

    /** A running pod: its memory in even parts on as many cards as it wishes, all its cards of the model that it wishes. */
    void checkWish(Placed placed, PodSpec order, ClusterSnapshot snapshot) {
        String who = placed.pod().name();
        for (PodSpec.Want want : order.containers()) {
            if (want.units() > 0) {
                int split = order.wish().split();
                check(
                        placed.shares().stream()
                                        .filter(share -> share.container().equals(want.container())
                                                && share.units() == want.units() / split)
                                        .count()
                                == split,
                        who + "/" + want.container() + " is not split evenly over " + split + ": " + placed.shares());
            }
        }
        for (ClusterSnapshot.Node node : snapshot.nodes()) {
            for (Card card : node.cards()) {
                if (placed.shares().stream().anyMatch(share -> share.card().equals(card.uuid()))) {
                    check(
                            card.model().contains(order.wish().model()),
                            who + " is on a " + card.model() + " and wishes "
                                    + order.wish().model());
                }
            }
        }
    }

    void provenPod(Placed placed) {
        provenPods.add(placed.pod().uid());
    }
}

package io.gpushare.insight.scaleup;

import io.gpushare.extender.ledger.ClusterState;
import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.NodeDemand;
import io.gpushare.extender.pod.PodDemand;
import io.gpushare.extender.pod.PodRequest;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.extender.policy.KnownNode;
import io.gpushare.extender.policy.NodeChooser;
import io.gpushare.extender.policy.scoring.CardChoice;
import io.gpushare.extender.policy.scoring.Scoring;
import io.gpushare.model.card.CardKind;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.node.NodeFacts;
import io.gpushare.model.pod.PodPriority;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the kind and number of new nodes that would let a waiting pod run: of the kinds of the cluster, the one of
 * which the fewest are needed, and of equal ones that with the least memory on its cards. The pods that wait before it
 * come first.
 */
public final class ScaleUpSearch {
    /** The most kinds that are compared. */
    private static final int MOST_KINDS = 8;

    /** The most pods that come before. A search takes up to some tenths of a second. */
    private static final int MOST_PODS = 64;

    private final ClusterState state;
    private final Placer placer;

    public ScaleUpSearch(ClusterState state, Placer placer) {
        this.state = state;
        this.placer = placer;
    }

    /** Nodes with the same cards, CPU and memory; one of them. */
    private record Kind(String name, NodeEntry node, NodeEntry empty) {
        boolean takes(PodDemand.Valid pod) {
            return node.emptied().refusal(pod.demand()) == null
                    && !CardChoice.of(empty, pod.request()).isEmpty();
        }

        /** Whether the pod accepts another node of that kind. */
        boolean acceptedBy(PodDemand.Valid pod) {
            @Nullable NodeFacts facts = node.facts();
            return facts == null || pod.nodes().admit(facts.another());
        }

        /** For example {@code 8 × NVIDIA A100-SXM4-80GB, 80 GiB}. */
        String cards() {
            Map<CardKind, Long> count = empty.cards().open().cards().stream()
                    .collect(Collectors.groupingBy(card -> card.kind(), LinkedHashMap::new, Collectors.counting()));
            return count.entrySet().stream()
                    .map(cards -> cards.getValue() + " × " + cards.getKey().model() + ", "
                            + node.cards()
                                    .inventory()
                                    .unit()
                                    .amount(cards.getKey().units()))
                    .collect(Collectors.joining("; "));
        }
    }

    /**
     * What lets the pod run that requests this, together with the pods that it needs; empty if no kind is enough
     * for all of these, and it is not the pod alone that needs another.
     */
    public Optional<ScaleUp> of(SchedulingPod pod, PodDemand.Valid demand, Together together) {
        List<Kind> nodes = nodes();
        // The pods of a group are equal but for a few.
        List<PodDemand.Valid> demands = together.demands().stream().distinct().toList();
        List<Kind> taking = nodes.stream()
                .filter(kind -> demands.stream().allMatch(kind::takes))
                .toList();
        List<Kind> possible = kinds(
                        taking.stream().filter(kind -> demands.stream().allMatch(kind::acceptedBy)))
                .sorted(Comparator.comparingLong(
                                (Kind kind) -> kind.empty().cards().open().units())
                        .thenComparing(Kind::name))
                .limit(MOST_KINDS)
                .toList();
        if (possible.isEmpty()) {
            return Optional.<ScaleUp>of(
                            taking.isEmpty()
                                    ? new ScaleUp.OtherKind(demand.demand(), (int)
                                            kinds(nodes.stream()).count())
                                    : new ScaleUp.OtherNode(demand.demand()))
                    .filter(_ -> demands.equals(List.of(demand)));
        }
        List<PodEntry> first = before(pod);
        Map<NodeDemand, Boolean> stuck = new HashMap<>();
        return possible.stream()
                .map(kind -> more(kind, first, stuck, together, placer.scoring(demand.policy())))
                .min(Comparator.comparingInt(ScaleUp.MoreLike::nodes))
                .map(more -> more);
    }

    private ScaleUp.MoreLike more(
            Kind kind, List<PodEntry> first, Map<NodeDemand, Boolean> stuck, Together together, Scoring scoring) {
        List<PodRequest> pods = first.stream()
                .filter(each -> !together.waiting().contains(each.ref().uid()))
                .filter(each -> kind.takes(each.podDemand()) && kind.acceptedBy(each.podDemand()))
                .filter(each -> stuck.computeIfAbsent(each.onNode(), this::fitsNowhere))
                .limit(MOST_PODS)
                .map(each -> each.podDemand().request())
                .collect(Collectors.toCollection(ArrayList::new));
        int before = pods.size();
        together.demands().forEach(each -> pods.add(each.request()));
        return new ScaleUp.MoreLike(
                count(kind, pods, scoring),
                kind.name(),
                kind.cards(),
                before,
                together.demands().size() > 1);
    }

    /**
     * A number of such nodes on which all the pods get cards, placed in their order by that scoring, of which one less
     * is not enough. On a node for each pod they do: one is always empty.
     */
    private static int count(Kind kind, List<PodRequest> pods, Scoring scoring) {
        int fewer = 0;
        int enough = pods.size();
        while (enough - fewer > 1) {
            int count = (fewer + enough) / 2;
            if (placed(kind.empty(), count, pods, scoring)) {
                enough = count;
            } else {
                fewer = count;
            }
        }
        return enough;
    }

    private static boolean placed(NodeEntry empty, int count, List<PodRequest> pods, Scoring scoring) {
        NodeChooser nodes = new NodeChooser(IntStream.range(0, count)
                .mapToObj(i -> KnownNode.of("new-" + i, empty))
                .toList());
        for (PodRequest pod : pods) {
            Optional<NodeChooser.Chosen> chosen = nodes.choose(scoring, pod);
            if (chosen.isEmpty()) {
                return false;
            }
            nodes.take(chosen.get());
        }
        return true;
    }

    /** The waiting pods that come before that pod, in their order. */
    private List<PodEntry> before(SchedulingPod pod) {
        return state.waiting().stream()
                .sorted(Comparator.comparing(PodEntry::priority, PodPriority.HIGHEST_FIRST))
                .takeWhile(each -> !each.ref().uid().equals(pod.ref().uid())
                        && each.priority().value() >= pod.priority())
                .toList();
    }

    private boolean fitsNowhere(NodeDemand demand) {
        return state.entries().values().stream().noneMatch(node -> node.refusal(demand) == null);
    }

    /** The nodes of the cluster that have cards, by name. */
    private List<Kind> nodes() {
        return new TreeMap<>(state.entries())
                .entrySet().stream()
                        .filter(node -> node.getValue().unusable() == null
                                && !node.getValue().cards().cards().isEmpty())
                        .map(node -> new Kind(
                                node.getKey(), node.getValue(), node.getValue().repaired()))
                        .toList();
    }

    /** The first node of each kind. */
    private static Stream<Kind> kinds(Stream<Kind> nodes) {
        Map<List<Object>, Kind> kinds = new LinkedHashMap<>();
        nodes.forEach(kind -> {
            Inventory inventory = kind.node().cards().inventory();
            List<Object> cards = inventory.cards().stream()
                    .<Object>map(card -> List.of(card.title(), card.memory()))
                    .toList();
            kinds.putIfAbsent(List.of(cards, inventory.unit(), kind.node().allocatable()), kind);
        });
        return kinds.values().stream();
    }
}

package io.gpushare.insight.waste;

import io.gpushare.extender.ledger.ClusterState.NodeView;
import io.gpushare.insight.waste.CardUsage.NodeUse;
import io.gpushare.insight.waste.LedgerStats.Amounts;
import io.gpushare.insight.waste.WasteReport.Group;
import io.gpushare.insight.waste.WasteReport.NodeWaste;
import io.gpushare.insight.waste.WasteReport.Sample;
import io.gpushare.model.PodRef;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** One round over all nodes: adds them up node by node and keeps nothing of a node but its part of the sums. */
public final class WasteRound {
    private static final int MOST_GROUPS = 200;
    private static final int MOST_PODS = 300;
    private static final Comparator<PodOnCard> LEAST_WASTE =
            Comparator.comparingLong(WasteRound::waste).thenComparing(PodOnCard::pod, PodOnCard.BY_NAME.reversed());

    private record Workload(String namespace, String name) {}

    private final Map<String, Sums> namespaces = new HashMap<>();
    private final Map<Workload, Sums> workloads = new HashMap<>();
    private final PriorityQueue<PodOnCard> pods = new PriorityQueue<>(LEAST_WASTE);
    private final Map<String, Sums> byNode = new TreeMap<>();
    private Sums total = Sums.NONE;
    private int nodes;
    private int reporting;

    /** Adds a node; its usage is {@link NodeUse#UNKNOWN} if its device plugin does not report. */
    public void add(NodeView node, NodeUse usage) {
        if (!node.cards().cards().isEmpty()) {
            nodes++;
            reporting += usage.equals(NodeUse.UNKNOWN) ? 0 : 1;
        }
        Sums ofNode = Sums.NONE;
        Map<PodRef, List<PodOnCard>> byPod =
                PodOnCard.of(node, usage).stream().collect(Collectors.groupingBy(PodOnCard::pod));
        for (List<PodOnCard> cards : byPod.values()) {
            PodOnCard first = cards.getFirst();
            Sums sums = Sums.ofPod(cards);
            ofNode = ofNode.plus(sums);
            namespaces.merge(first.pod().namespace(), sums, Sums::plus);
            workloads.merge(new Workload(first.pod().namespace(), first.workload()), sums, Sums::plus);
            for (PodOnCard card : cards) {
                if (waste(card) > 0) {
                    pods.add(card);
                }
                if (pods.size() > MOST_PODS) {
                    pods.remove();
                }
            }
        }
        total = total.plus(ofNode);
        byNode.put(node.name(), ofNode);
    }

    private static long waste(PodOnCard pod) {
        return pod.idle() ? pod.allocatedBytes() : pod.unusedBytes() + pod.overBytes();
    }

    /** The report of this round, which is added to the history. */
    public WasteReport end(LedgerStats stats, Instant now, WasteHistory history) {
        Sample sample = new Sample(now, stats.models().values().stream().reduce(Amounts.NONE, Amounts::plus), total);
        history.add(sample);
        return new WasteReport(
                sample,
                nodes,
                reporting,
                most(namespaces.entrySet().stream()
                        .map(each -> new Group(each.getKey(), "", each.getValue()))
                        .toList()),
                most(workloads.entrySet().stream()
                        .map(each -> new Group(
                                each.getKey().namespace(), each.getKey().name(), each.getValue()))
                        .toList()),
                pods.stream().sorted(LEAST_WASTE.reversed()).toList(),
                byNode(stats),
                history.samples());
    }

    private List<NodeWaste> byNode(LedgerStats stats) {
        List<NodeWaste> all = new ArrayList<>();
        byNode.forEach((name, sums) -> {
            boolean unusable = stats.usable().getOrDefault(name, Amounts.NONE).wasted() > 0;
            if (sums.measured() > 0 || sums.podsIdle() > 0 || unusable) {
                all.add(new NodeWaste(name, sums, unusable));
            }
        });
        return all;
    }

    private static List<Group> most(List<Group> groups) {
        return groups.stream()
                .sorted(Comparator.comparingLong((Group group) -> group.sums().waste())
                        .thenComparingLong(group -> group.sums().allocated())
                        .reversed()
                        .thenComparing(Group::namespace)
                        .thenComparing(Group::workload))
                .limit(MOST_GROUPS)
                .toList();
    }
}

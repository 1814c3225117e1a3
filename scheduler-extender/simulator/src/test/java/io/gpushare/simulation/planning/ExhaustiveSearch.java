package io.gpushare.simulation.planning;

import io.gpushare.extender.capacity.Candidate;
import io.gpushare.extender.capacity.FreeNode;
import io.gpushare.extender.capacity.PodRequest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Whether pods can be placed at all, by trying every way. */
final class ExhaustiveSearch {
    private final List<PodRequest> pods;
    private final Set<List<Object>> failed = new HashSet<>();

    private ExhaustiveSearch(List<PodRequest> pods) {
        this.pods = pods;
    }

    /** Whether the pods fit these nodes, but for so many. */
    static boolean fits(List<FreeNode> nodes, List<PodRequest> pods, int mayRefuse) {
        return new ExhaustiveSearch(pods).fits(nodes, 0, mayRefuse);
    }

    private boolean fits(List<FreeNode> nodes, int next, int mayRefuse) {
        if (next + mayRefuse >= pods.size()) {
            return true;
        }
        List<String> states =
                nodes.stream().map(ExhaustiveSearch::state).sorted().toList();
        if (!failed.add(List.of(states, next, mayRefuse))) {
            return false;
        }
        for (int i = 0; i < nodes.size(); i++) {
            for (Candidate candidate : nodes.get(i).candidates(pods.get(next))) {
                List<FreeNode> after = new ArrayList<>(nodes);
                after.set(i, candidate.after());
                if (fits(after, next + 1, mayRefuse)) {
                    return true;
                }
            }
        }
        return mayRefuse > 0 && fits(nodes, next + 1, mayRefuse - 1);
    }

    /** What is free on a node, whatever its name and the order of its cards. */
    private static String state(FreeNode node) {
        return node.cpuMilli() + " " + node.memoryMib() + " "
                + node.cards().stream()
                        .map(card -> card.kind() + " " + card.free())
                        .sorted()
                        .toList();
    }
}

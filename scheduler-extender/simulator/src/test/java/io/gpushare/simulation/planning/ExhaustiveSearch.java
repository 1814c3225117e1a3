package io.gpushare.simulation.planning;

import io.gpushare.extender.pod.PodRequest;
import io.gpushare.extender.policy.KnownNode;
import io.gpushare.extender.policy.scoring.CardChoice;
import io.gpushare.model.PodRef;
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
    static boolean fits(List<KnownNode> nodes, List<PodRequest> pods, int mayRefuse) {
        return new ExhaustiveSearch(pods).fits(nodes, 0, mayRefuse);
    }

    private boolean fits(List<KnownNode> nodes, int next, int mayRefuse) {
        if (next + mayRefuse >= pods.size()) {
            return true;
        }
        List<String> states =
                nodes.stream().map(ExhaustiveSearch::state).sorted().toList();
        if (!failed.add(List.of(states, next, mayRefuse))) {
            return false;
        }
        for (int i = 0; i < nodes.size(); i++) {
            for (CardChoice choice : CardChoice.of(nodes.get(i).entry(), pods.get(next))) {
                List<KnownNode> after = new ArrayList<>(nodes);
                after.set(i, nodes.get(i).with(choice.after(new PodRef("p" + next, "default", "p" + next))));
                if (fits(after, next + 1, mayRefuse)) {
                    return true;
                }
            }
        }
        return mayRefuse > 0 && fits(nodes, next + 1, mayRefuse - 1);
    }

    /** What is free on a node, whatever its name and the order of its cards. */
    private static String state(KnownNode node) {
        return node.entry().free() + " "
                + node.entry().cards().open().cards().stream()
                        .map(card -> card.kind() + " " + card.free())
                        .sorted()
                        .toList();
    }
}

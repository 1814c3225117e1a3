package io.gpushare.extender.policy;

import io.gpushare.extender.capacity.Candidate;
import io.gpushare.extender.capacity.FreeNode;
import io.gpushare.extender.capacity.PodRequest;
import io.gpushare.extender.policy.scoring.Scoring;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * How many new nodes of one kind a waiting pod needs, if the pods that wait before it are placed there first.
 *
 * @param kind such a node, empty
 * @param pods in the order in which they are placed; the pod in question is the last one
 */
public record MoreNodes(FreeNode kind, List<PodRequest> pods) {
    /** The most pods of a search: it takes up to a tenth of a second. */
    public static final int MOST_PODS = 64;

    public MoreNodes {
        pods = List.copyOf(pods);
        if (pods.isEmpty() || pods.size() > MOST_PODS) {
            throw new IllegalArgumentException("a search takes 1 to " + MOST_PODS + " pods");
        }
    }

    /** The smallest number; empty if the pod does not fit on such a node. */
    public OptionalInt count(Scoring scoring) {
        return SmallestCount.<RuntimeException>find(2 * MOST_PODS, count -> places(count, scoring));
    }

    /** Whether the last pod is placed on so many nodes. */
    private boolean places(int count, Scoring scoring) {
        List<FreeNode> nodes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            nodes.add(FreeNode.of("new-" + i, 0, kind.cpuMilli(), kind.memoryMib(), kind.cards()));
        }
        NodeChooser chooser = new NodeChooser(nodes);
        Optional<Candidate> chosen = Optional.empty();
        for (PodRequest pod : pods) {
            chosen = chooser.choose(scoring, pod);
            chosen.ifPresent(candidate -> chooser.update(candidate.after()));
        }
        return chosen.isPresent();
    }
}

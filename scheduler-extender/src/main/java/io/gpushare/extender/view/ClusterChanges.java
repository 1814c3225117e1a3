package io.gpushare.extender.view;

import io.gpushare.extender.ledger.Ledger.NodeView;
import io.gpushare.extender.pod.WaitingPod;
import io.gpushare.extender.report.Explainer;
import io.gpushare.model.Demand;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What to tell somebody who knows an older picture, or none.
 *
 * @param revision of the picture that they have then
 * @param full whether this is a whole picture, which takes the place of what they have
 * @param nodes those that are new or changed, each whole
 * @param gone names of nodes that are no more
 * @param plain how many nodes there are beside those with cards
 * @param waiting the pods that wait; null where that has not changed
 */
public record ClusterChanges(
        String revision,
        boolean full,
        List<NodeView> nodes,
        List<String> gone,
        int plain,
        @Nullable Queue waiting) {
    public ClusterChanges {
        nodes = List.copyOf(nodes);
        gone = List.copyOf(gone);
    }

    /**
     * The pods that wait.
     *
     * @param count how many there are
     * @param first those that matter most
     * @param why what keeps each demand of theirs from being placed; some are left out where there are very many
     */
    public record Queue(int count, List<WaitingPod> first, Map<Demand, Explainer.Tally> why) {
        static final Queue EMPTY = new Queue(0, List.of(), Map.of());

        public Queue {
            first = List.copyOf(first);
            why = Map.copyOf(why);
        }
    }
}

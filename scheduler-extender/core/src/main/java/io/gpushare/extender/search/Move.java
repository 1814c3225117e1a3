package io.gpushare.extender.search;

import io.gpushare.model.PodController;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import java.util.Set;

/**
 * The eviction of one pod, and where its controller's new pod is expected.
 *
 * @param from the node that the pod leaves
 * @param to the node that the policy would choose for the new pod
 * @param cards the cards of that node that it would get
 */
public record Move(PodRef pod, PodController controller, String from, String to, Set<CardId> cards) {
    public Move {
        cards = Set.copyOf(cards);
    }
}

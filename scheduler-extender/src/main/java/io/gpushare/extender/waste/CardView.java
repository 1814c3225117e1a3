package io.gpushare.extender.waste;

import io.gpushare.model.Allocation;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.model.ledger.CardState;
import io.gpushare.model.ledger.NodeCards;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One card and the shares that pods hold of it, by namespace and name. */
public record CardView(CardState state, List<Share> shares) {
    public static final Comparator<PodRef> BY_NAME =
            Comparator.comparing(PodRef::namespace).thenComparing(PodRef::name).thenComparing(PodRef::uid);

    /**
     * The share of a card that one pod holds.
     *
     * @param units in the node's units; those of the whole card for a pod that holds it whole
     * @param cores percent of the card's cores; 0 for a pod that is not limited
     */
    public record Share(PodRef pod, int units, boolean whole, int cores) {}

    public CardView {
        shares = shares.stream()
                .sorted(Comparator.comparing(Share::pod, BY_NAME))
                .toList();
    }

    /** The cards of a node, in their order. Shares of cards that the node does not have are left out. */
    public static List<CardView> of(NodeCards node) {
        Map<CardId, List<Share>> shares = new HashMap<>();
        Map<CardId, CardState> states = new HashMap<>();
        node.cards().forEach(state -> states.put(state.card().id(), state));
        for (NodeCards.Holding holding : node.holdings()) {
            PodRef pod = holding.holder();
            Allocation allocation = holding.allocation();
            for (CardId card : allocation.cards()) {
                CardState state = states.get(card);
                if (state != null) {
                    var held = node.shareOn(allocation, card);
                    boolean whole = held.wholeCards() > 0;
                    int units = whole ? state.capacity().units() : held.units();
                    shares.computeIfAbsent(card, any -> new ArrayList<>())
                            .add(new Share(pod, units, whole, held.cores()));
                }
            }
        }
        return node.cards().stream()
                .map(state ->
                        new CardView(state, shares.getOrDefault(state.card().id(), List.of())))
                .toList();
    }
}

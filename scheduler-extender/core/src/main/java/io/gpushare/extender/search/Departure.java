package io.gpushare.extender.search;

import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.model.card.CardId;
import java.util.List;
import java.util.Set;

/**
 * Cards of one node that are free enough once these pods, and those that terminate anyway, have left.
 *
 * @param cards those that the demand would get; until then they accept no new pods
 * @param pods without those that terminate anyway, the most harmful first; empty if waiting is enough
 * @param moves where the pods are expected afterwards, in the order in which they are moved; empty if they are evicted
 */
public record Departure(String node, Set<CardId> cards, List<PodEntry> pods, List<Move> moves, Harm harm) {
    public Departure {
        cards = Set.copyOf(cards);
        pods = List.copyOf(pods);
        moves = List.copyOf(moves);
    }

    Departure with(List<Move> to) {
        return new Departure(node, cards, pods, to, harm);
    }

    /** The uids of the pods. */
    public List<String> uids() {
        return pods.stream().map(pod -> pod.ref().uid()).toList();
    }
}

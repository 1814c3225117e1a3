package io.gpushare.extender.ledger;

import io.gpushare.model.ledger.CardState;

/** What tests count in a ledger. */
public record LedgerCounts(ClusterState state) {
    public static LedgerCounts of(Ledger ledger) {
        return new LedgerCounts(ledger.state());
    }

    /** The number of pods that hold cards with that standing. */
    public int holding(Holding.Standing standing) {
        return (int) state.pods().stream()
                .filter(pod -> pod.holdings().stream().anyMatch(holding -> holding.standing() == standing))
                .count();
    }

    /** The number of bound pods with a demand and without a valid allocation. */
    public int unattributed() {
        return (int) state.pods().stream().filter(PodEntry::unattributed).count();
    }

    /** The number of over-committed cards. */
    public int overcommitted() {
        return (int) state.entries().values().stream()
                .filter(node -> node.unusable() == null)
                .flatMap(node -> node.cards().cards().stream())
                .filter(CardState::overCommitted)
                .count();
    }
}

package io.gpushare.plugin.monitor;

import io.gpushare.kubernetes.event.EventRecorder;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.plugin.state.LatestSnapshot;

/** Records an Event on every pod that has a card with an Xid error. */
public record XidReporter(LatestSnapshot latest, EventRecorder events) {
    /** Reports an Xid error; the remedy is a part of a sentence. */
    public void report(CardId card, long xid, String remedy) {
        String message = "Card " + card + " of this pod reported Xid " + xid + ": " + remedy + ".";
        var now = latest.now();
        NodeCards assigned = now.allocations().assigned();
        boolean mps = assigned.inventory().card(card).stream()
                .anyMatch(found -> found.isolation().inForce() == Isolation.MPS);
        assigned.holdings().stream()
                .filter(holding -> holding.allocation().cards().contains(card))
                .forEach(holding -> {
                    boolean client = mps && holding.allocation().shareOn(card).takenWhole() == 0;
                    // MPS may be ready again before the plugin reads that it failed.
                    String more = client
                            ? " The card has MPS: if the error was fatal to one program, all programs on the card have"
                                    + " ended."
                            : "";
                    now.pods(holding).forEach(pod -> events.warn(pod, "GpuXid", message + more));
                });
    }
}

package io.gpushare.plugin.node.monitor;

import io.gpushare.kubernetes.event.EventRecorder;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Isolation;
import io.gpushare.plugin.node.holdings.LatestHoldings;

/** Records an Event on every pod that has a card with an Xid error. */
public record XidReporter(LatestHoldings latest, EventRecorder events) {
    /** Reports an Xid error; the remedy is a part of a sentence. */
    public void report(CardId card, long xid, String remedy) {
        String message = "Card " + card + " of this pod reported Xid " + xid + ": " + remedy + ".";
        var now = latest.now();
        boolean mps = now.inventory().card(card).stream()
                .anyMatch(found -> found.isolation().inForce() == Isolation.MPS);
        now.on(card).forEach(holder -> {
            boolean client =
                    mps && holder.allocation().orElseThrow().shareOn(card).takenWhole() == 0;
            // MPS may be ready again before the plugin reads that it failed.
            String more = client
                    ? " The card has MPS: if the error was fatal to one program, all programs on the card have"
                            + " ended."
                    : "";
            holder.pods().forEach(pod -> events.warn(pod, "GpuXid", message + more));
        });
    }
}

package io.gpushare.plugin.monitor;

import io.gpushare.kubernetes.PodEvent;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Isolation;
import io.gpushare.plugin.cluster.PodEventRecorder;
import io.gpushare.plugin.state.LatestSnapshot;
import java.util.Objects;
import java.util.function.BiConsumer;

/** Records an Event on every pod that has a card with an Xid error. */
public record XidReporter(LatestSnapshot latest, BiConsumer<PodRef, PodEvent> events) {
    public XidReporter {
        Objects.requireNonNull(latest);
        Objects.requireNonNull(events);
    }

    /** Reports an Xid error; the remedy is a part of a sentence. */
    public void report(CardId card, long xid, String remedy) {
        boolean mps = latest.now()
                .inventory()
                .card(card)
                .filter(found -> found.isolation().inForce() == Isolation.MPS)
                .isPresent();
        PodEvent event = new PodEvent(
                true,
                PodEventRecorder.COMPONENT,
                "GpuXid",
                "Card " + card + " of this pod reported Xid " + xid + ": " + remedy + "."
                        // Also when MPS recovers faster than its state is read.
                        + (mps ? " With MPS a fatal error of one program ends all programs on the card." : ""));
        latest.now().allocations().assigned().holdings().stream()
                .filter(holding -> holding.allocation().cards().contains(card))
                .forEach(holding -> {
                    switch (holding.holder()) {
                        case PodRef pod -> events.accept(pod, event);
                    }
                });
    }
}

package io.gpushare.plugin.node.monitor;

import io.gpushare.kubernetes.event.EventRecorder;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.Inventory;
import io.gpushare.plugin.node.holdings.LatestHoldings;

/** Records an Event on every pod that has a MIG instance which was removed. */
public record RemovedCardReporter(LatestHoldings latest, EventRecorder events) {
    /** Compares the cards of the last inventory with these. */
    public void report(Inventory now) {
        latest.now().inventory().cards().stream()
                .filter(card -> card.profile() != null && now.card(card.id()).isEmpty())
                .forEach(this::report);
    }

    private void report(Card removed) {
        String message = "MIG instance " + removed.id() + " (" + removed.profile() + " of card " + removed.physical()
                + ") of this pod was removed: recreate the pod.";
        var before = latest.now();
        before.on(removed.id())
                .flatMap(holder -> holder.pods().stream())
                .forEach(pod -> events.warn(pod, "GpuInstanceRemoved", message));
    }
}

package io.gpushare.plugin;

import io.gpushare.kubernetes.EventSubject;
import io.gpushare.kubernetes.event.EventRecorder;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.NoCards;
import io.gpushare.plugin.node.cards.CardSource;
import io.gpushare.plugin.node.isolation.IsolationProvider;
import io.gpushare.plugin.node.monitor.RemovedCardReporter;
import io.gpushare.plugin.node.monitor.UsageMonitor;
import io.gpushare.plugin.node.monitor.XidReporter;
import io.gpushare.plugin.node.offer.InventoryAssembler;
import io.gpushare.plugin.node.usage.CardUsages;

/**
 * Passes the reports about the cards to the parts that they concern.
 *
 * @param invalid ends the plugin, whose options are invalid
 * @param replaced ends the plugin, whose library of the driver is not the loaded driver's any more
 */
record CardReports(
        InventoryAssembler assembler,
        EventRecorder events,
        EventSubject.Node node,
        UsageMonitor monitor,
        IsolationProvider provider,
        XidReporter xids,
        RemovedCardReporter removed,
        Runnable invalid,
        Runnable replaced)
        implements CardSource.Listener {
    @Override
    public void inventory(Inventory now) {
        removed.report(now);
        assembler.scanned(now);
    }

    @Override
    public void refused() {
        invalid.run();
    }

    @Override
    public void driverReplaced(String reported) {
        events.warn(node, "GpuDriverReplaced", "On this node " + reported);
        replaced.run();
    }

    @Override
    public void noCards(NoCards why) {
        events.warn(node, "GpuNoCards", "This node has " + why.sentences());
    }

    @Override
    public void usage(CardUsages now) {
        monitor.report(provider.ofOthers(now));
    }

    @Override
    public void xid(CardId card, long xid, String remedy) {
        xids.report(card, xid, remedy);
    }
}

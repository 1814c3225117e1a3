package io.gpushare.plugin;

import io.gpushare.kubernetes.EventSubject;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.NoCards;
import io.gpushare.plugin.cards.CardScanner;
import io.gpushare.plugin.isolation.IsolationProvider;
import io.gpushare.plugin.monitor.RemovedCardReporter;
import io.gpushare.plugin.monitor.UsageMonitor;
import io.gpushare.plugin.monitor.XidReporter;
import io.gpushare.plugin.part.Events;
import io.gpushare.plugin.state.InventoryAssembler;
import io.gpushare.plugin.usage.CardUsages;
import java.util.concurrent.CompletableFuture;

/** Passes the reports about the cards to the parts that they concern. */
record CardReports(
        InventoryAssembler assembler,
        Events events,
        EventSubject.Node node,
        UsageMonitor monitor,
        IsolationProvider provider,
        XidReporter xids,
        RemovedCardReporter removed,
        CompletableFuture<Integer> exit)
        implements CardScanner.Listener {
    @Override
    public void inventory(Inventory now) {
        removed.report(now);
        assembler.scanned(now);
    }

    @Override
    public void refused() {
        exit.complete(PluginMain.INVALID_OPTIONS);
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

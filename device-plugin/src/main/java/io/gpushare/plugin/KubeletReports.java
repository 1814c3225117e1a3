package io.gpushare.plugin;

import io.gpushare.kubernetes.EventSubject;
import io.gpushare.kubernetes.event.EventRecorder;
import io.gpushare.model.card.NoCards;
import io.gpushare.plugin.allocate.kubelet.KubeletConnection;
import io.gpushare.plugin.node.metrics.PluginMetrics;
import io.gpushare.plugin.node.offer.InventoryAssembler;
import io.gpushare.plugin.node.offer.SnapshotPublisher;
import java.util.Optional;

/** Passes what the kubelet does to the parts that it concerns. */
record KubeletReports(
        InventoryAssembler assembler,
        EventRecorder events,
        EventSubject.Node node,
        SnapshotPublisher publisher,
        PluginMetrics metrics)
        implements KubeletConnection.Listener {
    @Override
    public void watched() {
        publisher.changed();
    }

    @Override
    public void responded(String call, long nanos) {
        metrics.observe(call, nanos);
    }

    @Override
    public void otherServes(Optional<String> who) {
        Optional<NoCards> why = who.map(known -> new NoCards(NoCards.Cause.OTHER_PLUGIN, known));
        why.ifPresent(reason -> otherBeside("This node has " + reason.sentences()));
        assembler.otherServes(why.orElse(null));
    }

    @Override
    public void otherBeside(String warning) {
        events.warn(node, "GpuOtherDevicePlugin", warning);
    }
}

package io.gpushare.plugin.monitor;

import io.gpushare.kubernetes.EventSubject;
import io.gpushare.plugin.part.Events;
import io.gpushare.plugin.usage.ForeignUse;
import io.gpushare.plugin.usage.NodeUsage;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records an Event on each pod that uses a card without a share of it, and on the node for processes outside of its pods.
 * Not thread-safe.
 */
public final class ForeignUseReporter {
    private static final Logger LOG = LoggerFactory.getLogger(ForeignUseReporter.class);
    private static final String REASON = "GpuUseWithoutAllocation";

    private final EventSubject.Node node;
    private final BooleanSupplier podsKnown;
    private final Events events;
    private ForeignUse state = ForeignUse.NONE;

    /** @param podsKnown whether the pods of the node were reported: before, every process looks like one without a pod */
    public ForeignUseReporter(EventSubject.Node node, BooleanSupplier podsKnown, Events events) {
        this.node = node;
        this.podsKnown = podsKnown;
        this.events = events;
    }

    /** Evaluates one report of the driver. */
    void handle(NodeUsage usage) {
        if (!podsKnown.getAsBoolean()) {
            return;
        }
        Set<NodeUsage.Foreign> before = state.certain();
        state = state.with(usage);
        for (NodeUsage.Foreign foreign : state.certain()) {
            EventSubject about =
                    foreign.pod().<EventSubject>map(EventSubject.Pod::new).orElse(node);
            String message = message(foreign);
            if (!before.contains(foreign)) {
                LOG.warn("{}: {}", about, message);
            }
            events.warn(about, REASON, message);
        }
    }

    private static String message(NodeUsage.Foreign foreign) {
        return foreign.pod().isPresent()
                ? "A container of this pod uses card " + foreign.card()
                        + ", which is not allocated to it, and takes memory"
                        + " from other pods. Request GPU memory or cards in its resources, or set"
                        + " NVIDIA_VISIBLE_DEVICES=void in its env."
                : "A process outside of the pods of this node uses card " + foreign.card()
                        + " and takes memory from its"
                        + " pods; nvidia-smi shows the process. End it, or cordon the card.";
    }
}

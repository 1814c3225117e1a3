package io.gpushare.plugin.monitor;

import io.gpushare.kubernetes.EventSubject;
import io.gpushare.kubernetes.PodEvent;
import io.gpushare.plugin.cluster.PodEventRecorder;
import io.gpushare.plugin.usage.ForeignUse;
import io.gpushare.plugin.usage.NodeUsage;
import java.util.Set;
import java.util.function.BiConsumer;
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
    private final BiConsumer<EventSubject, PodEvent> events;
    private ForeignUse state = ForeignUse.NONE;

    /** @param podsKnown whether the pods of the node were reported: before, every process looks like one without a pod */
    public ForeignUseReporter(String node, BooleanSupplier podsKnown, BiConsumer<EventSubject, PodEvent> events) {
        this.node = new EventSubject.Node(node);
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
            PodEvent event = event(foreign);
            if (!before.contains(foreign)) {
                LOG.warn("{}: {}", about, event.message());
            }
            events.accept(about, event);
        }
    }

    private static PodEvent event(NodeUsage.Foreign foreign) {
        String message = foreign.pod().isPresent()
                ? "A container of this pod uses card " + foreign.card()
                        + ", which is not allocated to it, and takes memory"
                        + " from other pods. Request GPU memory or cards in its resources, or set"
                        + " NVIDIA_VISIBLE_DEVICES=void in its env."
                : "A process outside of the pods of this node uses card " + foreign.card()
                        + " and takes memory from its"
                        + " pods; nvidia-smi shows the process. End it, or cordon the card.";
        return new PodEvent(true, PodEventRecorder.COMPONENT, REASON, message);
    }
}

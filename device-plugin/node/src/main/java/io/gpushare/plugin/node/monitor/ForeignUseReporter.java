package io.gpushare.plugin.node.monitor;

import io.gpushare.kubernetes.EventSubject;
import io.gpushare.kubernetes.event.EventRecorder;
import io.gpushare.plugin.node.usage.NodeUsage;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records an Event on each pod that uses a card without a share of it, and on the node for processes outside of its
 * pods. Such use is not stopped: the plugin did not admit the process. Not thread-safe.
 */
public final class ForeignUseReporter {
    private static final Logger LOG = LoggerFactory.getLogger(ForeignUseReporter.class);
    private static final String REASON = "GpuUseWithoutAllocation";
    // Half a minute of reports.
    static final int CERTAIN = 6;

    private final EventSubject.Node node;
    private final BooleanSupplier podsKnown;
    private final EventRecorder events;
    /** In how many reports in a row; a container that has just started, or that ends, may look like one. */
    private final Map<NodeUsage.Foreign, Integer> seen = new HashMap<>();

    /**
     * @param podsKnown whether the pods of the node were reported: before, every process looks like one without a pod
     */
    public ForeignUseReporter(EventSubject.Node node, BooleanSupplier podsKnown, EventRecorder events) {
        this.node = node;
        this.podsKnown = podsKnown;
        this.events = events;
    }

    boolean podsKnown() {
        return podsKnown.getAsBoolean();
    }

    /** Evaluates one report of the driver. */
    void handle(NodeUsage usage) {
        if (!podsKnown.getAsBoolean()) {
            return;
        }
        // StillComputing reports those of pods that have ended.
        Set<NodeUsage.Foreign> now = usage.foreign().keySet().stream()
                .filter(each -> each.ended().isEmpty())
                .collect(Collectors.toSet());
        seen.keySet().retainAll(now);
        for (NodeUsage.Foreign foreign : now) {
            int reports = seen.merge(foreign, 1, Integer::sum);
            if (reports >= CERTAIN) {
                report(foreign, reports == CERTAIN);
            }
        }
    }

    private void report(NodeUsage.Foreign foreign, boolean first) {
        EventSubject about =
                foreign.pod().<EventSubject>map(EventSubject.Pod::new).orElse(node);
        String message = message(foreign);
        if (first) {
            LOG.warn("{}: {}", about, message);
        }
        events.warn(about, REASON, message);
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

package io.gpushare.extender.cluster;

import io.gpushare.extender.pod.AnnotationObserver;
import io.gpushare.kubernetes.EventSeries;
import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.PodEvent;
import io.gpushare.model.PodRef;
import io.gpushare.time.Clocks;
import io.gpushare.time.Rounds;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records an Event on a pod whose annotation is rejected, or whose requests have another effect than its users may
 * expect: a few per second from its own thread. Rejections that do not fit into the queue are only logged. Only the
 * leader records; after a change of leader it records the recent ones too.
 */
public final class EventRecorder implements AnnotationObserver {
    private static final Logger LOG = LoggerFactory.getLogger(EventRecorder.class);
    private static final int WAITING = 256;
    private static final Duration PACE = Duration.ofMillis(250);
    // A new term begins within this time. Older rejections were recorded by the leader of their time.
    private static final Duration RECENT = Duration.ofSeconds(60);

    /**
     * What is recorded.
     *
     * @param heard by the steady clock
     * @param at the time of day
     */
    private record Waiting(PodRef pod, boolean warning, String reason, String message, Instant heard, Instant at) {}

    private final KubernetesApi api;
    private final BooleanSupplier leading;
    private final Clocks clocks;
    private final BlockingQueue<Waiting> waiting = new ArrayBlockingQueue<>(WAITING);

    private final AtomicLong lost = new AtomicLong();

    private EventRecorder(KubernetesApi api, BooleanSupplier leading, Clocks clocks) {
        this.api = api;
        this.leading = leading;
        this.clocks = clocks;
    }

    /** Starts a thread that ends with the process. */
    public static EventRecorder start(KubernetesApi api, BooleanSupplier leading, Clocks clocks) {
        EventRecorder recorder = new EventRecorder(api, leading, clocks);
        Rounds.start("pod-events", PACE, recorder::recordNext);
        return recorder;
    }

    @Override
    public void rejected(PodRef pod, String node, String sentence) {
        LOG.warn("pod {} on node {}: {}", pod, node, sentence);
        if (!offer(pod, true, "GpuAllocationDisbelieved", "Node " + node + ": " + sentence + ".")) {
            LOG.info("pod {}: no Event is recorded, the queue is full", pod);
        }
    }

    @Override
    public void noted(PodRef pod, String sentence) {
        offer(pod, false, "GpuRequestChanged", Character.toUpperCase(sentence.charAt(0)) + sentence.substring(1) + ".");
    }

    private boolean offer(PodRef pod, boolean warning, String reason, String message) {
        boolean fits = waiting.offer(new Waiting(
                pod,
                warning,
                reason,
                message,
                clocks.steady().instant(),
                clocks.wall().instant()));
        if (!fits) {
            lost.incrementAndGet();
        }
        return fits;
    }

    /** The number of Events that were not recorded. */
    public long lost() {
        return lost.get();
    }

    private void recordNext() throws InterruptedException {
        Waiting next = waiting.take();
        while (!leading.getAsBoolean() && isRecent(next)) {
            Thread.sleep(PACE);
        }
        if (leading.getAsBoolean()) {
            record(next);
        }
    }

    private boolean isRecent(Waiting next) {
        return clocks.steady().instant().isBefore(next.heard().plus(RECENT));
    }

    private void record(Waiting next) {
        PodEvent event = new PodEvent(next.warning(), "gpushare-schd-extender", next.reason(), next.message());
        try {
            api.events().record(next.pod(), event, EventSeries.once(next.at()));
        } catch (KubernetesException e) {
            lost.incrementAndGet();
            LOG.warn("pod {}: {}", next.pod(), e.getMessage());
        }
    }
}

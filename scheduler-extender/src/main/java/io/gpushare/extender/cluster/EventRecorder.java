package io.gpushare.extender.cluster;

import io.gpushare.extender.ledger.AnnotationObserver;
import io.gpushare.kubernetes.EventSeries;
import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.PodEvent;
import io.gpushare.model.PodRef;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells a pod's people in an Event that its annotation is not believed: a few a second from a thread of its own, and what
 * does not fit into its queue only stands in the log. Only who leads tells; what was heard shortly before is told then.
 */
public final class EventRecorder implements AnnotationObserver {
    private static final Logger LOG = LoggerFactory.getLogger(EventRecorder.class);
    private static final int WAITING = 256;
    private static final Duration PACE = Duration.ofMillis(250);
    // A term begins within this after the last one's end; what is older, the leader of its time has told.
    private static final Duration NEWS = Duration.ofSeconds(60);

    private record Told(PodRef pod, String node, String sentence, Instant at) {}

    private final KubernetesApi api;
    private final BooleanSupplier leading;
    private final InstantSource clock;
    private final BlockingQueue<Told> waiting = new ArrayBlockingQueue<>(WAITING);

    private final AtomicLong lost = new AtomicLong();

    private EventRecorder(KubernetesApi api, BooleanSupplier leading, InstantSource clock) {
        this.api = api;
        this.leading = leading;
        this.clock = clock;
    }

    /** Starts a thread that ends with the process. */
    public static EventRecorder start(KubernetesApi api, BooleanSupplier leading, InstantSource clock) {
        EventRecorder news = new EventRecorder(api, leading, clock);
        Thread.ofPlatform().daemon().name("pod-news").start(news::run);
        return news;
    }

    @Override
    public void disbelieved(PodRef pod, String node, String sentence) {
        LOG.warn("pod {} on node {}: {}", pod, node, sentence);
        if (!waiting.offer(new Told(pod, node, sentence, clock.instant()))) {
            lost.incrementAndGet();
            LOG.info("pod {}: no Event tells of it, too many wait", pod);
        }
    }

    /** How many Events were not recorded. */
    public long lost() {
        return lost.get();
    }

    private void run() {
        try {
            while (true) {
                Told next = waiting.take();
                while (!leading.getAsBoolean() && isNew(next)) {
                    Thread.sleep(PACE);
                }
                if (leading.getAsBoolean()) {
                    tell(next);
                    Thread.sleep(PACE);
                }
            }
        } catch (InterruptedException e) {
            LOG.debug("pod-news ends");
        }
    }

    private boolean isNew(Told told) {
        return clock.instant().isBefore(told.at().plus(NEWS));
    }

    private void tell(Told told) {
        PodEvent event = new PodEvent(
                true,
                "gpushare-schd-extender",
                "GpuAllocationDisbelieved",
                "Node " + told.node() + ": " + told.sentence() + ".");
        try {
            api.events().record(told.pod(), event, EventSeries.once(told.at()));
        } catch (KubernetesException e) {
            lost.incrementAndGet();
            LOG.warn("pod {}: {}", told.pod(), e.getMessage());
        } catch (RuntimeException e) {
            lost.incrementAndGet();
            LOG.error("pod {}: its Event failed", told.pod(), e);
        }
    }
}

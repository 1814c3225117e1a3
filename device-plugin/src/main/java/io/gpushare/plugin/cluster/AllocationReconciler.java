package io.gpushare.plugin.cluster;

import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.PodEvent;
import io.gpushare.model.PodRef;
import io.gpushare.model.codec.AnnotationKeys;
import io.gpushare.plugin.node.AnnotationDifference;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps what is written on each pod what its containers have. Looks when it is asked to, and again once in a while; a
 * difference is mended one pod after the other, tried again later and later while that fails, and told as an Event.
 */
public final class AllocationReconciler implements AutoCloseable {
    /**
     * How long to wait: between two pods; after a failure at first and at most; and before the same pod is mended again, or
     * all is looked at again.
     */
    public record Pace(Duration gap, Duration first, Duration most, Duration again) {
        public static final Pace USUAL =
                new Pace(Duration.ofMillis(50), Duration.ofSeconds(1), Duration.ofSeconds(30), Duration.ofSeconds(10));
    }

    /** Writes on the pod what it holds. */
    @FunctionalInterface
    public interface Writing {
        void write(AnnotationDifference difference) throws KubernetesException;
    }

    private record Tried(Instant next, Duration patience) {}

    private static final Logger LOG = LoggerFactory.getLogger(AllocationReconciler.class);

    /** A doubt that nobody here can settle is told again after this. */
    private static final Duration REMIND = Duration.ofHours(1);

    private final Supplier<List<AnnotationDifference>> differences;
    private final Writing pods;
    private final BiConsumer<PodRef, PodEvent> events;
    private final Pace pace;
    private final InstantSource clock;
    private final Semaphore asked = new Semaphore(0);
    private final Map<String, Tried> tried = new HashMap<>();
    private final Map<AnnotationDifference.Kind, Integer> found = new EnumMap<>(AnnotationDifference.Kind.class);
    private final Thread thread = new Thread(this::run, "allocation-note");
    private int written;
    private int failures;

    private AllocationReconciler(
            Supplier<List<AnnotationDifference>> differences,
            Writing pods,
            BiConsumer<PodRef, PodEvent> events,
            Pace pace,
            InstantSource clock) {
        this.differences = Objects.requireNonNull(differences);
        this.pods = Objects.requireNonNull(pods);
        this.events = Objects.requireNonNull(events);
        this.pace = Objects.requireNonNull(pace);
        this.clock = Objects.requireNonNull(clock);
    }

    /** Begins; nothing is compared before the first {@link #look}. */
    public static AllocationReconciler start(
            Supplier<List<AnnotationDifference>> differences,
            Writing pods,
            BiConsumer<PodRef, PodEvent> events,
            Pace pace,
            InstantSource clock) {
        AllocationReconciler note = new AllocationReconciler(differences, pods, events, pace, clock);
        note.thread.setDaemon(true);
        note.thread.start();
        return note;
    }

    /** Compares soon; returns at once. */
    public void look() {
        asked.release();
    }

    private void run() {
        try {
            asked.acquire();
            while (true) {
                asked.drainPermits();
                Duration wait = mend();
                if (asked.tryAcquire(wait.toMillis(), TimeUnit.MILLISECONDS)) {
                    // What happens together is compared together.
                    TimeUnit.MILLISECONDS.sleep(pace.gap().toMillis());
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Mends what is due; answers how long until something else is. */
    private Duration mend() throws InterruptedException {
        List<AnnotationDifference> now = differences.get();
        Instant start = clock.instant();
        List<String> different = now.stream().map(each -> each.pod().uid()).toList();
        // A pod that was mended is left alone for a while all the same: the watch may be late.
        tried.entrySet()
                .removeIf(entry -> !different.contains(entry.getKey())
                        && entry.getValue().next().isBefore(start));
        Duration wait = pace.again();
        for (AnnotationDifference difference : now) {
            @Nullable Tried before = tried.get(difference.pod().uid());
            if (before == null || !clock.instant().isBefore(before.next())) {
                mend(difference, before);
                TimeUnit.MILLISECONDS.sleep(pace.gap().toMillis());
            }
            Tried after = Objects.requireNonNull(tried.get(difference.pod().uid()));
            Duration due = Duration.between(clock.instant(), after.next());
            wait = due.compareTo(wait) < 0 ? due : wait;
        }
        return wait.isNegative() ? Duration.ZERO : wait;
    }

    private void mend(AnnotationDifference difference, @Nullable Tried before) {
        String uid = difference.pod().uid();
        try {
            if (difference.kind() != AnnotationDifference.Kind.DOUBTFUL) {
                pods.write(difference);
            }
            boolean doubt = difference.kind() == AnnotationDifference.Kind.DOUBTFUL;
            tried.put(uid, new Tried(clock.instant().plus(doubt ? REMIND : pace.again()), pace.first()));
            count(difference.kind());
            if (difference.kind() == AnnotationDifference.Kind.UNWRITTEN) {
                LOG.info("pod {}: written on it that it has {}", difference.pod(), difference.cards());
            } else {
                LOG.warn("pod {}: {}", difference.pod(), event(difference).message());
            }
            events.accept(difference.pod(), event(difference));
        } catch (KubernetesException e) {
            Duration wait = before == null ? pace.first() : before.patience();
            tried.put(uid, new Tried(clock.instant().plus(wait), longer(wait)));
            failed();
            LOG.warn(
                    "what pod {} has can't be written on it, trying again in {} s: {}",
                    difference.pod(),
                    wait.toSeconds(),
                    e.getMessage());
        }
    }

    private Duration longer(Duration wait) {
        Duration twice = wait.multipliedBy(2);
        return twice.compareTo(pace.most()) > 0 ? pace.most() : twice;
    }

    private static PodEvent event(AnnotationDifference difference) {
        return switch (difference.kind()) {
            case UNWRITTEN ->
                event(
                        false,
                        "GpuAllocationWritten",
                        "The pod came to this node without the GPU Share extender; its containers have "
                                + difference.cards() + ", and that is written on it now.");
            case WRONG ->
                event(
                        true,
                        "GpuAllocationMended",
                        "Annotation " + AnnotationKeys.ALLOCATION + " did not say what the containers have, which is "
                                + difference.cards() + "; it is corrected. Leave that annotation to the scheduler.");
            case DOUBTFUL ->
                event(
                        true,
                        "GpuAllocationDoubtful",
                        "Annotation " + AnnotationKeys.ALLOCATION + " says " + difference.cards()
                                + ", the kubelet's devices are of another card. If somebody edited the annotation while"
                                + " the device plugin was away, create the pod anew.");
        };
    }

    private static PodEvent event(boolean warning, String reason, String message) {
        return new PodEvent(warning, PodEventRecorder.COMPONENT, reason, message);
    }

    private synchronized void count(AnnotationDifference.Kind kind) {
        found.merge(kind, 1, Integer::sum);
        written += kind == AnnotationDifference.Kind.DOUBTFUL ? 0 : 1;
    }

    private synchronized void failed() {
        failures++;
    }

    /** How many differences were found so far, by kind. */
    public synchronized Map<AnnotationDifference.Kind, Long> found() {
        Map<AnnotationDifference.Kind, Long> counts = new EnumMap<>(AnnotationDifference.Kind.class);
        for (AnnotationDifference.Kind kind : AnnotationDifference.Kind.values()) {
            counts.put(kind, (long) found.getOrDefault(kind, 0));
        }
        return counts;
    }

    /** How many of them were mended: written on their pods. */
    public synchronized long mended() {
        return written;
    }

    /** How often writing one failed. */
    public synchronized long failures() {
        return failures;
    }

    /** What was found and done so far, for the log. */
    public synchronized String counts() {
        return "differences " + found + ", written " + written + ", failed attempts " + failures;
    }

    @Override
    public void close() {
        thread.interrupt();
        try {
            thread.join(Duration.ofSeconds(1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

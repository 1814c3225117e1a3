package io.gpushare.plugin.cluster;

import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.PodEvent;
import io.gpushare.model.PodRef;
import io.gpushare.model.codec.AnnotationKeys;
import io.gpushare.plugin.snapshot.AnnotationDifference;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the allocation annotation of each pod equal to what its containers have. It compares on request and periodically,
 * repairs one pod after the other, retries failures with a growing delay, and records each repair as an Event.
 */
public final class AllocationReconciler implements AutoCloseable {
    /**
     * The delays of the reconciler.
     *
     * @param gap between two pods
     * @param first after the first failure; it doubles with each further one
     * @param longest after any failure
     * @param again until the same pod is repaired again, or all are compared again
     */
    public record Pace(Duration gap, Duration first, Duration longest, Duration again) {
        public static final Pace USUAL =
                new Pace(Duration.ofMillis(50), Duration.ofSeconds(1), Duration.ofSeconds(30), Duration.ofSeconds(10));
    }

    /** Writes the actual allocation on the pod. */
    @FunctionalInterface
    public interface Writer {
        void write(AnnotationDifference difference) throws KubernetesException;
    }

    private record Attempt(AnnotationDifference.Kind kind, Instant next, Duration delay) {}

    private static final Logger LOG = LoggerFactory.getLogger(AllocationReconciler.class);

    /** An unconfirmed annotation, which only a user can resolve, is reported again after this time. */
    private static final Duration REMINDER = Duration.ofHours(1);

    private final Supplier<List<AnnotationDifference>> differences;
    private final Writer pods;
    private final BiConsumer<PodRef, PodEvent> events;
    private final Pace pace;
    private final InstantSource clock;
    private final Semaphore requested = new Semaphore(0);
    private final Map<String, Attempt> attempts = new HashMap<>();
    private final Map<AnnotationDifference.Kind, Integer> found = new EnumMap<>(AnnotationDifference.Kind.class);
    private final Thread thread = new Thread(this::run, "allocations");
    private int repaired;
    private int failures;

    private AllocationReconciler(
            Supplier<List<AnnotationDifference>> differences,
            Writer pods,
            BiConsumer<PodRef, PodEvent> events,
            Pace pace,
            InstantSource clock) {
        this.differences = differences;
        this.pods = pods;
        this.events = events;
        this.pace = pace;
        this.clock = clock;
    }

    /** Starts; nothing is compared before the first {@link #reconcileSoon}. */
    public static AllocationReconciler start(
            Supplier<List<AnnotationDifference>> differences,
            Writer pods,
            BiConsumer<PodRef, PodEvent> events,
            Pace pace,
            InstantSource clock) {
        AllocationReconciler reconciler = new AllocationReconciler(differences, pods, events, pace, clock);
        reconciler.thread.setDaemon(true);
        reconciler.thread.start();
        return reconciler;
    }

    /** Requests a comparison; returns at once. */
    public void reconcileSoon() {
        requested.release();
    }

    private void run() {
        try {
            requested.acquire();
            while (true) {
                requested.drainPermits();
                Duration wait = reconcile();
                if (requested.tryAcquire(wait.toMillis(), TimeUnit.MILLISECONDS)) {
                    // Changes that come together are compared together.
                    TimeUnit.MILLISECONDS.sleep(pace.gap().toMillis());
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Repairs what is due; returns the time until the next repair is due. */
    private Duration reconcile() throws InterruptedException {
        List<AnnotationDifference> now = differences.get();
        Instant start = clock.instant();
        List<String> different = now.stream().map(each -> each.pod().uid()).toList();
        // A repaired pod is left alone for a while, because the watch may be late.
        attempts.entrySet()
                .removeIf(entry -> !different.contains(entry.getKey())
                        && entry.getValue().next().isBefore(start));
        Duration wait = pace.again();
        for (AnnotationDifference difference : now) {
            @Nullable Attempt before = attempts.get(difference.pod().uid());
            // An unconfirmed difference may become a known one.
            if (before == null
                    || before.kind() != difference.kind()
                    || !clock.instant().isBefore(before.next())) {
                repair(difference, before);
                TimeUnit.MILLISECONDS.sleep(pace.gap().toMillis());
            }
            Attempt after = Objects.requireNonNull(attempts.get(difference.pod().uid()));
            Duration due = Duration.between(clock.instant(), after.next());
            wait = due.compareTo(wait) < 0 ? due : wait;
        }
        return wait.isNegative() ? Duration.ZERO : wait;
    }

    private void repair(AnnotationDifference difference, @Nullable Attempt before) {
        String uid = difference.pod().uid();
        try {
            boolean unconfirmed = difference.kind() == AnnotationDifference.Kind.UNCONFIRMED;
            if (!unconfirmed) {
                pods.write(difference);
            }
            attempts.put(
                    uid,
                    new Attempt(
                            difference.kind(),
                            clock.instant().plus(unconfirmed ? REMINDER : pace.again()),
                            pace.first()));
            count(difference.kind());
            event(difference).ifPresent(event -> report(difference, event));
        } catch (KubernetesException e) {
            Duration wait = before == null ? pace.first() : before.delay();
            attempts.put(uid, new Attempt(difference.kind(), clock.instant().plus(wait), longer(wait)));
            failed();
            LOG.warn(
                    "the allocation of pod {} can't be written on it, next attempt in {} s: {}",
                    difference.pod(),
                    wait.toSeconds(),
                    e.getMessage());
        }
    }

    private void report(AnnotationDifference difference, PodEvent event) {
        if (event.warning()) {
            LOG.warn("pod {}: {}", difference.pod(), event.message());
        } else {
            LOG.info("pod {}: annotated with its cards {}", difference.pod(), difference.cards());
        }
        events.accept(difference.pod(), event);
    }

    private Duration longer(Duration wait) {
        Duration twice = wait.multipliedBy(2);
        return twice.compareTo(pace.longest()) > 0 ? pace.longest() : twice;
    }

    private static Optional<PodEvent> event(AnnotationDifference difference) {
        return switch (difference.kind()) {
            case MISSING ->
                event(
                        false,
                        "GpuAllocationWritten",
                        "The pod was bound without the GPU Share extender; its containers have " + difference.cards()
                                + ", and the pod is annotated with them now.");
            case WRONG ->
                event(
                        true,
                        "GpuAllocationMended",
                        "Annotation " + AnnotationKeys.ALLOCATION + " did not name the cards that the containers have, "
                                + difference.cards() + "; it is corrected. Only the scheduler may write it.");
            case ADOPTED ->
                event(
                        false,
                        "GpuAllocationWritten",
                        "The pod got " + difference.cards()
                                + " from gpushare's device plugin, keeps it, and is annotated with it now.");
            case UNASSIGNED -> Optional.empty();
            case UNCONFIRMED ->
                event(
                        true,
                        "GpuAllocationDoubtful",
                        "Annotation " + AnnotationKeys.ALLOCATION + " names " + difference.cards()
                                + ", but the kubelet's devices are of another card, and its checkpoint does not tell"
                                + " which is right. The pod holds both until it is recreated.");
        };
    }

    private static Optional<PodEvent> event(boolean warning, String reason, String message) {
        return Optional.of(new PodEvent(warning, PodEventRecorder.COMPONENT, reason, message));
    }

    private synchronized void count(AnnotationDifference.Kind kind) {
        if (kind.reported()) {
            found.merge(kind, 1, Integer::sum);
            repaired += kind.repaired() ? 1 : 0;
        }
    }

    private synchronized void failed() {
        failures++;
    }

    /** The number of differences found so far, by kind. */
    public synchronized Map<AnnotationDifference.Kind, Long> found() {
        Map<AnnotationDifference.Kind, Long> counts = new EnumMap<>(AnnotationDifference.Kind.class);
        for (AnnotationDifference.Kind kind : AnnotationDifference.Kind.values()) {
            if (kind.reported()) {
                counts.put(kind, (long) found.getOrDefault(kind, 0));
            }
        }
        return counts;
    }

    /** The number of differences that were repaired. */
    public synchronized long repaired() {
        return repaired;
    }

    /** The number of failed attempts to repair a difference. */
    public synchronized long failures() {
        return failures;
    }

    /** All counters, for the log. */
    public synchronized String counts() {
        return "differences " + found + ", repaired " + repaired + ", failed attempts " + failures;
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
